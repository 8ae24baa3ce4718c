#!/usr/bin/python3
"""How fast Reckon searches a published grid and fits the generic law, against Python's tools.

usage: bench/learn_speed.py [--reckon build/bin/reckon] [--part grid|law|all] [--draws 3]

grid: the 819 candidates of Table II (training on Ray) with five folds on 360 rows of five columns,
      whose inverses, logs and products make 104 features; scikit-learn and XGBoost of Debian with two
      processes, `reckon fit --preset ray-paper -j 2`. Each program draws its own folds, so the best
      cross-validated MAPE is also given as the mean over --draws draws of folds; for the later draws
      the Python side repeats only the technique that won the first.
law:  25 parameters, 900 rows; scipy's differential evolution at its defaults, `reckon fit --technique
      generic` (which also fits five folds, for the interval), and with `--repeats 10`.

Needs Debian's python3-sklearn, python3-xgboost and python3-scipy. Nothing else should run meanwhile.
"""
import argparse
import csv
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
warnings.filterwarnings('ignore')
os.environ['PYTHONWARNINGS'] = 'ignore'  # for the processes that scikit-learn starts


def timed(action):
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def reckon(binary, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'reckon {arguments[0]} failed: {done.stderr.strip()}')
    return done.stdout


def write(path, header, rows):
    with open(path, 'w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def grid_rows():
    """Epochs on clusters of machines with 2, 4 or 8 cores, each measured twice with 2 % of noise."""
    noise = np.random.default_rng(11)
    machines = {2: (2, 4, 8, 16, 32, 64), 4: (2, 4, 8, 16, 32), 8: (2, 4, 8, 16)}
    rows = []
    for images, batch, cores in itertools.product((6e4, 12e4, 24e4, 48e4), (64, 128, 256), machines):
        for workers, _ in itertools.product(machines[cores], range(2)):
            compute = 0.002 * images / (workers * cores ** 0.7)
            exchange = 0.006 * np.log2(workers) * images / (workers * batch)
            seconds = (4 + compute + exchange + 0.05 * workers) * np.exp(noise.normal(0, 0.02))
            rows.append((images, workers, cores, workers * cores, batch, seconds))
    return ('num_images', 'n', 'j', 'num_cpus', 'b', 'y'), np.array(rows)


def table_two():
    import xgboost
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import Ridge
    from sklearn.tree import DecisionTreeRegressor
    return {
        'ridge': (Ridge(), {'alpha': [0.01, 0.1, 1]}),
        'xgboost': (xgboost.XGBRegressor(n_jobs=1),
                    {'min_child_weight': [1, 3], 'gamma': [0, 1], 'n_estimators': [50, 150],
                     'learning_rate': [0.01, 0.05, 0.1], 'max_depth': [1, 5, 10]}),
        'tree': (DecisionTreeRegressor(),
                 {'criterion': ['squared_error', 'friedman_mse', 'absolute_error'],
                  'max_depth': [3, 5, 10, 20], 'max_features': [1.0, 'sqrt', 'log2'],
                  'min_samples_split': [0.01, 0.1, 0.2, 0.5],
                  'min_samples_leaf': [0.01, 0.05, 0.1, 0.2, 0.3]}),
        'forest': (RandomForestRegressor(n_jobs=1),
                   {'n_estimators': [10, 50, 200], 'criterion': ['absolute_error'],
                    'max_depth': [3, 10], 'max_features': [1.0], 'min_samples_split': [0.1, 0.5],
                    'min_samples_leaf': [1, 4]}),
    }


def python_grid(table, names, draw):
    from sklearn.model_selection import GridSearchCV, KFold
    x, y = table[:, :5], table[:, 5]
    basic = np.column_stack([x, 1 / x[:, :4], np.log(x[:, :4])])
    pairs = itertools.combinations_with_replacement(range(basic.shape[1]), 2)
    features = np.column_stack([basic] + [basic[:, a] * basic[:, b] for a, b in pairs])
    folds = KFold(5, shuffle=True, random_state=draw)
    best = {}
    for name, (model, grid) in table_two().items():
        if name not in names:
            continue
        search = GridSearchCV(model, grid, cv=folds, n_jobs=2,
                              scoring='neg_mean_absolute_percentage_error')
        best[name] = -100 * search.fit(features, y).best_score_
    return best


def bench_grid(binary, folder, draws):
    header, table = grid_rows()
    data = folder / 'grid.csv'
    write(data, header, ([f'{cell:.10g}' for cell in row] for row in table))

    def search(seed):
        report = json.loads(reckon(binary, 'fit', '--data', data, '--target', 'y', '--preset',
                                   'ray-paper', '--seed', seed, '-j', 2, '--json'))
        return min(row['selection']['mape_percent'] for row in report['leaderboard'])

    own_seconds, own = timed(lambda: search(1))
    peer_seconds, peer = timed(lambda: python_grid(table, list(table_two()), 1))
    winner = min(peer, key=peer.get)
    own_draws = [own] + [search(seed) for seed in range(2, draws + 1)]
    peer_draws = [peer[winner]] + [python_grid(table, [winner], draw)[winner]
                                   for draw in range(2, draws + 1)]
    print(f"Table II's grid, {len(table)} rows, 104 features, 819 candidates, 5 folds, 2 cores")
    print(f"{'':28}{'s':>9}{'best MAPE %':>13}{f'mean of {draws} draws':>18}")
    for name, seconds, first, every in (('scikit-learn + XGBoost', peer_seconds, peer[winner], peer_draws),
                                        ('reckon', own_seconds, own, own_draws)):
        print(f'{name:28}{seconds:9.2f}{first:13.3f}{statistics.mean(every):18.3f}')
    print(f"{'ratio':28}{peer_seconds / own_seconds:9.0f}\n")


NUMBERS = {'filters': (4, 8, 16, 32, 64), 'kernel': (2, 3, 4, 5), 'pool': (2, 3, 4, 5),
           'rate': (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6), 'stride': (1, 2, 3),
           'dropout': (0.2, 0.5, 0.8)}
CATEGORIES = {'padding': ('valid', 'same'), 'activation': ('relu', 'tanh', 'sigmoid'),
              'dataset': ('mnist', 'fashion', 'cifar10'), 'optimizer': ('sgd', 'adam')}
RESOURCES = {'gpus': (1, 2, 3), 'batch': (8, 16, 32, 64, 128)}


class LawData:
    def __init__(self, rows=900):
        draw = np.random.default_rng(7)
        pick = lambda columns: np.column_stack([draw.choice(v, rows) for v in columns.values()])
        self.inner = pick(NUMBERS).astype(float)
        self.levels = [draw.integers(0, len(levels), rows) for levels in CATEGORIES.values()]
        self.flags = np.hstack([np.eye(len(levels))[codes]
                                for levels, codes in zip(CATEGORIES.values(), self.levels)])
        self.outer = pick(RESOURCES).astype(float)
        powers = np.array([0.7, 1.4, -0.6, -0.03, -0.9, 0.4])
        factors = np.array([1.5, 3, 1.2, 0.02, 4, 0.8])
        inside = self.inner ** powers @ factors + self.flags @ draw.uniform(0, 20, self.flags.shape[1])
        clean = 3 * inside * self.outer[:, 0] ** -0.9 * self.outer[:, 1] ** -0.75 + 3
        self.y = clean * np.exp(draw.normal(0, 0.03, rows))

    def write(self, path):
        names = [list(levels) for levels in CATEGORIES.values()]
        rows = []
        for i in range(len(self.y)):
            words = [levels[codes[i]] for levels, codes in zip(names, self.levels)]
            rows.append([*map('{:.10g}'.format, self.inner[i]), *words,
                         *map('{:.10g}'.format, self.outer[i]), f'{self.y[i]:.10g}'])
        write(path, [*NUMBERS, *CATEGORIES, *RESOURCES, 'y'], rows)

    def cost(self, x):
        k, levels = self.inner.shape[1], self.flags.shape[1]
        inside = self.inner ** x[k:2 * k] @ x[:k] + self.flags @ x[2 * k:2 * k + levels]
        times = inside * np.prod(self.outer ** x[2 * k + levels:-1], axis=1) + x[-1]
        return np.abs(times - self.y).mean()

    def bounds(self):
        k, levels = self.inner.shape[1], self.flags.shape[1]
        return ([(0, 1000)] * k + [(-5, 5)] * k + [(0, 1000)] * levels
                + [(-5, 5)] * self.outer.shape[1] + [(0, 1000)])


def bench_law(binary, folder):
    from scipy.optimize import differential_evolution
    law = LawData()
    data, model, forecasts = folder / 'law.csv', folder / 'law.json', folder / 'law_out.csv'
    law.write(data)
    fit = ('fit', '--data', data, '--target', 'y', '--technique', 'generic', '--seed', 1, '--out', model)
    ten_seconds, _ = timed(lambda: reckon(binary, *fit, '--repeats', 10))
    own_seconds, _ = timed(lambda: reckon(binary, *fit))
    reckon(binary, 'predict', '--model', model, '--data', data, '--out', forecasts)
    with open(forecasts, newline='') as file:
        errors = [abs(float(row['predicted']) - float(row['y'])) for row in csv.DictReader(file)]
    peer_seconds, found = timed(lambda: differential_evolution(law.cost, law.bounds(), seed=1))
    print(f'The generic law, {len(law.bounds())} parameters, {len(law.y)} rows')
    print(f"{'':28}{'s':>9}{'mean |error|':>14}")
    print(f"{'scipy, one fit':28}{peer_seconds:9.2f}{found.fun:14.4f}")
    print(f"{'reckon, folds and fit':28}{own_seconds:9.2f}{statistics.mean(errors):14.4f}")
    print(f"{'ratio':28}{peer_seconds / own_seconds:9.0f}")
    print(f"{'reckon, ten repeats':28}{ten_seconds:9.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--reckon', default=str(ROOT / 'build/bin/reckon'))
    parser.add_argument('--part', choices=('grid', 'law', 'all'), default='all')
    parser.add_argument('--draws', type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.part != 'law':
            bench_grid(options.reckon, pathlib.Path(name), options.draws)
        if options.part != 'grid':
            bench_law(options.reckon, pathlib.Path(name))


if __name__ == '__main__':
    main()
