"""LeNet-5 with the knobs of Reckon's built-in trainer (docs/job-file.md), layer by layer the same."""

import math

from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}


def convolution(channels, filters, side, kernel, stride, padding):
    """The layers, and the side of what they give. "same" pads so that ceil(side / stride) is left."""
    kernel = min(kernel, side)
    if padding == "valid":
        layer = nn.Conv2d(channels, filters, kernel, stride)
        return [layer], (side - kernel) // stride + 1
    out = math.ceil(side / stride)
    pad = max(0, (out - 1) * stride + kernel - side)
    before = pad // 2
    edges = nn.ZeroPad2d((before, pad - before, before, pad - before))
    return [edges, nn.Conv2d(channels, filters, kernel, stride)], out


def lenet5(shape, classes, knobs):
    """`shape`: channels and side of the square images. A kernel or pool larger than what is left of
    the image is cut to that, so that every combination of knobs is a network."""
    channels, side = shape
    activation = ACTIVATIONS[knobs.activation]
    layers = []
    for filters in (knobs.filters, 2 * knobs.filters):
        made, side = convolution(channels, filters, side, knobs.kernel, knobs.stride, knobs.padding)
        pool = min(knobs.pool, side)
        layers += [*made, activation(), nn.MaxPool2d(pool)]
        channels, side = filters, side // pool
    layers.append(nn.Flatten())
    width = channels * side * side
    for hidden in (120, 84):
        layers += [nn.Linear(width, hidden), activation(), nn.Dropout(knobs.dropout)]
        width = hidden
    return nn.Sequential(*layers, nn.Linear(width, classes))
