#!/usr/bin/env python3
"""Model updates that a data store asks for: images on their way to the nodes that train on them, new ones that
set an update off, a node that is lost, a store that is killed. Needs root and iproute2, else it ends with 77
(skipped).
Usage: updates.py RECKON"""

import json
import os
import signal
import subprocess
import time

from idx_images import idx_files
from in_a_folder import main
from managed_lab import ManagedLab

JOB = """
name: camera
servers: 1
trainer:
  network: mlp
  strategy: async-ps
  epochs: 2
  batch: 16
  rate: 0.05
"""


class Updates(ManagedLab):
    def setUp(self):
        super().setUp()
        self.write("update.yaml", JOB)
        for folder in ("train", "validation"):
            os.makedirs(os.path.join(self.folder, "camera", folder))
        self.add_piece("validation", "v", 60)

    def add_piece(self, folder, name, count):
        for file, text in idx_files(name, count).items():
            path = os.path.join(self.folder, "camera", folder, file)
            with open(path + ".part", "wb") as half:
                half.write(text)
            os.rename(path + ".part", path)

    def start_store(self, *options):
        return self.start("data", "camera", "--job", "update.yaml", "--server", f"{self.machine}:{self.port}",
                          "--token-file", "token", "--server-node", "h0", *options)

    def update(self, run):
        return self.get(f"/updates/{run}")

    def wait_for_end(self, run):
        self.wait_for_state(run, "finished", "failed", "stopped")
        report = self.get(f"/runs/{run}")
        self.assertEqual(report["state"], "finished", json.dumps(report, indent=1) + self.logs())
        return report

    def kinds(self, run):
        return [event["kind"] for event in self.get(f"/runs/{run}/events")["events"]]

    def shards_on(self, host):
        return sorted(name for _, _, names in os.walk(os.path.join(self.folder, f"agent-{host}"))
                      for name in names if name.startswith("shard-"))

    def test_new_images_set_updates_off(self):
        store = self.start_store("--new-images", "200", "--set", "trainer.epochs=6", "--model", "camera.model")
        self.wait_for(lambda: self.get("/data-stores")["data_stores"], "the data store")
        self.add_piece("train", "a", 150)
        time.sleep(2)
        self.assertEqual(self.get("/runs")["runs"], [], "150 images are too few")
        self.add_piece("train", "b", 90)
        self.wait_for(lambda: self.get("/runs")["runs"], "an update")
        self.wait_for_state(1, "running", "finishing", "finished")
        plan = self.update(1)["plan"]
        self.assertEqual(plan["servers"], ["h0"])
        self.assertEqual([(share["node"], share["images"]) for share in plan["shares"]], [("h1", 120), ("h2", 120)])
        # Each node has its own shard and no other.
        self.assertEqual(self.shards_on("h0"), [])
        self.assertEqual(self.shards_on("h1"), ["shard-0.images", "shard-0.labels"])
        self.assertEqual(self.shards_on("h2"), ["shard-1.images", "shard-1.labels"])
        report = self.wait_for_end(1)
        self.assertEqual(len(report["epochs"]), 6)
        self.assertGreater(report["epochs"][-1]["accuracy"], 0.3, "it has learned from what it got")
        self.assertEqual([kind for kind in self.kinds(1) if kind.startswith("update.")],
                         ["update.planned", "update.task"])
        rows = self.rows("camera.runs")
        self.assertEqual([row["images"] for row in rows], ["240"])
        self.wait_for(lambda: self.get("/data-stores")["data_stores"][0]["new_images"] == 0, "no new images")
        self.assert_nothing_remains()
        self.assertEqual([self.shards_on(host) for host in self.agents], [[], [], []])
        model = os.path.join(self.folder, "camera.model")
        self.assertGreater(os.path.getsize(model), 10_000)
        before = os.stat(model)
        # What comes after it is for the next one, which people may ask for.
        self.add_piece("train", "c", 60)
        shown = self.reckon("data-stores", "--server", self.url, "--token-file", "token", "--update", "camera")
        self.assertIn("asked for", shown)
        self.wait_for(lambda: len(self.get("/runs")["runs"]) == 2, "a second update")
        second = self.wait_for_end(2)
        self.assertGreater(second["epochs"][0]["accuracy"], report["epochs"][0]["accuracy"], "it began with the first")
        self.wait_for(lambda: self.get("/data-stores")["data_stores"][0]["new_images"] == 0, "no new images")
        better = second["epochs"][-1]["accuracy"] >= report["epochs"][-1]["accuracy"]
        self.assertEqual(os.stat(model).st_mtime_ns > before.st_mtime_ns, better)
        self.assertEqual([row["images"] for row in self.rows("camera.runs")], ["240", "300"])
        self.assertIsNone(store.poll(), self.logs())
        store.terminate()
        self.assertEqual(store.wait(10), 0, self.logs())

    def test_after_a_lost_node_it_is_told_to_ask_again(self):
        self.add_piece("train", "a", 200)
        store = self.start_store("--once", "--set", "trainer.epochs=40", "--set", "trainer.strategy=all-reduce", "--set",
                                 "servers=0")
        self.wait_for(lambda: self.get("/runs")["runs"], "an update")
        self.wait_for_state(1, "running")
        self.wait_for(lambda: len(self.get("/runs/1")["epochs"]) > 3, "epochs")
        subprocess.run([self.program, "lab", "kill", self.lab, "h2"], check=True, capture_output=True,
                       cwd=self.folder)
        self.wait_for(lambda: "update.asked_again" in self.kinds(1), "a second question")
        report = self.wait_for_end(1)
        self.assertGreater(report["begun_at_step"], 0, "what was trained is not trained again")
        update = self.update(1)
        self.assertEqual(update["attempt"], 2)
        self.assertEqual([(share["node"], share["images"]) for share in update["plan"]["shares"]],
                         [("h0", 100), ("h1", 100)])
        self.assertEqual(store.wait(20), 0, self.logs())
        kinds = [kind for kind in self.kinds(1) if kind.startswith(("update.", "node."))]
        self.assertEqual(kinds[:2] + kinds[-3:],
                         ["update.planned", "update.task", "update.asked_again", "update.planned", "update.task"])

    def test_a_store_that_is_killed_goes_on(self):
        self.add_piece("train", "a", 100)
        store = self.start_store("--every", "1h")
        self.wait_for(lambda: self.get("/runs")["runs"], "an update")
        store.send_signal(signal.SIGKILL)
        store.wait()
        self.add_piece("train", "b", 50)  # for the next one
        self.start_store("--every", "1h")
        self.wait_for_end(1)
        self.assertEqual([row["images"] for row in self.rows("camera.runs")], ["100"])
        self.assertEqual(len(self.get("/runs")["runs"]), 1)

    def test_what_is_wrong_is_said(self):
        def refused(*arguments):
            done = subprocess.run([self.program, "data", *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            return done.stderr

        to = ("--server", self.url, "--token-file", "token", "--once")
        self.assertIn("no job", refused("camera", *to))
        self.assertIn("nowhere/train", refused("nowhere", "--job", "update.yaml", *to))
        self.assertIn("--every", refused("camera", "--job", "update.yaml", "--every", "often", *to))
        self.assertIn("camera/train has no images", refused("camera", "--job", "update.yaml", *to))
        self.add_piece("train", "b", 20)
        self.assertIn("policy", refused("camera", "--job", "update.yaml", "--policy", "best", *to))
        self.assertIn("unknown network", refused("camera", "--job", "update.yaml", "--set", "trainer.network=x", *to))
        with open(os.path.join(self.folder, "camera/train/a.images"), "wb") as file:
            file.write(b"no images")
        with open(os.path.join(self.folder, "camera/train/a.labels"), "wb") as file:
            file.write(b"no labels")
        self.assertIn("a.labels", refused("camera", "--job", "update.yaml", *to))


if __name__ == "__main__":
    main()
