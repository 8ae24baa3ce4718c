"""The package as scripts use it: each test runs one, against the receiving side or none."""

import http.server
import json
import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
import unittest

from collector import Collector


def run_script(text, environment, code=0):
    """What the script wrote to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=60,
        check=False,
    )
    if done.returncode != code:
        raise AssertionError("exit code %d: %s" % (done.returncode, done.stderr))
    return done.stderr


def outside():
    return {name: value for name, value in os.environ.items() if not name.startswith("RECKON_")}


EVERY_CALL = """
    import reckon
    with reckon.stage("train_epoch", epoch=1) as stage:
        pass
    assert stage.seconds >= 0
    for i in range(5):
        reckon.step(compute_s=0.5, epoch=i // 3, pull_s=0.25, bytes_sent=i)
    reckon.metric("accuracy", 0.75, epoch=1)
    reckon.ready()
    reckon.latency(0.25)
    reckon.latency(0.5, missed=True)
    reckon.progress(3, 10)
    reckon.progress(5, 10, unit="images", remaining_s=2)
    reckon.error("ended \\ud800 early")
"""

NONSENSE = """
    import reckon
    reckon.step(compute_s="x")
    reckon.step(compute_s=float("nan"))
    reckon.step(compute_s=-1)
    reckon.step(compute_s=1, bytes_sent=1.5)
    reckon.metric("loss", float("inf"))
    reckon.metric("", 1)
    reckon.metric(None, object())
    reckon.latency(-1)
    reckon.latency(float("nan"), missed=True)
    reckon.progress(1, 0)
    reckon.progress("a", "b")
    reckon.error("")
    with reckon.stage(5, epoch="x"):
        pass
    reckon.stage("good").__enter__().__exit__(None, None, None)
"""


class InsideARunTest(unittest.TestCase):
    def collect(self, text, code=0, **environment):
        with Collector() as collector:
            said = run_script(text, collector.environment(**environment), code)
        self.assertEqual(collector.problems, "")
        self.assertEqual(collector.code, 0)
        return collector, said

    def test_everything_arrives_before_the_script_ends(self):
        begin = time.time()
        collector, said = self.collect(EVERY_CALL, RANK="3")
        self.assertEqual(said, "")
        self.assertEqual({line["rank"] for line in collector.lines}, {3})
        self.assertEqual({line["role"] for line in collector.lines}, {"worker"})
        (stage,) = collector.events("stage")
        self.assertEqual((stage["stage"], stage["epoch"]), ("train_epoch", 1))
        self.assertLess(abs(stage["at"] - begin), 60)
        steps = collector.events("steps")
        self.assertEqual([n for event in steps for n in event["bytes_sent"]], [0, 1, 2, 3, 4])
        for event in steps:
            self.assertEqual(event["epoch"], event["first"] // 3)
            self.assertEqual(event["pull_s"], [0.25] * len(event["compute_s"]))
        self.assertEqual(collector.events("metric")[0]["value"], 0.75)
        self.assertEqual(collector.events("progress")[-1]["remaining_s"], 2)
        self.assertEqual(len(collector.events("ready")), 1)
        latencies = collector.events("latency")
        self.assertEqual([s for event in latencies for s in event["seconds"]], [0.25, 0.5])
        self.assertEqual(sum(event["missed"] for event in latencies), 1)
        self.assertIn("early", collector.events("error")[0]["message"])

    def test_events_go_out_while_the_script_runs(self):
        text = """
            import reckon, sys, time
            reckon.metric("accuracy", 1)
            time.sleep(1.5)
            sys.stderr.flush()
            import os
            os._exit(0)
        """
        collector, _ = self.collect(text)
        self.assertEqual(len(collector.events("metric")), 1)

    def test_many_steps_travel_together(self):
        text = """
            import reckon
            for i in range(30000):
                reckon.step(compute_s=0.001)
        """
        collector, _ = self.collect(text)
        events = collector.events("steps")
        self.assertEqual(sum(len(event["compute_s"]) for event in events), 30000)
        self.assertLess(len(events), 20)

    def test_many_latencies_travel_together(self):
        text = """
            import reckon
            for i in range(30000):
                reckon.latency(0.001 * i, missed=i % 3 == 0)
        """
        collector, said = self.collect(text)
        self.assertEqual(said, "")
        events = collector.events("latency")
        self.assertEqual(sum(len(event["seconds"]) for event in events), 30000)
        self.assertEqual(sum(event["missed"] for event in events), 10000)
        self.assertLess(len(events), 20)

    def test_many_steps_that_do_not_follow_each_other_are_no_report_too_long(self):
        text = """
            import reckon
            for i in range(30000):
                reckon.step(compute_s=0.001, epoch=i % 2)
        """
        collector, said = self.collect(text)
        self.assertEqual(said, "")
        self.assertEqual(sum(len(e["compute_s"]) for e in collector.events("steps")), 30000)

    def test_nonsense_is_said_and_does_not_raise(self):
        collector, said = self.collect(NONSENSE)
        self.assertEqual([event["stage"] for event in collector.events("stage")], ["good"])
        self.assertEqual(len(collector.lines), 1)
        self.assertIn("reckon.step", said)
        self.assertLess(len(said.splitlines()), 8)  # once a kind of mistake

    def test_an_exception_is_the_reason_why_it_ended(self):
        text = """
            import reckon
            with reckon.stage("train"):
                raise ValueError("no such data")
        """
        collector, said = self.collect(text, code=1)
        self.assertEqual(collector.events("error")[0]["message"], "ValueError: no such data")
        self.assertEqual(collector.events("stage"), [])
        self.assertIn("Traceback", said)

    def test_children_that_tell_nothing_send_nothing_and_ranks_may_be_forked(self):
        text = """
            import multiprocessing, os
            import reckon

            def child(rank):
                if rank == 9:
                    return  # as a loader of data
                os.environ["RANK"] = str(rank)
                reckon.metric("own", rank)

            if __name__ == "__main__":
                reckon.metric("parent", 0)
                context = multiprocessing.get_context("fork")
                children = [context.Process(target=child, args=(i,)) for i in (1, 2, 9)]
                [c.start() for c in children]
                [c.join() for c in children]
        """
        collector, said = self.collect(text, RANK="0")
        self.assertEqual(said, "")
        self.assertEqual(
            sorted((line["rank"], line["event"]["name"]) for line in collector.lines),
            [(0, "parent"), (1, "own"), (2, "own")],
        )
        self.assertEqual(len({line["sender"] for line in collector.lines}), 3)

    def test_a_wrong_token_is_said_once(self):
        text = """
            import reckon
            for i in range(3):
                reckon.metric("x", i)
                reckon.flush()
        """
        with Collector() as collector:
            said = run_script(text, collector.environment(RECKON_TOKEN="wrong"))
        self.assertEqual(said.count("refused"), 1)
        self.assertIn("401", said)
        self.assertEqual(collector.lines, [])


class WithoutASupervisorTest(unittest.TestCase):
    def test_outside_a_run_nothing_happens(self):
        for text in (EVERY_CALL, NONSENSE, "import reckon; assert not reckon.active()"):
            self.assertEqual(run_script(text, outside()), "")

    def test_a_wrong_address_is_said_once(self):
        for url in ("nowhere", "https://a/", "http://a:99999999/"):
            said = run_script(EVERY_CALL, dict(outside(), RECKON_STATUS_URL=url))
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertIn("reckon", said)

    def test_a_supervisor_that_is_gone_delays_the_end_by_little(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # does not listen
            url = "http://127.0.0.1:%d/" % taken.getsockname()[1]
            begin = time.monotonic()
            said = run_script(EVERY_CALL, dict(outside(), RECKON_STATUS_URL=url))
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(said.count("did not get a report"), 1)

    def test_what_was_told_while_the_supervisor_was_away_arrives_later(self):
        bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                first = not bodies
                bodies.append(json.loads(body))
                self.send_response(503 if first else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()
                self.close_connection = len(bodies) == 2  # without saying so

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            port = reserved.getsockname()[1]
        text = """
            import reckon, time
            reckon.metric("first", 1)
            reckon.flush(0.3)
            time.sleep(1.5)
            reckon.metric("second", 2)
            reckon.flush()
            reckon.metric("third", 3)
        """
        script = threading.Thread(
            target=run_script,
            args=(text, dict(outside(), RECKON_STATUS_URL="http://127.0.0.1:%d/x" % port)),
        )
        script.start()
        time.sleep(0.8)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        script.join()
        server.shutdown()
        server.server_close()
        names = [[event["name"] for event in body["events"]] for body in bodies]
        self.assertEqual(bodies[0], bodies[1])  # 503: told again, with the same number
        self.assertEqual(len({body["sender"] for body in bodies}), 1)
        numbers = [body["sequence"] for body in bodies[1:]]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual([name for body in names[1:] for name in body], ["first", "second", "third"])


if __name__ == "__main__":
    unittest.main()
