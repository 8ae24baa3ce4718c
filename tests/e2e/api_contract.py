#!/usr/bin/env python3
"""A real service and agent against docs/openapi.yaml: every operation is called, every answer is what the
document says, and what is wrong with a call is answered with 4xx and a reason. Needs python3-yaml and
python3-jsonschema.
Usage: api_contract.py RECKON"""

import copy
import glob
import hashlib
import http.client
import http.server
import io
import json
import os
import re
import signal
import subprocess
import tarfile
import threading
import time

import jsonschema
import yaml

from idx_images import fingerprint, idx_files
from in_a_folder import InAFolder, main

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = "a secret of the test"
EXAMPLE = {"store": "s", "id": "1", "name": "none", "node": "n", "part": "1.1", "file": "events.jsonl",
           "sha256": "0" * 64}
BEAT = {"node": {"name": "played", "cpus": 1, "memory_bytes": 1 << 30, "address": "127.0.0.1"},
        "instance": "i", "now": {"cpu": 0, "memory": 0}, "parts": []}
CAMPAIGN = """
name: naps
target: wall_s
repeats: 1
quiet: {foreign: 1000%, steal: 1000%, pace: 1000%}
job: {run: sleep $NAP}
vary:
  num_nodes: [1, 2]
  envs.NAP: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
"""


def to_json_schema(node):
    """OpenAPI 3.0 says "nullable" where JSON Schema has another type."""
    if isinstance(node, dict):
        node = {key: to_json_schema(value) for key, value in node.items()}
        if node.pop("nullable", False):
            node["type"] = [node["type"], "null"]
        return node
    return [to_json_schema(entry) for entry in node] if isinstance(node, list) else node


