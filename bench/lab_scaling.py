#!/usr/bin/env python3
"""Scaling curves on emulated clusters: one training step of cnn-small on 1, 2, 4 and 8 workers, each a
host of one core and 1 Gbit/s, by all-reduce, by an asynchronous parameter server of 1 Gbit/s, and by
one behind a narrow link; at several dilations. Needs root (reckon lab) and a quiet machine.

    bench/lab_scaling.py [--dilations 5,10] [--workers 1,2,4,8] [--narrow 100Mbit] [--csv FILE]
    bench/lab_scaling.py --shares        two hosts whose CPU shares differ by 30 %, each alone

Times are divided by the dilation. The peer of every curve is the same curve at another dilation: from
two hosts on they should agree within 10 %.
"""

import argparse
import csv
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
    rows = []
    print(f"{'strategy':22} {'dilation':>8}" + "".join(f"{n:>8} w" for n in counts) +
          "   ms a step, divided by the dilation", flush=True)
    for dilation in map(float, arguments.dilations.split(",")):
        worker = f"{{name: w, count: {max(counts)}, cpus: 1, bandwidth: 1Gbit}}"
        for strategy, server in [("all-reduce", None), ("async-ps", "1Gbit"),
                                 ("async-ps", arguments.narrow)]:
            # Servers sit on the first host, which has a core of its own.
            hosts = ([f"{{name: ps, cpus: 1, bandwidth: {server}}}"] if server else []) + [worker]
            label = strategy if server is None else f"{strategy}, {server}"
            times = []
            with Lab(folder, "curve", dilation, hosts):
                for count in counts:
                    step = step_seconds(folder, "lab:curve", count, f"trainer.strategy={strategy}")
                    times.append(step / dilation)
                    rows.append({"strategy": label, "dilation": dilation, "workers": count,
                                 "step_ms": 1e3 * step / dilation})
            print(f"{label:22} {dilation:8g}" + "".join(f"{1e3 * t:10.1f}" for t in times),
                  flush=True)
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


def shares(folder):
    """Two hosts of 1 and 0.7 cores, each alone, several times in turns."""
    hosts = ["{name: whole, cpus: 1}", "{name: less, cpus: 0.7}"]
    for dilation in (2.5, 5):
        times = {"whole": [], "less": []}
        with Lab(folder, "shares", dilation, hosts):
            for _ in range(3):
                for host, seconds in times.items():
                    seconds.append(step_seconds(folder, f"lab:shares/{host}", 1))
        whole, less = (statistics.median(times[host]) / dilation for host in ("whole", "less"))
        print(f"dilation {dilation:g}: {1e3 * whole:.1f} ms and {1e3 * less:.1f} ms a step: "
              f"the share of 0.7 does {100 * (1 - whole / less):.1f} % less a second", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dilations", default="5,10")
    parser.add_argument("--workers", default="1,2,4,8")
    parser.add_argument("--narrow", default="100Mbit")
    parser.add_argument("--csv")
    parser.add_argument("--shares", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the lab goes down
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "job.yaml").write_text(JOB)
        if arguments.shares:
            shares(folder)
        else:
            curves(arguments, folder)


main()
