#!/usr/bin/env python3
"""Deep-Edge's experiment (its Figs. 10 and 11): a model update on a TX2 and three Nanos under random load,
each with a latency-critical app, once with equal shards (`fair`) and once as `reckon schedule` plans it.

    bench/edge_experiments.py --db STORE [--campaign deep-edge] [--count 120] [--seed 1] [--images 3840]
                              [--policy reckon] [--csv FILE] [--most-minutes 60]

The store holds the estimators of the campaign (`reckon profile examples/campaigns/deep-edge.yaml`, then
`reckon estimators deep-edge`). CPU load of every device is drawn evenly from 0 to 70 %, and drawn again if an
app misses its deadline before the training has begun. Needs root (reckon lab) and a quiet machine. What is in
the CSV already is not measured again, so an interrupted experiment goes on with the same command.
"""

import argparse
import csv
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECKON = ROOT / "build/bin/reckon"
LAB = ROOT / "examples/lab/edge.yaml"
LAB_NAME, DILATION = (re.search(rf"^{key}: (.*)$", LAB.read_text(encoding="utf-8"), re.MULTILINE).group(1)
                      for key in ("name", "dilation"))
DILATION = float(DILATION)
SIFT = ROOT / "build/bin/reckon-sift"
DEVICES = ["tx2-0", "nano0", "nano1", "nano2"]
SERVER = "pi"
DEADLINE_S = 0.2
NAME = "edge-experiment"
COLUMNS = ["experiment", "seed", "policy", "images", "problem", "redraws", *[f"load_{device}" for device in DEVICES], "fair_s", "planned_s",
           "expected_s", "speedup", "crew", *[f"shard_{device}" for device in DEVICES], "fair_missed",
           "planned_missed"]


