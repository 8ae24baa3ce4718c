"""Runs report_collector, the receiving side in C++, for tests."""

import json
import os
import subprocess
import threading

TOKEN = "secret"


class Collector:
    """With Collector() as collector: ... ; then collector.events, all that came."""

    def __enter__(self):
        self._process = subprocess.Popen(
            [os.environ["RECKON_COLLECTOR"], TOKEN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        port = int(self._process.stdout.readline())
        self.url = "http://127.0.0.1:%d/runs/7/events" % port
        self.lines = []
        # All the time: it prints while it answers, and a full pipe would hold up its answers.
        self._readers = [
            threading.Thread(target=self._read_lines),
            threading.Thread(target=self._read_problems),
        ]
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self.code = self._process.wait(timeout=60)
        for reader in self._readers:
            reader.join()
        self._process.stdout.close()
        self._process.stderr.close()

    def _read_lines(self):
        for line in self._process.stdout:
            self.lines.append(json.loads(line))

    def _read_problems(self):
        self.problems = self._process.stderr.read()

    def environment(self, **more):
        environment = dict(os.environ, RECKON_STATUS_URL=self.url, RECKON_TOKEN=TOKEN)
        environment["RECKON_RUN_ID"] = "7"
        environment.update(more)
        return environment

    def events(self, kind, rank=None):
        return [
            line["event"]
            for line in self.lines
            if line["event"]["kind"] == kind and (rank is None or line["rank"] == rank)
        ]
