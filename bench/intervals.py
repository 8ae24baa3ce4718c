#!/usr/bin/python3
"""Reckon's 90 % intervals beside split-conformal intervals around the usual models.

usage: bench/intervals.py [--tasks DIR] [--reckon build/bin/reckon] [--only REGEX]

The peers (Debian's python3-sklearn): gradient-boosted trees on log time for random splits; for
extrapolation the best, by its error on the very test rows, of ridge on logs, Ernest's law and those
trees. Each is fitted to 75 % of the training rows; the conformal 90 % quantile of its absolute
residuals on log time over the other 25 % is the half width. Printed per kind of task: rows covered,
pooled, and the geometric mean over tasks of the mean interval score (width plus 20 times the miss),
in per cent of the truth.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import nnls
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import Ridge

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEVEL = 0.9
MISS_FACTOR = 2 / (1 - LEVEL)
CALIBRATION_SHARE = 0.25


def read(path):
    with open(path, newline='') as file:
        return list(csv.DictReader(file))


def encode(rows, meta, levels):
    numbers = np.array([[float(row[c]) for c in meta['numeric']] for row in rows])
    flags = np.array([[float(row[c] == level) for c, level in levels] for row in rows])
    return numbers.reshape(len(rows), -1), flags.reshape(len(rows), -1)


def logs(numbers):
    return np.where(numbers > 0, np.log(np.maximum(numbers, 1e-12)), numbers)


class Boosted:
    def fit(self, numbers, flags, y):
        self.model = GradientBoostingRegressor(n_estimators=300, max_depth=5, learning_rate=0.05,
                                               subsample=0.8, random_state=1)
        self.model.fit(np.hstack([numbers, flags]), np.log(y))

    def predict(self, numbers, flags):
        return self.model.predict(np.hstack([numbers, flags]))


class RidgeOnLogs:
    def fit(self, numbers, flags, y):
        self.model = Ridge(alpha=1e-2).fit(np.hstack([logs(numbers), flags]), np.log(y))

    def predict(self, numbers, flags):
        return self.model.predict(np.hstack([logs(numbers), flags]))


class Ernest:
    """a + b s/m + c log m + d m, all >= 0, relative errors."""

    def __init__(self, workers, size):
        self.workers, self.size = workers, size

    def terms(self, numbers):
        m = numbers[:, self.workers]
        s = numbers[:, self.size] if self.size is not None else np.ones(len(m))
        return np.column_stack([np.ones(len(m)), s / m, np.log(m), m])

    def fit(self, numbers, flags, y):
        self.weights, _ = nnls(self.terms(numbers) / y[:, None], np.ones(len(y)))

    def predict(self, numbers, flags):
        return np.log(np.maximum(self.terms(numbers) @ self.weights, 1e-9))


def conformal(model, train, test, y):
    """Predictions for the test rows on the log scale, and the half width."""
    order = np.random.default_rng(1).permutation(len(y))
    held_out = max(1, round(CALIBRATION_SHARE * len(y)))
    kept, left = order[held_out:], order[:held_out]
    model.fit(train[0][kept], train[1][kept], y[kept])
    residuals = np.sort(np.abs(np.log(y[left]) - model.predict(train[0][left], train[1][left])))
    rank = min(len(residuals), math.ceil(LEVEL * (len(residuals) + 1)))
    return model.predict(*test), residuals[rank - 1]


def score(lower, upper, truth):
    misses = np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0)
    relative = (upper - lower + MISS_FACTOR * misses) / truth * 100
    return int(np.sum((lower <= truth) & (truth <= upper))), float(np.mean(np.minimum(relative, 1e6)))


def theirs(meta, train, test):
    levels = sorted({(c, row[c]) for c in meta['categorical'] for row in train})
    y = np.array([float(row['y']) for row in train])
    truth = np.array([float(row['y']) for row in test])
    known, asked = encode(train, meta, levels), encode(test, meta, levels)
    models = [Boosted()]
    if meta['kind'] != 'random':
        models.append(RidgeOnLogs())
        index = {c: i for i, c in enumerate(meta['numeric'])}
        workers, size = index.get(meta.get('workers')), index.get(meta.get('size'))
        if workers is not None:
            models.append(Ernest(workers, size))
    best = None
    for model in models:
        predicted, half = conformal(model, known, asked, y)
        error = np.mean(np.abs(np.exp(predicted) / truth - 1))
        if best is None or error < best[0]:
            best = error, predicted, half
    _, predicted, half = best
    return score(np.exp(predicted - half), np.exp(predicted + half), truth)


def ours(reckon, task, meta, test):
    with tempfile.TemporaryDirectory() as folder:
        blind, model, answers = (pathlib.Path(folder, n) for n in ('blind.csv', 'm.json', 'p.csv'))
        with open(blind, 'w', newline='') as file:
            writer = csv.DictWriter(file, [c for c in test[0] if c != 'y'], extrasaction='ignore')
            writer.writeheader()
            writer.writerows(test)
        fit = [reckon, 'fit', '--data', task / 'train.csv', '--target', 'y', '--out', model]
        if meta.get('extrapolate'):
            fit += ['--extrapolate', meta['extrapolate']]
        predict = [reckon, 'predict', '--model', model, '--data', blind, '--out', answers]
        for command in (fit, predict):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = read(answers)
    lower, upper = (np.array([float(row[c]) for row in rows]) for c in ('lower', 'upper'))
    return score(lower, upper, np.array([float(row['y']) for row in test]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tasks', type=pathlib.Path, default=ROOT.parent / 'shared/data/tasks')
    parser.add_argument('--reckon', type=pathlib.Path, default=ROOT / 'build/bin/reckon')
    parser.add_argument('--only', default='')
    args = parser.parse_args()
    if not args.tasks.is_dir():
        sys.exit(f'no tasks at {args.tasks}: the measurements are not part of this repository; '
                 'name their folder with --tasks')
    if not args.reckon.is_file():
        sys.exit(f'no program at {args.reckon}: build it, or name it with --reckon')
    results = {'random': [], 'extrapolation': []}
    print(f"{'task':34s} {'rows':>5s}  {'covered: ours':>13s} {'theirs':>7s}   {'score: ours':>11s} {'theirs':>7s}")
    for task in sorted(args.tasks.iterdir()):
        if not (task / 'meta.json').exists() or not re.search(args.only, task.name):
            continue
        meta = json.loads((task / 'meta.json').read_text())
        train, test = read(task / 'train.csv'), read(task / 'test.csv')
        mine, peer, n = ours(args.reckon, task, meta, test), theirs(meta, train, test), len(test)
        results['random' if meta['kind'] == 'random' else 'extrapolation'].append((n, mine, peer))
        print(f'{task.name:34s} {n:5d}  {100 * mine[0] / n:11.1f} % {100 * peer[0] / n:5.1f} %   '
              f'{mine[1]:11.1f} {peer[1]:7.1f}', flush=True)
    for kind, tasks in results.items():
        if not tasks:
            continue
        n = sum(task[0] for task in tasks)
        covered = [100 * sum(task[who][0] for task in tasks) / n for who in (1, 2)]
        scores = [math.exp(np.mean([math.log(task[who][1]) for task in tasks])) for who in (1, 2)]
        print(f'{kind}: {len(tasks)} tasks, {n} rows; covered {covered[0]:.1f} % ours, '
              f'{covered[1]:.1f} % theirs; geomean interval score {scores[0]:.1f} ours, '
              f'{scores[1]:.1f} theirs')
    return 0


if __name__ == '__main__':
    sys.exit(main())
