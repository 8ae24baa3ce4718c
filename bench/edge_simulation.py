#!/usr/bin/env python3
"""Deep-Edge's experiment in simulation: thousands of random clusters instead of some hours in the lab.

    bench/edge_simulation.py --db STORE [--campaign deep-edge] [--count 1000] [--seed 1] [--images 3840]
                             [--jitter 0.1] [--csv FILE]

A TX2 and three Nanos whose load is drawn evenly from 0 to 70 %, each with an app and its deadline, as in
bench/edge_experiments.py; what they take is what the campaign's estimators say (`reckon profile
examples/campaigns/deep-edge.yaml`, then `reckon estimators deep-edge`). Loads with which an app would miss its
deadline before the training begins are drawn again. Every cluster is planned by `fair`, `deep-edge` and
`reckon` and carried out by `reckon simulate`.
"""

import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from edge_experiments import DEADLINE_S, DEVICES, DILATION, RECKON, SERVER

POLICIES = ["fair", "deep-edge", "reckon"]
# What the app itself takes of a device before anything trains, and the share of memory in use.
APP_CPU, MEMORY = 0.2, 0.1
COLUMNS = ["cluster", "redraws", *[f"load_{device}" for device in DEVICES],
           *[f"{policy}_s" for policy in POLICIES], *[f"{policy}_crew" for policy in POLICIES],
           *[f"{policy}_late" for policy in POLICIES]]


def type_of(device):
    return "tx2" if device.startswith("tx2") else "nano"


class Simulations:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.latencies = {}
        self.write("job.yaml", {
            "name": "update", "servers": 1, "trainer": {
                "network": "cnn-small", "strategy": "async-ps", "epochs": 1,
                "data": {"images": options.images, "validation_images": 60}}})

    def write(self, name, value):
        (self.folder / name).write_text(json.dumps(value), encoding="utf-8")

    def reckon(self, command, *arguments):
        done = subprocess.run([str(RECKON), command, "--db", str(self.options.db.resolve()), "--json",
                               *map(str, arguments)], cwd=self.folder, text=True, capture_output=True,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(f"reckon {command} {' '.join(map(str, arguments))}: {done.stderr}")
        return json.loads(done.stdout)

    def latency_alone(self, device, cpu):
        """EstExecTime of a device on which nothing trains, to the next percent of load."""
        key = (type_of(device), round(cpu, 2))
        if key not in self.latencies:
            model = f"{self.options.campaign}.{key[0]}.exec_time"
            inputs = [one["name"] for one in self.reckon("explain", "--model", model)["columns"]]
            given = {"training": 0, "batch": 0, "cpu": key[1], "cpu_before": key[1], "memory": MEMORY,
                     "memory_before": MEMORY, "host_workers": 0}
            sets = [text for name in inputs if name in given
                    for text in ("--set", f"{name}={given[name]}")]
            self.latencies[key] = self.reckon("predict", "--model", model, *sets)["forecasts"][0]["predicted"] / DILATION
        return self.latencies[key]

    def one(self, number):
        generator = random.Random(f"{self.options.seed}/{number}")
        for redraws in range(100):
            loads = {device: generator.uniform(0, 70) for device in DEVICES}
            if all(self.latency_alone(device, min(1, loads[device] / 100 + APP_CPU)) <= DEADLINE_S
                   for device in DEVICES):
                break
        workers = [{"name": device, "type": type_of(device), "memory": f"{100 * MEMORY}%",
                    "cpu": f"{min(100, loads[device] + 100 * APP_CPU):.2f}%",
                    "apps": {"sift": f"{1000 * DEADLINE_S:.0f}ms"}} for device in DEVICES]
        self.write("cluster.yaml", {"name": "edge", "estimators": self.options.campaign, "workers": workers,
                                    "servers": [{"name": SERVER, "cpu": "20%", "memory": "10%"}]})
        report = self.reckon("simulate", "--cluster", "cluster.yaml", "--job", "job.yaml", "--policy",
                             ",".join(POLICIES), "--jitter", self.options.jitter, "--seed", number)
        row = {"cluster": number, "redraws": redraws,
               **{f"load_{device}": round(loads[device], 1) for device in DEVICES}}
        for policy in report["policies"]:
            name = policy["policy"]
            if "problem" in policy:
                continue
            row[f"{name}_s"] = round(policy["mean_epoch_s"], 4)
            row[f"{name}_crew"] = policy["crew"]
            row[f"{name}_late"] = policy["late_workers"]
        return row


def summary(rows):
    both = [row for row in rows if row.get("reckon_s") and row.get("fair_s")]
    print(f"{len(rows)} clusters, of which {len(both)} have a plan that makes no app late")
    if not both:
        return
    mean = {policy: statistics.mean(row[f"{policy}_s"] for row in both if row.get(f"{policy}_s"))
            for policy in POLICIES}
    for policy in POLICIES:
        crews = [row[f"{policy}_crew"] for row in both if row.get(f"{policy}_crew")]
        late = sum(1 for row in both if row.get(f"{policy}_late"))
        print(f"  {policy:<10} mean epoch {mean[policy]:8.3f} s, {statistics.mean(crews):.2f} workers, "
              f"{late} clusters with an app that is late")
    speedups = sorted(row["fair_s"] / row["reckon_s"] for row in both)
    print(f"mean epoch of fair over reckon: {mean['fair'] / mean['reckon']:.2f} times; mean of the ratios "
          f"{statistics.mean(speedups):.2f}, from {speedups[0]:.2f} to {speedups[-1]:.2f}")
    for low in range(0, 60):
        count = sum(low / 10 <= value < (low + 1) / 10 for value in speedups)
        if count:
            print(f"  {low / 10:.1f} to {(low + 1) / 10:.1f}  {'#' * max(1, count * 60 // len(both))} {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db", type=pathlib.Path, required=True)
    parser.add_argument("--campaign", default="deep-edge")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--images", type=int, default=3840)
    parser.add_argument("--jitter", type=float, default=0.1)
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="edge-") as folder:
        simulations = Simulations(options, folder)
        rows = []
        for number in range(options.count):
            rows.append(simulations.one(number))
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {options.count}", end="", file=sys.stderr)
    if options.csv:
        with options.csv.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
    summary(rows)


if __name__ == "__main__":
    sys.exit(main())
