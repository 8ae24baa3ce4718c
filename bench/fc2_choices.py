#!/usr/bin/env python3
"""FC2's recommenders and ours on what its campaign has measured (the paper's Figs. 7, 12 and 14): time and cost
of the clusters that Time-Opt, Scala-Opt and pareto choose, by measured times.

    bench/fc2_choices.py --db STORE [--campaign fc2] [--share 0.95] [--more-time 5]

The store holds the campaign (`reckon profile examples/campaigns/fc2.yaml`). Prices are the paper's Tables 1 and 2,
at most six workers. pareto is asked for the cheapest cluster that should take no more than the given percentage
longer than Time-Opt's. The bound beside is what the choice would save if both took the same time.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECKON = ROOT / "build/bin/reckon"
SERVERS = {"m4.large": (0.125, "450Mbit"), "m4.2xlarge": (0.5, "1Gbit"), "m4.10xlarge": (2.5, "10Gbit")}
WORKERS = {"m4.xlarge": 0.25, "c4.xlarge": 0.231, "c4.8xlarge": 1.848, "p2.xlarge": 1.718, "g3.4xlarge": 1.67}
MOST_WORKERS = 6


class Choices:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        rows = csv.DictReader(self.reckon("export", "samples", f"{options.campaign}.runs").splitlines())
        self.seconds = {}
        for row in rows:
            if row["servers"] != "1" or row.get("disturbed"):
                continue
            worker, server = row["pool"].replace("-", ".").split("/")
            what = (row["network"], int(float(row["images"])), int(float(row["batch"])))
            key = (worker, server, what, int(float(row["workers"])))
            self.seconds.setdefault(key, []).append(float(row["training_loop_s"]) / float(row["dilation"]))

    def reckon(self, *arguments):
        done = subprocess.run([str(RECKON), *map(str, arguments), "--db", str(self.options.db.resolve())],
                              cwd=self.folder, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"reckon {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def time(self, worker, server, what, workers):
        return statistics.mean(self.seconds[worker, server, what, workers])

    def cost(self, worker, server, what, workers):
        price = workers * WORKERS[worker] + SERVERS[server][0]
        return price, price * self.time(worker, server, what, workers) / 3600

    def ask(self, server, what):
        """What each recommender chooses: type and number of workers."""
        network, images, batch = what
        types = sorted({key[0] for key in self.seconds if key[1] == server and key[2] == what})
        catalogue = self.folder / "types.yaml"
        price, bandwidth = SERVERS[server]
        catalogue.write_text(json.dumps({"source": "FC2, Tables 1 and 2", "date": "2018-08", "types": [
            {"name": server, "price": price, "bandwidth": bandwidth, "role": "server"},
            *[{"name": name, "price": WORKERS[name], "role": "worker"} for name in types]]}))
        job = self.folder / "job.yaml"
        job.write_text(json.dumps({"name": "fc2", "servers": 1, "trainer": {
            "network": network, "strategy": "async-ps", "batch": batch, "epochs": 1,
            "data": {"images": images, "validation_images": 60}}}))
        chosen = {}
        for algorithm in ("time-opt", "scala-opt"):
            said = json.loads(self.reckon(
                "recommend", job, "--algorithm", algorithm, "--max-workers", MOST_WORKERS, "--share",
                self.options.share, "--ps-type", server, "--campaign", self.options.campaign, "--catalogue",
                catalogue, "--json"))
            chosen[algorithm] = (said["worker"], said["workers"])
        # pareto compares all pools of the campaign; those of this server are the ones to choose from.
        limit = (1 + self.options.more_time / 100) * self.time(chosen["time-opt"][0], server, what,
                                                               chosen["time-opt"][1])
        everything = self.folder / "all.yaml"
        everything.write_text(json.dumps({"source": "FC2, Tables 1 and 2", "date": "2018-08", "types": [
            *[{"name": name, "price": one[0], "bandwidth": one[1], "role": "server"} for name, one in SERVERS.items()],
            *[{"name": name, "price": one, "role": "worker"} for name, one in WORKERS.items()]]}))
        said = json.loads(self.reckon("recommend", job, "--campaign", self.options.campaign, "--catalogue", everything,
                                      "--max-workers", MOST_WORKERS, "--json"))
        ours = [one for one in said["clusters"]
                if one["type"].replace("-", ".").endswith("/" + server) and one["time_s"] <= limit
                and (one["type"].replace("-", ".").split("/")[0], server, what, one["workers"]) in self.seconds]
        if ours:
            best = min(ours, key=lambda one: one["cost"])
            chosen["pareto"] = (best["type"].replace("-", ".").split("/")[0], best["workers"])
        return chosen

    def table(self):
        print(f"{'server':<12} {'network':<10} {'batch':>5}  {'by':<10} {'cluster':<16} {'time':>8} {'cost':>9}  "
              f"{'cheaper':>7} {'longer':>7}  bound at equal time")
        for server in SERVERS:
            for what in sorted({key[2] for key in self.seconds if key[1] == server}):
                chosen = self.ask(server, what)
                base_type, base_workers = chosen["time-opt"]
                base_price, base_cost = self.cost(base_type, server, what, base_workers)
                base_time = self.time(base_type, server, what, base_workers)
                for name, (worker, workers) in chosen.items():
                    head = f"{server:<12} {what[0]:<10} {what[2]:>5}  {name:<10} {f'{workers} x {worker}':<16}"
                    if (worker, server, what, workers) not in self.seconds:
                        print(f"{head} not measured")
                        continue
                    price, cost = self.cost(worker, server, what, workers)
                    seconds = self.time(worker, server, what, workers)
                    print(f"{head} {seconds:>6.2f} s {1000 * cost:>7.3f} m  {100 * (1 - cost / base_cost):>5.0f} % "
                          f"{100 * (seconds / base_time - 1):>5.0f} %  {100 * (1 - price / base_price):.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db", type=pathlib.Path, required=True)
    parser.add_argument("--campaign", default="fc2")
    parser.add_argument("--share", type=float, default=0.95)
    parser.add_argument("--more-time", type=float, default=5, help="percent")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fc2-") as folder:
        Choices(options, folder).table()


if __name__ == "__main__":
    sys.exit(main())
