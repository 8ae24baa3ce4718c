#!/usr/bin/env python3
"""Cables between the manager and an agent that are cut in one direction or in both, for a moment and for long, and healed:
short silence means nothing, long silence moves the work to the others, and who comes back stops what is not his any more.
Needs root and iproute2, else it ends with 77 (skipped).
Usage: network_cuts.py RECKON"""

import json
import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
from in_a_folder import InAFolder  # noqa: E402
import service  # noqa: E402

NAP = "name: nap\nnum_nodes: 3\nrun: sleep %d\n"
CUT = "h1"


class NetworkCuts(service.Service):
    MANAGER_OPTIONS = ("--grace", "4s", "--lost-after", "9s")

    test_a_training_on_three_nodes = None
    test_manager_and_agents_may_be_killed = None
    test_a_stop_leaves_nothing = None
    test_a_node_that_dies_is_left_out = None

    def setUp(self):
        super().setUp()
        status = subprocess.run([self.program, "lab", "status", self.lab, "--json"], cwd=self.folder,
                                capture_output=True, text=True, check=True)
        host = next(host for host in json.loads(status.stdout)["labs"][0]["hosts"] if host["name"] == CUT)
        self.address, self.namespace = host["address"], os.path.basename(host["netns"])
        self.healed = True
        self.addCleanup(self.heal)

    def ip(self, *arguments):
        return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)

    def cut(self, direction):
        """to: what the agent says is lost; from: what it is answered; both: the cable is pulled."""
        self.healed = False
        if direction == "both":
            subprocess.run([self.program, "lab", "cut", self.lab, CUT], check=True, capture_output=True,
                           cwd=self.folder)
            return
        where = ["-n", self.namespace] if direction == "to" else []
        what = self.machine if direction == "to" else self.address
        done = self.ip(*where, "route", "add", "blackhole", what + "/32")
        self.assertEqual(done.returncode, 0, done.stderr)

    def heal(self):
        if self.healed:
            return
        self.healed = True
        subprocess.run([self.program, "lab", "mend", self.lab, CUT], capture_output=True, check=False,
                       cwd=self.folder)
        self.ip("-n", self.namespace, "route", "del", "blackhole", self.machine + "/32")
        self.ip("route", "del", "blackhole", self.address + "/32")

    def node(self):
        return next(node for node in self.get("/nodes")["nodes"] if node["name"] == CUT)

    def test_a_short_cut_means_nothing(self):
        for direction in ("to", "from", "both"):
            run = self.submit(NAP % 8)
            self.wait_for_state(run, "running")
            self.cut(direction)
            time.sleep(5)
            self.heal()
            self.wait_for_state(run, "finished", "failed", "stopped")
            report = self.get(f"/runs/{run}")
            self.assertEqual(report["state"], "finished", direction + json.dumps(report, indent=1) + self.logs())
            self.assertEqual(report["managed"]["attempt"], 1, direction)
            self.assertEqual(self.node()["strikes"], 0)
        self.assert_nothing_remains()

    def test_a_long_cut_moves_the_work_and_healing_ends_what_is_old(self):
        for strikes, direction in enumerate(("to", "from"), start=1):
            run = self.submit(NAP % 16)
            self.wait_for_state(run, "running")
            self.cut(direction)
            self.wait_for(lambda: "recovering" in self.states(run), "recovery", 60)
            self.wait_for(lambda: self.get(f"/runs/{run}")["managed"]["attempt"] == 2, "second attempt", 60)
            nodes = {part["node"] for part in self.get(f"/runs/{run}")["managed"]["parts"]}
            self.assertEqual(nodes, {"h0", "h2"}, direction)
            self.assertTrue(self.node()["lost"])
            self.heal()
            self.wait_for(lambda: not self.node()["lost"], "return of the node", 60)
            self.wait_for_state(run, "finished", "failed", "stopped")
            report = self.get(f"/runs/{run}")
            self.assertEqual(report["state"], "finished", direction + json.dumps(report, indent=1) + self.logs())
            self.assertEqual(self.node()["strikes"], strikes)
            # Of the first attempt nothing is left on the node that could not be reached.
            self.assert_nothing_remains()


if __name__ == "__main__":
    InAFolder.program = os.path.realpath(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
