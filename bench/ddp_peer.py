#!/usr/bin/python3
"""The peer of bench/train_step.py: one rank of PyTorch DDP over Gloo on the same network, batch and
optimizer. Batches wait ready in memory. Prints the seconds of every epoch as JSON."""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def cnn(filters, hidden):
    layers, channels = [], 1
    for i, count in enumerate(filters):
        if i > 0:
            layers.append(nn.MaxPool2d(2))
        layers += [nn.Conv2d(channels, count, 3, padding=1), nn.ReLU()]
        channels = count
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    inputs = 4 * channels
    for width in hidden:
        layers += [nn.Linear(inputs, width), nn.ReLU()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, 10))


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 12, 5), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(192, 120), nn.ReLU(), nn.Linear(120, 84),
        nn.ReLU(), nn.Linear(84, 10))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256),
                         nn.ReLU(), nn.Linear(256, 10))


NETWORKS = {
    "lenet5": lenet5,
    "mlp": mlp,
    "cnn-small": lambda: cnn([32, 64, 128, 128], [288]),
    "cnn-large": lambda: cnn([64, 128, 256, 256], [1536, 256]),
}


def main():
    network, batch, steps, epochs = sys.argv[1], *map(int, sys.argv[2:5])
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    plain = NETWORKS[network]()
    parameters = sum(p.numel() for p in plain.parameters())
    model = DistributedDataParallel(plain)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    batches = [(torch.randn(batch, 1, 28, 28), torch.randint(10, (batch,))) for _ in range(8)]
    times = []
    for _ in range(epochs):
        begin = time.perf_counter()
        for step in range(steps):
            images, labels = batches[step % len(batches)]
            optimizer.zero_grad()
            loss_of(model(images), labels).backward()
            optimizer.step()
        times.append(time.perf_counter() - begin)
    if dist.get_rank() == 0:
        print(json.dumps({"parameters": parameters, "epochs": times}))


main()