def reckon(arguments, folder):
    done = subprocess.run([str(RECKON), *map(str, arguments)], cwd=folder, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"reckon {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


class Experiments:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.db = ["--db", options.db.resolve()]

    def write(self, name, value):
        """JSON is YAML."""
        path = self.folder / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    def background(self, loads, devices, stitched_at):
        background = {
            "sift": {"run": f"exec {SIFT} --dilation $RECKON_DILATION --to {stitched_at}:9200",
                     "deadline": f"{1000 * DEADLINE_S:.0f}ms", "settle": "60s"}}
        for device in devices:
            background["load-" + device] = {"stress": {"cpu": round(loads[device], 2)}, "on": device,
                                            "settle": "60s"}
        return background

    def job(self, loads, devices):
        """The training, with load and app on the devices that take part."""
        background = self.background(loads, devices, "${RECKON_SERVER_HOSTS%%,*}")
        background["stitch"] = {"run": f"exec {SIFT} --serve 0.0.0.0:9200", "on": "servers"}
        return {"name": NAME, "servers": 1, "resources": {"cpus": 1}, "time_limit": "15m",
                "trainer": {"network": "cnn-small", "strategy": "async-ps", "epochs": 1,
                            "data": {"images": self.options.images, "validation_images": 60}},
                "background": background}

    def cluster(self, states):
        def node(name):
            return {"name": name, "cpu": f"{100 * min(1, states[name]['cpu']):.1f}%",
                    "memory": f"{100 * states[name]['memory']:.1f}%"}
        workers = [{**node(device), "type": "tx2" if device.startswith("tx2") else "nano",
                    "apps": {"sift": f"{1000 * DEADLINE_S:.0f}ms"}} for device in DEVICES]
        return {"name": "edge", "estimators": self.options.campaign, "workers": workers,
                "servers": [{**node(SERVER), "type": "pi"}]}

    def plan(self, policy, states, loads):
        cluster = self.write("cluster.yaml", self.cluster(states))
        job = self.write("whole.yaml", self.job(loads, []))
        out = self.folder / f"{policy}.json"
        reckon(["schedule", *self.db, "--cluster", cluster, "--job", job, "--policy", policy, "--out",
                out], self.folder)
        return out, json.loads(out.read_text(encoding="utf-8"))

    def idle_devices(self, loads, devices):
        """Load and app on the devices that do not take part: they go on as they did before. The number of
        the run, or None."""
        if not devices:
            return None
        hosts = json.loads(reckon(["lab", "status", LAB_NAME, "--json"], self.folder))["labs"][0]["hosts"]
        server = next(host["address"] for host in hosts if host["name"] == SERVER)
        job = self.write("idle.yaml", {
            "name": NAME + "-idle", "num_nodes": len(devices), "run": "exec sleep 3600",
            "background": self.background(loads, devices, server)})
        report = json.loads(reckon(["run", *self.db, job, "--on", f"lab:{LAB_NAME}/{','.join(devices)}",
                                    "--detach", "--json"], self.folder))
        return report["run"]

    def train(self, policy, states, loads):
        """The plan, the slowest worker's epoch, and the rows of the hosts."""
        out, plan = self.plan(policy, states, loads)
        devices = [worker["node"] for worker in plan["workers"] if worker["shard"] > 0]
        job = self.write("job.yaml", self.job(loads, devices))
        idle = self.idle_devices(loads, [device for device in DEVICES if device not in devices])
        try:
            report = json.loads(reckon(["run", *self.db, job, "--plan", out, "--on", "lab:" + LAB_NAME,
                                        "--json"], self.folder))
        finally:
            if idle is not None:
                reckon(["stop", *self.db, idle], self.folder)
        run = str(report["run"])
        rows = {kind: [row for row in csv.DictReader(reckon(
            ["export", *self.db, "samples", f"{NAME}.{kind}"], self.folder).splitlines())
                       if row["run"] == run] for kind in ("runs", "nodes")}
        return plan, float(rows["runs"][0]["train_epoch_s"]) / DILATION, rows["nodes"]

    def one(self, number):
        """A row; what cannot be planned or trained is one too, with the reason."""
        row = {"experiment": number, "seed": self.options.seed, "policy": self.options.policy,
               "images": self.options.images}
        try:
            return {**row, **self.measured(number)}
        except RuntimeError as error:
            return {**row, "problem": str(error).strip().splitlines()[-1][:300]}

    def measured(self, number):
        generator = random.Random(f"{self.options.seed}/{number}")
        for redraws in range(100):
            loads = {device: generator.uniform(0, 70) for device in DEVICES}
            guess = {device: {"cpu": loads[device] / 100 + 0.2, "memory": 0.1} for device in DEVICES}
            guess[SERVER] = {"cpu": 0.2, "memory": 0.1}
            _, fair_s, nodes = self.train("fair", guess, loads)
            if all(float(row["deadline_missed_before"] or 0) == 0 for row in nodes):
                break
        else:
            raise RuntimeError("apps miss their deadlines with every load that was drawn")
        states = {row["host"]: {"cpu": float(row["cpu_before"]), "memory": float(row["memory_before"])}
                  for row in nodes}
        plan, planned_s, planned_nodes = self.train(self.options.policy, states, loads)
        def missed(rows):
            return sum(round(float(row["deadline_missed"] or 0) * float(row["latencies"] or 0))
                       for row in rows)
        shards = {worker["node"]: worker["shard"] for worker in plan["workers"]}
        return {"redraws": redraws,
                **{f"load_{device}": round(loads[device], 1) for device in DEVICES},
                "fair_s": round(fair_s, 3), "planned_s": round(planned_s, 3),
                "expected_s": round(plan["epoch_s"], 3),
                "speedup": round(fair_s / planned_s, 3), "crew": plan["crew"],
                **{f"shard_{device}": shards[device] for device in DEVICES},
                "fair_missed": missed(nodes), "planned_missed": missed(planned_nodes)}


def summary(rows):
    for row in rows:
        if row.get("problem"):
            print(f"experiment {row['experiment']}: {row['problem']}")
    rows = [row for row in rows if not row.get("problem")]
    if not rows:
        return
    full = [float(row["speedup"]) for row in rows if int(row["crew"]) == len(DEVICES)]
    if full:
        print(f"with all {len(DEVICES)} devices at work: {len(full)} experiments, mean of speedups "
              f"{statistics.mean(full):.2f}")
    fair = [float(row["fair_s"]) for row in rows]
    planned = [float(row["planned_s"]) for row in rows]
    speedups = [float(row["speedup"]) for row in rows]
    late = [sum(int(row[column]) for row in rows) for column in ("fair_missed", "planned_missed")]
    print(f"{len(rows)} experiments: mean epoch {statistics.mean(fair):.2f} s with equal shards, "
          f"{statistics.mean(planned):.2f} s as planned: {statistics.mean(fair) / statistics.mean(planned):.2f} "
          f"times; mean of speedups {statistics.mean(speedups):.2f}, from {min(speedups):.2f} to "
          f"{max(speedups):.2f} (Deep-Edge: 1.54)")
    print(f"deadlines missed while training: {late[0]} with equal shards, {late[1]} as planned")
    for low in range(4, 40):
        count = sum(low / 10 <= value < (low + 1) / 10 for value in speedups)
        if count:
            print(f"  {low / 10:.1f} to {(low + 1) / 10:.1f}  {'#' * count} {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db", type=pathlib.Path, required=True)
    parser.add_argument("--campaign", default="deep-edge")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--images", type=int, default=3840)
    parser.add_argument("--policy", default="reckon", choices=["reckon", "deep-edge"])
    parser.add_argument("--csv", type=pathlib.Path, default=pathlib.Path("edge.csv"))
    parser.add_argument("--most-minutes", type=float, default=1e9, help="end after the experiment in which these pass")
    options = parser.parse_args()
    rows = []
    if options.csv.exists():
        with options.csv.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        asked = {name: str(getattr(options, name)) for name in ("seed", "policy", "images")}
        for row in rows:
            if any(row[name] != value for name, value in asked.items()):
                parser.error(f"{options.csv} holds other experiments ({row['seed']}, {row['policy']}, "
                             f"{row['images']} images); name another --csv")
    done = {int(row["experiment"]) for row in rows}
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="edge-") as folder:
        experiments = Experiments(options, folder)
        was_up = LAB_NAME in reckon(["lab", "list"], folder)
        if not was_up:
            reckon(["lab", "up", LAB], folder)
        try:
            for number in range(options.count):
                if number in done or time.monotonic() - begin > 60 * options.most_minutes:
                    continue
                row = experiments.one(number)
                rows.append({name: str(value) for name, value in row.items()})
                new = not options.csv.exists()
                with options.csv.open("a", encoding="utf-8", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS)
                    if new:
                        writer.writeheader()
                    writer.writerow(row)
                print(f"{number}: " + (row["problem"] if "problem" in row else
                      f"fair {row['fair_s']} s, planned {row['planned_s']} s, {row['speedup']} times; "
                      f"missed {row['fair_missed']}, {row['planned_missed']}"), flush=True)
        finally:
            if not was_up:
                reckon(["lab", "down", LAB_NAME], folder)
    if rows:
        summary(rows)


if __name__ == "__main__":
    sys.exit(main())
