#!/usr/bin/env python3
"""kill -9 of the manager, or of an agent, in every state of a run. Once it is started again the run goes on: none is
lost, nothing is started twice, nothing remains, and the spend is what the parts have told.
Usage: manager_kill.py RECKON [ROUNDS [SEED]]"""

import glob
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from run_kill_common import FINAL, Wrong, missed_too_often, require, wait_until

STATES = ("queued", "planning", "transferring", "starting", "running", "recovering", "stopping", "finishing")
VICTIMS = ("manager", "agent")
NODES = ("a", "b", "c")
PRICE = 36.0  # dollars an hour: a cent a second

# What it says tells who was started; it takes a moment to be set up, and to be stopped.
JOB = """
name: %(name)s
num_nodes: %(workers)d
setup: sleep 0.3
run: |
  echo "$RECKON_RUN_ID $RECKON_PART $RANK" >> %(marks)s
  trap 'sleep 0.4; exit 1' TERM
  sleep %(seconds)s & wait
"""


class Cluster:
    def __init__(self, reckon, random_):
        self.reckon = reckon
        self.random = random_
        self.folder = tempfile.mkdtemp(prefix="reckon-manager-kill-")
        self.marks = os.path.join(self.folder, "marks")
        self.environment = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": ""}
        self.processes = {}
        self.url = ""
        self.port = 0
        self.start("manager")
        for node in NODES:
            self.start(node)
        require(wait_until(lambda: len(self.get("/nodes")["nodes"]) == len(NODES), 30), "agents do not join")

    def start(self, who):
        log = open(os.path.join(self.folder, f"{who}.log"), "ab")
        if who == "manager":
            # One strike more or less must not decide whether there are nodes left.
            arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", "--json", "--cool-down", "1s"]
        else:
            arguments = ["agent", "--manager", f"127.0.0.1:{self.port}", "--name", who, "--address", "127.0.0.1",
                         "--price", str(PRICE), "--folder", f"agent-{who}"]
        process = subprocess.Popen([self.reckon, *arguments, "--log-level", "info"], cwd=self.folder,
                                   env=self.environment, stdout=subprocess.PIPE if who == "manager" else log,
                                   stderr=log, stdin=subprocess.DEVNULL)
        log.close()
        self.processes[who] = process
        if who == "manager":
            line = process.stdout.readline()
            require(line, "the manager does not start")
            self.url = json.loads(line)["url"]
            self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self, who):
        process = self.processes[who]
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "/api/v1" + path, data=data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Wrong(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def get(self, path):
        return self.call("GET", path)

    def submit(self, seconds, workers=2):
        text = JOB % {"name": "kill", "workers": workers, "marks": self.marks, "seconds": seconds}
        return self.call("POST", "/runs", {"job": text})["id"]

    def state(self, run):
        """As the store has it, whether or not there is a manager."""
        with sqlite3.connect(f"file:{self.folder}/reckon.db?mode=ro", uri=True, timeout=20) as store:
            return store.execute("SELECT state FROM run WHERE id = ?", (run,)).fetchone()[0]

    def workers_of(self, run):
        """Processes of the run's workers."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    environment = file.read().split(b"\0")
                if b"RECKON_ROLE=worker" in environment and f"RECKON_RUN_ID={run}".encode() in environment and \
                        os.readlink(f"/proc/{pid}/cwd").startswith(self.folder):
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def remaining(self):
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    part = b"RECKON_PART=" in file.read()
                if part and os.readlink(f"/proc/{pid}/cwd").startswith(self.folder):
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        found[pid] = file.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                pass
        return found

    def parts(self):
        """Folders of parts that agents still have."""
        return [path for node in NODES for path in glob.glob(f"{self.folder}/agent-{node}/*/*.*")]

    def clean(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
        for pid in self.remaining():
            os.kill(int(pid), signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def told_spend(cluster, run):
    """What the parts of all attempts have told, in dollars."""
    seconds = 0.0
    for events in glob.glob(f"{cluster.folder}/reckon.runs/{run}/parts/*/events.jsonl"):
        with open(events, encoding="utf-8") as file:
            states = [event for event in map(json.loads, file) if event["kind"] == "part.state"]
        require(states and states[-1]["state"] in FINAL, f"{events} has no end: {states}")
        seconds += states[-1]["at"] - states[0]["at"]
    return seconds * PRICE / 3600


def check(cluster, run, target, submitted):
    require(wait_until(lambda: cluster.state(run) in FINAL, 60), f"run {run} stays {cluster.state(run)}")
    wanted = "stopped" if target == "stopping" else "finished"
    require(cluster.state(run) == wanted, f"run {run} is {cluster.state(run)}; expected {wanted}: "
            f"{cluster.get(f'/runs/{run}')['reason']}")
    require(wait_until(lambda: not cluster.parts() and not cluster.remaining(), 30),
            f"left: {cluster.parts()} {cluster.remaining()}")
    listed = {entry["id"] for entry in cluster.get("/runs?limit=1000")["runs"]}
    require(submitted <= listed, f"lost: {submitted - listed}")
    managed = cluster.get(f"/runs/{run}")["managed"]
    attempts = 2 if target == "recovering" else 1
    require(managed["attempt"] == attempts, f"attempt {managed['attempt']}; expected {attempts}")
    with open(cluster.marks, encoding="utf-8") as file:
        marks = [line.strip() for line in file if line.split()[0] == str(run)]
    require(len(marks) == len(set(marks)), f"started twice: {marks}")
    # Who is stopped before its start says nothing; nobody else is left out.
    least = 0 if target == "stopping" else 2
    require(least <= len(marks) <= 2 * attempts, f"{len(marks)} starts in {attempts} attempts: {marks}")
    told = told_spend(cluster, run)
    require(abs(managed["spent"] - told) < 1e-6, f"spent {managed['spent']}, but the parts told {told}")


def bring_to(cluster, target, submitted):
    """A run that is in that state, or was a moment ago."""
    blocker = None
    if target == "queued":
        blocker = cluster.submit(1.5, workers=3)
        submitted.add(blocker)
        require(wait_until(lambda: cluster.state(blocker) == "running", 30), "no node begins")
    run = cluster.submit(30 if target == "stopping" else 1.0)
    submitted.add(run)
    if target in ("queued", "planning"):
        time.sleep(cluster.random.uniform(0, 0.2 if target == "queued" else 0.02))
        return run, blocker
    if target in ("recovering", "stopping"):
        require(wait_until(lambda: len(cluster.workers_of(run)) >= 2, 30), "it does not run")
        require(wait_until(lambda: cluster.state(run) == "running", 30), "it does not run")
    if target == "recovering":
        # All of one rank: a shell and its sleep.
        os.kill(min(cluster.workers_of(run)), signal.SIGKILL)
    if target == "stopping":
        cluster.call("POST", f"/runs/{run}/stop", {})
    wait_until(lambda: cluster.state(run) in (target, *FINAL), 30, 0.001)
    time.sleep(cluster.random.uniform(0, 0.3 if target in ("running", "recovering", "starting") else 0.1))
    return run, blocker


def play(cluster, target, victim, submitted):
    run, blocker = bring_to(cluster, target, submitted)
    who = "manager" if victim == "manager" else cluster.random.choice(NODES)
    cluster.kill(who)
    hit = cluster.state(run)
    time.sleep(cluster.random.choice((0, 0.3, 1.2)))
    cluster.start(who)
    for one in filter(None, (blocker, run)):
        check_target = target if one == run else "running"
        if one == blocker:
            require(wait_until(lambda: cluster.state(blocker) in FINAL, 60), "the first run stays")
        else:
            check(cluster, one, check_target, submitted)
    return hit


def main():
    reckon = os.path.realpath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else len(STATES) * len(VICTIMS)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    cluster = Cluster(reckon, random.Random(seed))
    hits = {(victim, state): 0 for victim in VICTIMS for state in STATES}
    submitted = set()
    try:
        for number in range(rounds):
            target = STATES[number // len(VICTIMS) % len(STATES)]
            victim = VICTIMS[number % len(VICTIMS)]
            hit = play(cluster, target, victim, submitted)
            if (victim, hit) in hits:
                hits[victim, hit] += 1
            print(f"round {number}: {victim} while {target}, killed in {hit}: well", flush=True)
    except Exception as problem:  # pylint: disable=broad-except
        print(f"seed {seed}: {problem}", file=sys.stderr)
        for log in sorted(glob.glob(f"{cluster.folder}/*.log")):
            with open(log, encoding="utf-8", errors="replace") as file:
                print(f"--- {log}\n{file.read()[-6000:]}", file=sys.stderr)
        return 1
    finally:
        cluster.clean()
    by_state = {state: hits["manager", state] + hits["agent", state] for state in STATES}
    print(f"{rounds} rounds, {len(submitted)} runs; killed in {by_state}")
    # Planning takes a few milliseconds: no round can be sure to meet it.
    problem = missed_too_often(by_state, [state for state in STATES if state != "planning"], rounds)
    if problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
