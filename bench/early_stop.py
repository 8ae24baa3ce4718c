#!/usr/bin/env python3
"""What ending early saves and costs, on the generated images: real trainings of the built-in trainer.

    bench/early_stop.py [--jobs 12] [--seed 1] [--out FILE.csv]

Jobs are drawn: network, optimizer, rate, batch, images. Each is trained for long once, by one worker; it needs the first epoch
from which on its accuracy (mean of three epochs) stays within half a point of its best. Had it asked for one and a half times
as many epochs, as people do, early_stop would have ended it where bench/early_stop_replay says: one worker trains the same way
every time, so that its first epochs are those of the shorter run. Every fourth job is really run with `early_stop: true`
too. Printed: epochs saved, accuracy lost at the end, and how far the epochs that would have been told after 30 % of the run
were from those needed. The peer is the full run.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECKON = ROOT / "build/bin/reckon"
REPLAY = ROOT / "build/bin/early_stop_replay"
LONG = 40  # epochs of the run that tells how many are needed
SLACK = 0.005


def draw(rng):
    network = rng.choice(("lenet5", "mlp", "cnn-small"))
    optimizer = rng.choice(("sgd", "adam"))
    low, high = {"sgd": (0.004, 0.05), "adam": (0.0001, 0.001)}[optimizer]
    return {"network": network, "optimizer": optimizer,
            "rate": round(math.exp(rng.uniform(math.log(low), math.log(high))), 6),
            "batch": rng.choice((32, 64)), "images": rng.choice((1000, 2000) if network == "cnn-small" else (2000, 4000)),
            "seed": rng.randrange(1000)}


def job_text(job, epochs, early):
    return json.dumps({"name": "early", "resources": {"cpus": 1}, "early_stop": early, "trainer": {
        "network": job["network"], "optimizer": job["optimizer"], "rate": job["rate"], "batch": job["batch"],
        "seed": job["seed"], "epochs": epochs, "data": {"images": job["images"], "validation_images": 3000}}})


def train(folder, job, epochs, early):
    path = pathlib.Path(folder) / "job.yaml"
    path.write_text(job_text(job, epochs, early))
    report = json.loads(call(folder, "run", path.name, "--json"))
    if report["state"] != "finished":
        raise RuntimeError(report["reason"])
    return report


def replay(asked, values):
    done = subprocess.run([str(REPLAY)], input=" ".join(map(str, [asked, *values])) + "\n", text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def call(folder, *arguments):
    done = subprocess.run([str(RECKON), *arguments, "-q"], cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def accuracies(report):
    return [epoch["accuracy"] for epoch in report["epochs"]]


def smooth(values):
    return [statistics.mean(values[max(0, i - 1):i + 2]) for i in range(len(values))]


def needed_epochs(report):
    curve = smooth(accuracies(report))
    best = max(curve)
    return next(i + 1 for i in range(len(curve)) if min(curve[i:]) >= best - SLACK)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows = []
    with tempfile.TemporaryDirectory(prefix="early-") as folder:
        while len(rows) < options.jobs:
            job = draw(rng)
            report = train(folder, job, LONG, False)
            needed = needed_epochs(report)
            asked = math.ceil(1.5 * needed)
            if needed < 6 or asked > LONG:
                print(f"passed over: {job}: {needed} of {LONG} epochs", file=sys.stderr)
                continue  # there is nothing to save, or nobody knows how many are needed
            values = accuracies(report)[:asked]
            told = replay(asked, values)
            had = told["had"]
            row = dict(job, needed=needed, asked=asked, had=had, saved=1 - had / asked,
                       lost=smooth(values)[-1] - smooth(values[:had])[-1],
                       told=told["told"][0] if told["told"] else float("nan"))
            row["told_off"] = row["told"] / needed - 1
            if len(rows) % 4 == 0:
                early = train(folder, job, asked, True)
                row["really_had"] = len(early["epochs"])
                same = accuracies(early) == values[:row["really_had"]]
                print(f"really run: {row['really_had']} epochs, accuracies "
                      f"{'the same' if same else 'DIFFER'}", file=sys.stderr)
            else:
                row["really_had"] = ""
            rows.append(row)
            print(" ".join(f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}"
                           for key, value in row.items()), flush=True)
    saved = sum(row["asked"] - row["had"] for row in rows) / sum(row["asked"] for row in rows)
    off = [abs(row["told_off"]) for row in rows if not math.isnan(row["told_off"])]
    print(f"epochs saved: {100 * saved:.1f} % of those asked for; accuracy lost: mean "
          f"{100 * statistics.mean(row['lost'] for row in rows):.2f}, most {100 * max(row['lost'] for row in rows):.2f} points; "
          f"estimate after 30 %: median {100 * statistics.median(off):.0f} % off, within 20 % in "
          f"{sum(one <= 0.2 for one in off)} of {len(rows)}")
    if options.out:
        with open(options.out, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
