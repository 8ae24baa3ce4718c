"""What tests of `reckon serve` share: a manager, and agents on the three hosts of a lab. Needs root and
iproute2, else the test ends with 77 (skipped)."""

import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request

from in_a_folder import InAFolder

LAB = """
name: %s
dilation: 2
hosts:
  - {name: h, count: 3, cpus: 0.5, memory: 1GiB, bandwidth: 1Gbit}
"""


class ManagedLab(InAFolder):
    MANAGER_OPTIONS = ("--grace", "5s", "--lost-after", "15s")

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
                                  "token", *self.MANAGER_OPTIONS, "--json", output=subprocess.PIPE)
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
                    cwd = os.readlink(f"/proc/{pid}/cwd")
                    # What runs in a sandbox sees other folders than we do.
                    ours = cwd.startswith(os.path.realpath(self.folder)) or cwd in ("/", "/job")
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
