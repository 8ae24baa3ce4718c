#!/usr/bin/env python3
"""One training step of reckon-worker against Python PyTorch DDP: the same network, batch and
optimizer, 2 ranks of one thread each, all-reduce over Gloo on the loopback interface.

    bench/train_step.py [--rounds 5] [--networks lenet5,mlp] [--batch 64]

Both sides take turns, several rounds; an epoch's time over its steps is a step's time, the first
epoch of a round does not count. The figure is the ratio of the medians; at most 1.05 is asked for,
and with more it ends with 1.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WORKER = HERE.parent / "build/bin/reckon-worker"
MOST = 1.05
PYTHON = "/usr/bin/python3"  # Debian's, which has its torch


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ranks(command, extra=None):
    """Starts 2 ranks, returns the output of rank 0."""
    env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()), WORLD_SIZE="2",
               OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", RECKON_ADDRESS="127.0.0.1",
               GLOO_SOCKET_IFNAME="lo", **(extra or {}))
    started = [
        subprocess.Popen(command, env=dict(env, RANK=str(rank)), text=True,
                         stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL)
        for rank in range(2)
    ]
    output = started[0].communicate()[0]
    if any(process.wait() != 0 for process in started):
        raise SystemExit(f"{command[0]} failed")
    return output


def ours(network, batch, steps, epochs, folder):
    job = {
        "network": network, "knobs": {}, "source": "generated", "shape": "mnist",
        "train_files": [], "validation_files": [], "images": 2 * batch * steps,
        "validation_images": 2, "replicate": 1, "epochs": epochs, "batches": [batch], "shards": [],
        "shuffle": True, "seed": 1, "float64": False, "optimizer": "sgd", "rate": 0.01,
        "momentum": 0.9, "weight_decay": 0, "strategy": "all-reduce", "staleness": None,
        "base_model": "", "fine_tune": 0, "save": "", "checkpoint_every": 0, "checkpoint": "",
        "patience_s": 60,
    }
    file = pathlib.Path(folder) / "job.json"
    file.write_text(json.dumps(job))
    lines = ranks([str(WORKER), str(file)]).splitlines()
    return [float(line.split(",")[-1].split()[0]) / steps for line in lines]


def peers(network, batch, steps, epochs):
    output = ranks([PYTHON, str(HERE / "ddp_peer.py"), network, str(batch), str(steps), str(epochs)])
    return [seconds / steps for seconds in json.loads(output.splitlines()[-1])["epochs"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--networks", default="lenet5,mlp,cnn-small,cnn-large")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=25)
    arguments = parser.parse_args()
    slower = []
    print(f"{'network':10} {'batch':>5} {'reckon ms':>10} {'DDP ms':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for network in arguments.networks.split(","):
            steps = arguments.steps * (8 if network in ("lenet5", "mlp") else 1)
            own, peer = [], []
            for _ in range(arguments.rounds):
                own += ours(network, arguments.batch, steps, 3, folder)[1:]
                peer += peers(network, arguments.batch, steps, 3)[1:]
            a, b = statistics.median(own) * 1e3, statistics.median(peer) * 1e3
            print(f"{network:10} {arguments.batch:5} {a:10.2f} {b:8.2f} {a / b:6.3f}", flush=True)
            if a / b > MOST:
                slower.append(network)
    if slower:
        raise SystemExit(f"more than {MOST} times as slow: {', '.join(slower)}")


main()
