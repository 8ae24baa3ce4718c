"""What the DDP example tells of its network beforehand, against what PyTorch computes."""

import argparse
import itertools
import json
import os
import subprocess
import sys
import unittest

import torch

import reckon

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../examples/pytorch-ddp")
sys.path.insert(0, EXAMPLE)
from describe import CLASSES, SHAPES, amounts  # pylint: disable=wrong-import-position
from lenet import lenet5  # pylint: disable=wrong-import-position


class DescribeTest(unittest.TestCase):
    def test_the_example_tells_what_its_network_computes(self):
        knobs = itertools.product(
            SHAPES, [2, 3, 4, 5], [2, 3, 4, 5], [4, 16], [1, 2, 3], ["valid", "same"]
        )
        for shape, kernel, pool, filters, stride, padding in knobs:
            told = {
                "kernel": kernel,
                "pool": pool,
                "filters": filters,
                "stride": stride,
                "padding": padding,
            }
            network = lenet5(
                SHAPES[shape],
                CLASSES,
                argparse.Namespace(activation="relu", dropout=0.5, **told),
            )
            channels, side = SHAPES[shape]
            images = torch.zeros(2, channels, side, side)
            with self.subTest(shape=shape, **told):
                self.assertEqual(amounts(shape=shape, **told), reckon.amounts(network, images))
                self.assertTrue(network.training)

    def test_it_prints_them(self):
        done = subprocess.run(
            [sys.executable, "describe.py", "--shape", "cifar", "--filters", "6"],
            cwd=EXAMPLE,
            check=True,
            capture_output=True,
        )
        # 456 + 1812 of the convolutions, 36120 + 10164 + 850 of the linear layers.
        self.assertEqual(json.loads(done.stdout)["parameters"], 49402)


if __name__ == "__main__":
    unittest.main()
