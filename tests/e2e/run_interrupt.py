#!/usr/bin/env python3
"""Ctrl-C in `reckon run` at several moments: exit code 130, a run that was stopped, nothing left; also
when it is pressed twice. Usage: run_interrupt.py RECKON"""

import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fault"))
from run_kill import make_job  # noqa: E402
from run_kill_common import Run, wait_until  # noqa: E402

RECKON = ""


class RunInterrupt(unittest.TestCase):
    def interrupt(self, look, strategy="all-reduce", times=1):
        """Presses Ctrl-C once look(run) is true; (exit code, final status)."""
        run = Run(RECKON, make_job(strategy, workers=2, servers=1, epochs=100))
        try:
            self.assertTrue(wait_until(lambda: look(run), 30, 0.002))
            for _ in range(times):
                os.killpg(run.process.pid, signal.SIGINT)
                time.sleep(0.02)
            code = run.process.wait(30)
            status = run.wait_for_end(20)
            run.check_nothing_left()
            run.check_store()
            self.assertEqual(run.sample_rows("kill.runs"), 0)
            return code, status["state"]
        except Exception:
            print(run.story(), file=sys.stderr)
            raise
        finally:
            run.clean()

    def test_while_it_starts(self):
        supervised = lambda run: run.supervisor()  # noqa: E731
        self.assertEqual(self.interrupt(supervised), (130, "stopped"))

    def test_while_workers_meet(self):
        started = lambda run: run.ranks("worker")  # noqa: E731
        self.assertEqual(self.interrupt(started), (130, "stopped"))

    def test_while_they_train(self):
        def training(run):
            return any(event["kind"] == "progress" for event in run.events())
        for strategy in ("all-reduce", "async-ps"):
            self.assertEqual(self.interrupt(training, strategy), (130, "stopped"), strategy)

    def test_twice(self):
        started = lambda run: run.ranks("worker")  # noqa: E731
        # The second ends reckon at once; the run is stopped all the same.
        self.assertEqual(self.interrupt(started, times=2), (130, "stopped"))


if __name__ == "__main__":
    RECKON = os.path.realpath(sys.argv.pop(1))
    unittest.main()
