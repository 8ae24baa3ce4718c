#!/usr/bin/env python3
"""`reckon run` of the PyTorch example, as its README says: it finishes, and what its script reported
is in the store. Usage: pytorch_ddp.py RECKON"""

import json
import os

from in_a_folder import InAFolder, main

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/pytorch-ddp")


class PytorchDdpRun(InAFolder):
    def test_it_finishes_and_its_measures_are_kept(self):
        job = os.path.join(EXAMPLE, "job.yaml")
        report = json.loads(self.reckon("run", job, "--json"))
        self.assertEqual(report["state"], "finished")
        self.assertEqual([epoch["epoch"] for epoch in report["epochs"]], [1, 2])
        (run,) = self.rows("pytorch-ddp.runs")
        self.assertEqual((run["workers"], run["engine"], run["steps"]), ("2", "local", "128"))
        for stage in ("train", "fit", "training_loop", "train_epoch", "validate_epoch"):
            self.assertGreater(float(run[stage + "_s"]), 0, stage)
        self.assertGreater(float(run["accuracy"]), 0.7)
        self.assertGreater(float(run["bytes_sent"]), 1e6)  # gradients
        epochs = self.rows("pytorch-ddp.epochs")
        self.assertEqual([(row["worker"], row["epoch"]) for row in epochs],
                         [("0", "1"), ("0", "2"), ("1", "1"), ("1", "2")])
        for row in epochs:
            self.assertEqual(row["steps"], "32")
            self.assertAlmostEqual(float(row["compute_s"]) * 32, float(row["train_epoch_s"]),
                                   delta=0.1 * float(row["train_epoch_s"]) + 0.2)
        self.assertEqual(float(epochs[1]["accuracy"]), float(run["accuracy"]))


if __name__ == "__main__":
    main()
