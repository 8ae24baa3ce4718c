#!/usr/bin/env python3
"""A campaign that is killed with SIGKILL at random moments, alone or with the supervisor of its run,
and taken up again each time: it ends with the samples of an undisturbed one, none twice, none lost.
Usage: campaign_kill.py RECKON [KILLS [SEED [lab]]]"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

CAMPAIGN = """
name: kills
{lab}
repeats: 2
quiet: {{foreign: 1000%, steal: 1000%, pace: 1000%}}
job:
  trainer: {{network: mlp, knobs: {{hidden: [32]}}, epochs: 2,
            data: {{images: 2000, validation_images: 100}}}}
vary:
  trainer.batch: [8, 16, 32]
  num_nodes: [1, 2]
"""
LAB_NAME = "kills"
LAB = ("lab: {name: kills, dilation: 2.5, "
       "hosts: [{name: h, count: 2, cpus: 1, memory: 2GiB, bandwidth: 1Gbit}]}")
LIMIT_S = 300


def profile(reckon, folder, **options):
    return subprocess.Popen([reckon, "profile", "campaign.yaml", "--json"], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def finish(process):
    out, err = process.communicate(timeout=LIMIT_S)
    if process.returncode != 0:
        sys.exit(f"FAILED: profile ended with {process.returncode}: {err}")
    return json.loads(out)


def samples(reckon, folder):
    """What was asked for in every row, without what was measured."""
    text = subprocess.run([reckon, "export", "samples", "kills.runs"], cwd=folder, text=True,
                          capture_output=True, check=True).stdout
    lines = text.splitlines()
    names = lines[0].split(",")
    keep = [names.index(name) for name in ("workers", "batch", "images", "epochs")]
    return sorted(tuple(line.split(",")[i] for i in keep) for line in lines[1:])


def supervisors(folder):
    """Processes that supervise runs of this folder."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"reckon-supervise") and folder.encode() in b" ".join(words):
            found.append(int(entry))
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def main():
    reckon = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    lab = len(sys.argv) > 4
    if lab and os.geteuid() != 0:
        print("skipped: labs need root")
        sys.exit(77)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as quiet, tempfile.TemporaryDirectory() as folder:
        for path in (quiet, folder):
            with open(os.path.join(path, "campaign.yaml"), "w", encoding="utf-8") as file:
                file.write(CAMPAIGN.format(lab=LAB if lab else ""))
        begin = time.monotonic()
        finish(profile(reckon, quiet))
        expected_s = time.monotonic() - begin
        wanted = samples(reckon, quiet)
        print(f"undisturbed: {len(wanted)} samples in {expected_s:.1f} s")
        if len(wanted) != 12:
            sys.exit(f"FAILED: expected 12 samples, found {len(wanted)}")
        for number in range(kills):
            process = profile(reckon, folder)
            time.sleep(rng.uniform(0, 1.5 * expected_s / kills))
            with_supervisor = rng.random() < 0.3
            ended = process.poll() is not None
            process.kill()
            process.communicate()
            victims = supervisors(folder) if with_supervisor else []
            for pid in victims:
                kill(pid)
            print(f"kill {number + 1}: reckon{' (had ended)' if ended else ''}"
                  f"{', ' + str(len(victims)) + ' supervisors' if with_supervisor else ''}")
        report = finish(profile(reckon, folder))
        found = samples(reckon, folder)
        if found != wanted:
            sys.exit(f"FAILED: samples differ\nwanted {wanted}\nfound  {found}")
        for point in report["points"]:
            good = sum(run["outcome"] == "measured" for run in point["runs"])
            if point["state"] != "measured" or good != 2:
                sys.exit(f"FAILED: a point is not measured twice: {point}")
        with sqlite3.connect(os.path.join(folder, "reckon.db")) as store:
            states = dict(store.execute("SELECT state, count(*) FROM run GROUP BY state"))
        if set(states) - {"finished", "failed"}:
            sys.exit(f"FAILED: runs are left: {states}")
        if supervisors(folder):
            sys.exit("FAILED: a supervisor is left")
        if lab:
            labs = subprocess.run([reckon, "lab", "list", "--json"], capture_output=True, text=True,
                                  check=True).stdout
            if LAB_NAME in labs:
                sys.exit(f"FAILED: the lab is left: {labs}")
        print(f"the same {len(found)} samples after {kills} kills; runs: {states}")


if __name__ == "__main__":
    main()
