#!/usr/bin/env python3
"""Real runs of the built-in trainer, one of whose processes is killed or stopped at a random moment:
each run ends as its strategy promises, says why, and leaves nothing behind.
Usage: run_kill.py RECKON [ROUNDS [SEED]]"""

import collections
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from run_kill_common import Run, Wrong, missed_too_often, parent, require, wait_until

PATIENCE_S = 5
# After patience: SIGTERM, its grace of 5 s, SIGKILL; and a busy machine.
SLACK_S = 20
FINISH_LIMIT_S = 90
EXPECTED_S = 4.0  # of a run that nobody disturbs
VICTIMS = ("worker", "server", "reckon", "supervisor", "keeper", "hung worker", "hung server")
SYNCHRONOUS = ("all-reduce", "sync-ps")


def make_job(strategy, workers, servers, epochs):
    trainer = {
        "network": "lenet5",
        "data": {"source": "generated", "shape": "mnist", "images": 2000, "validation_images": 200},
        "epochs": epochs, "batch": 32, "rate": 0.05, "strategy": strategy,
        "patience": f"{PATIENCE_S}s",
    }
    job = {"name": "kill", "num_nodes": workers, "trainer": trainer, "time_limit": "120s"}
    if strategy != "all-reduce":
        job["servers"] = servers
    return job


class Round:
    def __init__(self, rng, victim, expected_s, patient):
        strategies = ("all-reduce", "sync-ps", "async-ps", "async-ps")
        if victim in ("server", "hung server"):
            strategies = ("sync-ps", "async-ps")
        elif victim == "hung worker" and not patient:
            strategies = SYNCHRONOUS  # an asynchronous one is given up after half a minute
        self.victim = victim
        self.strategy = rng.choice(strategies)
        self.workers = rng.choice((2, 2, 3))
        self.servers = rng.choice((1, 2))
        self.delay_s = rng.uniform(0, 1.1 * expected_s)
        self.pick = rng.random()
        self.role = ""
        self.index = 0
        self.hit = False
        self.state = ""

    def describe(self):
        servers = "" if self.strategy == "all-reduce" else f", {self.servers} servers"
        return (f"{self.strategy}, {self.workers} workers{servers}: {self.victim} after "
                f"{self.delay_s:.2f} s")

    def strike(self, run):
        """Kills or stops the victim; False when it has not come up or is gone already."""
        time.sleep(max(0, run.begin + self.delay_s - time.monotonic()))
        number = signal.SIGSTOP if self.victim.startswith("hung") else signal.SIGKILL
        pid = self.find(run)
        if not pid:
            return False
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return False
        return True

    def find(self, run):
        if self.victim == "reckon":
            return run.process.pid if run.process.poll() is None else 0
        if self.victim == "supervisor":
            return wait_until(lambda: run.supervisor() or run.process.poll() is not None, 10, 0.005)
        # A rank, or what keeps it: of those that will come, the moment one is there.
        roles = {"server": ("server",), "hung server": ("server",),
                 "keeper": ("worker", "server")}.get(self.victim, ("worker",))

        def look():
            found = [(role, index, pid) for role in roles
                     for index, pid in sorted(run.ranks(role).items())]
            return found or run.process.poll() is not None
        found = wait_until(look, 10, 0.005)
        if not isinstance(found, list):
            return 0
        self.role, self.index, pid = found[int(self.pick * len(found))]
        if self.victim != "keeper":
            return pid
        keeper = parent(pid)
        return keeper if keeper > 1 and keeper != run.supervisor() else 0

    def expected(self, run):
        """The state the run must end in, and words its reason must hold."""
        if not self.hit or self.victim == "reckon":
            return "finished", []
        if self.victim == "supervisor":
            return "failed", ["supervisor died"]
        ends = run.ends_of(self.role, self.index)
        if ends and ends[0].get("exit_code") == 0:
            return "finished", []  # it had done its work when the signal came
        name = f"{self.role} {self.index}"
        if self.victim == "hung server":
            return "failed", ["parameter server"]
        if self.strategy not in SYNCHRONOUS:
            return "finished", []
        if self.victim == "hung worker":
            return "failed", ["worker"]
        if self.victim == "keeper":
            return "failed", [name, "keeper", "signal 9"]
        return "failed", [name, "signal 9"]

    def check(self, run):
        if self.victim == "reckon" and self.hit and not run.status():
            # Killed before it had registered the run: then there is none.
            self.state = "none"
            run.check_nothing_left()
            require(not os.path.exists(run.path), "a folder of a run that is not in the store")
            return 0, ""
        struck = time.monotonic()
        late = self.role == "server" and not run.ranks("worker")  # after the last worker
        quick = self.hit and self.strategy in SYNCHRONOUS and self.victim != "reckon"
        patience_s = 2 * PATIENCE_S if self.victim == "hung server" else PATIENCE_S
        status = run.wait_for_end(patience_s + SLACK_S if quick else FINISH_LIMIT_S)
        took = time.monotonic() - struck
        state, words = self.expected(run)
        if self.hit and not words and self.victim in ("worker", "server", "keeper"):
            ends = run.ends_of(self.role, self.index)
            self.hit = bool(ends) and "exit_code" not in ends[0]
        self.state = status["state"]
        if self.victim == "reckon" and self.hit and not os.path.exists(
                os.path.join(run.path, "supervisor.log")):
            # Killed before there was a supervisor: then nothing runs, and it says so.
            state, words = "failed", ["reckon died"]
        if late and status["state"] == "finished":
            state, words = "finished", []
        if self.victim == "supervisor" and status["state"] == "finished":
            # It had told the end when it was killed.
            require(any(event.get("state") == "finished" for event in run.events()), "finished?")
            state, words = "finished", []
        require(status["state"] == state,
                f"{status['state']} instead of {state}: {status['reason']}")
        for word in words:
            require(word in status["reason"], f"'{word}' is not in the reason: {status['reason']}")
        if not words:
            require(not status["reason"], f"finished, but: {status['reason']}")
        require(run.status()["reason"] == status["reason"], "the next look gives another reason")
        if self.role == "server" and self.hit and state == "finished" and not late:
            require(len(run.starts_of(self.role, self.index)) > 1, "the server was not started again")
        run.check_nothing_left()
        run.process.wait(10)
        run.check_store()
        listed = run.command("list", "-q").stdout
        require(self.state in listed, f"list does not show it: {listed}")
        for name in ("kill.runs", "kill.epochs"):
            rows = run.sample_rows(name)
            require((rows > 0) == (state == "finished"), f"{name} has {rows} rows")
        if self.victim != "reckon":
            code = {"finished": 0, "failed": 1}[self.state]
            require(run.process.returncode == code,
                    f"reckon ended with {run.process.returncode} instead of {code}")
        return took, status["reason"]


