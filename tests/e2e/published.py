#!/usr/bin/env python3
"""A model's life: trained from a data store's images, published, asked, judged, updated when it meets something
else, and served elsewhere when its node is lost. Needs root and iproute2, else it ends with 77 (skipped).
Usage: published.py RECKON"""

import json
import os
import subprocess
import urllib.error
import urllib.request

from idx_images import SIDE, idx_files
from in_a_folder import main
from managed_lab import ManagedLab

JOB = """
name: camera
trainer: {network: mlp, batch: 16, epochs: 8, rate: 0.05}
"""


def images_of(files, stem):
    """(pixels, label) of IDX files."""
    labels = files[f"{stem}.labels"][8:]
    pixels = files[f"{stem}.images"][16:]
    size = SIDE * SIDE
    return [(pixels[i * size:(i + 1) * size], label) for i, label in enumerate(labels)]


def negative(pixels):
    return bytes(255 - pixel for pixel in pixels)


class Published(ManagedLab):
    def setUp(self):
        super().setUp()
        self.write("update.yaml", JOB)
        for folder, name, count in (("train", "a", 200), ("validation", "v", 60)):
            os.makedirs(os.path.join(self.folder, "camera", folder))
            self.add_piece(folder, idx_files(name, count))

    def add_piece(self, folder, files):
        for file, text in files.items():
            with open(os.path.join(self.folder, "camera", folder, file), "wb") as out:
                out.write(text)

    def published(self):
        return self.get("/published/camera")

    def is_served(self, version, but_not_on=None):
        status, shown = self.call("GET", "/api/v1/published/camera")
        served = shown["served"] if status == 200 else None
        return served is not None and served["version"] == version and served["node"] != but_not_on

    def predict(self, pixels):
        request = urllib.request.Request(self.url + "/api/v1/published/camera/predict", data=pixels, method="POST")
        request.add_header("Authorization", "Bearer a secret of the test")
        request.add_header("Content-Type", "application/octet-stream")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def judge(self, pairs):
        """Asks about images and says what they are; the share of right answers."""
        status, answer = self.predict(b"".join(pixels for pixels, _ in pairs))
        self.assertEqual(status, 200, answer)
        predictions = answer["predictions"]
        self.assertEqual(len(predictions), len(pairs))
        labels = [{"id": one["id"], "label": label} for one, (_, label) in zip(predictions, pairs)]
        status, kept = self.call("POST", "/api/v1/published/camera/labels", {"labels": labels})
        self.assertEqual((status, kept.get("labelled")), (200, len(labels)), kept)
        return sum(one["label"] == label for one, (_, label) in zip(predictions, pairs)) / len(pairs)

    def test_a_models_life(self):
        store = self.start("data", "camera", "--job", "update.yaml", "--server", f"{self.machine}:{self.port}",
                           "--token-file", "token", "--new-images", "200", "--publish", "camera", "--accuracy-below",
                           "0.6", "--judged", "40")
        self.wait_for(lambda: self.is_served(1), "somebody who answers")
        usual = images_of(idx_files("usual", 40), "usual")
        self.assertGreater(self.judge(usual), 0.7, self.published())
        self.assertEqual(len(self.get("/runs?limit=100")["runs"]), 2, "one that trained, one that serves")
        # The camera shows negatives from now on.
        turned = [(negative(pixels), label) for pixels, label in images_of(idx_files("turned", 160), "turned")]
        self.assertLess(self.judge(turned), 0.5)
        self.wait_for(lambda: len(self.published()["versions"]) == 2, "an update")
        shown = self.published()
        self.assertEqual(shown["live"], 2, shown)
        self.wait_for(lambda: self.is_served(2), "the new version's answers")
        runs = self.get("/runs?limit=100")["runs"]
        update = max(run["id"] for run in runs if run["name"] == "camera")
        planned = next(event for event in self.get(f"/runs/{update}/events")["events"]
                       if event["kind"] == "update.planned")
        images = sum(share["images"] for share in planned["detail"]["plan"]["shares"])
        self.assertEqual(images, 400, "those of before, and those that were judged")
        again = [(negative(pixels), label) for pixels, label in images_of(idx_files("again", 60), "again")]
        self.assertGreater(self.judge(again), 0.6, "it has learned what it meets now")
        # In one call the one before answers again. The store would have it updated at once: it has met negatives.
        store.terminate()
        self.assertEqual(store.wait(10), 0, self.logs())
        said = self.reckon("published", "camera", "--roll-back", "--server", self.url, "--token-file", "token")
        self.assertIn("retired", said)
        self.wait_for(lambda: self.is_served(1), "the first version's answers")
        self.assertLess(self.judge(again), 0.5)
        # Its node is lost: another one answers.
        node = self.published()["served"]["node"]
        subprocess.run([self.program, "lab", "kill", self.lab, node], check=True, capture_output=True, cwd=self.folder)
        self.wait_for(lambda: self.is_served(1, but_not_on=node), "another node")
        self.wait_for(lambda: self.predict(again[0][0])[0] == 200, "its answer")
        serving = [run for run in self.get("/runs?limit=100")["runs"]
                   if run["name"] == "camera.serving" and run["state"] == "running"]
        self.assertEqual(len(serving), 1, serving)

    def test_what_is_wrong_is_said(self):
        self.assertEqual(self.predict(b"x")[0], 404)
        for path, body, status in (("versions", {"run": 7}, 404), ("versions", {}, 400), ("rollback", None, 404),
                                   ("promote", {"version": 1}, 404), ("labels", {"labels": []}, 404)):
            answer = self.call("POST", f"/api/v1/published/camera/{path}", body)
            self.assertEqual(answer[0], status, (path, answer))
        store = subprocess.run([self.program, "data", "camera", "--job", "update.yaml", "--server", self.url,
                                "--token-file", "token", "--accuracy-below", "0.5", "--once"], cwd=self.folder,
                               capture_output=True, text=True, check=False)
        self.assertEqual(store.returncode, 2)
        self.assertIn("--publish", store.stderr)
        done = subprocess.run([self.program, "data", "camera", "--job", "update.yaml", "--server", self.url, "--once",
                               "--token-file", "token", "--publish", "camera", "--quiet"], cwd=self.folder,
                              capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        self.wait_for(lambda: self.is_served(1), "somebody who answers")
        for pixels in (b"x" * (SIDE * SIDE - 1), b"x" * (SIDE * SIDE + 1)):
            status, answer = self.predict(pixels)
            self.assertEqual(status, 400, answer)
            self.assertIn("an image has 784", answer["error"])
        for body in ({"images": [[1, 2]]}, {"images": [[256] * SIDE * SIDE]}, {"images": [[0] * 784, [0]]},
                     {"images": "x"}, {"images": [["a"] * 784]}):
            self.assertEqual(self.call("POST", "/api/v1/published/camera/predict", body)[0], 400, str(body)[:60])
        status, answer = self.call("POST", "/api/v1/published/camera/predict", {"images": [[0] * SIDE * SIDE]})
        self.assertEqual(status, 200, answer)
        self.assertAlmostEqual(sum(answer["predictions"][0]["probabilities"]), 1, places=4)
        bad = {"labels": [{"id": 4711, "label": 3}]}
        self.assertEqual(self.call("POST", "/api/v1/published/camera/labels", bad)[0], 404)


if __name__ == "__main__":
    main()