class ApiContract(InAFolder):
    def setUp(self):
        super().setUp()
        with open(os.path.join(HERE, "../../docs/openapi.yaml"), encoding="utf-8") as file:
            self.document = to_json_schema(yaml.safe_load(file))
        with open(os.path.join(self.folder, "token"), "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n")
        self.addCleanup(self.end_supervisors)
        self.log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.server = self.start("serve", "--listen", "127.0.0.1:0", "--token-file", "token", "--json",
                                 output=subprocess.PIPE)
        line = self.server.stdout.readline()
        self.assertTrue(line, self.log_text())
        self.address = json.loads(line)["url"].removeprefix("http://")
        self.called = set()

    def end_supervisors(self):
        """A run that serves a model outlives its agent; its processes end with their supervisor."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                if b"reckon-supervise" in words[0] and words[1].startswith(self.folder.encode()):
                    os.kill(int(pid), signal.SIGKILL)
            except (OSError, IndexError):
                pass

    def start(self, *arguments, output=None):
        process = subprocess.Popen([self.program, *arguments], cwd=self.folder, text=True,
                                   stdout=output or self.log, stderr=self.log)

        def end():
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()

        self.addCleanup(end)
        return process

    def log_text(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            return file.read()

    def resolve(self, node):
        while "$ref" in node:
            found = self.document
            for key in node["$ref"].removeprefix("#/").split("/"):
                found = found[key]
            node = found
        return node

    def send(self, method, target, body=None, token=TOKEN, headers=None, source="127.0.0.1"):
        """Status, type and body of the answer; of streams the beginning."""
        connection = http.client.HTTPConnection(self.address, timeout=30, source_address=(source, 0))
        headers = dict(headers or {})
        if token is not None:
            headers["Authorization"] = "Bearer " + token
        try:
            connection.request(method, target, body=body, headers=headers)
            answer = connection.getresponse()
            kind = (answer.getheader("Content-Type") or "").split(";")[0]
            return answer.status, kind, answer.readline() if "event-stream" in kind else answer.read()
        finally:
            connection.close()

    def call(self, method, pattern, path=None, query="", body=None, **more):
        """Calls an operation of the document and holds the answer against it; status and body."""
        target = pattern
        for name, value in (path or {}).items():
            target = target.replace("{" + name + "}", str(value))
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        status, kind, text = self.send(method, target + query, data, **more)
        operation = self.document["paths"][pattern][method.lower()]
        self.assertIn(str(status), operation["responses"], f"{method} {target}: {status} {text[:300]}")
        content = self.resolve(operation["responses"][str(status)])["content"]
        self.assertIn(kind, content, f"{method} {target}: {kind}")
        if status < 300:
            self.called.add((method, pattern))
        if kind != "application/json":
            return status, text
        found = json.loads(text)
        schema = copy.deepcopy(content[kind]["schema"])
        schema["components"] = self.document["components"]
        jsonschema.Draft7Validator(schema).validate(found)
        return status, found

    def operations(self):
        for pattern, item in self.document["paths"].items():
            for method, operation in item.items():
                if method in ("get", "post", "put", "delete", "patch"):
                    yield method.upper(), pattern, operation

    def test_every_operation_answers_as_documented(self):
        self.start("agent", "--manager", self.address, "--token-file", "token", "--name", "n0", "--folder", "agent",
                   "--sandbox", "none")
        self.call("GET", "/healthz", token=None)
        self.call("GET", "/metrics")
        end = time.monotonic() + 60
        while not self.call("GET", "/api/v1/nodes")[1]["nodes"]:
            self.assertLess(time.monotonic(), end, self.log_text())
            time.sleep(0.1)
        _, run = self.call("POST", "/api/v1/runs",
                           body={"job": "name: quick\nrun: sleep 0.2\n", "source": "q.yaml",
                                 "set": [{"path": "num_nodes", "value": "1"}]})
        this = {"id": run["id"]}
        self.assertTrue(self.call("GET", "/api/v1/runs/{id}/stream", this)[1].startswith(b"retry"))
        self.assertTrue(self.call("GET", "/api/v1/stream")[1].startswith(b"retry"))
        while self.call("GET", "/api/v1/runs/{id}", this)[1]["state"] not in ("finished", "failed"):
            self.assertLess(time.monotonic(), end, self.log_text())
            time.sleep(0.1)
        _, report = self.call("GET", "/api/v1/runs/{id}", this)
        self.assertEqual(report["state"], "finished", report)
        self.assertEqual(len(report["ranks"]), 1)
        _, events = self.call("GET", "/api/v1/runs/{id}/events", this)
        self.assertGreaterEqual(len(events["events"]), 5)
        self.assertEqual(len(self.call("GET", "/api/v1/runs", query="?limit=1")[1]["runs"]), 1)
        # It has ended; another one that waits for nodes that there are not can be stopped.
        self.assertEqual(self.call("POST", "/api/v1/runs/{id}/stop", this)[0], 400)
        _, waiting = self.call("POST", "/api/v1/runs", body={"job": "name: w\nrun: sleep 60\n"})
        self.call("POST", "/api/v1/runs/{id}/stop", {"id": waiting["id"]}, body={"reason": "of the test"})
        status, answer = self.call("POST", "/api/v1/agents/{node}/beat", {"node": "played"}, body=BEAT)
        self.assertEqual(status, 200, answer)
        self.call_what_is_about_access()
        self.call_what_is_about_models()
        self.call_what_is_about_updates()
        self.call_what_is_about_bundles()
        spend = self.call("GET", "/api/v1/spend", query="?days=1")[1]["spend"]
        self.assertGreaterEqual(sum(row["runs"] for row in spend), 3)
        # A part that the run has: its events so far come again, which changes nothing.
        self.call("POST", "/api/v1/agents/{node}/parts/{part}/files/{file}",
                  {"node": "n0", "part": f"{run['id']}.1", "file": "events.jsonl"}, body=b"")
        of_part = "/api/v1/agents/{node}/parts/{part}/checkpoint"
        self.call("POST", of_part, {"node": "n0", "part": f"{run['id']}.1"}, "?print=0123&bytes=4&from=0", body=b"abcd")
        self.call("GET", of_part, {"node": "n0", "part": f"{run['id']}.1"})
        of_model = "/api/v1/agents/{node}/parts/{part}/result"
        self.call("POST", of_model, {"node": "n0", "part": f"{run['id']}.1"}, "?print=0123&bytes=4&from=0", body=b"abcd")
        self.assertEqual(self.call("GET", "/api/v1/runs/{id}/model", this)[0], 404)
        documented = {(method, pattern) for method, pattern, _ in self.operations()}
        missing = documented - self.called - {
            # Of a run that has ended the manager takes nothing any more: 404.
            ("POST", "/api/v1/agents/{node}/parts/{part}/files/{file}"), ("POST", of_part), ("GET", of_part), ("POST", of_model),
            ("GET", "/api/v1/agents/{node}/parts/{part}/bundle"),
            # Of an update that has not failed: 409.
            ("POST", "/api/v1/updates/{id}/again")}
        self.assertEqual(missing, set())

    def make_token(self, name, scope, **more):
        status, made = self.call("POST", "/api/v1/tokens", body={"name": name, "scope": scope, **more})
        self.assertEqual(status, 201, made)
        return made

    def call_what_is_about_access(self):
        made = self.make_token("ci", "operator", user="Ada", project="digits", lifetime_s=3600)
        _, who = self.call("GET", "/api/v1/whoami", token=made["token"])
        self.assertEqual((who["name"], who["scope"], who["user"]), ("ci", "operator", "Ada"))
        self.assertEqual(self.call("GET", "/api/v1/whoami")[1]["scope"], "admin")
        tokens = self.call("GET", "/api/v1/tokens")[1]["tokens"]
        # The agent has joined with the token of the file, and has a secret of its own since.
        self.assertEqual([(one["name"], one["scope"]) for one in tokens], [("n0", "node"), ("ci", "operator")])
        self.call("POST", "/api/v1/tokens/{id}/revoke", {"id": made["id"]})
        self.assertEqual(self.call("GET", "/api/v1/whoami", token=made["token"])[0], 401)
        join = self.make_token("rack", "agent", most_uses=1)
        body = {"secret_sha256": "0" * 64}
        self.call("POST", "/api/v1/agents/{node}/join", {"node": "n7"}, body=body, token=join["token"])
        body = {"secret_sha256": "1" * 64}
        self.assertEqual(self.call("POST", "/api/v1/agents/{node}/join", {"node": "n7"}, body=body)[0], 409)
        self.call("POST", "/api/v1/nodes/{node}/forgive", {"node": "played"})
        self.call("POST", "/api/v1/nodes/{node}/remove", {"node": "played"})
        lines = self.call("GET", "/api/v1/audit", query="?limit=5")[1]["audit"]
        self.assertEqual(lines[0]["route"], "/api/v1/nodes/{node}/remove")

    def reckon(self, *arguments):
        done = subprocess.run([self.program, *arguments, "--quiet"], cwd=self.folder, capture_output=True, text=True,
                              timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def call_what_is_about_models(self):
        with open(os.path.join(self.folder, "t.csv"), "w", encoding="utf-8") as file:
            file.write("workers,time_s\n" + "".join(f"{n},{1 + 8 / n}\n" for n in range(1, 13)))
        with open(os.path.join(self.folder, "c.yaml"), "w", encoding="utf-8") as file:
            file.write(CAMPAIGN)
        self.reckon("import", "t.csv")
        self.reckon("fit", "--samples", "t", "--target", "time_s", "--technique", "ernest", "--save", "m")
        self.reckon("profile", "c.yaml")
        self.assertEqual([one["name"] for one in self.call("GET", "/api/v1/models")[1]["models"]], ["m"])
        model = self.call("GET", "/api/v1/models/{name}", {"name": "m"})[1]
        self.assertEqual((model["samples"], model["inputs"][0]["name"]), ("t", "workers"))
        _, answer = self.call("POST", "/api/v1/forecasts", body={"model": "m", "set": {"workers": "2,16"}})
        self.assertEqual(len(answer["forecasts"]), 2)
        self.assertEqual(self.call("POST", "/api/v1/forecasts", body={"model": "m", "set": {"workers": [2]}})[0], 400)
        self.assertEqual(self.call("POST", "/api/v1/forecasts", body={"model": "t.csv", "set": {"workers": 1}})[0], 404)
        # A run that is forecast first, and what came of it.
        _, run = self.call("POST", "/api/v1/runs", body={"job": "name: quick\nrun: sleep 0.2\n", "model": "m"})
        end = time.monotonic() + 60
        while self.call("GET", "/api/v1/runs/{id}", {"id": run["id"]})[1]["state"] != "finished":
            self.assertLess(time.monotonic(), end, self.log_text())
            time.sleep(0.1)
        known = self.call("GET", "/api/v1/models/{name}/calibration", {"name": "m"})[1]["models"]
        self.assertEqual([one["run"] for one in known[0]["outcomes"]], [run["id"]])
        self.assertEqual(len(self.call("GET", "/api/v1/calibration")[1]["models"]), 1)
        self.assertEqual(self.call("POST", "/api/v1/runs", body={"job": "name: q\nrun: id\n", "model": "n"})[0], 404)
        self.assertEqual(self.call("POST", "/api/v1/models/{name}/refit", {"name": "m"})[0], 202)
        _, answer = self.call("POST", "/api/v1/recommendations",
                              body={"job": "name: nap\nrun: sleep $NAP\nenvs: {NAP: 0.3}\n", "campaign": "naps",
                                    "price": 1})
        self.assertTrue(answer["clusters"], answer)
        self.assertTrue(self.call("GET", "/api/v1/prices")[1]["types"])

    def send_bundle(self, archive, name=None):
        """In two pieces; status and body of the last answer."""
        this = {"sha256": name or hashlib.sha256(archive).hexdigest()}
        half = len(archive) // 2
        of = "/api/v1/bundles/{sha256}"
        self.assertEqual(self.call("POST", of, this, f"?bytes={len(archive)}", body=archive[:half])[1],
                         {"have": half, "whole": False})
        self.assertEqual(self.call("GET", of, this)[1], {"have": half, "whole": False})
        # Said twice, or with a gap.
        for begin in (0, half + 1):
            self.assertEqual(self.call("POST", of, this, f"?bytes={len(archive)}&from={begin}", body=b"x")[0], 400)
        return self.call("POST", of, this, f"?bytes={len(archive)}&from={half}", body=archive[half:])

    def call_what_is_about_bundles(self):
        script = b"echo the code that was sent; mkdir results; echo 42 > results/answer\n"

        def archive(**changes):
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w:gz") as tar:
                entry = tarfile.TarInfo("main.sh")
                entry.size = len(script)
                for name, value in changes.items():
                    setattr(entry, name, value)
                tar.addfile(entry, io.BytesIO(script))
            return packed.getvalue()

        good = archive()
        self.assertEqual(self.send_bundle(good)[1], {"have": len(good), "whole": True})
        for bad, why in ((archive(name="../main.sh"), "leads out of its folder"), (archive(name="/etc/x"), "an absolute name"),
                         (archive(type=tarfile.SYMTYPE, linkname="/etc/passwd", size=0), "'main.sh' is a symbolic link"),
                         (b"no archive at all", "what was sent is not a tar, tar.gz or zip archive")):
            status, answer = self.send_bundle(bad)
            self.assertEqual(status, 400, answer)
            self.assertIn(why, answer["error"])
        status, answer = self.send_bundle(good + b"x", name="1" * 64)
        self.assertIn("SHA-256", answer["error"])
        self.assertEqual(self.call("GET", "/api/v1/bundles/{sha256}", {"sha256": "1" * 64})[1]["have"], 0)
        self.assertEqual(self.call("POST", "/api/v1/bundles/{sha256}", {"sha256": "2" * 64}, "?bytes=999999999999",
                                   body=b"x")[0], 400)
        for name in ("../../x", "A" * 64, "0" * 63):
            self.assertEqual(self.send("GET", "/api/v1/bundles/" + name.replace("/", "%2F"))[0], 400)
        job = {"job": "name: sent\nrun: sh main.sh\n", "bundle": hashlib.sha256(good).hexdigest()}
        self.assertEqual(self.call("POST", "/api/v1/runs", body={**job, "bundle": "3" * 64})[0], 400)
        self.assertEqual(self.call("POST", "/api/v1/runs", body={**job, "bundle": "../x"})[0], 400)
        trainer = {**job, "job": "name: t\ntrainer: {network: lenet5}\n"}
        self.assertEqual(self.call("POST", "/api/v1/runs", body=trainer)[0], 400)
        _, run = self.call("POST", "/api/v1/runs", body=job)
        end = time.monotonic() + 60
        while self.call("GET", "/api/v1/runs/{id}", {"id": run["id"]})[1]["state"] not in ("finished", "failed"):
            self.assertLess(time.monotonic(), end, self.log_text())
            time.sleep(0.1)
        report = self.call("GET", "/api/v1/runs/{id}", {"id": run["id"]})[1]
        self.assertEqual(report["state"], "finished", report)
        _, results = self.call("GET", "/api/v1/runs/{id}/results", {"id": run["id"]})
        with tarfile.open(fileobj=io.BytesIO(results)) as tar:
            self.assertEqual(tar.extractfile("answer").read(), b"42\n")
        self.assertEqual(self.call("GET", "/api/v1/runs/{id}/results", {"id": 1})[0], 404)

    def wait_for_update(self, asks):
        end = time.monotonic() + 60
        while True:
            update = self.call("POST", "/api/v1/data-stores/{store}/beat", {"store": "camera"},
                               body={"images": 96, "new_images": 96})[1]["update"]
            if update is None or update["asks"] == asks:
                return update
            self.assertLess(time.monotonic(), end, f"{update} {self.log_text()}")
            time.sleep(0.1)

    def call_what_is_about_updates(self):
        """As a data store does it, with a model that is really updated."""
        self.assertIsNone(self.wait_for_update("nothing"))
        self.call("POST", "/api/v1/data-stores/{store}/update", {"store": "camera"}, body={"reason": "of the test"})
        stores = self.call("GET", "/api/v1/data-stores")[1]["data_stores"]
        self.assertEqual([(one["name"], one["images"], one["wanted"]) for one in stores],
                         [("camera", 96, "of the test")])
        data = {"data_store": "camera", "images": 96, "validation_images": 32, "print": "p1"}
        job = "name: camera\ntrainer: {network: mlp, batch: 32, epochs: 2}\n"
        self.assertEqual(self.call("POST", "/api/v1/updates", body={"job": "name: c\nrun: id\n", "data": data})[0], 400)
        self.assertEqual(
            self.call("POST", "/api/v1/updates", body={"job": job, "data": {**data, "policy": "best"}})[0], 400)
        _, plan = self.call("POST", "/api/v1/solver", body={"job": job, "data": data})
        self.assertEqual(plan["shares"], [{"node": "n0", "images": 96, "batch": 32}])
        self.assertEqual(self.call("POST", "/api/v1/solver", body={"job": job, "data": {**data, "servers": ["pi"]}})[0],
                         200, "a job without servers has nobody on that node")
        _, update = self.call("POST", "/api/v1/updates", body={"job": job, "data": data})
        this = {"id": update["id"]}
        self.assertEqual(self.call("POST", "/api/v1/updates", body={"job": job, "data": data})[0], 400)
        self.assertEqual(self.call("GET", "/api/v1/data-stores")[1]["data_stores"][0]["wanted"], "")
        plan = self.wait_for_update("offer")["plan"]
        self.assertEqual(plan["shares"], [{"node": "n0", "images": 96, "batch": 32}])
        files = {**idx_files("shard-0", 96), **idx_files("validation", 32)}
        source = self.serve_files(files)
        offer = {"source": source, "secret": "of the offer",
                 "nodes": {"n0": [{"name": name, "print": fingerprint(text), "bytes": len(text)}
                                  for name, text in files.items()]}}
        for wrong in ({"nodes": {}}, {"nodes": {"n0": offer["nodes"]["n0"][1:]}}, {"source": "ftp://x"}, {"secret": ""}):
            body = {"attempt": 1, "offer": {**offer, **wrong}}
            self.assertEqual(self.call("POST", "/api/v1/updates/{id}/offer", this, body=body)[0], 400, wrong)
        early = self.call("POST", "/api/v1/updates/{id}/task", this, body={"attempt": 1})
        self.assertEqual(early[0], 409, early)
        self.call("POST", "/api/v1/updates/{id}/offer", this, body={"attempt": 1, "offer": offer})
        self.assertEqual(self.wait_for_update("task")["has_data"], ["n0"])
        self.assertEqual(self.call("POST", "/api/v1/updates/{id}/again", this, body={"attempt": 1})[0], 409)
        change = [{"path": "trainer.epochs", "value": "3"}]
        self.call("POST", "/api/v1/updates/{id}/task", this, body={"attempt": 1, "set": change})
        self.assertIsNone(self.wait_for_update("again"), self.log_text())
        self.assertEqual(self.call("GET", "/api/v1/updates/{id}", this)[1]["state"], "finished")
        report = self.call("GET", "/api/v1/runs/{id}", this)[1]
        self.assertEqual(len(report["epochs"]), 3)
        self.assertGreater(len(self.call("GET", "/api/v1/runs/{id}/model", this)[1]), 10_000)
        self.assertEqual(self.call("GET", "/api/v1/updates/{id}", {"id": 1})[0], 404)  # a run, but no update
        self.call_what_is_about_published_models(run=update["id"], image=list(files["validation.images"][16:800]))

    def call_what_is_about_published_models(self, run, image):
        this = {"name": "camera"}
        of = "/api/v1/published/{name}"
        self.assertEqual(self.call("POST", of + "/versions", this, body={"run": 1})[0], 404)
        _, shown = self.call("POST", of + "/versions", this, body={"run": run})
        self.assertTrue(shown["published"]["live"], shown)
        end = time.monotonic() + 60
        while self.call("GET", of, this)[1]["served"] is None:
            self.assertLess(time.monotonic(), end, self.log_text())
            time.sleep(0.2)
        _, answer = self.call("POST", of + "/predict", this, body={"images": [image, image]})
        ids = [one["id"] for one in answer["predictions"]]
        self.call("POST", of + "/labels", this, body={"labels": [{"id": ids[0], "label": 3}]})
        labelled = self.call("GET", of + "/labelled", this, "?after=0&limit=5")[1]["images"]
        self.assertEqual([(one["id"], one["label"], one["pixels"]) for one in labelled],
                         [(ids[0], 3, bytes(image).hex())])
        self.assertEqual(self.call("POST", of + "/rollback", this)[0], 404)
        _, shown = self.call("POST", of + "/versions", this, body={"run": run, "force": True})
        self.assertEqual(shown["live"], 2)
        self.assertEqual(self.call("POST", of + "/rollback", this)[1]["live"], 1)
        self.assertEqual(self.call("POST", of + "/promote", this, body={"version": 2})[1]["live"], 2)
        self.assertEqual(self.call("POST", of + "/promote", this, body={"version": 9})[0], 404)
        self.assertEqual([one["name"] for one in self.call("GET", "/api/v1/published")[1]["published"]], ["camera"])

    def serve_files(self, files):
        class Door(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                name, _, begin = self.path.removeprefix("/1.1/").partition("?from=")
                known = self.headers["Authorization"] == "Bearer of the offer" and name in files
                body = files[name][int(begin):][:1000] if known else b""
                self.send_response(200 if known else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/1.1"

    def test_scopes_are_the_documented_ones(self):
        tokens = {scope: self.make_token(scope, scope)["token"]
                  for scope in ("viewer", "operator", "admin", "agent")}
        tokens["node"] = "a secret that the node has made"
        body = {"secret_sha256": hashlib.sha256(tokens["node"].encode()).hexdigest()}
        self.call("POST", "/api/v1/agents/{node}/join", {"node": "n"}, body=body, token=tokens["agent"])
        may = {"viewer": {"viewer", "operator", "admin"}, "operator": {"operator", "admin"}, "admin": {"admin"},
               "agent": {"agent", "admin"}, "node": {"node", "admin"}, "any": set(tokens)}
        for method, pattern, operation in self.operations():
            if operation.get("security") == []:
                continue
            target = re.sub(r"{(\w+)}", lambda found: EXAMPLE[found[1]], pattern)
            for scope, token in tokens.items():
                if scope == "admin" and pattern.endswith(("/remove", "/revoke")):
                    continue
                status, _, text = self.send(method, target, b"[" if method == "POST" else None, token=token)
                self.assertEqual(status not in (401, 403), scope in may[operation["x-scope"]],
                                 f"{method} {target} by {scope}: {status} {text[:200]}")

    def test_failures_to_sign_in_have_to_wait(self):
        statuses = [self.call("GET", "/api/v1/runs", token="wrong", source="127.0.0.99")[0] for _ in range(20)]
        self.assertEqual(statuses[:5], [401] * 5)
        self.assertEqual(statuses[-5:], [429] * 5)
        self.assertEqual(self.call("GET", "/api/v1/runs")[0], 200)

    def test_the_document_names_every_route_and_no_other(self):
        routes = set()
        for name in glob.glob(os.path.join(HERE, "../../src/serve/*_routes.cc")):
            with open(name, encoding="utf-8") as file:
                text = file.read()
            routes |= set(re.findall(r'"(GET|POST|PUT|DELETE|PATCH)",\s*(?:\.pattern = )?"(/[^"]*)"', text))
        self.assertGreater(len(routes), 8)
        self.assertEqual(routes, {(method, pattern) for method, pattern, _ in self.operations()})

    def assert_refused(self, what, status, kind, text, *expected):
        self.assertIn(status, expected, f"{what}: {text[:300]}")
        self.assertEqual(kind, "application/json", what)
        schema = {"$ref": "#/components/schemas/Error", "components": self.document["components"]}
        jsonschema.Draft7Validator(schema).validate(json.loads(text))

    def test_what_is_wrong_is_refused_with_a_reason(self):
        for number, (method, pattern, operation) in enumerate(self.operations()):
            target = re.sub(r"{(\w+)}", lambda found: EXAMPLE[found[1]], pattern)
            what = f"{method} {target}"
            if operation.get("security") != []:
                # From an address of its own each: who fails too often has to wait.
                source = f"127.0.1.{number + 1}"
                for token in (None, TOKEN[:-1], TOKEN + "x"):
                    self.assert_refused(what, *self.send(method, target, token=token, source=source), 401)
                self.assert_refused(what, *self.send(method, target, headers={"Origin": "http://evil"}), 403)
            for other in ("DELETE", "PUT"):
                self.assert_refused(what, *self.send(other, target), 404, 405)
            if "{id}" in pattern:
                for bad in ("x", "-1", "1.5", "%20", "99999999999999999999", "..%2F..%2Fetc%2Fpasswd", "%00", "%zz"):
                    self.assert_refused(what + " " + bad,
                                        *self.send(method, pattern.replace("{id}", bad)), 400, 404)
                self.assert_refused(what, *self.send(method, pattern.replace("{id}", "4711")), 404)
            if "{file}" in pattern:
                for bad in ("..%2Fx.log", "%2Fetc%2Fpasswd", ".log", "a%2Fb.log", "x.exe"):
                    self.assert_refused(what + " " + bad,
                                        *self.send(method, target.replace("events.jsonl", bad), b"x"), 400, 404)
            for parameter in map(self.resolve, operation.get("parameters", [])):
                if parameter["in"] != "query":
                    continue
                for bad in ("x", "-1", "1e3", "%"):
                    query = f"?{parameter['name']}={bad}"
                    self.assert_refused(what + query, *self.send(method, target + query), 400, 404)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is None:
                continue
            for bad in (b"{", b"[]", b"7", b'"x"', b"null", b"\xff\xfe", b"[" * 5000, b'{"job": 7}',
                        b'{"job": ["x"]}', b'{"reason": {}}', b'{"node": 1, "instance": 2}',
                        b'{"job": "x", "set": {}}', b'{"job": "x", "set": [1]}', b'{"job": "\\ud800"}'):
                self.assert_refused(f"{what} {bad[:40]}", *self.send(method, target, bad), 400, 404)
            large = b'{"job": "' + b"x" * (9 << 20) + b'"}'
            try:
                self.assert_refused(what, *self.send(method, target, large), 413)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it was refused before all of it was sent
        self.assertEqual(self.send("GET", "/healthz", token=None)[0], 200)
        self.assertIsNone(self.server.poll(), self.log_text())


if __name__ == "__main__":
    main()
