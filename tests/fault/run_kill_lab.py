#!/usr/bin/env python3
"""Runs on a lab, one of whose hosts loses its power or its cable at a random moment: each run ends as
its strategy promises, and neither run nor lab leaves anything. Needs root and iproute2, else it ends
with 77 (skipped).
Usage: run_kill_lab.py RECKON [ROUNDS [SEED]]"""

import collections
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from run_kill import make_job
from run_kill_common import Run, Wrong, missed_too_often, require, wait_until

LAB = "rkt-run"
HOSTS = 3
PATIENCE_S = 5
# A cut: patience of one side, of the other, the grace, and hosts with a part of a core.
LIMIT_S = 60
DEEDS = [("kill", "worker"), ("cut", "worker"), ("kill", "server"), ("cut", "server")]


def traces():
    """What the lab could leave on this machine."""
    found = set()
    for folder, _, _ in os.walk("/sys/fs/cgroup"):
        if os.path.basename(folder).startswith(f"reckon-lab-{LAB}."):
            found.add(folder)
    for folder in ("/run/netns", "/sys/class/net"):
        if os.path.isdir(folder):
            found |= {f"{folder}/{name}" for name in os.listdir(folder) if f"rk-{LAB}" in name}
    record = f"/run/reckon/labs/{LAB}"
    return found | {path for path in (record, record + ".json") if os.path.exists(path)}


def lab(reckon, *arguments):
    return subprocess.run([reckon, "lab", *arguments], capture_output=True, text=True, timeout=60,
                          check=False)


def can_have_labs():
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
        return False
    return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0


class Round:
    def __init__(self, rng, action, role):
        self.action = action
        self.role = role
        strategies = ("sync-ps", "async-ps") if role == "server" else (
            "all-reduce", "sync-ps", "async-ps")
        self.strategy = rng.choice(strategies)
        self.index = 0 if role == "server" else rng.randrange(2)
        self.delay_s = rng.uniform(0, 4)
        self.state = ""
        self.hit = False

    def describe(self):
        return f"{self.strategy}: {self.action} of {self.role} {self.index}'s host, {self.delay_s:.2f} s on"

    def strike(self, reckon, run):
        """Once all ranks are up, and the random time has passed."""
        def up():
            return any(event.get("state") == "running" for event in run.events())
        require(wait_until(up, 30), "the ranks do not come up")
        time.sleep(self.delay_s)
        starts = run.starts_of(self.role, self.index)
        self.hit = bool(run.ranks(self.role).get(self.index))
        done = lab(reckon, self.action, LAB, starts[-1]["host"])
        require(done.returncode == 0, f"lab {self.action}: {done.stderr}")

    def expected(self, run):
        """Final states that are right, and words of a failed one's reason."""
        name = f"{self.role} {self.index}"
        ends = run.ends_of(self.role, self.index)
        # One that had done its work may still be on its way out.
        late = ["finished"] if ends and ends[0].get("exit_code") == 0 else []
        if self.strategy == "async-ps":
            if self.action == "kill" or self.role == "worker":
                return ["finished"], []
            return late + ["failed"], ["no worker is left"]
        if self.action == "kill":
            return late + ["failed"], [name, "signal 9"]
        return late + ["failed"], ["ended with code 1"]

    def check(self, run):
        struck = time.monotonic()
        status = run.wait_for_end(LIMIT_S)
        took = time.monotonic() - struck
        self.state = status["state"]
        states, words = self.expected(run) if self.hit else (["finished"], [])
        require(self.state in states, f"{self.state} instead of {states}: {status['reason']}")
        if self.state == "failed":
            for word in words:
                require(word in status["reason"], f"no '{word}' in: {status['reason']}")
        run.check_nothing_left()
        run.process.wait(10)
        run.check_store()
        rows = run.sample_rows("kill.runs")
        require((rows > 0) == (self.state == "finished"), f"{rows} rows of samples")
        return took, status["reason"]


def one_round(reckon, one, folder):
    """(what to tell, whether it went well)."""
    require(not traces(), f"before: {traces()}")
    made = lab(reckon, "up", os.path.join(folder, "lab.yaml"))
    require(made.returncode == 0, f"lab up: {made.stderr}")
    job = make_job(one.strategy, workers=2, servers=1, epochs=4)
    run = Run(reckon, job, ("--on", f"lab:{LAB}"))
    good = False
    try:
        one.strike(reckon, run)
        took, reason = one.check(run)
        good = True
        return f"{one.state} {took:.1f} s later{': ' if reason else ''}{reason}", True
    except (Wrong, OSError, ValueError, sqlite3.Error, subprocess.SubprocessError) as error:
        return f"FAILED: {error}; see {run.folder}", False
    finally:
        run.clean(keep=not good)
        down = lab(reckon, "down", LAB)
        require(down.returncode == 0, f"lab down: {down.stderr}")
        require(not traces(), f"the lab leaves {traces()}")


def main():
    if not can_have_labs():
        print("skipped: labs need root, ip, tc and network namespaces")
        return 77
    reckon = os.path.realpath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
    print(f"{rounds} rounds, seed {seed}", flush=True)
    rng = random.Random(seed)
    lab(reckon, "down", LAB)
    folder = tempfile.mkdtemp(prefix="reckon-run-kill-lab-")
    with open(os.path.join(folder, "lab.yaml"), "w", encoding="utf-8") as file:
        host = {"name": "h", "count": HOSTS, "cpus": 0.5, "bandwidth": "200Mbit"}
        json.dump({"name": LAB, "hosts": [host]}, file)
    outcomes = collections.Counter()
    hits = collections.Counter()
    failed = 0
    deeds = []
    for number in range(1, rounds + 1):
        if not deeds:
            deeds = rng.sample(DEEDS, len(DEEDS))
        one = Round(rng, *deeds.pop())
        try:
            told, good = one_round(reckon, one, folder)
        except Wrong as error:
            told, good = f"FAILED: {error}", False
        failed += not good
        hits[one.action, one.role] += one.hit
        missed = "" if one.hit else " (missed)"
        print(f"round {number}: {one.describe()}{missed}: {told}", flush=True)
        outcomes[f"{one.action} {one.role}{missed}, {one.strategy}: {one.state or 'wrong'}"] += 1
    shutil.rmtree(folder)
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:4} {outcome}")
    print(f"{rounds - failed} passed, {failed} failed (seed {seed})")
    useless = missed_too_often(hits, DEEDS, rounds)
    if useless:
        print(f"FAILED: {useless}")
    return 1 if failed or useless else 0


if __name__ == "__main__":
    sys.exit(main())
