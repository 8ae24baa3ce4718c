"""What a script calls. Every function may be called from any thread, and none raises."""

import functools
import math
import sys
import time

from . import sender

# In characters; the other side takes four times as many bytes.
_MOST_NAME = 64
_MOST_MESSAGE = 16 << 10


def _quiet(function):
    """Whatever goes wrong with a report must not stop the training."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as problem:  # pylint: disable=broad-except
            name = function.__name__.lstrip("_")
            sender.complain("reckon.%s: %s" % (name, problem), topic=name)
            return None

    return wrapper


def _amount(name, value):
    """`value` (also of numpy or torch) as a number that JSON can carry."""
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError("%s is %r; expected a finite number, not negative" % (name, value))
    return number


def _whole(name, value):
    number = int(value)
    if number != value or number < 0:
        raise ValueError("%s is %r; expected a whole number, not negative" % (name, value))
    return number


def _text(text, most):
    # Half a surrogate pair, as from a file name, is no text to anyone else.
    return text[:most].encode("utf-8", "replace").decode("utf-8")


def _name(what, text):
    if not isinstance(text, str) or not text:
        raise ValueError("%s is %r; expected a text" % (what, text))
    return _text(text, _MOST_NAME)


def active():
    """Whether this process runs inside a run of Reckon."""
    return sender.configured()


@_quiet
def ending():
    """Whether the training shall end after the epoch that it is in: see early_stop in docs/job-file.md.

    Ranks hear it with the answers to what they report, not all at the same moment: those that train
    in step ask in rank 0 alone and tell the others.
    """
    current = sender.current()
    return current is not None and current.ending


class stage:  # pylint: disable=invalid-name
    """Times a stage: `with reckon.stage("train_epoch", epoch=1): ...`.

    A stage that ends by an exception is not reported. `seconds` is set after the block.
    """

    def __init__(self, name, epoch=None):
        self.name = name
        self.epoch = epoch
        self.seconds = None
        self._begin = None

    def __enter__(self):
        self._begin = time.perf_counter()
        return self

    def __exit__(self, kind, problem, trace):
        self.seconds = time.perf_counter() - self._begin
        if kind is None:
            _tell_stage(self.name, self.seconds, self.epoch)
        return False


@_quiet
def _tell_stage(name, seconds, epoch):
    to = sender.current()
    if to is None:
        return
    event = {"kind": "stage", "at": time.time(), "stage": _name("stage", name), "seconds": seconds}
    if epoch is not None:
        event["epoch"] = _whole("epoch", epoch)
    to.add(event)


@_quiet
def step(
    compute_s,
    epoch=None,
    push_s=None,
    update_s=None,
    pull_s=None,
    bytes_sent=None,
    bytes_received=None,
    index=None,
):
    """One training step has ended. Steps are counted from 0 unless `index` is given."""
    to = sender.current()
    if to is None:
        return
    values = {"compute_s": _amount("compute_s", compute_s)}
    for name, value in (("push_s", push_s), ("update_s", update_s), ("pull_s", pull_s)):
        if value is not None:
            values[name] = _amount(name, value)
    for name, value in (("bytes_sent", bytes_sent), ("bytes_received", bytes_received)):
        if value is not None:
            values[name] = _whole(name, value)
    to.add_step(
        time.time(),
        None if epoch is None else _whole("epoch", epoch),
        None if index is None else _whole("index", index),
        values,
    )


@_quiet
def metric(name, value, epoch=None):
    """A figure such as accuracy or loss."""
    to = sender.current()
    if to is None:
        return
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("%s is %r; expected a finite number" % (name, value))
    event = {"kind": "metric", "at": time.time(), "name": _name("name", name), "value": number}
    if epoch is not None:
        event["epoch"] = _whole("epoch", epoch)
    to.add(event)


@_quiet
def progress(done, total, unit=None, remaining_s=None):
    """How much of the work is done. The newest takes the place of one that was not yet sent."""
    to = sender.current()
    if to is None:
        return
    event = {"kind": "progress", "at": time.time(), "done": _amount("done", done)}
    event["total"] = _amount("total", total)
    if event["total"] == 0:
        raise ValueError("total is 0; expected a number above 0")
    if unit is not None:
        event["unit"] = _name("unit", unit)
    if remaining_s is not None:
        event["remaining_s"] = _amount("remaining_s", remaining_s)
    to.set_progress(event)


@_quiet
def latency(seconds, missed=False):
    """A request or cycle of this background process took so long; whether it missed its deadline."""
    to = sender.current()
    if to is not None:
        to.add_latency(time.time(), _amount("seconds", seconds), bool(missed))


@_quiet
def ready():
    """This background process has reached its steady state."""
    to = sender.current()
    if to is not None:
        to.add({"kind": "ready", "at": time.time()})


@_quiet
def error(message):
    """Why this process is about to end."""
    to = sender.current()
    text = str(message)
    if to is not None and text:
        to.add({"kind": "error", "at": time.time(), "message": _text(text, _MOST_MESSAGE)})


@_quiet
def flush(limit_s=3.0):
    """Waits until all that was told has been sent, `limit_s` seconds at most."""
    to = sender.current()
    return True if to is None else to.flush(limit_s)


def _report_exceptions():
    """An exception that ends the script is the reason why this rank ended."""
    previous = sys.excepthook

    def hook(kind, problem, trace):
        if not issubclass(kind, KeyboardInterrupt):
            error("%s: %s" % (kind.__name__, problem))
        previous(kind, problem, trace)

    sys.excepthook = hook


# Before the first event: an import that fails is a reason too.
if active():
    _report_exceptions()
