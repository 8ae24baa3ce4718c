#!/usr/bin/env python3
"""A real service and agent against docs/openapi.yaml: every operation is called, every answer is what the
document says, and what is wrong with a call is answered with 4xx and a reason. Needs python3-yaml and
python3-jsonschema.
Usage: api_contract.py RECKON"""

import copy
import glob
import http.client
import json
import os
import re
import subprocess
import time

import jsonschema
import yaml

from in_a_folder import InAFolder, main

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = "a secret of the test"
BEAT = {"node": {"name": "played", "cpus": 1, "memory_bytes": 1 << 30, "address": "127.0.0.1"},
        "instance": "i", "now": {"cpu": 0, "memory": 0}, "parts": []}


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
        self.log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.server = self.start("serve", "--listen", "127.0.0.1:0", "--token-file", "token", "--json",
                                 output=subprocess.PIPE)
        line = self.server.stdout.readline()
        self.assertTrue(line, self.log_text())
        self.address = json.loads(line)["url"].removeprefix("http://")
        self.called = set()

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

    def send(self, method, target, body=None, token=TOKEN, headers=None):
        """Status, type and body of the answer; of streams the beginning."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
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
        self.start("agent", "--manager", self.address, "--token-file", "token", "--name", "n0", "--folder", "agent")
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
        # A part that the run has: its events so far come again, which changes nothing.
        self.call("POST", "/api/v1/agents/{node}/parts/{part}/files/{file}",
                  {"node": "n0", "part": f"{run['id']}.1", "file": "events.jsonl"}, body=b"")
        documented = {(method, pattern) for method, pattern, _ in self.operations()}
        missing = documented - self.called - {
            # Of a run that has ended the manager takes nothing any more: 404.
            ("POST", "/api/v1/agents/{node}/parts/{part}/files/{file}")}
        self.assertEqual(missing, set())

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
        example = {"id": "1", "node": "n", "part": "1.1", "file": "events.jsonl"}
        for method, pattern, operation in self.operations():
            target = re.sub(r"{(\w+)}", lambda found: example[found[1]], pattern)
            what = f"{method} {target}"
            if operation.get("security") != []:
                self.assert_refused(what, *self.send(method, target, token=None), 401)
                self.assert_refused(what, *self.send(method, target, token=TOKEN[:-1]), 401)
                self.assert_refused(what, *self.send(method, target, token=TOKEN + "x"), 401)
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
            for parameter in operation.get("parameters", []):
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
