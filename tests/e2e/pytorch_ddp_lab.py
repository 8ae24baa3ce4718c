#!/usr/bin/env python3
"""`reckon run` of the PyTorch example with its two ranks on two hosts of a lab: they find each other,
and their gradients travel over the network between the hosts. Needs root and iproute2, else it ends
with 77 (skipped). Usage: pytorch_ddp_lab.py RECKON"""

import json
import os
import subprocess
import sys

from in_a_folder import InAFolder, main

LAB = "rkt-ddp"
JOB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/pytorch-ddp/job.yaml")


def bytes_received(host):
    """By the host's end of its cable."""
    shown = subprocess.run(["ip", "-n", f"rk-{LAB}.{host}", "-s", "-j", "link", "show", "eth0"],
                           capture_output=True, text=True, timeout=30, check=True)
    return json.loads(shown.stdout)[0]["stats64"]["rx"]["bytes"]


class PytorchDdpLab(InAFolder):
    def test_ranks_exchange_gradients_between_hosts(self):
        with open(os.path.join(self.folder, "lab.yaml"), "w", encoding="utf-8") as file:
            json.dump({"name": LAB, "hosts": [{"name": "h", "count": 2, "cpus": 0.9}]}, file)
        self.reckon("lab", "up", "lab.yaml")
        self.addCleanup(self.reckon, "lab", "down", LAB)
        hosts = ("h0", "h1")
        before = {host: bytes_received(host) for host in hosts}
        report = json.loads(self.reckon("run", JOB, "--on", f"lab:{LAB}", "--json"))
        self.assertEqual(report["state"], "finished")
        self.assertEqual([rank["host"] for rank in report["ranks"]], list(hosts))
        for host in hosts:
            self.assertGreater(bytes_received(host) - before[host], 1e6, host)
        for rank in report["ranks"]:
            self.assertGreater(rank["bytes_sent"], 1e6)
            self.assertGreater(rank["bytes_received"], 1e6)
        (run,) = self.rows("pytorch-ddp.runs")
        self.assertEqual((run["cpus_per_worker"], run["host_cpus"], run["dilation"]),
                         ("1", "0.9", "1"))
        self.assertGreater(float(run["accuracy"]), 0.7)
        self.check_nothing_left()


if __name__ == "__main__":
    from run_kill_lab import can_have_labs  # on the path since in_a_folder is there

    if not can_have_labs():
        print("skipped: labs need root, ip, tc and network namespaces")
        sys.exit(77)
    main()
