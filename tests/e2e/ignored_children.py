#!/usr/bin/env python3
"""`reckon` started by a program that ignores SIGCHLD, as some service managers and web servers do: the
ends of children must not be lost. Usage: ignored_children.py RECKON"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

RECKON = ""


def run(script):
    """(exit code, status) of a run of the script."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "job.yaml"), "w", encoding="utf-8") as file:
            json.dump({"name": "child", "run": script, "num_nodes": 2, "time_limit": "30s"}, file)
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": ""}
        done = subprocess.run([RECKON, "run", "job.yaml", "-q"], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        status = subprocess.run([RECKON, "status", "--json", "-q"], cwd=folder, env=environment,
                                capture_output=True, timeout=60, check=True)
        return done.returncode, json.loads(status.stdout)


class IgnoredChildren(unittest.TestCase):
    def test_a_run_that_ends_well(self):
        code, status = run("sleep 0.2")
        self.assertEqual((code, status["state"], status["reason"]), (0, "finished", ""))

    def test_a_run_that_fails(self):
        code, status = run("exit 3")
        self.assertEqual((code, status["state"]), (1, "failed"))
        self.assertIn("ended with code 3", status["reason"])

    def test_ranks_do_not_inherit_it(self):
        # Bit 16 of the mask is SIGCHLD, number 17.
        code, status = run("ignored=$(sed -n 's/^SigIgn:.//p' /proc/self/status); "
                           "[ $((0x$ignored & 0x10000)) = 0 ]")
        self.assertEqual((code, status["state"], status["reason"]), (0, "finished", ""))


if __name__ == "__main__":
    RECKON = os.path.realpath(sys.argv.pop(1))
    unittest.main()
