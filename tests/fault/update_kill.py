#!/usr/bin/env python3
"""kill -9 of the data store, the manager or an agent at any moment of a model update. Once it is started again the
update goes on: there is one run, which finishes in one attempt with every image, and nothing remains.
Usage: update_kill.py RECKON [ROUNDS [SEED]]"""

import csv
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
from idx_images import idx_files  # noqa: E402
from manager_kill import NODES, Cluster  # noqa: E402
from run_kill_common import FINAL, Wrong, require, wait_until  # noqa: E402

VICTIMS = ("store", "manager", "agent")
# What can be seen of an update from outside; the kill comes up to so many seconds after it.
MOMENTS = {"asked": 0.5, "offer": 0.3, "task": 0.3, "starting": 0.5, "running": 0.5, "finishing": 0.2}
IMAGES = {"a": 70, "b": 50}
EPOCHS = 4
JOB = f"name: camera\ntrainer: {{network: mlp, batch: 16, epochs: {EPOCHS}}}\n"


class UpdateCluster(Cluster):
    def __init__(self, reckon, random_):
        super().__init__(reckon, random_)
        self.write("update.yaml", JOB.encode())
        for folder, pieces in (("train", IMAGES), ("validation", {"v": 20})):
            os.makedirs(os.path.join(self.folder, "camera", folder))
            for piece, count in pieces.items():
                for name, text in idx_files(piece, count).items():
                    self.write(f"camera/{folder}/{name}", text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(text)

    def start(self, who):
        if who != "store":
            super().start(who)
            return
        with open(os.path.join(self.folder, "store.log"), "ab") as log:
            self.processes[who] = subprocess.Popen(
                [self.reckon, "data", "camera", "--job", "update.yaml", "--server", f"127.0.0.1:{self.port}", "--once",
                 "--log-level", "info"], cwd=self.folder, env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)

    def rows(self, name):
        done = subprocess.run([self.reckon, "export", "samples", name, "-q"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=60, check=False)
        require(done.returncode == 0, done.stderr)
        return list(csv.DictReader(done.stdout.splitlines()))

    def newest(self):
        runs = self.get("/runs")["runs"]
        return runs[0]["id"] if runs else 0

    def is_at(self, moment, run):
        if self.newest() < run:
            return False
        if moment == "asked":
            return True
        update = self.get(f"/updates/{run}")
        return update["state"] in FINAL or moment in (update["asks"], update["state"])

    def story(self):
        text = ""
        for name in ("store", "manager", *NODES):
            with open(os.path.join(self.folder, f"{name}.log"), encoding="utf-8", errors="replace") as file:
                text += f"--- {name}\n{file.read()[-3000:]}"
        return text


def round_of(cluster, number, moment, victim):
    run = cluster.newest() + 1
    cluster.start("store")
    wait_until(lambda: cluster.is_at(moment, run), 60, 0.005)
    time.sleep(cluster.random.uniform(0, MOMENTS[moment]))
    who = cluster.random.choice(NODES) if victim == "agent" else victim
    ended = cluster.newest() >= run and cluster.state(run) in FINAL
    cluster.kill(who)
    time.sleep(cluster.random.uniform(0, 1))
    cluster.start(who)
    require(wait_until(lambda: cluster.newest() >= run and cluster.state(run) in FINAL, 90),
            f"run {run} stays {cluster.state(run) if cluster.newest() >= run else 'unasked'}")
    require(cluster.state(run) == "finished", f"run {run} is {cluster.state(run)}")
    update = cluster.get(f"/updates/{run}")
    require(update["attempt"] == 1, f"attempt {update['attempt']}")
    require(sum(share["images"] for share in update["plan"]["shares"]) == sum(IMAGES.values()), str(update["plan"]))
    require(wait_until(lambda: cluster.processes["store"].poll() is not None, 90), "the store does not end")
    require(cluster.processes["store"].returncode == 0, f"the store ends with {cluster.processes['store'].returncode}")
    # One that is started again after the end asks again, as it is told to.
    most = 2 if victim == "store" and ended else 1
    require(cluster.newest() - run < most, f"runs up to {cluster.newest()} from one wish")
    require(wait_until(lambda: not cluster.parts() and not cluster.remaining(), 30),
            f"left: {cluster.parts()} {cluster.remaining()}")
    rows = [row for row in cluster.rows("camera.epochs") if row["run"] == str(run)]
    require(len(rows) == EPOCHS * len(update["plan"]["shares"]), f"{len(rows)} rows of epochs")
    print(f"round {number}: {who} killed at {moment}: {len(update['plan']['shares'])} nodes, run {run} is finished",
          flush=True)


def main():
    reckon = os.path.realpath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    print(f"seed {seed}", flush=True)
    cluster = UpdateCluster(reckon, random.Random(seed))
    cases = [(moment, victim) for victim in VICTIMS for moment in MOMENTS]
    try:
        for number in range(rounds):
            # Every kind of kill before any comes again, in another order each time.
            if number % len(cases) == 0:
                cluster.random.shuffle(cases)
            round_of(cluster, number + 1, *cases[number % len(cases)])
    except Wrong as wrong:
        print(f"WRONG: {wrong}\n{cluster.story()}", flush=True)
        return 1
    finally:
        cluster.clean()
    print(f"{rounds} kills: every update has finished once", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
