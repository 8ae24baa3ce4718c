"""Collects events and posts them from a thread; see docs/reporting.md for the protocol."""

import atexit
import collections
import http.client
import json
import os
import re
import sys
import threading
import time
from urllib.parse import urlsplit

EVERY_S = 0.5
_PATIENCE_S = 1.5  # with connecting, and with each part of an answer
_LAST_FLUSH_S = 3.0
_PAUSE_IN_HURRY_S = 0.1
_MOST_STEPS = 100000
_MOST_LATENCIES = 100000
_MOST_EVENTS = 10000
# What is taken at once, well below the 8 MiB that the other side takes in a report.
_STEPS_AT_ONCE = 20000
_LATENCIES_AT_ONCE = 20000
_EVENTS_AT_ONCE = 1000
_EVENTS_A_REPORT = 5000  # it takes 10 000; steps that do not follow each other are one each

_said = set()


def complain(text, topic=None):
    """Once a topic, so that a training of a million steps does not say it a million times."""
    topic = topic or text
    if topic in _said or len(_said) >= 20:
        return
    _said.add(topic)
    try:
        sys.stderr.write("%s (said once)\n" % text)
    except Exception:  # pylint: disable=broad-except
        pass  # there is nobody to tell


def _from_environment(name, pattern, otherwise):
    text = os.environ.get(name, otherwise)
    if re.fullmatch(pattern, text):
        return text
    complain("reckon: %s is '%s'; reporting with '%s' instead" % (name, text, otherwise))
    return otherwise


