#!/usr/bin/env python3
"""`reckon serve` with agents on the hosts of a lab: a run from its submission to its samples, a run that
is stopped, a node that dies on the way, a manager and agents that are killed. Needs root and iproute2,
else it ends with 77 (skipped).
Usage: service.py RECKON"""

import json
import signal
import subprocess
import time

from in_a_folder import main
from managed_lab import ManagedLab

TRAINING = """
name: digits
num_nodes: 2
servers: 1
trainer:
  network: lenet5
  strategy: async-ps
  epochs: %d
  batch: 32
  data: {images: 320, validation_images: 64}
"""


class Service(ManagedLab):
    def test_a_training_on_three_nodes(self):
        status, body = self.call("GET", "/api/v1/nodes", token="wrong")
        self.assertEqual((status, body["error"]), (401, "the token is wrong"))
        self.assertEqual(self.call("GET", "/healthz", token=None)[0], 200)
        status, body = self.call("POST", "/api/v1/runs", {"job": "name: x\nnum_nodes: two\nrun: true\n"})
        self.assertEqual(status, 400)
        self.assertIn("job.yaml, line 2", body["error"])

        run = self.submit(TRAINING % 2)
        told, listener = self.follow(f"/runs/{run}/stream")
        self.wait_for_state(run, "finished", "failed", "stopped")
        listener.join(20)
        self.assertFalse(listener.is_alive(), told)
        self.assertEqual([data["detail"]["to"] for kind, data in told if kind == "run.state"],
                         self.states(run))
        self.assertEqual(told[-1], ("end", {"run": run}))
        self.assertGreater(len([data for kind, data in told if kind == "progress"]), 1)
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        self.assertEqual(self.states(run), ["planning", "transferring", "starting", "running",
                                            "finishing", "finished"])
        self.assertGreater(report["managed"]["spent"], 0)
        self.assertEqual(len(report["managed"]["parts"]), 3)
        self.assert_nothing_remains()
        rows = self.rows("digits.runs")
        self.assertEqual(len(rows), 1)
        self.assertGreater(float(rows[0]["training_loop_s"]), 0)
        self.assertIn("finished", self.reckon("status", str(run)))
        shown = self.reckon("status", "--server", self.url, "--token-file", "token")
        self.assertIn("spent", shown)

    def test_manager_and_agents_may_be_killed(self):
        run = self.submit("name: nap\nnum_nodes: 3\nrun: sleep 6\n")
        self.wait_for_state(run, "running")
        self.manager.send_signal(signal.SIGKILL)
        self.manager.wait()
        self.agents["h1"].send_signal(signal.SIGKILL)
        self.agents["h1"].wait()
        time.sleep(1)
        self.agents["h1"] = self.start_agent("h1")
        self.start_manager()
        self.wait_for_state(run, "finished", "failed", "stopped")
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        self.assertEqual(report["managed"]["attempt"], 1)
        self.assert_nothing_remains()
        # SIGTERM ends it in time, and leaves what runs at work.
        run = self.submit("name: nap\nnum_nodes: 3\nrun: sleep 20\n")
        self.wait_for_state(run, "running")
        begin = time.monotonic()
        self.manager.terminate()
        self.assertEqual(self.manager.wait(10), 0, self.logs())
        self.assertLess(time.monotonic() - begin, 5)
        self.assertTrue(self.remaining())
        self.start_manager()
        self.wait_for_state(run, "finished", "failed", "stopped")
        self.assertEqual(self.state(run), "finished", self.logs())

    def test_a_stop_leaves_nothing(self):
        run = self.submit("name: nap\nnum_nodes: 2\nrun: sleep 600\n")
        self.wait_for_state(run, "running")
        status, body = self.call("POST", f"/api/v1/runs/{run}/stop", {"reason": "enough"})
        self.assertEqual(status, 202, body)
        self.wait_for_state(run, "stopped")
        self.assert_nothing_remains()
        status, body = self.call("POST", f"/api/v1/runs/{run}/stop")
        self.assertEqual(status, 400, body)

    def test_a_node_that_dies_is_left_out(self):
        run = self.submit(TRAINING % 40)
        self.wait_for_state(run, "running")
        self.wait_for(lambda: self.get(f"/runs/{run}")["managed"]["parts"], "parts")
        time.sleep(2)
        subprocess.run([self.program, "lab", "kill", self.lab, "h2"], check=True,
                       capture_output=True, cwd=self.folder)
        self.wait_for(lambda: "recovering" in self.states(run), "recovery")
        self.wait_for_state(run, "finished", "failed", "stopped")
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        self.assertEqual(report["managed"]["attempt"], 2)
        self.assertEqual({part["node"] for part in report["managed"]["parts"]}, {"h0", "h1"})
        node = next(node for node in self.get("/nodes")["nodes"] if node["name"] == "h2")
        self.assertTrue(node["lost"])
        self.assertEqual(node["strikes"], 1)


if __name__ == "__main__":
    main()
