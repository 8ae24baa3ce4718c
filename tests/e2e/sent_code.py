#!/usr/bin/env python3
"""`reckon run --server` of a job that names its folder: the code goes to the manager and from there to
the nodes, runs in a sandbox as nobody that the node knows, and is gone when the run is. Needs root,
iproute2 and bubblewrap, else it ends with 77 (skipped).
Usage: sent_code.py RECKON"""

import os
import shutil
import subprocess

from in_a_folder import main
from managed_lab import ManagedLab

JOB = """
name: sent
num_nodes: 2
workdir: code
envs: {SHARED: %s}
setup: echo "set up by $(id -u)" > made
run: python=/usr/bin/python3; exec $python main.py
"""
MAIN = """
import os, signal, sys, time
from helper.words import GREETING

def tried(what, *arguments):
    try:
        what(*arguments)
        return "done"
    except OSError as problem:
        return problem.strerror

print(GREETING, "rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"])
print("user", os.getuid(), "group", os.getgid(), "groups", os.getgroups())
print("folder", os.getcwd(), "home", os.environ["HOME"], sorted(os.listdir(".")))
print(open("made").read().strip() if os.path.exists("made") else "")
print("tool", os.access("tool.sh", os.X_OK), os.access("helper/words.py", os.X_OK))
print("agent's", os.environ.get("SECRET_OF_AGENT"))
print("secret", tried(open, os.environ["SECRET"]))
print("root", tried(os.listdir, "/root"), "system", tried(open, "/usr/bin/x", "w"))
print("shared", open(os.environ["SHARED"] + "/data").read(), tried(open, os.environ["SHARED"] + "/x", "w"))
print("others", [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) > 50])
print("capabilities", [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")])
os.mkdir("results")
with open("results/rank", "w") as file:
    file.write(os.environ["RANK"])
if "WAIT" in os.environ:
    def end(*_):
        time.sleep(2)  # longer than what leftovers get
        print("said good-bye", flush=True)
        sys.exit(0)
    signal.signal(signal.SIGTERM, end)
    print("waiting", flush=True)
    while True:
        time.sleep(0.1)
"""


