#!/usr/bin/env python3
"""The simulator of training held against the lab: epochs with a parameter server and one to six workers.

    bench/simulator_check.py --db STORE [--campaign fc2] [--jitter 0.05]

The store holds the campaign (`reckon profile examples/campaigns/fc2.yaml`). Of every kind of machine and batch the run of one
worker tells what a step computes and what the server takes to work a gradient in; links are those of the lab. What
`reckon simulate` then says of more workers is compared with what they took.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECKON = ROOT / "build/bin/reckon"
SERVER_LINK = {"m4-large": "450Mbit", "m4-2xlarge": "1Gbit", "m4-10xlarge": "10Gbit"}
WORKER_LINK = {"m4-xlarge": "1Gbit", "c4-xlarge": "1Gbit", "c4-8xlarge": "10Gbit", "p2-xlarge": "1Gbit",
               "g3-4xlarge": "10Gbit"}


def reckon(options, folder, *arguments):
    done = subprocess.run([str(RECKON), *map(str, arguments), "--db", str(options.db.resolve())], cwd=folder,
                          text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"reckon {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def simulate(options, folder, alone, workers, pool, images):
    worker, server = pool.split("/")
    dilation, batch = float(alone["dilation"]), int(float(alone["batch"]))
    folder = pathlib.Path(folder)
    (folder / "c.yaml").write_text(json.dumps({
        "types": {"w": {"forward": f"{1e6 * float(alone['compute_s']) / dilation / batch:.3f}us",
                        "max_batch": batch}},
        "workers": [{"name": "w", "count": workers, "type": "w", "bandwidth": WORKER_LINK[worker]}],
        "servers": [{"name": "server", "bandwidth": SERVER_LINK[server],
                     "apply": f"{1e6 * float(alone['update_s']) / dilation:.3f}us"}]}))
    (folder / "j.yaml").write_text(json.dumps({"name": "j", "servers": 1, "trainer": {
        "network": alone["network"], "strategy": alone["strategy"], "epochs": 1,
        "data": {"images": images, "validation_images": 60}}}))
    said = json.loads(reckon(options, folder, "simulate", "--cluster", "c.yaml", "--job", "j.yaml", "--policy", "fair",
                             "--jitter", options.jitter, "--min-batch", 1, "--json"))
    return said["policies"][0]["mean_epoch_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db", type=pathlib.Path, required=True)
    parser.add_argument("--campaign", default="fc2")
    parser.add_argument("--jitter", type=float, default=0.05)
    options = parser.parse_args()
    errors = {}
    with tempfile.TemporaryDirectory(prefix="simulated-") as folder:
        rows = [row for row in csv.DictReader(reckon(options, folder, "export", "samples",
                                                     f"{options.campaign}.runs").splitlines())
                if row["servers"] == "1" and not row.get("disturbed")]
        alone = {(row["pool"], row["batch"], row["network"], row["images"]): row for row in rows
                 if row["workers"] == "1"}
        print(f"{'pool':<24} {'batch':>5} {'network':<10} {'workers':>7} {'measured':>9} {'simulated':>9} {'error':>7}")
        for row in sorted(rows, key=lambda row: (row["pool"], row["network"], float(row["batch"]),
                                                 int(row["workers"]))):
            key = (row["pool"], row["batch"], row["network"], row["images"])
            if key not in alone:
                continue
            workers, images = int(row["workers"]), int(float(row["images"]))
            measured = float(row["train_epoch_s"]) / float(row["dilation"])
            simulated = simulate(options, folder, alone[key], workers, row["pool"], images)
            error = 100 * (simulated / measured - 1)
            errors.setdefault(workers, []).append(abs(error))
            print(f"{row['pool']:<24} {row['batch']:>5} {row['network']:<10} {workers:>7} {measured:>7.2f} s "
                  f"{simulated:>7.2f} s {error:>5.0f} %")
    for workers, values in sorted(errors.items()):
        print(f"{workers} workers: mean absolute error {statistics.mean(values):.1f} % of {len(values)} configurations")
    more = [value for workers, values in errors.items() if workers > 1 for value in values]
    if more:
        print(f"two workers and more: {statistics.mean(more):.1f} %, median {statistics.median(more):.1f} %")


if __name__ == "__main__":
    sys.exit(main())
