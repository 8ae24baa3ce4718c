#!/usr/bin/env python3
"""The example of a latency-critical application: a sender and its receiver.

    sift.py RECKON_SIFT        needs RECKON_COLLECTOR in the environment
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from collector import Collector  # noqa: E402, pylint: disable=wrong-import-position

SIFT = ""
CYCLES = 12
FRAME_BYTES = 56000
BYTES_A_FEATURE = 16 + 128


class Receiver:
    def __enter__(self):
        self.process = subprocess.Popen([SIFT, "--serve", "127.0.0.1:0"], stdout=subprocess.PIPE,
                                        text=True)
        self.port = int(self.process.stdout.readline().split()[-1])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        said, _ = self.process.communicate(timeout=20)
        self.code = self.process.returncode
        numbers = re.fullmatch(r"(\d+) datagrams, (\d+) bytes received\n", said)
        self.datagrams, self.bytes = int(numbers[1]), int(numbers[2])


def send(port, *options, environment=None):
    return subprocess.run([SIFT, "--to", f"127.0.0.1:{port}", "--cycles", str(CYCLES), *options],
                          env=environment, capture_output=True, text=True, timeout=120, check=True)


def summary(text):
    numbers = re.search(r"(\d+) frames, (\d+) features, (\d+) bytes sent, (\d+) deadlines missed, "
                        r"(\d+) skipped\n$", text)
    return [int(number) for number in numbers.groups()]


class SiftTest(unittest.TestCase):
    def test_features_and_frames_arrive_and_latencies_are_reported(self):
        with Collector() as collector, Receiver() as receiver:
            done = send(receiver.port, "--dilation", "2",
                        environment=collector.environment(RECKON_ROLE="background"))
        frames, features, sent, missed, _ = summary(done.stdout)
        self.assertEqual(frames, CYCLES)
        self.assertGreater(features / frames, 200)
        self.assertLess(features / frames, 2000)
        self.assertEqual(sent, frames * (4 + FRAME_BYTES) + features * BYTES_A_FEATURE)
        self.assertEqual(receiver.code, 0)
        self.assertEqual(receiver.bytes, sent)
        self.assertGreaterEqual(receiver.datagrams, sent / 1400)
        latencies = collector.events("latency")
        seconds = [value for event in latencies for value in event["seconds"]]
        self.assertEqual(len(seconds), CYCLES)
        self.assertTrue(all(0.001 < value < 60 for value in seconds))
        self.assertEqual(sum(event["missed"] for event in latencies), missed)
        self.assertEqual(sum(value > 0.4 for value in seconds), missed)
        self.assertEqual(len(collector.events("ready")), 1)

    def test_outside_a_run_each_frame_is_printed_and_late_ones_skip(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")}
        with Receiver() as receiver:
            done = send(receiver.port, "--period", "1ms", environment=environment)
        frames, _, _, missed, skipped = summary(done.stdout)
        lines = re.findall(r"^frame +(\d+) +[0-9.]+ ms   missed$", done.stdout, re.MULTILINE)
        self.assertEqual((frames, missed, len(lines)), (CYCLES, CYCLES, CYCLES))
        self.assertGreater(skipped, CYCLES)  # SIFT takes many milliseconds
        self.assertGreater(int(lines[-1]), CYCLES)

    def test_nobody_who_receives_is_no_error_and_the_command_line_is_checked(self):
        with Receiver() as receiver:
            port = receiver.port
        self.assertEqual(summary(send(port, "--period", "20ms").stdout)[0], CYCLES)
        for options in ([], ["--to", "x"], ["--to", "h:1", "--serve", "h:2"],
                        ["--to", "h:1", "--dilation", "0.5"], ["--to", "h:1", "--period", "0"]):
            done = subprocess.run([SIFT, *options], capture_output=True, text=True, timeout=20,
                                  check=False)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn("reckon-sift: ", done.stderr)


if __name__ == "__main__":
    SIFT = sys.argv.pop(1)
    unittest.main()
