#!/usr/bin/env python3
"""reckon-worker as a process of its own: what it reports, and how it ends.

    worker_program.py RECKON_WORKER
"""

import http.server
import json
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

WORKER = ""

JOB = {
    "network": "lenet5", "knobs": {}, "source": "generated", "shape": "mnist", "train_files": [],
    "validation_files": [], "images": 320, "validation_images": 64, "replicate": 1, "epochs": 1,
    "batches": [32], "shards": [], "shuffle": True, "seed": 1, "float64": False,
    "optimizer": "sgd", "rate": 0.01, "momentum": 0, "weight_decay": 0, "strategy": "all-reduce",
    "staleness": None, "base_model": "", "fine_tune": 0, "save": "", "checkpoint_every": 0,
    "checkpoint": "", "patience_s": 30,
}


class Door(http.server.BaseHTTPRequestHandler):
    """Takes every report."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802, the name is the library's
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.events += json.loads(body)["events"]
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class WorkerProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.door = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        threading.Thread(target=self.door.serve_forever, daemon=True).start()
        self.addCleanup(self.door.server_close)
        self.addCleanup(self.door.shutdown)

    def work(self, changes, **options):
        """Trains; keeps the events in self.events, returns the ended process."""
        self.door.events = []
        file = self.folder / "job.json"
        file.write_text(json.dumps(dict(JOB, **changes)))
        env = dict(os.environ, RANK="0", WORLD_SIZE="1", OMP_NUM_THREADS="1", RECKON_TOKEN="t",
                   RECKON_STATUS_URL=f"http://127.0.0.1:{self.door.server_port}/runs/1/events")
        ended = subprocess.run([WORKER, str(file)], env=env, text=True, capture_output=True,
                               timeout=120, check=False, **options)
        self.events = self.door.events
        return ended

    def stages(self):
        return {event["stage"]: event["seconds"]
                for event in self.events if event["kind"] == "stage"}

    def metrics(self):
        return {(event["name"], event.get("epoch")): event["value"]
                for event in self.events if event["kind"] == "metric"}

    def test_fit_holds_the_loading_of_the_data(self):
        ended = self.work({"network": "mlp", "knobs": {"hidden": "1"}, "images": 64,
                           "batches": [64], "validation_images": 20_000})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        stages = self.stages()
        loading = stages["fit"] - stages["training_loop"]
        few = self.work({"network": "mlp", "knobs": {"hidden": "1"}, "images": 64,
                         "batches": [64], "validation_images": 64})
        self.assertEqual(few.returncode, 0, few.stderr)
        least = self.stages()["fit"] - self.stages()["training_loop"]
        print(f"fit without its loop: {loading:.3f} s with 20 000 images, {least:.3f} s with few")
        self.assertGreater(loading, 3 * least)
        self.assertLessEqual(stages["fit"], stages["train"])

    def test_a_run_that_goes_on_tells_from_where_and_validates_what_was_not(self):
        job = {"epochs": 2, "checkpoint": str(self.folder / "state"), "checkpoint_every": 10}
        straight = self.work(job)  # ten steps an epoch
        self.assertEqual(straight.returncode, 0, straight.stderr)
        self.assertNotIn(("begun_at_step", None), self.metrics())
        accuracy = self.metrics()["accuracy", 1]
        again = self.work(job)  # its checkpoint is of the last step
        self.assertEqual(again.returncode, 0, again.stderr)
        metrics = self.metrics()
        self.assertEqual(metrics["begun_at_step", None], 20)
        self.assertEqual(metrics["accuracy", 1], accuracy)
        self.assertNotIn(("loss", 1), metrics)
        self.assertNotIn(("accuracy", 0), metrics)

    def test_a_checkpoint_that_cannot_be_written_ends_no_training(self):
        model = self.folder / "model"
        ended = self.work({"checkpoint": "/proc/nowhere/state", "checkpoint_every": 5,
                           "save": str(model)})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stderr.count("checkpoint: "), 2, ended.stderr)
        self.assertIn("/proc/nowhere/state", ended.stderr)
        self.assertIn(("accuracy", 0), self.metrics())
        self.assertTrue(model.exists())

    def starve(self, changes):
        """Trains with little address space beyond that of the libraries; returns the error that
        the worker reports."""
        limit = 1200 << 20
        ended = self.work(changes, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                         (limit, limit)))
        self.assertEqual(ended.returncode, 1, ended.stderr)
        errors = [event["message"] for event in self.events if event["kind"] == "error"]
        self.assertEqual(len(errors), 1, ended.stderr)
        self.assertIn(errors[0], ended.stderr)
        return errors[0]

    def test_no_memory_is_said(self):
        thin = {"network": "mlp", "knobs": {"hidden": "1"}}
        self.assertIn("out of memory: the data", self.starve(dict(thin, images=4_000_000)))
        batch = dict(thin, images=1000, replicate=400, batches=[400_000])  # 1.3 GB
        self.assertIn("out of memory: a batch of 400000 images", self.starve(batch))
        self.assertIn("not enough memory",
                      self.starve({"network": "mlp", "knobs": {"hidden": "65536,65536"}}))


    def test_a_trained_model_answers(self):
        self.work({"epochs": 3, "save": str(self.folder / "m.model"), "images": 640})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RECKON_TOKEN="t", OMP_NUM_THREADS="1")
        with subprocess.Popen([WORKER, "--serve", str(self.folder / "m.model")], env=env, stdout=subprocess.PIPE,
                              text=True) as server:
            self.addCleanup(server.kill)
            self.assertIn(f"lenet5 answers at 127.0.0.1:{port}", server.stdout.readline())

            def ask(path, body=None, token="t", kind="application/octet-stream"):
                request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body)
                request.add_header("Authorization", f"Bearer {token}")
                request.add_header("Content-Type", kind)
                try:
                    with urllib.request.urlopen(request, timeout=20) as answer:
                        return answer.status, json.loads(answer.read())
                except urllib.error.HTTPError as error:
                    return error.code, json.loads(error.read())

            self.assertEqual(ask("/healthz")[1]["pixels"], 784)
            status, answer = ask("/predict", bytes(784) + bytes([255]) * 784)
            self.assertEqual(status, 200, answer)
            self.assertEqual(len(answer["predictions"]), 2)
            for one in answer["predictions"]:
                self.assertEqual(len(one["probabilities"]), 10)
                self.assertAlmostEqual(sum(one["probabilities"]), 1, places=4)
                self.assertEqual(one["probabilities"][one["label"]], max(one["probabilities"]))
            as_json = json.dumps({"images": [[0] * 784]}).encode()
            status, same = ask("/predict", as_json, kind="application/json")
            self.assertEqual(same["predictions"][0]["label"], answer["predictions"][0]["label"])
            for body, kind in ((b"x", "application/octet-stream"), (b"{", "application/json"), (b"{}", "application/json"),
                               (b'{"images": [[1]]}', "application/json"), (b'{"images": [7]}', "application/json")):
                status, answer = ask("/predict", body, kind=kind)
                self.assertEqual((status, "error" in answer), (400, True), body)
            self.assertEqual(ask("/predict", bytes(784), token="x")[0], 401)
            self.assertEqual(ask("/other", bytes(784))[0], 404)
            server.terminate()
            self.assertEqual(server.wait(20), 0)

    def test_what_is_no_model_is_not_served(self):
        (self.folder / "x.model").write_text("no model")
        for name in ("x.model", "nowhere"):
            done = subprocess.run([WORKER, "--serve", str(self.folder / name)], capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(name, done.stderr)


if __name__ == "__main__":
    WORKER = sys.argv.pop(1)
    unittest.main()
