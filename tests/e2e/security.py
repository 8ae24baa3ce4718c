#!/usr/bin/env python3
"""`reckon serve` and `reckon agent` over TLS, as their users start them: agents join with a token and are
known by a secret of their own from then on, also after both sides were killed; tokens that are wrong,
expired or revoked are refused, and so is a second agent with the name of a node that is there. No secret
is in anything that was written or said. Needs openssl.
Usage: security.py RECKON"""

import json
import os
import signal
import ssl
import stat
import subprocess
import time
import urllib.error
import urllib.request

from in_a_folder import InAFolder, main


class Security(InAFolder):
    def setUp(self):
        super().setUp()
        self.processes = []
        self.secrets = []
        self.said = []
        self.addCleanup(self.end_all)
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                     "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=a root of the test")
        self.make_certificate("cert.pem", "key.pem")
        self.admin = self.make_token("ada", "--scope", "admin")
        self.port = 0
        self.start_manager()

    def end_all(self):
        for process in self.processes:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def make_certificate(self, certificate, key, names="DNS:localhost,IP:127.0.0.1"):
        self.openssl("req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-newkey", "ec", "-pkeyopt",
                     "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-keyout", key, "-out", certificate,
                     "-subj", "/CN=reckon", "-addext", f"subjectAltName={names}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def make_token(self, name, *options):
        """In the store itself; the token is also in a file of that name."""
        token = self.reckon("token", "create", name, *options).strip()
        self.write(name, token + "\n")
        self.secrets.append(token)
        return token

    def ask(self, *arguments, token_file="ada", expect=0):
        """A command that asks the manager; everything it says."""
        done = subprocess.run([self.program, *arguments, "--server", self.url, "--tls-ca", "ca.pem",
                               "--token-file", token_file], cwd=self.folder, capture_output=True, text=True,
                              timeout=100, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.said.append(done.stdout + done.stderr)
        return done.stdout + done.stderr

    def start(self, *arguments, output=None):
        with open(self.path(f"log-{len(self.processes)}"), "wb") as log:
            process = subprocess.Popen([self.program, *arguments, "--log-level", "debug"], cwd=self.folder,
                                       stdout=output or log, stderr=log, text=True)
        self.processes.append(process)
        return process

    def start_manager(self):
        self.manager = self.start("serve", "--listen", f"127.0.0.1:{self.port}", "--tls-cert", "cert.pem",
                                  "--tls-key", "key.pem", "--grace", "3s", "--lost-after", "5s", "--json",
                                  output=subprocess.PIPE)
        line = self.manager.stdout.readline()
        self.assertTrue(line, self.logs())
        self.url = json.loads(line)["url"]
        self.assertTrue(self.url.startswith("https://"), self.url)
        self.port = int(self.url.rsplit(":", 1)[1])

    def start_agent(self, name, token_file=None, folder=None, ca="ca.pem", url=None):
        arguments = ["agent", "--manager", url or self.url, "--tls-ca", ca, "--name", name, "--folder",
                     folder or f"agent-{name}"]
        return self.start(*arguments, *(["--token-file", token_file] if token_file else []))

    def logs(self):
        return "".join(f"--- {name}\n{self.read(name)}" for name in sorted(os.listdir(self.folder))
                       if name.startswith("log-"))

    def log_of(self, process):
        return self.read(f"log-{self.processes.index(process)}")

    def call(self, method, path, token, body=None):
        request = urllib.request.Request(self.url + path, method=method,
                                         data=None if body is None else json.dumps(body).encode())
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        try:
            with urllib.request.urlopen(request, timeout=20, context=context) as answer:
                text = answer.read().decode()
                status = answer.status
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            status = error.code
        if not path.endswith("/tokens") or method == "GET":
            self.said.append(text)
        return status, json.loads(text)

    def wait_for(self, condition, what, limit=60):
        end = time.monotonic() + limit
        while not condition():
            self.assertLess(time.monotonic(), end, f"no {what} within {limit} s\n{self.logs()}")
            time.sleep(0.1)

    def nodes(self):
        status, body = self.call("GET", "/api/v1/nodes", self.admin)
        self.assertEqual(status, 200, body)
        return {node["name"]: node for node in body["nodes"]}

    def is_heard(self, name):
        node = self.nodes().get(name)
        return node is not None and not node["lost"] and time.time() - node["heard_at"] < 2

    def run_a_job(self):
        self.write("job.yaml", "name: quick\nrun: sleep 0.2\n")
        self.assertIn("finished", self.ask("run", "job.yaml"))

    def assert_no_secret_anywhere(self):
        for name in os.listdir(self.folder):
            secret_file = os.path.join(self.folder, name, "secret")
            if os.path.exists(secret_file):
                with open(secret_file, encoding="utf-8") as file:
                    self.secrets.append(file.read().strip())
                self.assertEqual(stat.S_IMODE(os.stat(secret_file).st_mode), 0o600)
        self.assertGreater(len(self.secrets), 3)
        kept = {"secret"} | set(self.token_files())
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if name in kept:
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read()
                for secret in self.secrets:
                    self.assertNotIn(secret.encode(), content, os.path.join(folder, name))
        for text in self.said:
            for secret in self.secrets:
                self.assertNotIn(secret, text)

    def token_files(self):
        return [name for name in os.listdir(self.folder)
                if os.path.isfile(self.path(name)) and self.read(name).strip() in self.secrets]

    def test_agents_join_once_and_are_known_after_restarts_of_both_sides(self):
        self.make_token("rack", "--join", "--uses", "1", "--expires", "1h")
        agent = self.start_agent("n0", "rack")
        self.wait_for(lambda: self.is_heard("n0"), "node n0")
        self.run_a_job()
        # Its name is taken: also for who has a token to join with, and for who is an admin.
        self.make_token("rack2", "--join")
        for token_file in ("rack2", "ada"):
            thief = self.start_agent("n0", token_file, folder="thief-" + token_file)
            self.assertEqual(thief.wait(20), 2, self.log_of(thief))
            self.assertIn("n0' has joined already", self.log_of(thief))
        # With its secret nobody speaks for another node.
        secret = self.read("agent-n0/secret").strip()
        beat = {"node": {"name": "n1", "cpus": 1, "memory_bytes": 1, "address": "127.0.0.1"}, "instance": "i",
                "now": {}, "parts": []}
        self.assertEqual(self.call("POST", "/api/v1/agents/n1/beat", secret, beat)[0], 403)
        # The join token is used up.
        late = self.start_agent("n1", "rack")
        self.assertEqual(late.wait(20), 2)
        self.assertIn("as often as it may be", self.log_of(late))
        # Both sides come back, and nobody joins again: the token is gone.
        for process in (agent, self.manager):
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.ask_nobody()
        self.start_manager()
        self.reckon("token", "revoke", "rack")
        os.remove(self.path("rack"))
        agent = self.start_agent("n0")
        self.wait_for(lambda: self.is_heard("n0"), "n0 after the restart")
        self.run_a_job()
        # It is removed, and its secret is good for nothing any more.
        self.ask("nodes", "--remove", "n0")
        self.wait_for(lambda: "401" in self.log_of(agent), "a refusal")
        self.assertNotIn("n0", self.nodes())
        again = self.start_agent("n0", "rack2", folder="agent-n0-again")
        self.wait_for(lambda: self.is_heard("n0"), "n0 with a new secret")
        again.terminate()
        self.assertEqual(again.wait(20), 0)
        tokens = json.loads(self.ask("token", "list", "--json"))["tokens"]
        self.assertEqual([one["uses"] for one in tokens if one["name"] == "rack"], [1])
        self.assertIn("nodes/{node}/remove", self.ask("audit"))
        self.assertIn("token create", self.reckon("audit"))
        for line in self.read("reckon.audit.jsonl").splitlines():
            json.loads(line)
        self.assert_no_secret_anywhere()

    def ask_nobody(self):
        done = subprocess.run([self.program, "status", "--server", self.url, "--tls-ca", "ca.pem", "--token-file",
                               "ada"], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("cannot connect", done.stderr)

    def test_tokens_that_are_not_good_are_refused_with_a_reason(self):
        self.make_token("eye", "--scope", "viewer", "--user", "Ops")
        self.make_token("brief", "--scope", "operator", "--expires", "1s")
        self.make_token("gone", "--scope", "operator")
        self.write("job.yaml", "name: quick\nrun: sleep 0.2\n")
        self.reckon("token", "revoke", "gone")
        time.sleep(1.1)
        self.assertIn("was revoked", self.ask("status", token_file="gone", expect=2))
        self.assertIn("has expired", self.ask("status", token_file="brief", expect=2))
        self.write("wrong", "reckon_" + "0" * 64 + "\n")
        self.assertIn("token is wrong", self.ask("status", token_file="wrong", expect=2))
        self.ask("nodes", token_file="eye")
        self.assertIn("an operator's token is needed", self.ask("run", "job.yaml", token_file="eye", expect=2))
        self.assertIn("an admin's token is needed", self.ask("token", "list", token_file="eye", expect=2))
        self.assertEqual(self.call("GET", "/api/v1/whoami", self.secrets[1])[1]["user"], "Ops")
        agent = self.start_agent("n0", "eye")
        self.assertEqual(agent.wait(20), 2)
        self.assertIn("a join token is needed", self.log_of(agent))
        agent = self.start_agent("n1")
        self.assertEqual(agent.wait(20), 2)
        self.assertIn("a token is needed", self.log_of(agent))
        # Made and revoked by way of the service.
        made = self.ask("token", "create", "grafana", "--scope", "viewer")
        self.said.pop()  # which is where it is shown
        self.secrets.append(next(word for word in made.split() if word.startswith("reckon_")))
        self.ask("token", "revoke", "grafana")
        self.ask("token", "revoke", "grafanas", expect=2)
        log = self.ask("audit", "--json")
        refused = [line for line in json.loads(log)["audit"] if line.get("why")]
        self.assertGreaterEqual(len(refused), 7, refused)
        self.assertEqual({line["from"] for line in refused}, {"127.0.0.1"})
        self.assert_no_secret_anywhere()

    def test_who_is_not_who_it_should_be_is_not_spoken_to(self):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                     "-keyout", "other.key", "-out", "other.pem", "-subj", "/CN=another root")
        agent = self.start_agent("n0", "ada", ca="other.pem")
        self.assertEqual(agent.wait(20), 2)
        self.assertIn("issuer that is not known", self.log_of(agent))
        plain = self.start("agent", "--manager", self.url.replace("https", "http"), "--token-file", "ada", "--name",
                           "n0", "--folder", "agent-plain")
        self.assertEqual(plain.wait(20), 2)
        self.assertIn("speaks TLS", self.log_of(plain))
        # A new certificate is shown after SIGHUP, without a stop.
        self.make_certificate("cert.pem", "key.pem", names="DNS:elsewhere.example")
        self.manager.send_signal(signal.SIGHUP)
        self.wait_for(lambda: "read again" in self.log_of(self.manager), "a new certificate")
        self.assertIn("for another name than", self.ask("status", expect=2))
        self.make_certificate("cert.pem", "key.pem")
        self.manager.send_signal(signal.SIGHUP)
        self.wait_for(lambda: self.log_of(self.manager).count("read again") == 2, "a new certificate")
        self.ask("nodes")
        self.assertIsNone(self.manager.poll())


if __name__ == "__main__":
    main()
