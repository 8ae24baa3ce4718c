#!/usr/bin/env python3
"""Data-parallel training with PyTorch DDP over Gloo, on CPUs and generated images.

Takes its place in the job from MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE. Tells Reckon how it
gets on if the `reckon` package is there, and trains the same without it.
"""

import argparse
import contextlib
import datetime
import gc
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from lenet import ACTIVATIONS, lenet5

try:
    import reckon
except ImportError:  # the same calls, without a listener

    class reckon:  # pylint: disable=invalid-name
        @staticmethod
        def stage(*_, **__):
            return contextlib.nullcontext()

        @staticmethod
        def ignore(*_, **__):
            pass

        step = metric = progress = ending = ignore


CLASSES = 10
SHAPES = {"mnist": (1, 28), "cifar": (3, 32)}  # channels and side


def generate(count, shape, seed):
    """Images of one pattern a class under noise: a small network learns them in two epochs."""
    size = (shape[0], shape[1], shape[1])
    patterns = torch.randn(CLASSES, *size, generator=torch.Generator().manual_seed(1))
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    images = patterns[labels] + 1.5 * torch.randn(count, *size, generator=generator)
    return TensorDataset(images, labels)


def make_network(options):
    torch.manual_seed(0)  # DDP sends rank 0's parameters to the others; the same without it
    shape = SHAPES[options.shape]
    if options.network == "lenet5":
        return lenet5(shape, CLASSES, options)
    channels, side = shape
    return nn.Sequential(
        nn.Conv2d(channels, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * (side // 4) ** 2, CLASSES),
    )


def make_optimiser(network, options):
    if options.optimizer == "adam":
        return torch.optim.Adam(network.parameters(), lr=options.rate)
    return torch.optim.SGD(network.parameters(), lr=options.rate, momentum=options.momentum)


def train_epoch(network, optimiser, loader, epoch, epochs):
    network.train()
    steps = len(loader)
    begin = time.perf_counter()
    for step, (images, labels) in enumerate(loader):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(network(images), labels)
        loss.backward()  # DDP averages the gradients while it computes them
        optimiser.step()
        end = time.perf_counter()
        reckon.step(compute_s=end - begin, epoch=epoch)
        begin = end
        reckon.progress(epoch * steps + step + 1, epochs * steps, unit="steps")
    return loss.item()


def validate(network, loader, counts):
    """The accuracy over all ranks."""
    network.eval()
    counts.zero_()
    with torch.no_grad():
        for images, labels in loader:
            counts[0] += (network(images).argmax(1) == labels).sum()
            counts[1] += len(labels)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--images", type=int, default=2048, help="for all ranks together")
    parser.add_argument("--shape", choices=SHAPES, default="mnist", help="of an image")
    parser.add_argument("--batch", type=int, default=32, help="for each rank")
    parser.add_argument("--optimizer", choices=["sgd", "adam"], default="sgd")
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9, help="of sgd")
    parser.add_argument("--network", choices=["small", "lenet5"], default="small")
    knobs = parser.add_argument_group("knobs of lenet5")
    knobs.add_argument("--kernel", type=int, default=5)
    knobs.add_argument("--pool", type=int, default=2)
    knobs.add_argument("--filters", type=int, default=6, help="twice as many in the second layer")
    knobs.add_argument("--stride", type=int, default=1)
    knobs.add_argument("--padding", choices=["valid", "same"], default="valid")
    knobs.add_argument("--activation", choices=ACTIVATIONS, default="relu")
    knobs.add_argument("--dropout", type=float, default=0)
    return parser.parse_args()


def main():
    options = read_options()
    missing = [
        name
        for name in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
        if name not in os.environ
    ]
    if missing:
        sys.exit("train.py: %s not set; start it with `reckon run job.yaml`" % ", ".join(missing))

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    with reckon.stage("train"):
        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=120))
        rank, ranks = dist.get_rank(), dist.get_world_size()
        data = generate(options.images, SHAPES[options.shape], seed=2)
        sampler = DistributedSampler(data, num_replicas=ranks, rank=rank, seed=3)
        loader = DataLoader(data, batch_size=options.batch, sampler=sampler)
        unseen = generate(max(options.images // 8, ranks), SHAPES[options.shape], seed=4)
        unseen_sampler = DistributedSampler(unseen, num_replicas=ranks, rank=rank, shuffle=False)
        unseen_loader = DataLoader(unseen, batch_size=options.batch, sampler=unseen_sampler)
        counts = torch.zeros(2)  # right ones and all
        with reckon.stage("fit"):
            network = DistributedDataParallel(make_network(options))
            optimiser = make_optimiser(network, options)
            with reckon.stage("training_loop"):
                for epoch in range(options.epochs):
                    sampler.set_epoch(epoch)  # another order each time
                    with reckon.stage("train_epoch", epoch=epoch):
                        loss = train_epoch(network, optimiser, loader, epoch, options.epochs)
                    with reckon.stage("validate_epoch", epoch=epoch):
                        accuracy = validate(network.module, unseen_loader, counts)
                    if rank == 0:
                        reckon.metric("loss", loss, epoch=epoch)
                        reckon.metric("accuracy", accuracy, epoch=epoch)
                        line = "epoch %d: loss %.3f, accuracy %.3f" % (epoch, loss, accuracy)
                        print(line, flush=True)
                    # The first rank asks for all: they end after the same epoch.
                    counts.zero_()
                    counts[0] = float(rank == 0 and bool(reckon.ending()))
                    dist.all_reduce(counts)
                    if counts[0] > 0:
                        break
        # In this order: the network's end waits for Gloo's threads, and with torch 1.13 would wait
        # for ever if one of them had to free the tensor that it was given last.
        dist.destroy_process_group()
        del network
        gc.collect()
        del counts


if __name__ == "__main__":
    main()
