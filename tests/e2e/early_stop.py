#!/usr/bin/env python3
"""Trainings that may end early: they do, all workers after the same epoch, and what they measured counts for the
epochs that they had. Usage: early_stop.py RECKON"""

import json
import unittest

from in_a_folder import InAFolder, main

JOB = """
name: early
num_nodes: 2
servers: %d
trainer:
  network: lenet5
  strategy: %s
  data: {images: 1500, validation_images: 1000}
  epochs: 40
  batch: 16
  rate: 0.05
  momentum: 0.5
  save: trained.rkm
early_stop: %s
"""

# A script that soon learns nothing more.
SCRIPT = """
import time
import reckon

for epoch in range(30):
    time.sleep(0.4)
    reckon.metric("accuracy", 0.9 - 0.4 * 0.4 ** epoch, epoch=epoch)
    if reckon.ending():
        print("ended after", epoch + 1)
        break
"""


class EarlyStop(InAFolder):
    def run_job(self, text):
        with open(f"{self.folder}/job.yaml", "w", encoding="utf-8") as file:
            file.write(text)
        return json.loads(self.reckon("run", "job.yaml", "--json"))

    def check_ended_early(self, report, why):
        self.assertEqual(report["state"], "finished", report)
        self.assertIn(why, report["ending"])
        self.assertIn(why, report["reason"])
        epochs = len(report["epochs"])
        self.assertLess(epochs, 30)
        told = [event for event in self.events(report) if event["kind"] == "stage" and
                event["stage"] == "train_epoch"]
        by_worker = {index: max(event["epoch"] for event in told if event["index"] == index)
                     for index in (0, 1)}
        return epochs, by_worker

    @staticmethod
    def events(report):
        with open(f"{report['folder']}/events.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_workers_in_step_end_on_a_plateau_together(self):
        for strategy, servers in (("all-reduce", 0), ("sync-ps", 1)):
            report = self.run_job(JOB % (servers, strategy, "true"))
            epochs, by_worker = self.check_ended_early(report, "gain more than 0.005")
            self.assertEqual(by_worker, {0: epochs - 1, 1: epochs - 1}, strategy)
            row = self.rows("early.runs")[-1]
            self.assertEqual(float(row["epochs"]), epochs)
            self.assertNotIn("1", row.get("ended_early", ""))
            self.assertGreater(report["epochs"][-1]["accuracy"], 0.6)

    def test_asynchronous_workers_end_when_the_target_is_reached(self):
        report = self.run_job(JOB % (1, "async-ps", "{accuracy: 0.5}"))
        self.check_ended_early(report, "an accuracy of 0.500 is reached")
        self.assertGreaterEqual(report["epochs"][-1]["accuracy"], 0.45)

    def test_without_the_wish_all_epochs_are_trained(self):
        report = self.run_job((JOB % (0, "all-reduce", "false")).replace("epochs: 40", "epochs: 9"))
        self.assertNotIn("ending", report)
        self.assertEqual(len(report["epochs"]), 9)
        self.assertEqual(report["outlook"]["epochs_asked"], 9)

    def test_a_script_asks_whether_it_shall_end(self):
        with open(f"{self.folder}/train.py", "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        python = __file__.rsplit("/tests/", 1)[0] + "/python"
        report = self.run_job(f"name: script\nenvs: {{PYTHONPATH: {python}}}\n"
                              "run: exec /usr/bin/python3 train.py\nearly_stop: {epochs: 30}\n")
        self.assertEqual(report["state"], "finished", report)
        self.assertIn("gain more than", report["ending"])
        self.assertLess(len(report["epochs"]), 20)
        with open(f"{report['folder']}/worker-0.log", encoding="utf-8") as file:
            self.assertIn("ended after", file.read())
        # Where its epochs were asked for only the script knows: no measure of the whole job.
        self.assertEqual(float(self.rows("script.runs")[-1]["ended_early"]), 1)


if __name__ == "__main__":
    main()
