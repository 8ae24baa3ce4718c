#!/usr/bin/env python3
"""Everything as with a file, but with the store on a real PostgreSQL server: runs of one's own and of
the trainer, lists, exports, two users' folders, a server that dies while a run is at work, and
passwords that nobody is shown. Usage: postgres_store.py RECKON"""

import json
import os
import re
import subprocess
import time

from in_a_folder import InAFolder, main, wait_until

PASSWORD = "not-to-be-seen"
TINY = {  # JSON is YAML
    "name": "tiny",
    "num_nodes": 2,
    "trainer": {
        "network": "lenet5",
        "data": {"source": "generated", "images": 200, "validation_images": 50},
        "epochs": 1,
        "batch": 20,
    },
}


class PostgresStore(InAFolder):
    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen([os.environ["POSTGRES_FOR_TESTS"]], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end_server)
        # The server asks for none, so any password will do.
        self.url = self.order("database").replace("user=postgres",
                                                  f"user=postgres&password={PASSWORD}")
        os.environ["RECKON_DB"] = self.url
        os.environ["XDG_STATE_HOME"] = ""
        self.addCleanup(os.environ.pop, "RECKON_DB")

    def end_server(self):
        self.server.stdin.close()
        self.server.wait(60)
        self.server.stdout.close()

    def order(self, what):
        self.server.stdin.write(what + "\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline().strip()
        self.assertTrue(answer, "no server; see above")
        return answer

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_folders(self):
        state = os.path.join(self.folder, ".local/state/reckon")
        (folder,) = os.listdir(state)
        return os.path.join(state, folder)

    def fails(self, *arguments):
        environment = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": ""}
        done = subprocess.run([self.program, *arguments, "-q"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertNotIn(PASSWORD, done.stdout + done.stderr)
        return done.stderr

    def check_no_password(self, folder):
        """Only the run's own description has it, where nobody but its owner may look."""
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    if PASSWORD in file.read():
                        self.assertEqual(name, "spec.json", path)
                        self.assertEqual(os.stat(place).st_mode & 0o077, 0, path)

    def test_import_fit_predict_export(self):
        rows = [f"{n},{100 / n + 3:.3f}" for n in range(1, 13)]
        self.write("runs.csv", "workers,time_s\n" + "\n".join(rows) + "\n")
        said = self.reckon("import", "runs.csv", "--name", "größe")
        self.assertIn("postgresql:///", said)
        self.assertNotIn(PASSWORD, said)
        self.reckon("fit", "--samples", "größe", "--target", "time_s", "--save", "m")
        self.assertIn("time_s", self.reckon("predict", "--model", "m", "--set", "workers=16"))
        self.assertEqual(len(self.rows("größe")), 12)
        self.assertIn("größe", self.reckon("list"))
        self.assertNotIn(PASSWORD, self.reckon("doctor", "--json"))
        self.assertIn("größe", self.fails("export", "samples", "grösse"))

    def test_runs(self):
        self.write("job.json", json.dumps(TINY))
        self.reckon("run", "job.json")
        (row,) = self.rows("tiny.runs")
        self.assertEqual(row["images"], "200")
        status = json.loads(self.reckon("status", "1", "--json"))
        self.assertEqual(status["state"], "finished")
        self.assertIn("tiny", self.reckon("list"))
        self.assertIn("run.state", self.reckon("export", "events"))
        self.check_no_password(self.run_folders())
        self.check_nothing_left()

    def test_another_machine_does_not_take_runs_for_dead(self):
        self.write("job.yaml", "name: long\nrun: sleep 60\n")
        self.reckon("run", "job.yaml", "--detach")
        elsewhere = ("--runs-folder", os.path.join(self.folder, "elsewhere"))
        seen = json.loads(self.reckon("status", "1", "--json", *elsewhere))
        self.assertNotIn(seen["state"], ("failed", "finished"))
        self.assertIn(self.run_folders(), seen["note"])
        self.assertIn("long", self.reckon("list", *elsewhere))
        self.assertIn("cannot be stopped from here", self.fails("stop", "1", *elsewhere))
        self.assertIn(self.run_folders(), self.fails("logs", "1", *elsewhere))
        self.assertIn("stopped", self.reckon("stop", "1"))
        seen = json.loads(self.reckon("status", "1", "--json", *elsewhere))
        self.assertEqual(seen["state"], "stopped")

    def test_a_folder_keeps_the_runs_of_one_store(self):
        self.write("job.yaml", "name: own\nrun: echo here\n")
        mine = ("--runs-folder", os.path.join(self.folder, "mine"))
        self.reckon("run", "job.yaml", *mine)
        self.assertIn("here", self.reckon("logs", "1", *mine))
        other = self.order("database")
        self.assertIn("keeps the runs of", self.fails("run", "job.yaml", "--db", other, *mine))
        self.assertIn("here", self.reckon("logs", "1", *mine))

    def test_the_server_dies_while_a_run_is_at_work(self):
        self.write("job.yaml", "name: own\nrun: sleep 3\n")
        self.reckon("run", "job.yaml", "--detach")
        self.order("kill")
        begun = time.monotonic()
        self.assertRegex(self.fails("list"), re.compile("cannot be reached"))
        self.assertLess(time.monotonic() - begun, 20)
        time.sleep(4)  # the run ends, and cannot say so
        self.order("start")
        ended = lambda: json.loads(  # noqa: E731
            self.reckon("status", "1", "--json"))["state"] == "finished"
        self.assertTrue(wait_until(ended, 20))
        self.check_no_password(self.run_folders())

    def test_the_service(self):
        log = os.path.join(self.folder, "log")
        with open(log, "w", encoding="utf-8") as file:
            service = subprocess.Popen(
                [self.program, "serve", "--listen", "127.0.0.1:0", "--log-level", "debug"],
                cwd=self.folder, env={**os.environ, "HOME": self.folder}, stdout=file, stderr=file)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)

        def said():
            with open(log, encoding="utf-8") as file:
                return file.read()
        self.assertTrue(wait_until(lambda: "http://" in said(), 20), said())
        address = re.search(r"http://([0-9.:]+)", said())[1]
        self.write("job.yaml", "name: managed\nrun: echo hello\n")
        self.reckon("run", "job.yaml", "--detach", "--server", address)
        self.assertIn("managed", self.reckon("status", "1", "--server", address))
        self.assertIn("has a manager already", self.fails("serve", "--listen", "127.0.0.1:0"))
        self.assertNotIn(PASSWORD, said())


if __name__ == "__main__":
    main()