class Sender:
    """Thread-safe. Never holds the lock while it talks or writes JSON."""

    def __init__(self, url, token, rank, role):
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError("RECKON_STATUS_URL is '%s'; expected http://HOST:PORT/PATH" % url)
        self._host = parts.hostname
        self._port = parts.port or 80
        self._target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        self._token = token
        self._rank = rank
        self._role = role
        # With the number of a report, so that one which had to be sent again counts once.
        self._id = os.urandom(8).hex()
        self._lock = threading.Condition()
        self._events = collections.deque()
        self._steps = collections.deque()
        self._latencies = collections.deque()
        self._next_step = 0
        self._progress = None
        self._under_way = False
        self._hurry = False
        self._connection = None  # of the thread alone, as the next
        self._sequence = 0
        self.ending = False  # the supervisor has said that the training shall end after its epoch
        self._thread = threading.Thread(target=self._run, name="reckon", daemon=True)
        self._thread.start()

    def add(self, event):
        with self._lock:
            dropped = _push(self._events, event, _MOST_EVENTS)
        if dropped:
            self._say_dropped()

    def add_latency(self, at, seconds, missed):
        with self._lock:
            dropped = _push(self._latencies, (at, seconds, missed), _MOST_LATENCIES)
        if dropped:
            self._say_dropped()

    def add_step(self, at, epoch, index, values):
        with self._lock:
            if index is None:
                index = self._next_step
            self._next_step = index + 1
            dropped = _push(self._steps, (at, epoch, index, values), _MOST_STEPS)
        if dropped:
            self._say_dropped()

    def set_progress(self, event):
        with self._lock:
            self._progress = event

    def flush(self, limit_s):
        """False when `limit_s` passed before all was sent or refused."""
        end = time.monotonic() + limit_s
        with self._lock:
            self._hurry = True
            self._lock.notify_all()
            try:
                while self._pending() or self._under_way:
                    left = end - time.monotonic()
                    if left <= 0 or not self._thread.is_alive():
                        return False
                    self._lock.wait(left)
            finally:
                self._hurry = False
        return True

    def _pending(self):
        return bool(self._events or self._steps or self._latencies or self._progress)

    @staticmethod
    def _say_dropped():
        complain("reckon: reports wait too long for the supervisor; the oldest are dropped")

    def _run(self):
        unsent = collections.deque()
        while True:
            reached = True
            while reached:
                if not unsent:
                    taken = self._take()
                    if taken is None:
                        break
                    unsent.extend(self._compose(*taken))
                    continue
                reached = self._post(unsent[0])
                if reached:
                    unsent.popleft()
            with self._lock:
                if reached and self._hurry and self._pending():
                    continue
                self._lock.wait(_PAUSE_IN_HURRY_S if self._hurry and not reached else EVERY_S)

    def _take(self):
        """(steps, latencies, events) that go next; None when there are none."""
        with self._lock:
            steps = _pop(self._steps, _STEPS_AT_ONCE)
            latencies = _pop(self._latencies, _LATENCIES_AT_ONCE)
            events = _pop(self._events, _EVENTS_AT_ONCE)
            if self._progress is not None:
                events.append(self._progress)
                self._progress = None
            self._under_way = bool(steps or latencies or events)
            if not self._under_way:
                self._lock.notify_all()
                return None
            return steps, latencies, events

    def _compose(self, steps, latencies, events):
        """Reports with all of them, each short enough to be taken."""
        events = _batches(steps) + _latency_event(latencies) + events
        reports = []
        for begin in range(0, len(events), _EVENTS_A_REPORT):
            report = {
                "rank": self._rank,
                "role": self._role,
                "sender": self._id,
                "sequence": self._sequence,
                "events": events[begin : begin + _EVENTS_A_REPORT],
            }
            self._sequence += 1
            try:
                reports.append(json.dumps(report, allow_nan=False).encode("ascii"))
            except Exception as problem:  # pylint: disable=broad-except
                complain("reckon: a report cannot be written: %s" % problem)
        return reports

    def _post(self, body):
        """False: to be tried again."""
        # A connection that the other side closed while it was idle is made anew, once.
        for attempt in range(2):
            fresh = self._connection is None
            try:
                if fresh:
                    self._connection = http.client.HTTPConnection(
                        self._host, self._port, timeout=_PATIENCE_S
                    )
                self._connection.request(
                    "POST",
                    self._target,
                    body,
                    {"Authorization": "Bearer " + self._token, "Content-Type": "application/json"},
                )
                answer = self._connection.getresponse()
                text = answer.read(1 << 16)
                if answer.will_close or not answer.isclosed():
                    self._disconnect()
                return self._judge(answer.status, text)
            except (OSError, http.client.HTTPException) as problem:
                self._disconnect()
                closed = isinstance(
                    problem, (ConnectionError, http.client.RemoteDisconnected)
                )
                if fresh or not closed or attempt == 1:
                    complain("reckon: the supervisor did not get a report: %s" % problem, "away")
                    return False
            except Exception as problem:  # pylint: disable=broad-except
                self._disconnect()
                complain("reckon: a report cannot be sent: %s" % problem)
                return True  # trying again would fail again
        return False

    def _judge(self, status, text):
        if status < 300:
            self._hear(text)
            return True
        said = "status %d: %s" % (status, text[:200].decode("utf-8", "replace"))
        if status >= 500:
            complain("reckon: the supervisor did not take a report: %s" % said, "away")
            return False
        complain("reckon: the supervisor refused a report: %s" % said, "refused")
        return True

    def _hear(self, text):
        """What comes back from a report that was taken: mostly nothing."""
        if not text:
            return
        try:
            answer = json.loads(text)
        except ValueError:
            return
        if isinstance(answer, dict) and answer.get("end") == "epoch":
            self.ending = True

    def _disconnect(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _push(queue, item, most):
    """Whether the oldest had to go."""
    dropped = len(queue) >= most
    if dropped:
        queue.popleft()
    queue.append(item)
    return dropped


def _pop(queue, most):
    return [queue.popleft() for _ in range(min(most, len(queue)))]


def _batches(steps):
    """`steps` events: steps that follow each other in one epoch and have the same fields."""
    events = []
    follows = None
    for at, epoch, index, values in steps:
        key = (epoch, index, tuple(values))
        if key != follows:
            event = {"kind": "steps", "at": at, "first": index}
            if epoch is not None:
                event["epoch"] = epoch
            event.update((name, []) for name in values)
            events.append(event)
        events[-1]["at"] = at
        for name, value in values.items():
            events[-1][name].append(value)
        follows = (epoch, index + 1, tuple(values))
    return events


def _latency_event(latencies):
    """A list of one event for all of them, or of none."""
    if not latencies:
        return []
    return [
        {
            "kind": "latency",
            "at": latencies[-1][0],
            "seconds": [seconds for _, seconds, _ in latencies],
            "missed": sum(missed for _, _, missed in latencies),
        }
    ]


class _State:
    """The one sender of this process, made by the first who needs it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sender = None
        self.broken = False


_state = _State()


def configured():
    """Whether the environment is that of a run of Reckon."""
    return bool(os.environ.get("RECKON_STATUS_URL"))


def current():
    """The sender, or None outside a run of Reckon.

    RANK is read when the first asks: launchers of processes set it after their imports.
    """
    state = _state
    if state.sender is not None or state.broken:
        return state.sender
    if not configured():
        return None
    with state.lock:
        if state.sender is None and not state.broken:
            state.broken = True  # unless what follows works out
            state.sender = Sender(
                os.environ["RECKON_STATUS_URL"],
                os.environ.get("RECKON_TOKEN", ""),
                int(_from_environment("RANK", r"[0-9]{1,9}", "0")),
                _from_environment("RECKON_ROLE", r"[a-z0-9_]{1,64}", "worker"),
            )
            state.broken = False
            _flush_at_exit()
        return state.sender


def _last_flush():
    if _state.sender is not None:
        _state.sender.flush(_LAST_FLUSH_S)


def _flush_at_exit():
    atexit.register(_last_flush)
    # Children of multiprocessing leave without atexit; they run their own finalizers.
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _last_flush, exitpriority=1)


def _after_fork():
    """A child has neither the thread nor the events: if it tells something, it begins anew."""
    global _state  # pylint: disable=global-statement
    _state = _State()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
