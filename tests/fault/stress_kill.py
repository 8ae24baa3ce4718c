#!/usr/bin/env python3
"""reckon-stress as a process of its own: what it reports, how it ends, and that nothing of it is left
however it ends.

    stress_kill.py RECKON_STRESS [ROUNDS]      needs RECKON_COLLECTOR in the environment
"""

import ctypes
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from collector import Collector  # noqa: E402, pylint: disable=wrong-import-position

STRESS = ""
ROUNDS = 10
LEVELS = ["--cpu", "20", "--cpus", "1", "--memory", "80MB", "--disk", "1MB"]


def at_work_in(folder):
    """The living processes that were started there: {number: its line in /proc}."""
    found = {}
    for process in pathlib.Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.readlink(process / "cwd") == str(folder):
                found[int(process.name)] = (process / "stat").read_text()
        except OSError:
            pass  # it ended meanwhile
    return found


class StressTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in at_work_in(self.folder):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended meanwhile

    def start(self, *options, environment=None):
        return subprocess.Popen(
            [STRESS, *options, "--folder", str(self.folder)],
            env=environment, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def nothing_left_within(self, seconds):
        end = time.monotonic() + seconds
        while at_work_in(self.folder) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(at_work_in(self.folder), {})

    def wait_until_ready(self, process):
        for line in process.stdout:
            if "ready" in line:
                return
        self.fail(f"it ended before it was ready: {process.stderr.read()}")

    def test_it_is_ready_once_and_ends_at_once_when_asked_to(self):
        for ask in (signal.SIGTERM, signal.SIGINT):
            with Collector() as collector:
                process = self.start(
                    *LEVELS, environment=collector.environment(RECKON_ROLE="background"))
                self.wait_until_ready(process)
                self.assertGreaterEqual(len(at_work_in(self.folder)), 11)
                begin = time.monotonic()
                process.send_signal(ask)
                _, said = process.communicate(timeout=10)
                self.assertLess(time.monotonic() - begin, 4)  # not after its next look at the load
            self.assertEqual((process.returncode, said), (0, ""))
            self.nothing_left_within(0)
            self.assertEqual(list(self.folder.iterdir()), [])
            self.assertEqual([line["role"] for line in collector.lines], ["background"])
            self.assertEqual(len(collector.events("ready")), 1)

    def test_a_kill_at_any_moment_leaves_no_process(self):
        rng = random.Random(5)
        for _ in range(ROUNDS):
            process = self.start(*LEVELS)
            time.sleep(rng.uniform(0, 1.5))
            process.kill()
            process.communicate(timeout=10)
            self.nothing_left_within(2)

    def test_a_paused_worker_dies_with_a_killed_parent(self):
        process = self.start("--cpu", "1", "--cpus", "1")  # paused nearly all of the time
        self.wait_until_ready(process)
        end = time.monotonic() + 5
        while not any(") T " in line for line in at_work_in(self.folder).values()):
            self.assertLess(time.monotonic(), end, "its workers are never paused")
            time.sleep(0.005)
        process.kill()
        process.communicate(timeout=10)
        self.nothing_left_within(2)

    def test_a_stress_ng_that_is_killed_is_an_error(self):
        with Collector() as collector:
            process = self.start(*LEVELS, environment=collector.environment())
            self.wait_until_ready(process)
            leaders = [number for number, line in at_work_in(self.folder).items() if "(stress-ng)" in line]
            self.assertEqual(len(leaders), 3)
            os.kill(leaders[0], signal.SIGKILL)
            _, said = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 1)
        self.assertIn("stress-ng ended by itself", said)
        self.assertIn("ended by itself", collector.events("error")[0]["message"])
        self.nothing_left_within(0)

    def test_what_is_missing_is_said_and_reported(self):
        with Collector() as collector:
            process = self.start(
                "--cpu", "5", environment=collector.environment(PATH="/nonexistent"))
            _, said = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 1)
        self.assertIn("package stress-ng", said)
        self.assertIn("package stress-ng", collector.events("error")[0]["message"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_command_line(self):
        def run(*options):
            done = subprocess.run(
                [STRESS, *options], capture_output=True, text=True, timeout=20, check=False)
            return done.returncode, done.stdout + done.stderr
        self.assertEqual(run()[0], 2)
        code, said = run("--help")
        self.assertEqual(code, 0)
        self.assertIn("--memory-total", said)
        code, said = run("--cpu", "much")
        self.assertEqual(code, 2)
        self.assertIn("--cpu: 'much'", said)
        code, said = run("--gpu", "50")
        self.assertEqual(code, 1)
        self.assertIn("GPU", said)


if __name__ == "__main__":
    # Who loses its parent becomes a child of this process, as in a container whose first process is
    # of the same session: then the kernel does not see to paused processes of that session.
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    STRESS = sys.argv.pop(1)
    if len(sys.argv) > 1:
        ROUNDS = int(sys.argv.pop(1))
    unittest.main()
