#!/usr/bin/env python3
"""A node dies in every one of many runs on a lab: the update is completed by the others, from the last checkpoint that the
lost node's manager has; the third strike excludes the node, after a cool-down it is on probation; the events tell the story.
Needs root and iproute2, else it ends with 77 (skipped).
Usage: node_loss.py RECKON [RUNS [SEED]]"""

import json
import os
import random
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
from in_a_folder import InAFolder  # noqa: E402
import service  # noqa: E402

RUNS = 4
SEED = 1
VICTIM = "h2"

UPDATE = """
name: update
num_nodes: 3
trainer:
  network: lenet5
  epochs: 12
  batch: 16
  data: {images: 960, validation_images: 96}
"""


class NodeLoss(service.Service):
    # Short enough that twenty runs are not all waiting; the state is looked at while it lasts.
    MANAGER_OPTIONS = ("--grace", "3s", "--lost-after", "6s", "--cool-down", "45s")

    # Tests of the base class are not repeated here.
    test_a_training_on_three_nodes = None
    test_manager_and_agents_may_be_killed = None
    test_a_stop_leaves_nothing = None
    test_a_node_that_dies_is_left_out = None

    def victim(self):
        return next(node for node in self.get("/nodes")["nodes"] if node["name"] == VICTIM)

    def kinds(self, run):
        return [event["kind"] if event["kind"] != "run.state" else event["detail"]["to"]
                for event in self.get(f"/runs/{run}/events")["events"]]

    def epochs_kept(self, run):
        return os.path.exists(os.path.join(self.folder, "reckon.runs", str(run), "checkpoint"))

    def test_updates_complete_on_the_others(self):
        chance = random.Random(SEED)
        strikes, went_on = 0, 0
        for number in range(RUNS):
            excluded = self.victim()["standing"] == "excluded"
            run = self.submit(UPDATE)
            self.wait_for_state(run, "running")
            nodes = {part["node"] for part in self.get(f"/runs/{run}")["managed"]["parts"]}
            if excluded:
                # It is left out, and what is left does the work undisturbed.
                self.assertEqual(nodes, {"h0", "h1"})
                self.wait_for_state(run, "finished", "failed", "stopped")
                self.assertEqual(self.state(run), "finished", self.logs())
                self.assertNotIn("recovering", self.kinds(run))
                # On probation one more strike excludes it again.
                self.wait_for(lambda: self.victim()["standing"] == "probation", "end of the cool-down", 90)
                continue
            self.assertIn(VICTIM, nodes)
            if number % 2 == 0:
                self.wait_for(lambda: self.epochs_kept(run), "a checkpoint at the manager", 60)
            time.sleep(chance.uniform(0, 2))
            kept = self.epochs_kept(run)
            subprocess.run([self.program, "lab", "kill", self.lab, VICTIM], check=True, capture_output=True,
                           cwd=self.folder)
            self.agents[VICTIM].wait()
            self.wait_for_state(run, "finished", "failed", "stopped")
            report = self.get(f"/runs/{run}")
            self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
            self.assertEqual(report["managed"]["attempt"], 2)
            self.assertEqual({part["node"] for part in report["managed"]["parts"]}, {"h0", "h1"})
            self.assertEqual(report["epochs"][-1]["epoch"], 12)
            if kept:
                self.assertGreater(report["begun_at_step"], 0)
                went_on += 1
            strikes += 1
            standing = self.victim()["standing"]
            self.assertEqual(standing, "excluded" if strikes >= 3 else "good", self.victim())
            kinds = self.kinds(run)
            story = [kind for kind in kinds if kind in ("running", "node.lost", "recovering", "finished")]
            self.assertEqual(story, ["running", "recovering", "running", "finished"]
                             if "node.lost" not in story else
                             ["running", "node.lost", "recovering", "running", "finished"], kinds)
            print(f"run {run}: {VICTIM} died, strike {strikes}, it is {standing}, "
                  f"{'went on from step %g' % report['begun_at_step'] if kept else 'began anew'}", flush=True)
            # The reason of the recovery names it.
            moved = next(event["detail"] for event in self.get(f"/runs/{run}/events")["events"]
                         if event["kind"] == "run.state" and event["detail"]["to"] == "recovering")
            self.assertIn(VICTIM, moved["detail"]["reason"])
            self.agents[VICTIM] = self.start_agent(VICTIM)
            self.wait_for(lambda: not self.victim()["lost"], "return of the node", 30)
        self.assertGreater(went_on, 0)
        self.wait_for(lambda: not self.remaining(), "end of all processes", 30)


if __name__ == "__main__":
    InAFolder.program = os.path.realpath(sys.argv[1])
    RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    SEED = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    unittest.main(argv=sys.argv[:1])
