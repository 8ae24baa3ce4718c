#!/usr/bin/env python3
"""`reckon recommend CAMPAIGN.yaml --probe K`: real runs in a lab, few of them, a failure among them; a
second call goes on where the first one ended. Needs root and iproute2, else it ends with 77 (skipped).
Usage: recommend_probe.py RECKON"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

from in_a_folder import InAFolder, main

# What each point costs: its price an hour, hosts and seconds. The cheapest is the second.
CAMPAIGN = """
name: cheapest
target: wall_s
quiet: {foreign: 1000%%, steal: 1000%%, pace: 1000%%}
lab:
  name: %s
  dilation: 2
  hosts:
    - {name: slow, count: 2, cpus: 0.5, memory: 1GiB, bandwidth: 1Gbit}
    - {name: fast, count: 2, cpus: 1, memory: 1GiB, bandwidth: 1Gbit}
pools:
  slow: {hosts: ["slow*"]%s}
  fast: {hosts: ["fast*"], price: 10}
job:
  run: "[ $NAP != 9 ] || exit 3; sleep $NAP"
vary:
  "pool, num_nodes, envs.NAP":
    - [slow, 2, 1.2]
    - [slow, 1, 1.0]
    - [fast, 1, 0.6]
    - [fast, 2, 9]
    - [fast, 1, 0.5]
"""


class RecommendProbe(InAFolder):
    def setUp(self):
        super().setUp()
        self.lab = f"p{os.getpid()}"
        self.addCleanup(subprocess.run, [self.program, "lab", "down", self.lab],
                        capture_output=True, check=False)

    def write(self, price=", price: 1"):
        with open(os.path.join(self.folder, "c.yaml"), "w", encoding="utf-8") as file:
            file.write(CAMPAIGN % (self.lab, price))

    def command(self, *options):
        return [self.program, "recommend", "c.yaml", "--json", *options]

    def probe(self, *options):
        done = subprocess.run(self.command(*options), cwd=self.folder, capture_output=True,
                              text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_tries_some_then_more(self):
        self.write()
        some = self.probe("--probe", "3", "--runs", "1000000")
        self.assertEqual(len(some["probed"]), 3)
        self.assertEqual(some["ended"], "3 configurations were tried")
        self.assertEqual(some["campaign"]["runs"], sum(trial["ok"] for trial in some["trials"]))
        everything = self.probe("--probe", "5", "--runs", "1000000000")
        self.assertEqual(everything["probed"][:3], some["probed"])
        # What cannot be cheaper need not be tried.
        self.assertIn(len(everything["probed"]), (4, 5))
        self.assertIn(1, everything["probed"])
        for trial in everything["trials"]:
            self.assertEqual(trial["ok"], trial["row"] != 3)
        # Undilated: a second in the lab is half of one.
        cheap = next(t for t in everything["trials"] if t["row"] == 1)
        self.assertGreater(cheap["time_s"], 0.5)
        self.assertLess(cheap["time_s"], 1.5)
        self.assertEqual(everything["chosen"]["row"], 1)
        self.assertTrue(everything["chosen"]["probed"])
        again = self.probe("--probe", "5")
        self.assertEqual(again["trials"], [{**t, "expected_gain": 0} for t in everything["trials"]])
        self.check_nothing_left()

    def test_goes_on_after_a_kill(self):
        self.write()
        first = subprocess.Popen(self.command("--probe", "4"), cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(2.5)
        first.send_signal(signal.SIGKILL)
        first.wait()
        report = self.probe("--probe", "4", "--runs", "1000000000")
        self.assertEqual(len(report["probed"]), 4)
        self.assertEqual(len(set(report["probed"])), 4)
        runs = [run for point in report["campaign"]["points"] for run in point["runs"]]
        self.assertEqual(len(runs), 4)
        self.check_nothing_left()

    def test_needs_prices(self):
        self.write(price="")
        done = subprocess.run(self.command("--probe", "3"), cwd=self.folder, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pool=slow", done.stderr)
        self.assertIn("no price", done.stderr)
        self.check_nothing_left()


if __name__ == "__main__":
    if os.geteuid() != 0 or shutil.which("ip") is None:
        print("needs root and iproute2")
        sys.exit(77)
    main()