class SentCode(ManagedLab):
    def setUp(self):
        if shutil.which("bwrap") is None:
            self.skipTest("bubblewrap is not installed")
        os.environ["SECRET_OF_AGENT"] = "of nobody else's business"
        self.addCleanup(os.environ.pop, "SECRET_OF_AGENT")
        super().setUp()
        for folder in ("code/helper", "code/.git", "code/evil", "shared"):
            os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        self.shared = os.path.join(self.folder, "shared")
        self.write("job.yaml", JOB % self.shared)
        self.write("code/main.py", MAIN)
        self.write("code/helper/words.py", "GREETING = 'sent and run'\n")
        self.write("code/tool.sh", "#!/bin/sh\n")
        os.chmod(os.path.join(self.folder, "code/tool.sh"), 0o755)
        self.write("code/.git/config", "a password")
        self.write("code/.reckonignore", "notes\n")
        self.write("code/notes", "not for nodes")
        self.write("shared/data", "of the node")
        # What a path of the job's own would find instead of what shuts it in.
        for name in ("bwrap", "prlimit", "setpriv", "sh"):
            self.write(f"code/evil/{name}", f"#!/bin/sh\ntouch {self.folder}/escaped /job/escaped\n")
            os.chmod(os.path.join(self.folder, "code/evil", name), 0o755)

    def start_agent(self, host):
        os.makedirs(os.path.join(self.folder, "shared"), exist_ok=True)
        return self.start("agent", "--manager", f"{self.machine}:{self.port}", "--token-file", "token",
                          "--lab", f"{self.lab}/{host}", "--folder", f"agent-{host}", "--price", "3.6",
                          "--share", os.path.join(self.folder, "shared"))

    def run_job(self, *options, expect=0):
        secret = os.path.join(self.folder, "agent-h0/secret")
        done = subprocess.run([self.program, "run", "job.yaml", "--server", self.url, "--token-file", "token",
                               "--set", f"envs.SECRET={secret}", *options], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr + self.logs())
        return done.stdout + done.stderr

    def newest(self):
        return self.get("/runs?limit=1")["runs"][0]["id"]

    def log_of(self, run, name):
        for folder, _, names in os.walk(os.path.join(self.folder, "reckon.runs", str(run))):
            if name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    return file.read()
        return ""

    def test_code_is_sent_and_runs_in_a_sandbox(self):
        self.run_job()
        run = self.newest()
        said = self.log_of(run, "worker-0.log")
        user = 1_900_000_000 + run
        for line in ("sent and run rank 0 of 2", "agent's None", f"user {user} group {user} groups []",
                     f"set up by {user}", "tool True False", "root No such file or directory",
                     "system Read-only file system", "secret No such file or directory",
                     "shared of the node Read-only file system", "others []", "capabilities ['0000000000000000']",
                     "folder /job home /job ['.reckonignore', 'evil', 'helper', 'made', 'main.py', 'tool.sh']"):
            self.assertIn(line, said)
        self.assert_nothing_remains()
        self.reckon("results", str(run), "--server", self.url, "--token-file", "token", "--out", "left")
        with open(os.path.join(self.folder, "left/rank"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "0")
        bundle = os.path.join(self.folder, "reckon.runs", str(run), "bundle")
        self.wait_for(lambda: not os.path.exists(bundle), "end of the run", 20)
        bundles = os.path.join(self.folder, "reckon.runs/bundles")
        self.assertEqual(len(os.listdir(bundles)), 1)
        # The same code is not sent again; other code is.
        sent = os.stat(os.path.join(bundles, os.listdir(bundles)[0])).st_ino
        self.run_job()
        self.assertEqual([os.stat(os.path.join(bundles, name)).st_ino for name in os.listdir(bundles)], [sent])
        self.write("code/helper/words.py", "GREETING = 'other words'\n")
        self.run_job()
        self.assertEqual(len(os.listdir(bundles)), 2)
        self.assertIn("other words", self.log_of(self.newest(), "worker-1.log"))

    def test_the_environment_of_a_job_opens_nothing(self):
        # Says whose process has loaded it.
        self.write("evil.c", "#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) void loaded(void) {"
                             ' fprintf(stderr, "loaded by user %u\\n", (unsigned)geteuid()); }\n')
        subprocess.run(["g++", "-x", "c", "-shared", "-fPIC", "-o", "code/evil/evil.so", "evil.c"], cwd=self.folder,
                       check=True)
        self.run_job("--set", "envs.PATH=/job/evil:work/evil:.", "--set", "envs.LD_PRELOAD=/job/evil/evil.so",
                     "--set", 'envs.ODD="it\'s $(id) `id`"', "--set", "setup=echo no")
        said = self.log_of(self.newest(), "worker-0.log")
        self.assertIn("sent and run rank 0 of 2", said)
        self.assertIn("capabilities ['0000000000000000']", said)
        self.assertIn(f"loaded by user {1_900_000_000 + self.newest()}", said)
        self.assertNotIn("loaded by user 0", said)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "escaped")))

    def test_who_is_stopped_may_end_by_itself(self):
        self.run_job("--detach", "--set", "envs.WAIT=1")
        run = self.newest()
        self.wait_for(lambda: self.state(run) in ("running", "failed"), "start")
        self.assertEqual(self.state(run), "running", self.logs())
        self.wait_for(lambda: "waiting" in self.log_of(run, "worker-0.log"), "the script")
        self.assertEqual(self.call("POST", f"/api/v1/runs/{run}/stop")[0], 202)
        self.wait_for_state(run, "stopped")
        self.assertIn("said good-bye", self.log_of(run, "worker-0.log"))
        self.assert_nothing_remains()

    def test_what_cannot_be_sent_is_said(self):
        os.symlink("/etc/passwd", os.path.join(self.folder, "code/link"))
        said = self.run_job(expect=2)
        self.assertIn("link", said)
        self.assertIn(".reckonignore", said)
        self.assertEqual(self.get("/runs")["runs"], [])

    def test_a_killed_manager_and_agent_go_on_with_it(self):
        self.run_job("--detach", "--set", "envs.WAIT=1")
        run = self.newest()
        for process, again in ((self.manager, self.start_manager), (self.agents["h0"], None)):
            process.kill()
            process.wait()
            if again:
                again()
            else:
                self.agents["h0"] = self.start_agent("h0")
        self.wait_for(lambda: self.state(run) in ("running", "failed"), "start")
        self.assertEqual(self.state(run), "running", self.logs())
        self.call("POST", f"/api/v1/runs/{run}/stop")
        self.wait_for_state(run, "stopped")
        self.assert_nothing_remains()


if __name__ == "__main__":
    main()
