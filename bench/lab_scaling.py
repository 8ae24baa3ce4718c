#!/usr/bin/env python3
"""Scaling curves on emulated clusters: one training step of cnn-small on 1, 2, 4 and 8 workers, each a
host of one core and 1 Gbit/s, by all-reduce, by an asynchronous parameter server of 1 Gbit/s, and by
one behind a narrow link; at several dilations. Needs root (reckon lab) and a quiet machine. What --csv
writes can be drawn by `reckon fit` and `reckon predict --plot --measured` (docs/results/training.md).

    bench/lab_scaling.py [--dilations 5,10] [--workers 1,2,4,8] [--repeats 1]
                         [--via all-reduce,1Gbit,250Mbit] [--csv FILE]
    bench/lab_scaling.py --shares [--repeats 5] [--dilations 5,10]
                         hosts whose CPU shares differ by 30 %, each alone

Times are divided by the dilation. The peer of every curve is the same curve at another dilation: from
two hosts on they should agree within 10 %.
"""

import argparse
import contextlib
import csv
import itertools
import json
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECKON = ROOT / "build/bin/reckon"
STEPS = 8
BATCH = 16
JOB = f"""
name: scaling
trainer:
  network: cnn-small
  data: {{source: generated, shape: mnist, images: 1, validation_images: 8}}
  epochs: 3
  batch: {BATCH}
  rate: 0.01
  patience: 120s
"""


def reckon(*arguments, folder):
    done = subprocess.run([str(RECKON), *map(str, arguments)], cwd=folder, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"reckon {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


class Lab:
    def __init__(self, folder, name, dilation, hosts):
        self.folder, self.name = folder, name
        file = pathlib.Path(folder) / f"{name}.yaml"
        file.write_text(f"name: {name}\ndilation: {dilation}\nhosts:\n" +
                        "".join(f"  - {host}\n" for host in hosts))
        reckon("lab", "up", file, folder=folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        reckon("lab", "down", self.name, folder=self.folder)


def step_seconds(folder, engine, workers, *settings):
    """Of the last two epochs: an epoch of the slowest worker over its steps."""
    out = reckon("run", "job.yaml", "--on", engine, "--quiet", "--json", "--set",
                 f"num_nodes={workers}", "--set", f"trainer.data.images={STEPS * BATCH * workers}",
                 *[word for setting in settings for word in ("--set", setting)], folder=folder)
    epochs = json.loads(out)["epochs"][1:]
    return statistics.mean(epoch["train_epoch_s"] for epoch in epochs) / STEPS


def curves(arguments, folder):
    counts = [int(count) for count in arguments.workers.split(",")]
    dilations = [float(dilation) for dilation in arguments.dilations.split(",")]
    rows = []
    print(f"{'via':22} {'dilation':>8}" + "".join(f"{n:>8} w" for n in counts) +
          "   ms a step, divided by the dilation", flush=True)
    worker = f"{{name: w, count: {max(counts)}, cpus: 1, bandwidth: 1Gbit}}"
    for via in arguments.via.split(","):
        strategy, server = (via, None) if via == "all-reduce" else ("async-ps", via)
        # Servers sit on the first host, which has a core of its own.
        hosts = ([f"{{name: ps, cpus: 1, bandwidth: {server}}}"] if server else []) + [worker]
        label = via if server is None else f"ps {server}"
        times = {dilation: {count: [] for count in counts} for dilation in dilations}
        with contextlib.ExitStack() as labs:
            for index, dilation in enumerate(dilations):
                labs.enter_context(Lab(folder, f"curve{index}", dilation, hosts))
            # The dilations in turns: what is compared is measured in the same minute.
            for count, _ in itertools.product(counts, range(arguments.repeats)):
                for index, dilation in enumerate(dilations):
                    step = step_seconds(folder, f"lab:curve{index}", count,
                                        f"trainer.strategy={strategy}")
                    times[dilation][count].append(step / dilation)
                    rows.append({"via": label, "dilation": dilation, "workers": count,
                                 "step_ms": 1e3 * step / dilation,
                                 "images_per_s": count * BATCH * dilation / step})
        medians = {dilation: [statistics.median(times[dilation][count]) for count in counts]
                   for dilation in dilations}
        for dilation in dilations:
            print(f"{label:22} {dilation:8g}" +
                  "".join(f"{1e3 * t:10.1f}" for t in medians[dilation]), flush=True)
        for dilation in dilations[1:]:
            print(f"{'  against the first':22} {dilation:8g}" +
                  "".join(f"{100 * (t / first - 1):+9.1f}%" for t, first in
                          zip(medians[dilation], medians[dilations[0]])), flush=True)
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


def shares(folder, repeats, dilations):
    """Hosts that train alone, in turns: a virtual machine's own speed changes from minute to minute by
    more than the 5 points in question, so that only neighbours are compared. "Differ by 30 %" is
    measured both ways: a share 30 % smaller does 30 % less a second, and of two shares of which one is
    30 % larger the other's steps take 30 % longer. False when a median is off by more than 5 points."""
    sizes = {"whole": 1, "less": 0.7, "third": round(1 / 1.3, 4)}
    hosts = [f"{{name: {name}, cpus: {cpus}}}" for name, cpus in sizes.items()]
    good = True
    for dilation in dilations:
        times = {name: [] for name in sizes}
        with Lab(folder, "shares", dilation, hosts):
            for _ in range(repeats):
                for host, seconds in times.items():
                    seconds.append(step_seconds(folder, f"lab:shares/{host}", 1) / dilation)
        less = [100 * (1 - a / b) for a, b in zip(times["whole"], times["less"])]
        longer = [100 * (b / a - 1) for a, b in zip(times["whole"], times["third"])]
        steps = ", ".join(f"{1e3 * statistics.median(times[name]):.1f}" for name in sizes)
        print(f"dilation {dilation:g}: {steps} ms a step on 1, 0.7 and 1/1.3 cores", flush=True)
        for words, values in (("0.7 cores do {:.1f} % less a second", less),
                              ("steps on 1/1.3 cores take {:.1f} % longer", longer)):
            median = statistics.median(values)
            good = good and abs(median - 30) <= 5
            print(f"  {words.format(median)} (pairs: "
                  f"{', '.join(f'{value:.0f}' for value in sorted(values))})", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dilations", default="5,10")
    parser.add_argument("--workers", default="1,2,4,8")
    parser.add_argument("--via", default="all-reduce,1Gbit,250Mbit",
                        help="all-reduce, or the bandwidth of a parameter server")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--csv")
    parser.add_argument("--shares", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the lab goes down
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "job.yaml").write_text(JOB)
        if arguments.shares:
            good = shares(folder, max(arguments.repeats, 5),
                          [float(k) for k in arguments.dilations.split(",")])
            sys.exit(0 if good else "a median is off by more than 5 points")
        else:
            curves(arguments, folder)


main()
