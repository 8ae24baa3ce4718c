#!/usr/bin/env python3
"""`reckon serve` on one core under the load of bench/service_load, which has the other one.

    bench/service_load.py [--seconds 60] [--runs 1000] [--agents 1000] [--streams 100] [--requests 200]

The store holds so many runs beforehand. There is no peer: what else would be one speaks another protocol. The goals are p99 of requests
below 50 ms, and memory that does not grow after the first fifth of the time.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build/bin"


def fill(store, runs):
    """Runs that have ended, as the program writes them."""
    with sqlite3.connect(store) as database:
        database.executemany(
            "INSERT INTO run (name, job, plan, state, created_at_us, changed_at_us) VALUES (?, ?, ?, 'finished', ?, ?)",
            ((f"digits-{i % 7}", '{"workers":2}', "{}", 1_700_000_000_000_000 + i, 1_700_000_000_000_000 + i)
             for i in range(runs)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name, usual in (("seconds", 60), ("runs", 1000), ("agents", 1000), ("streams", 100), ("requests", 200)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="service-load-") as folder:
        def serve():
            process = subprocess.Popen(["taskset", "-c", "0", str(BIN / "reckon"), "serve", "--listen", "127.0.0.1:0", "--json"],
                                       cwd=folder, stdout=subprocess.PIPE, text=True)
            return process, json.loads(process.stdout.readline())["url"]
        process, _ = serve()  # makes the store
        process.terminate()
        process.wait()
        fill(f"{folder}/reckon.db", options.runs)
        process, url = serve()
        try:
            done = subprocess.run(
                ["taskset", "-c", "1", str(BIN / "service_load"), url, "--pid", str(process.pid), "--seconds",
                 str(options.seconds), "--agents", str(options.agents), "--streams", str(options.streams),
                 "--requests", str(options.requests)], check=False)
        finally:
            process.terminate()
            process.wait()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
