#!/usr/bin/env python3
"""What is known of the network of lenet.py before it is trained, as `describe` of a job tells it.

    describe.py --shape mnist --kernel 5 --pool 2 --filters 6 --stride 1 --padding valid

Reckoned from the knobs in some milliseconds, since a campaign asks it of every point. Where a
network is not that simple, `reckon.amounts(network, images)` counts what PyTorch computes.
"""

import argparse
import json
import math

CLASSES = 10
SHAPES = {"mnist": (1, 28), "cifar": (3, 32)}  # channels and side


def amounts(shape, kernel, pool, filters, stride, padding):
    """Of one image and all layers: multiply-adds forwards, numbers that layers give, parameters."""
    channels, side = SHAPES[shape]
    multiply_adds = activations = parameters = 0
    for count in (filters, 2 * filters):
        own = min(kernel, side)
        out = (side - own) // stride + 1 if padding == "valid" else math.ceil(side / stride)
        multiply_adds += count * out * out * channels * own * own
        activations += count * out * out
        parameters += count * channels * own * own + count
        channels, side = count, out // min(pool, out)
    width = channels * side * side
    for hidden in (120, 84, CLASSES):
        multiply_adds += width * hidden
        activations += hidden
        parameters += width * hidden + hidden
        width = hidden
    return {"multiply_adds": multiply_adds, "activations": activations, "parameters": parameters}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="mnist")
    parser.add_argument("--padding", choices=["valid", "same"], default="valid")
    for knob, usual in (("kernel", 5), ("pool", 2), ("filters", 6), ("stride", 1)):
        parser.add_argument("--" + knob, type=int, default=usual)
    print(json.dumps(amounts(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
