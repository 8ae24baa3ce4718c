"""What the tests that kill parts of runs share: starting runs, finding their processes, and looking
for what they leave behind. Standard library only."""

import errno
import fcntl
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

FINAL = ("finished", "failed", "stopped")
# Names under which files are written before they get their own (src/base/file.cc, and in general).
HALF_WRITTEN = re.compile(r"^\.reckon-[0-9a-f]{8}$|\.tmp|\.partial$|~$")
COMMAND_LIMIT_S = 60


class Wrong(Exception):
    """A check that did not hold."""


def require(condition, message):
    if not condition:
        raise Wrong(message)


def missed_too_often(hits, kinds, rounds):
    """Why rounds that all went well prove nothing; "" when they do. hits: {kind: rounds that hit}."""
    # A few rounds on a machine of another speed may miss by chance; many must not.
    least = rounds / 2 if rounds > 20 else 1
    if sum(hits.values()) < least:
        return f"only {sum(hits.values())} of {rounds} rounds hit"
    spared = [kind for kind in kinds if not hits[kind]]
    return f"never hit: {spared}" if spared and rounds > 20 else ""


def wait_until(look, limit_s, pause_s=0.02):
    """The first value of look() that is true, or the last one when the limit has passed."""
    deadline = time.monotonic() + limit_s
    while True:
        value = look()
        if value or time.monotonic() >= deadline:
            return value
        time.sleep(pause_s)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def processes_naming(words, ignore=()):
    """Processes whose command line or environment holds one of the words: {pid: command line}."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in ignore or int(name) == os.getpid():
            continue
        text = {}
        for part in ("cmdline", "environ"):
            try:
                with open(f"/proc/{name}/{part}", "rb") as file:
                    text[part] = file.read()
            except OSError:
                text[part] = b""
        # A shell that waits for us may name the folder without being part of a run.
        if any(word.encode() in text["cmdline"] + text["environ"] for word in words):
            found[int(name)] = text["cmdline"].replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def empty_rank_cgroups():
    """Folders of ranks (src/act/local/rank_cgroup.cc) whose keeper is dead."""
    return {root for root, _, _ in os.walk("/sys/fs/cgroup")
            if re.fullmatch(r"reckon-rank-\d+", os.path.basename(root))
            and not is_alive(root.rsplit("-", 1)[1])}


class Run:
    """One run in a store and folder of its own."""

    def __init__(self, reckon, job, options=()):
        self.reckon = reckon
        self.folder = tempfile.mkdtemp(prefix="reckon-run-kill-")
        self.path = os.path.join(self.folder, "reckon.runs", "1")
        self.name = "kill"
        with open(os.path.join(self.folder, "job.yaml"), "w", encoding="utf-8") as file:
            json.dump(job, file)  # JSON is YAML
        self.out = open(os.path.join(self.folder, "reckon.out"), "w+", encoding="utf-8")
        self.cgroups = empty_rank_cgroups()
        self.begin = time.monotonic()
        # A folder of its own as home, so that nobody's configuration changes the outcome.
        self.environment = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": ""}
        self.process = subprocess.Popen([reckon, "run", "job.yaml", "-q", *options],
                                        cwd=self.folder, env=self.environment, stdout=self.out,
                                        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                        start_new_session=True)

    def events(self):
        """Whole lines of the events."""
        try:
            with open(os.path.join(self.path, "events.jsonl"), encoding="utf-8") as file:
                lines = file.read().split("\n")[:-1]
        except OSError:
            return []
        return [json.loads(line) for line in lines]

    def ranks(self, role):
        """Those that run right now: {index: pid}."""
        pids = {}
        for event in self.events():
            if event.get("role") != role:
                continue
            if event["kind"] == "rank.started":
                pids[event["index"]] = event["pid"]
            elif event["kind"] == "rank.ended":
                pids.pop(event["index"], None)
        return {index: pid for index, pid in pids.items() if is_alive(pid)}

    def supervisor(self):
        """Its number while it lives, else 0."""
        try:
            with open(os.path.join(self.path, "lock"), encoding="utf-8") as file:
                pid = int(file.read().strip() or 0)
            return pid if pid and is_alive(pid) else 0
        except (OSError, ValueError):
            return 0

    def of(self, kind, role, index):
        return [event for event in self.events()
                if event["kind"] == kind and event.get("role") == role and
                event.get("index") == index]

    def ends_of(self, role, index):
        return self.of("rank.ended", role, index)

    def starts_of(self, role, index):
        return self.of("rank.started", role, index)

    def command(self, *arguments):
        return subprocess.run([self.reckon, *arguments], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=COMMAND_LIMIT_S, check=False)

    def status(self):
        """What `reckon status` says; {} while the store has no run."""
        done = self.command("status", "--json", "-q")
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def wait_for_end(self, limit_s):
        """The final status; Wrong when there is none in time."""
        def look():
            status = self.status()
            return status if status.get("state") in FINAL else None
        status = wait_until(look, limit_s, 0.1)
        require(status, f"no end within {limit_s} s: {self.status()}")
        return status

    def sample_rows(self, name):
        done = self.command("export", "samples", name, "-q")
        return len(done.stdout.splitlines()) - 1 if done.returncode == 0 else 0

    def words(self):
        """What the run's processes are told by."""
        words = [self.folder]
        try:
            with open(os.path.join(self.path, "spec.json"), encoding="utf-8") as file:
                words.append(json.load(file)["token"])
        except (OSError, ValueError, KeyError):
            pass
        return words

    def check_nothing_left(self, limit_s=5):
        words = self.words()
        left = wait_until(lambda: not processes_naming(words), limit_s)
        require(left, f"processes are left: {processes_naming(words)}")
        gone = wait_until(lambda: empty_rank_cgroups() <= self.cgroups, limit_s)
        require(gone, f"cgroups are left: {empty_rank_cgroups() - self.cgroups}")
        for lock in glob.glob(os.path.join(self.path, "**", "lock"), recursive=True):
            with open(lock, "rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    require(error.errno != errno.EWOULDBLOCK, f"{lock} is held")
        for root, _, names in os.walk(self.folder):
            for name in names:
                require(not HALF_WRITTEN.search(name), f"half-written: {os.path.join(root, name)}")
                if name.endswith(".json"):
                    with open(os.path.join(root, name), encoding="utf-8") as file:
                        json.load(file)

    def check_store(self):
        """Whole, and says that the run is over."""
        path = os.path.join(self.folder, "reckon.db")
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            require(store.execute("PRAGMA integrity_check").fetchall() == [("ok",)],
                    "the store is damaged")
            states = [row[0] for row in store.execute("SELECT state FROM run")]
        finally:
            store.close()
        require(states and all(state in FINAL for state in states), f"states in the store: {states}")

    def story(self):
        """What the run has said of itself, for whoever looks for the reason of a failure."""
        self.out.flush()
        with open(self.out.name, encoding="utf-8") as file:
            said = file.read()
        logs = {os.path.basename(path): open(path, encoding="utf-8", errors="replace").read()[-2000:]
                for path in glob.glob(os.path.join(self.path, "logs", "*"))}
        return "\n".join([f"reckon said: {said}", *map(json.dumps, self.events()[-60:]),
                          *(f"{name}: {text}" for name, text in logs.items()),
                          f"processes: {processes_naming(self.words())}"])

    def clean(self, keep=False):
        """Ends what is left of the run, whatever that is; removes its folder."""
        for pid in processes_naming(self.words()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(lambda: not processes_naming(self.words()), 5)
        for cgroup in empty_rank_cgroups() - self.cgroups:  # of keepers that were killed above
            try:
                os.rmdir(cgroup)
            except OSError:
                pass
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.out.close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
