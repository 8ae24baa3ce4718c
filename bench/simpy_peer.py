#!/usr/bin/env python3
"""SimPy on the asynchronous training that bench/decide_speed.cc simulates, with fewer workers:
compute, a queue for each server's link and processor, the answer. Prints events a second."""

import random
import time

import simpy

WORKERS, STEPS, SERVERS = 500, 50, 4
COMPUTE_S, SHARE_S, UPDATE_S = 0.1, 0.4e6 * 8 / 1e11, 1e-6


def part(env, link_in, cpu, link_out):
    for resource, seconds in ((link_in, SHARE_S), (cpu, UPDATE_S), (link_out, SHARE_S)):
        with resource.request() as turn:
            yield turn
            yield env.timeout(seconds)


def worker(env, servers, rng):
    for _ in range(STEPS):
        yield env.timeout(COMPUTE_S * rng.lognormvariate(0, 0.1))
        yield env.all_of([env.process(part(env, *server)) for server in servers])


def main():
    env = simpy.Environment()
    servers = [tuple(simpy.Resource(env) for _ in range(3)) for _ in range(SERVERS)]
    rng = random.Random(1)
    for _ in range(WORKERS):
        env.process(worker(env, servers, rng))
    start = time.perf_counter()
    env.run()
    seconds = time.perf_counter() - start
    # As the C++ program counts them: a gradient computed, and one arrived at each server.
    events = WORKERS * STEPS * (1 + SERVERS)
    print(f"SimPy {simpy.__version__}, {WORKERS} workers, {events} such events: "
          f"{events / seconds / 1e6:.3f} M events/s")


if __name__ == "__main__":
    main()
