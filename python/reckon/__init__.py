"""Tells Reckon how a training script gets on.

Inside a run of Reckon, what is told goes to the run's supervisor from a thread of its own. Anywhere
else every call does nothing. No call raises or waits for the network (except flush). `amounts` is
for before the run: it counts what a network computes.
"""

from .counting import amounts
from .stages import active, ending, error, flush, latency, metric, progress, ready, stage, step

__all__ = [
    "active",
    "amounts",
    "ending",
    "error",
    "flush",
    "latency",
    "metric",
    "progress",
    "ready",
    "stage",
    "step",
]
__version__ = "0.1.0"
