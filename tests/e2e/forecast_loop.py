#!/usr/bin/env python3
"""What Reckon is for, from end to end: a job is measured a few times, a model is fitted to what was
measured, and the next run is forecast before it starts and held against the forecast when it ends.
Usage: forecast_loop.py RECKON"""

import json
import os
import re

from in_a_folder import InAFolder, main

EPOCHS = 2
JOB = {  # JSON is YAML
    "name": "tiny",
    "num_nodes": 2,
    "trainer": {
        "network": "lenet5",
        "data": {"source": "generated", "images": 400, "validation_images": 100},
        "epochs": EPOCHS,
        "batch": 20,
    },
}


class ForecastLoop(InAFolder):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.folder, "job.yaml"), "w", encoding="utf-8") as file:
            json.dump(JOB, file)

    def check_stages(self, row):
        train, fit, loop, epoch, validate = (float(row[name + "_s"]) for name in (
            "train", "fit", "training_loop", "train_epoch", "validate_epoch"))
        self.assertGreater(min(train, fit, loop, epoch, validate), 0, row)
        self.assertGreaterEqual(train, fit)
        self.assertGreaterEqual(fit, loop)
        # The epochs are means of the slowest worker of each, which need not be the same.
        in_epochs = EPOCHS * (epoch + validate)
        self.assertLessEqual(in_epochs, 1.2 * loop + 0.1)
        self.assertGreaterEqual(in_epochs, 0.5 * loop)
        self.assertGreaterEqual(float(row["wall_s"]), train)

    def check_steps(self, run):
        """Of each worker they are counted through the whole training."""
        following = {0: 0, 1: 0}
        with open(os.path.join(self.folder, f"reckon.runs/{run}/events.jsonl"),
                  encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        for event in events:
            if event["kind"] == "steps":
                self.assertEqual(event["first"], following[event["index"]])
                following[event["index"]] += len(event["compute_s"])
        self.assertEqual(following, {0: EPOCHS * 5, 1: EPOCHS * 5})  # 200 images, 2 x 20 a step

    def test_measure_fit_forecast_and_compare(self):
        for images in (200, 400, 800, 1600):
            self.reckon("run", "job.yaml", "--set", f"trainer.data.images={images}")
        self.check_steps(1)
        rows = self.rows("tiny.runs")
        self.assertEqual([row["images"] for row in rows], ["200", "400", "800", "1600"])
        for row in rows:
            self.check_stages(row)
            self.assertEqual((row["engine"], row["workers"], row["cpus_per_worker"],
                              row["dilation"]), ("local", "2", "1", "1"))
        self.reckon("fit", "--samples", "tiny.runs", "--target", "training_loop_s",
                    "--out", "model.json")

        run = ("run", "job.yaml", "--model", "model.json", "--set", "trainer.data.images=1200")
        text = self.reckon(*run)
        last = text.splitlines()[-1]
        self.assertRegex(last, r"^forecast of training_loop_s: .+ \(.+ to .+\).*; it was .+: "
                               r"forecast [0-9.]+ % too (low|high)$")
        self.assertIsNone(re.search(r"\bnan\b|\binf\b", last))

        report = json.loads(self.reckon(*run, "--json"))
        forecast = report["forecast"]
        self.assertEqual((forecast["target"], forecast["in_support"]), ("training_loop_s", True))
        self.assertLessEqual(forecast["lower"], forecast["predicted"])
        self.assertLessEqual(forecast["predicted"], forecast["upper"])
        rows = self.rows("tiny.runs")
        self.assertEqual(len(rows), 6)
        self.check_stages(rows[-1])
        self.assertEqual(forecast["actual"], float(rows[-1]["training_loop_s"]))
        # Machines that others use are no clocks, so no more than the order of magnitude.
        self.assertLess(abs(forecast["predicted"] - forecast["actual"]), 5 * forecast["actual"])
        self.check_what_is_learned()
        self.check_nothing_left()

    def check_what_is_learned(self):
        """A model of the store is held against its runs, and may learn from them."""
        self.reckon("fit", "--samples", "tiny.runs", "--target", "training_loop_s", "--save", "tiny")
        for images in (300, 700, 900, 1400):
            self.reckon("run", "job.yaml", "--model", "tiny", "--set", f"trainer.data.images={images}")
        (known,) = json.loads(self.reckon("calibration", "tiny", "--json"))["models"]
        self.assertEqual((known["forecasts"], known["runs"]), (4, 4), known)
        actual = {row["run"]: float(row["training_loop_s"]) for row in self.rows("tiny.runs")}
        for run in known["outcomes"]:
            self.assertEqual(run["actual"], actual[str(run["run"])])
        self.assertIn("4 of 4", self.reckon("calibration"))
        again = json.loads(self.reckon("refit", "tiny", "--force", "--json"))
        self.assertEqual((again["from_version"], again["tested_runs"]), (known["version"], 2), again)
        self.assertGreater(again["version"], known["version"])
        # The new version has forecast nothing yet; the next run asks it.
        self.reckon("run", "job.yaml", "--model", "tiny")
        (known,) = json.loads(self.reckon("calibration", "tiny", "--json"))["models"]
        self.assertEqual((known["version"], known["runs"]), (again["version"], 1))


if __name__ == "__main__":
    main()
