"""What tests of whole runs share: `reckon` in a folder and store of its own. Standard library only."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fault"))
from run_kill_common import (  # noqa: E402
    HALF_WRITTEN,
    empty_rank_cgroups,
    processes_naming,
    wait_until,
)


class InAFolder(unittest.TestCase):
    program = ""  # reckon

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="reckon-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cgroups = empty_rank_cgroups()

    def reckon(self, *arguments):
        """What it says on standard output."""
        # A folder of its own as home, so that nobody's configuration changes the outcome.
        environment = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": ""}
        done = subprocess.run([self.program, *arguments, "-q"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def rows(self, name):
        return list(csv.DictReader(self.reckon("export", "samples", name).splitlines()))

    def check_nothing_left(self):
        self.assertTrue(wait_until(lambda: not processes_naming([self.folder]), 5),
                        processes_naming([self.folder]))
        self.assertTrue(wait_until(lambda: empty_rank_cgroups() <= self.cgroups, 5))
        names = [name for _, _, files in os.walk(self.folder) for name in files]
        self.assertEqual([name for name in names if HALF_WRITTEN.search(name)], [])


def main():
    InAFolder.program = os.path.realpath(sys.argv.pop(1))
    unittest.main()
