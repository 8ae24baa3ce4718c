"""The TensorFlow example. Its training is tested when RECKON_TENSORFLOW_PYTHON names an interpreter that
has TensorFlow: it is no Debian package."""

import json
import os
import subprocess
import unittest

from collector import Collector
from launch import free_ports, launch

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../examples/tensorflow")
PYTHON = os.environ.get("RECKON_TENSORFLOW_PYTHON")


class TensorflowTest(unittest.TestCase):
    def test_without_tensorflow_it_says_what_to_install(self):
        done = subprocess.run(
            ["/usr/bin/python3", "-S", "train.py"],  # without installed packages
            cwd=EXAMPLE,
            env={},
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("install TensorFlow", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(PYTHON, "RECKON_TENSORFLOW_PYTHON is not set")
    def test_two_workers_train_and_report(self):
        workers = ["127.0.0.1:%d" % port for port in free_ports(2)]
        with Collector() as collector:
            environments = [
                collector.environment(
                    RANK=str(rank),
                    TF_CPP_MIN_LOG_LEVEL="2",
                    TF_CONFIG=json.dumps(
                        {"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}}
                    ),
                )
                for rank in (0, 1)
            ]
            outputs = launch([PYTHON, "train.py", "--images", "1024"], EXAMPLE, environments)
        self.assertEqual(collector.problems, "")
        self.assertIn("epoch 1: ", outputs[0])
        for rank in (0, 1):
            stages = [event["stage"] for event in collector.events("stage", rank)]
            self.assertEqual(
                stages, ["train_epoch", "validate_epoch"] * 2 + ["training_loop", "fit", "train"]
            )
            steps = collector.events("steps", rank)
            self.assertEqual(sum(len(event["compute_s"]) for event in steps), 2 * 16)
        accuracies = [e["value"] for e in collector.events("metric", 0) if e["name"] == "accuracy"]
        self.assertGreater(accuracies[-1], 0.8)


if __name__ == "__main__":
    unittest.main()
