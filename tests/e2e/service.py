#!/usr/bin/env python3
"""`reckon serve` with agents on the hosts of a lab: a run from its submission to its samples, a run that
is stopped, a node that dies on the way, a manager and agents that are killed. Needs root and iproute2,
else it ends with 77 (skipped).
Usage: service.py RECKON"""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

from in_a_folder import InAFolder, main

LAB = """
name: %s
dilation: 2
hosts:
  - {name: h, count: 3, cpus: 0.5, memory: 1GiB, bandwidth: 1Gbit}
"""

TRAINING = """
name: digits
num_nodes: 2
servers: 1
trainer:
  network: lenet5
  strategy: async-ps
  epochs: %d
  batch: 32
  data: {images: 320, validation_images: 64}
"""


class Service(InAFolder):
    def setUp(self):
        super().setUp()
        self.lab = f"s{os.getpid()}"
        self.processes = []
        self.addCleanup(self.clean)
        self.write("lab.yaml", LAB % self.lab)
        self.write("token", "a secret of the test\n")
        up = subprocess.run([self.program, "lab", "up", "lab.yaml"], cwd=self.folder,
                            capture_output=True, text=True, check=False)
        if up.returncode != 0:
            self.skipTest(up.stderr)
        status = subprocess.run([self.program, "lab", "status", self.lab, "--json"], cwd=self.folder,
                                capture_output=True, text=True, check=True)
        self.machine = json.loads(status.stdout)["labs"][0]["machine_address"]
        self.manager = None
        self.port = 0
        self.start_manager()
        self.agents = {name: self.start_agent(name) for name in ("h0", "h1", "h2")}
        self.wait_for(lambda: len(self.get("/nodes")["nodes"]) == 3, "three nodes")

    def clean(self):
        for process in self.processes:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
        subprocess.run([self.program, "lab", "down", self.lab], capture_output=True, check=False)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, *arguments, output=None):
        with open(os.path.join(self.folder, f"log-{len(self.processes)}"), "wb") as log:
            process = subprocess.Popen([self.program, *arguments, "--log-level", "info"],
                                       cwd=self.folder, stdout=output or log, stderr=log, text=True)
        self.processes.append(process)
        return process

    def start_manager(self):
        self.manager = self.start("serve", "--listen", f"{self.machine}:{self.port}", "--token-file",
                                  "token", "--grace", "5s", "--lost-after", "15s", "--json",
                                  output=subprocess.PIPE)
        line = self.manager.stdout.readline()
        self.assertTrue(line, self.logs())
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def start_agent(self, host):
        return self.start("agent", "--manager", f"{self.machine}:{self.port}", "--token-file", "token",
                          "--lab", f"{self.lab}/{host}", "--folder", f"agent-{host}", "--price", "3.6")

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.startswith("log-"):
                with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n{file.read()}"
        return text

    def call(self, method, path, body=None, token="a secret of the test"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def get(self, path):
        status, body = self.call("GET", "/api/v1" + path)
        self.assertEqual(status, 200, body)
        return body

    def follow(self, path):
        """What a stream tells until it ends, as (kind, data), in a thread: a list that grows."""
        told = []

        def read():
            request = urllib.request.Request(self.url + "/api/v1" + path)
            request.add_header("Authorization", "Bearer a secret of the test")
            kind = None
            with urllib.request.urlopen(request, timeout=60) as answer:
                for line in answer:
                    key, _, value = line.decode().rstrip("\n").partition(": ")
                    if key == "event":
                        kind = value
                    elif key == "data":
                        told.append((kind, json.loads(value)))

        thread = threading.Thread(target=read)
        thread.start()
        self.addCleanup(thread.join)
        return told, thread

    def submit(self, text):
        status, body = self.call("POST", "/api/v1/runs", {"job": text})
        self.assertEqual(status, 201, body)
        return body["id"]

    def wait_for(self, condition, what, limit=180):
        end = time.monotonic() + limit
        while not condition():
            self.assertLess(time.monotonic(), end, f"no {what} within {limit} s\n{self.logs()}")
            time.sleep(0.1)

    def state(self, run):
        return self.get(f"/runs/{run}")["state"]

    def wait_for_state(self, run, *states):
        self.wait_for(lambda: self.state(run) in states, f"{states} of run {run}")

    def states(self, run):
        return [event["detail"]["to"] for event in self.get(f"/runs/{run}/events")["events"]
                if event["kind"] == "run.state"]

    def remaining(self):
        """Processes of runs."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    ours = os.readlink(f"/proc/{pid}/cwd").startswith(os.path.realpath(self.folder))
                    if ours and b"RECKON_PART=" in file.read():
                        found.append(pid)
            except OSError:
                pass
        return found

    def assert_nothing_remains(self):
        self.wait_for(lambda: not self.remaining(), "end of all processes", 20)
        for host in self.agents:
            folder = os.path.join(self.folder, f"agent-{host}")
            self.wait_for(lambda: not [name for _, names, _ in os.walk(folder) for name in names
                                       if name[0].isdigit() and "." in name],
                          f"forgotten parts of {host}", 20)

    def test_a_training_on_three_nodes(self):
        status, body = self.call("GET", "/api/v1/nodes", token="wrong")
        self.assertEqual((status, body["error"]), (401, "the token is wrong"))
        self.assertEqual(self.call("GET", "/healthz", token=None)[0], 200)
        status, body = self.call("POST", "/api/v1/runs", {"job": "name: x\nnum_nodes: two\nrun: true\n"})
        self.assertEqual(status, 400)
        self.assertIn("job.yaml, line 2", body["error"])

        run = self.submit(TRAINING % 2)
        told, listener = self.follow(f"/runs/{run}/stream")
        self.wait_for_state(run, "finished", "failed", "stopped")
        listener.join(20)
        self.assertFalse(listener.is_alive(), told)
        self.assertEqual([data["detail"]["to"] for kind, data in told if kind == "run.state"],
                         self.states(run))
        self.assertEqual(told[-1], ("end", {"run": run}))
        self.assertGreater(len([data for kind, data in told if kind == "progress"]), 1)
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        self.assertEqual(self.states(run), ["planning", "transferring", "starting", "running",
                                            "finishing", "finished"])
        self.assertGreater(report["managed"]["spent"], 0)
        self.assertEqual(len(report["managed"]["parts"]), 3)
        self.assert_nothing_remains()
        rows = self.rows("digits.runs")
        self.assertEqual(len(rows), 1)
        self.assertGreater(float(rows[0]["training_loop_s"]), 0)
        self.assertIn("finished", self.reckon("status", str(run)))
        shown = self.reckon("status", "--server", self.url, "--token-file", "token")
        self.assertIn("spent", shown)

    def test_manager_and_agents_may_be_killed(self):
        run = self.submit("name: nap\nnum_nodes: 3\nrun: sleep 6\n")
        self.wait_for_state(run, "running")
        self.manager.send_signal(signal.SIGKILL)
        self.manager.wait()
        self.agents["h1"].send_signal(signal.SIGKILL)
        self.agents["h1"].wait()
        time.sleep(1)
        self.agents["h1"] = self.start_agent("h1")
        self.start_manager()
        self.wait_for_state(run, "finished", "failed", "stopped")
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        self.assertEqual(report["managed"]["attempt"], 1)
        self.assert_nothing_remains()
        # SIGTERM ends it in time, and leaves what runs at work.
        run = self.submit("name: nap\nnum_nodes: 3\nrun: sleep 20\n")
        self.wait_for_state(run, "running")
        begin = time.monotonic()
        self.manager.terminate()
        self.assertEqual(self.manager.wait(10), 0, self.logs())
        self.assertLess(time.monotonic() - begin, 5)
        self.assertTrue(self.remaining())
        self.start_manager()
        self.wait_for_state(run, "finished", "failed", "stopped")
        self.assertEqual(self.state(run), "finished", self.logs())

    def test_a_stop_leaves_nothing(self):
        run = self.submit("name: nap\nnum_nodes: 2\nrun: sleep 600\n")
        self.wait_for_state(run, "running")
        status, body = self.call("POST", f"/api/v1/runs/{run}/stop", {"reason": "enough"})
        self.assertEqual(status, 202, body)
        self.wait_for_state(run, "stopped")
        self.assert_nothing_remains()
        status, body = self.call("POST", f"/api/v1/runs/{run}/stop")
        self.assertEqual(status, 400, body)

    def test_a_node_that_dies_is_left_out(self):
        run = self.submit(TRAINING % 40)
        self.wait_for_state(run, "running")
        self.wait_for(lambda: self.get(f"/runs/{run}")["managed"]["parts"], "parts")
        time.sleep(2)
        subprocess.run([self.program, "lab", "kill", self.lab, "h2"], check=True,
                       capture_output=True, cwd=self.folder)
        self.wait_for(lambda: "recovering" in self.states(run), "recovery")
        self.wait_for_state(run, "finished", "failed", "stopped")
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        self.assertEqual(report["managed"]["attempt"], 2)
        self.assertEqual({part["node"] for part in report["managed"]["parts"]}, {"h0", "h1"})
        node = next(node for node in self.get("/nodes")["nodes"] if node["name"] == "h2")
        self.assertTrue(node["lost"])
        self.assertEqual(node["strikes"], 1)


if __name__ == "__main__":
    main()
