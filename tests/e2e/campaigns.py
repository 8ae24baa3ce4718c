#!/usr/bin/env python3
"""The campaigns of examples/campaigns/smoke as a user runs them: every point is measured, samples are
there and make sense, the lab is gone, and a second time nothing is measured. Needs root, iproute2 and
stress-ng, else it ends with 77 (skipped). Usage: campaigns.py RECKON"""

import json
import os
import re
import shutil
import subprocess
import sys

from in_a_folder import InAFolder, main

EXAMPLES = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples"))
LIMIT_S = 400


class Campaigns(InAFolder):
    def copy(self, name, *changes):
        """The campaign in this test's folder, with its paths made absolute; others may be busy on
        this machine meanwhile."""
        with open(os.path.join(EXAMPLES, "campaigns/smoke", name + ".yaml"), encoding="utf-8") as file:
            text = file.read()
        for old, new in (("../../../build/bin", os.path.dirname(self.program)),
                         ("../../pytorch-ddp", os.path.join(EXAMPLES, "pytorch-ddp")),
                         ("../../python", os.path.join(EXAMPLES, "../python")), *changes):
            text = text.replace(old, new)
        self.assertNotIn("../", text.replace(EXAMPLES + "/../", ""))
        # A lab of this test alone: a campaign leaves one standing that it found up.
        self.lab = f"t{os.getpid()}"
        text, labs = re.subn(r"^(lab:\n  name: ).*$", r"\g<1>" + self.lab, text, flags=re.MULTILINE)
        self.assertEqual(labs, 1)
        with open(os.path.join(self.folder, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(text + "quiet: {foreign: 1000%, steal: 1000%, pace: 1000%}\n")
        self.addCleanup(self.remove_lab, self.lab)

    def remove_lab(self, lab):
        subprocess.run([self.program, "lab", "down", lab], capture_output=True, check=False)

    def profile(self, name, *options, path=None):
        environment = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": ""}
        if path is not None:
            environment["PATH"] = path
        done = subprocess.run([self.program, "profile", name + ".yaml", "--json", *options],
                              cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        self.assertNotEqual(done.stdout, "", done.stderr)
        return done.returncode, json.loads(done.stdout)

    def check_lab_is_gone(self):
        labs = json.loads(self.reckon("lab", "list", "--json"))
        self.assertNotIn(self.lab, json.dumps(labs))

    def measure(self, name, points):
        """All of it, and then a second time, which measures nothing. The rows of runs."""
        self.copy(name)
        code, report = self.profile(name)
        self.assertEqual(code, 0)
        self.assertEqual(len(report["points"]), points)
        for point in report["points"]:
            self.assertEqual(point["state"], "measured", point)
            self.assertEqual([run["outcome"] for run in point["runs"]], ["measured"])
        self.assertEqual((report["runs"], report["ended"]), (points, "everything is measured"))
        self.check_lab_is_gone()
        again = self.profile(name)[1]
        self.assertEqual((again["runs"], again["ended"]), (points, "everything is measured"))
        self.assertEqual([p["runs"] for p in again["points"]], [p["runs"] for p in report["points"]])
        self.check_lab_is_gone()
        self.check_nothing_left()
        rows = self.rows(report["campaign"] + ".runs")
        self.assertEqual(len(rows), points)
        for row in rows:
            self.assertGreater(float(row[report["target"]]), 0)
            self.assertGreaterEqual(float(row["foreign"]), 0)
            self.assertGreaterEqual(float(row["steal"]), 0)
        return rows

    def test_ray(self):
        rows = self.measure("ray", 7)
        cpus = {(row["pool"], row["workers"], row["cpus"]) for row in rows}
        self.assertEqual(cpus, {("cpu1", "1", "1"), ("cpu1", "2", "2"), ("cpu2", "1", "2")})
        nodes = self.rows("ray-smoke.nodes")
        self.assertEqual(len(nodes), sum(int(row["workers"]) for row in rows))
        for node in nodes:
            self.assertLess(0.2, float(node["cpu_mean"]), node)
            self.assertLess(float(node["cpu_mean"]), 1.2, node)
            self.assertEqual((node["serves"], node["host_workers"]), ("0", "1"))

    def test_generic(self):
        rows = self.measure("generic", 12)
        for column in ("knob_kernel", "knob_activation", "optimizer", "rate", "batch", "image"):
            self.assertGreater(len({row[column] for row in rows}), 1, column)
        self.assertTrue(all(8 <= int(row["batch"]) <= 128 for row in rows))
        self.assertTrue(all(0.0001 <= float(row["rate"]) <= 0.1 for row in rows))

    def test_generic_pytorch(self):
        rows = self.measure("generic-pytorch", 4)
        self.assertEqual({row["env_IMAGES"] for row in rows}, {"384"})
        self.assertGreater(len({(row["env_KERNEL"], row["env_BATCH"]) for row in rows}), 1)

    def test_fc2(self):
        rows = self.measure("fc2", 12)
        self.assertEqual({(row["pool"], row["strategy"], row["servers"]) for row in rows},
                         {("c4-xlarge/m4-large", "async-ps", "1"),
                          ("g3-4xlarge/m4-large", "async-ps", "1"),
                          ("g3-4xlarge", "all-reduce", "0")})
        served = {node["host"] for node in self.rows("fc2-smoke.nodes") if node["serves"] == "1"}
        self.assertEqual(served, {"m4-large"})

    def test_deep_edge(self):
        self.measure("deep-edge", 4)
        nodes = self.rows("deep-edge-smoke.nodes")
        self.assertEqual(len(nodes), 8)
        workers = [node for node in nodes if node["serves"] == "0"]
        idle = {}
        for node in workers:
            for column in ("latency_s_before", "latency_s", "deadline_missed", "compute_s",
                           "compute_per_sample_s", "exchange_s", "server_cpu_before"):
                self.assertNotEqual(node[column], "", column)
            self.assertGreater(float(node["latencies"]), 0)
            # Five frames a second before dilation, each of some 30 to 90 ms.
            self.assertLess(0.05, float(node["latency_s_before"]))
            self.assertLess(float(node["latency_s_before"]), 2)
            self.assertGreater(float(node["cpu_mean"]), float(node["cpu_before"]))
            if node["stress_load_cpu"] == "0":
                idle[node["stress_serving_cpu"]] = float(node["cpu_before"])
        # On the devices the level comes on top of SIFT, on the server's host nothing else works.
        for node in workers:
            if node["stress_load_cpu"] != "0":
                added = float(node["cpu_before"]) - idle[node["stress_serving_cpu"]]
                self.assertAlmostEqual(added, 0.4, delta=0.12)
        for node in nodes:
            level = float(node["stress_serving_cpu"])
            found = node["cpu_before"] if node["serves"] == "1" else node["server_cpu_before"]
            self.assertAlmostEqual(float(found), level, delta=0.08)

    def test_an_optimal_design_ends_before_all_is_measured(self):
        self.copy("generic", ("trials: 12", "trials: 200"))
        code, report = self.profile("generic", "--design", "optimal", "--until-error", "95%")
        self.assertEqual(code, 0)
        self.assertEqual(len(report["points"]), 200)
        self.assertRegex(report["ended"], "^forecasts should be within .* %$")
        self.assertLess(report["runs"], 100)
        self.assertGreaterEqual(report["runs"], 5)
        self.check_lab_is_gone()

    def test_another_lab_of_the_same_name_is_refused(self):
        self.copy("fc2")
        path = os.path.join(self.folder, "fc2.yaml")
        code, _ = self.profile("fc2", "--max-time", "1s")  # no run but the first
        self.assertEqual(code, 0)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("cpus: 0.5", "cpus: 0.6"))
        code, report = self.profile("fc2")
        self.assertEqual(code, 2)
        self.assertIn("was measured in another lab", report["error"]["message"])
        self.check_lab_is_gone()

    def test_without_stress_ng_points_with_load_fail_and_say_why(self):
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder)
        for program in ("sh", "ip", "tc"):
            os.symlink(shutil.which(program), os.path.join(folder, program))
        self.copy("deep-edge", ("[0, 40]\n  background.serving", "[0, 40]\n  #"))
        code, report = self.profile("deep-edge", path=folder)
        self.assertEqual(code, 0)
        states = {point["values"]["background.load.stress.cpu"]: point for point in report["points"]}
        self.assertEqual(len(report["points"]), 2)
        self.assertEqual(states["0"]["state"], "measured")
        self.assertEqual(states["40"]["state"], "failed")
        self.assertIn("stress-ng", states["40"]["problem"])
        self.assertEqual([run["outcome"] for run in states["40"]["runs"]], ["failed", "failed"])
        self.check_lab_is_gone()


if __name__ == "__main__":
    from run_kill_lab import can_have_labs  # on the path since in_a_folder is there

    if not can_have_labs() or not shutil.which("stress-ng"):
        print("skipped: labs need root, ip, tc and network namespaces; load needs stress-ng")
        sys.exit(77)
    main()
