"""The DDP example with two ranks, started as a launcher would, against the receiving side."""

import os
import subprocess
import unittest

from collector import Collector
from launch import free_ports, launch

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../examples/pytorch-ddp")
PYTHON = "/usr/bin/python3"


def train(environments, *arguments):
    """Standard output of each rank."""
    (port,) = free_ports(1)
    places = [
        {
            **environment,
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(len(environments)),
        }
        for rank, environment in enumerate(environments)
    ]
    return launch([PYTHON, "train.py", *arguments], EXAMPLE, places)


class PytorchDdpTest(unittest.TestCase):
    def test_two_ranks_train_and_report(self):
        with Collector() as collector:
            outputs = train([collector.environment()] * 2, "--epochs", "2", "--images", "1024")
        self.assertEqual(collector.problems, "")
        self.assertIn("epoch 1: ", outputs[0])
        for rank in (0, 1):
            stages = [event["stage"] for event in collector.events("stage", rank)]
            self.assertEqual(
                stages, ["train_epoch", "validate_epoch"] * 2 + ["training_loop", "fit", "train"]
            )
            steps = collector.events("steps", rank)
            self.assertEqual(sum(len(event["compute_s"]) for event in steps), 2 * 16)
            self.assertEqual({event["epoch"] for event in steps}, {0, 1})
            last = collector.events("progress", rank)[-1]
            self.assertEqual((last["done"], last["total"]), (32, 32))
            # Steps make up the epoch.
            epochs = [e for e in collector.events("stage", rank) if e["stage"] == "train_epoch"]
            in_steps = sum(sum(event["compute_s"]) for event in steps)
            in_epochs = sum(event["seconds"] for event in epochs)
            self.assertLess(abs(in_steps - in_epochs), 0.1 * in_epochs + 0.2)
        accuracies = [e["value"] for e in collector.events("metric", 0) if e["name"] == "accuracy"]
        self.assertEqual(len(accuracies), 2)
        self.assertGreater(accuracies[-1], 0.8)
        self.assertEqual(collector.events("metric", 1), [])

    def test_it_trains_the_same_without_the_package_and_without_reckon(self):
        bare = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("RECKON_") and name != "PYTHONPATH"
        }
        (output,) = train([bare], "--epochs", "1", "--images", "256")
        self.assertIn("epoch 0: ", output)

    def test_without_its_place_in_a_job_it_says_what_is_missing(self):
        done = subprocess.run(
            [PYTHON, "train.py"],
            cwd=EXAMPLE,
            env={"PATH": "/usr/bin", "RANK": "0"},
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("MASTER_ADDR, MASTER_PORT, WORLD_SIZE not set", done.stderr)


if __name__ == "__main__":
    unittest.main()
