#!/usr/bin/python3
"""How well Reckon's defaults forecast published measurements, and how honest its intervals are.

usage: bench/accuracy.py [--tasks DIR] [--reckon build/bin/reckon] [--only REGEX] [--seconds 60]

A task is a folder with train.csv, test.csv and meta.json; `reckon fit` sees train.csv (with
--extrapolate where the task asks it, seed 1, at most --seconds), `reckon predict` the test rows
without their target. Errors are compared with baselines.csv beside the tasks: each task with its best
method, each kind of task with the best single method by the geometric mean of MAPE.

Intervals of 90 % are compared with split-conformal ones around the usual models, fitted in the same
run (Debian's python3-sklearn): gradient-boosted trees on log time for random splits; for
extrapolation the best, by its error on the very test rows, of ridge on logs, Ernest's law and those
trees. Each is fitted to 75 % of the training rows; the conformal 90 % quantile of its absolute
residuals on log time over the other 25 % is the half width. Printed per kind of task: rows covered, pooled, and the geometric mean over tasks of the mean interval score (width plus 20 times the miss),
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
import time

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


def ours(reckon, task, meta, test, seconds):
    """Covered rows, interval score, MAPE and the seconds of the fit."""
    with tempfile.TemporaryDirectory() as folder:
        blind, model, answers = (pathlib.Path(folder, n) for n in ('blind.csv', 'm.json', 'p.csv'))
        with open(blind, 'w', newline='') as file:
            writer = csv.DictWriter(file, [c for c in test[0] if c != 'y'], extrasaction='ignore')
            writer.writeheader()
            writer.writerows(test)
        fit = [reckon, 'fit', '--data', task / 'train.csv', '--target', 'y', '--seed', '1',
               '--out', model]
        if meta.get('extrapolate'):
            fit += ['--extrapolate', meta['extrapolate']]
        predict = [reckon, 'predict', '--model', model, '--data', blind, '--out', answers]
        begin = time.monotonic()
        subprocess.run(fit, check=True, stdout=subprocess.DEVNULL, timeout=seconds)
        taken = time.monotonic() - begin
        subprocess.run(predict, check=True, stdout=subprocess.DEVNULL)
        rows = read(answers)
    lower, upper = (np.array([float(row[c]) for row in rows]) for c in ('lower', 'upper'))
    truth = np.array([float(row['y']) for row in test])
    predicted = np.array([float(row['predicted']) for row in rows])
    return *score(lower, upper, truth), 100 * np.mean(np.abs(predicted / truth - 1)), taken


def read_baselines(path):
    """Task -> method -> MAPE; empty when the file is not there."""
    baselines = {}
    for row in read(path) if path.is_file() else []:
        if row['method'] != 'best_const':  # knows the answer
            baselines.setdefault(row['task'], {})[row['method']] = float(row['mape_percent'])
    return baselines


def geomean(values):
    return math.exp(np.mean([math.log(value) for value in values]))


def compare(kind, tasks, baselines):
    """One kind of task against the best single method, and each task against its best."""
    shared = set.intersection(*(set(baselines.get(name, {})) for name, *_ in tasks))
    if not shared:
        print(f'{kind}: no baselines.csv beside the tasks')
        return
    single = {m: geomean([baselines[name][m] for name, *_ in tasks]) for m in shared}
    best = min(single, key=single.get)
    mine = geomean([own[2] for _, _, own, _ in tasks])
    far = [name for name, _, own, _ in tasks
           if own[2] > max(1.3 * min(baselines[name].values()), min(baselines[name].values()) + 2)]
    print(f'{kind}: geomean MAPE {mine:.2f} %, best single method {best} {single[best]:.2f} %, ratio '
          f'{mine / single[best]:.3f}; worse than its best method by 1.3x and 2 points: '
          f'{len(far)} of {len(tasks)} {" ".join(far)}; slowest fit '
          f'{max(own[3] for _, _, own, _ in tasks):.1f} s')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tasks', type=pathlib.Path, default=ROOT.parent / 'shared/data/tasks')
    parser.add_argument('--reckon', type=pathlib.Path, default=ROOT / 'build/bin/reckon')
    parser.add_argument('--only', default='')
    parser.add_argument('--seconds', type=float, default=60)
    args = parser.parse_args()
    if not args.tasks.is_dir():
        sys.exit(f'no tasks at {args.tasks}: the measurements are not part of this repository; '
                 'name their folder with --tasks')
    if not args.reckon.is_file():
        sys.exit(f'no program at {args.reckon}: build it, or name it with --reckon')
    results = {'random': [], 'extrapolation': []}
    baselines = read_baselines(args.tasks.parent / 'baselines.csv')
    print(f"{'task':28s} {'rows':>5s} {'MAPE %':>7s} {'best method':>18s} {'ratio':>6s} {'fit s':>6s}  "
          f"{'covered %: ours':>15s} {'theirs':>6s}  {'score: ours':>11s} {'theirs':>7s}")
    for task in sorted(args.tasks.iterdir()):
        if not (task / 'meta.json').exists() or not re.search(args.only, task.name):
            continue
        meta = json.loads((task / 'meta.json').read_text())
        train, test = read(task / 'train.csv'), read(task / 'test.csv')
        mine, peer = ours(args.reckon, task, meta, test, args.seconds), theirs(meta, train, test)
        n, kind = len(test), 'random' if meta['kind'] == 'random' else 'extrapolation'
        results[kind].append((task.name, n, mine, peer))
        methods = baselines.get(task.name, {'none': math.nan})
        best = min(methods, key=methods.get)
        print(f'{task.name:28s} {n:5d} {mine[2]:7.2f} {best:>11s} {methods[best]:6.2f} '
              f'{mine[2] / methods[best]:6.2f} {mine[3]:6.2f}  {100 * mine[0] / n:15.1f} '
              f'{100 * peer[0] / n:6.1f}  {mine[1]:11.1f} {peer[1]:7.1f}', flush=True)
    for kind, tasks in results.items():
        if not tasks:
            continue
        compare(kind, tasks, baselines)
        n = sum(task[1] for task in tasks)
        covered = [100 * sum(task[who][0] for task in tasks) / n for who in (2, 3)]
        scores = [geomean([task[who][1] for task in tasks]) for who in (2, 3)]
        print(f'{kind}: {len(tasks)} tasks, {n} rows; covered {covered[0]:.1f} % ours, '
              f'{covered[1]:.1f} % theirs; geomean interval score {scores[0]:.1f} ours, '
              f'{scores[1]:.1f} theirs')
    return 0


if __name__ == '__main__':
    sys.exit(main())