def main():
    reckon = os.path.realpath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
    print(f"{rounds} rounds, seed {seed}", flush=True)
    rng = random.Random(seed)
    outcomes = collections.Counter()
    hits = collections.Counter()
    failed = 0
    victims = []
    for number in range(1, rounds + 1):
        victims = victims or rng.sample(VICTIMS, len(VICTIMS))
        one = Round(rng, victims.pop(), EXPECTED_S, patient=rounds > 20)
        run = Run(reckon, make_job(one.strategy, one.workers, one.servers, epochs=12))
        good = False
        try:
            one.hit = one.strike(run)
            took, reason = one.check(run)
            good = True
            told = f"{one.state} {took:.1f} s later{': ' if reason else ''}{reason}"
        except (Wrong, OSError, ValueError, sqlite3.Error, subprocess.SubprocessError) as error:
            failed += 1
            told = f"FAILED: {error}; see {run.folder}"
        finally:
            run.clean(keep=not good)
        hits[one.victim] += one.hit
        hit = "" if one.hit else " (missed)"
        print(f"round {number}: {one.describe()}{hit}: {told}", flush=True)
        outcomes[f"{one.victim}{hit}, {one.strategy}: {one.state or 'wrong'}"] += 1
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:4} {outcome}")
    print(f"{rounds - failed} passed, {failed} failed (seed {seed})")
    useless = missed_too_often(hits, VICTIMS, rounds)
    if useless:
        print(f"FAILED: {useless}")
    return 1 if failed or useless else 0


if __name__ == "__main__":
    sys.exit(main())
