#!/usr/bin/python3
"""How much measuring a design needs until it forecasts the rest as well as the full grid would.

usage: bench/design_replay.py [--data ../shared/data/raw] [--reckon build/bin/reckon] [--only REGEX]
                              [--seeds 1,2,3] [--designs optimal,random] [--until 0.5] [--keep DIR] [-j 2]

Recorded tables of published measurements are measured as if live (`reckon profile --replay`). A point is a
configuration; the full grid measures it as often as the table does, a design as often as it wants, at the time that
each repeat took. After every few measurements the model that `reckon fit` would choose is fitted to what was
measured; its error is that at the points not measured. The full grid's error is that of five folds: each point forecast from four fifths of all. Printed per
table and design, for each seed: the share of the full grid's measuring time (in %) after which two models in a
row had at most the full grid's error (once every point was measured: over all points, by folds); the same for 1.05
times that error; from when on no later model was above 1.05 times it ("stays": one lucky stretch does not count); and when 1.05 times it was reached over all points,
those measured forecast by the folds that chose the model. "-": not before --until. Then, as means over seeds, the
error at a third of the time, and how the error that the design itself expected (what --until-error goes by)
compares with the real one: the median ratio, and the share of steps at which it was too low.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
T2 = {'t2.small': (1, 2), 't2.medium': (2, 4), 't2.xlarge': (4, 16), 't2.2xlarge': (8, 32)}
LYNCEUS = ['n_workers', 'batch_size', 'learning_rate', 'synchronism', 'vm_flavor']


def read(path, delimiter=','):
    with open(path, newline='') as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def pick(row, names, **more):
    return {**{name: row[name] for name in names}, **more}


def c3o(data, job):
    return read(data / f'c3o/{job}.tsv', '\t'), 'gross_runtime', None


def scout(data):
    rows = [pick(row, ['num_nodes', 'vm_type'], job=f"{row['workload']} {row['framework_id']}",
                 time_s=row['elapsed_time_s'])
            for row in read(data / 'scout_aws/scout_multi_node.csv') if row['completed'] == 'True']
    return rows, 'time_s', None


def t2(row):
    return dict(zip(('vcpus', 'memory_gib'), T2[row['vm_flavor']]))


def lynceus(data):
    """Seconds an iteration, which the time-out of ten minutes does not censor; a run takes what it took."""
    rows = [pick(row, LYNCEUS, **t2(row), took_s=row['training_time'],
                 step_s=float(row['training_time']) / float(row['total_iterations']))
            for row in read(data / 'lynceus_tensorflow/t2_cnn.csv')]
    return rows, 'step_s', 'took_s'


def trimtuner(data):
    rows = [pick(row, LYNCEUS + ['training_set_size'], **t2(row), time_s=row['training_time'])
            for row in read(data / 'trimtuner_tensorflow/cnn.csv') if float(row['training_time']) < 595]
    return rows, 'time_s', None


def cmdare(data):
    rows = [pick(row, ['gpu', 'model', 'num_workers', 'num_ps'],
                 step_s=1 / float(row['median_global_steps_per_s']))
            for row in read(data / 'cmdare_gcp/speed_vs_cluster_size_median.csv')]
    return rows, 'step_s', None


def pollux(data, model):
    rows = [pick(row, ['num_nodes', 'num_replicas', 'local_bsz'], step_s=row['step_time_s'])
            for row in read(data / 'pollux_sia_steptime/steptime.csv')
            if row['model'] == model and row['cluster'] == 'aws']
    return rows, 'step_s', None


def bell(data, name):
    rows = [dict(nodes=row['Nodes'], time_s=float(row['Runtime']) / 1000)
            for row in read(data / f'bell_scaleout/{name}.csv')]
    return rows, 'time_s', None


def dlperf(data):
    rows = [pick(row, ['framework', 'model', 'precision', 'variant', 'num_nodes', 'gpus_total',
                       'batch_size_per_gpu'],
                 step_s=float(row['gpus_total']) * float(row['batch_size_per_gpu'])
                 / float(row['throughput_samples_per_s']))
            for row in read(data / 'dlperf_v100/dlperf_throughput.csv')
            if row['table_kind'] == 'median' and row['throughput_samples_per_s']]
    return rows, 'step_s', None


def lab(_):
    """Steps on emulated hosts, whose real time is longer by the dilation."""
    rows = [pick(row, ['via', 'dilation', 'workers', 'step_ms'],
                 took=float(row['step_ms']) * float(row['dilation']))
            for row in read(ROOT / 'docs/results/scaling.csv')]
    return rows, 'step_ms', 'took'


TABLES = {
    'lab': lab,
    'c3o_sort': lambda data: c3o(data, 'sort'),
    'c3o_grep': lambda data: c3o(data, 'grep'),
    'c3o_sgd': lambda data: c3o(data, 'sgd'),
    'lynceus_cnn': lynceus,
    'cmdare': cmdare,
    'pollux_bert': lambda data: pollux(data, 'bert'),
    'pollux_cifar10': lambda data: pollux(data, 'cifar10'),
    'bell_grep': lambda data: bell(data, 'grep.spark'),
    'bell_pagerank': lambda data: bell(data, 'pagerank.spark'),
    'bell_wordcount': lambda data: bell(data, 'wordcount.flink'),
    'dlperf': dlperf,
    'scout': scout,
    'trimtuner_cnn': trimtuner,
}


def replay(args, folder, table, design, seed):
    rows, target, time = TABLES[table](args.data)
    path = folder / f'{table}.csv'
    total = sum(float(row[time or target]) for row in rows)
    command = [args.reckon, 'profile', '--replay', path, '--target', target, '--design', design,
               '--seed', str(seed), '--max-time', repr(args.until * total), '--json', '-q', '-j', '1']
    if time:
        command += ['--time', time]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{table}, {design}, seed {seed}: {done.stderr}')
    if args.keep:
        (args.keep / f'{table}-{design}-{seed}.json').write_text(done.stdout)
    return json.loads(done.stdout)


def write(args, folder, table):
    rows, _, _ = TABLES[table](args.data)
    with open(folder / f'{table}.csv', 'w', newline='') as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def share_reached(report, field):
    return report[field]['time_share'] if report[field] else float('inf')


def share_overall(report, factor):
    limit = factor * report['full_grid']['error_percent']
    for step, following in zip(report['steps'], report['steps'][1:]):
        if max(step['error_percent'], following['error_percent']) <= limit:
            return step['time_share']
    return float('inf')


def error_of(step):
    """At points not measured; at all points, by folds, once each was measured."""
    return step['error_percent'] if step['unmeasured_percent'] is None else step['unmeasured_percent']


def share_stays(report, factor):
    limit = factor * report['full_grid']['error_percent']
    steps = report['steps']
    within = 0
    while within < len(steps) and error_of(steps[-1 - within]) <= limit:
        within += 1
    return steps[-within]['time_share'] if within >= 2 else float('inf')


def listed(shares):
    return ' '.join(f'{100 * share:.0f}' if share < float('inf') else '-' for share in shares)


def error_at(report, share):
    steps = [step for step in report['steps'] if step['time_share'] <= share]
    return error_of(steps[-1]) if steps else float('nan')


def ratios(reports):
    """Expected over real error, at steps with at least ten points measured and ten not."""
    found = []
    for report in reports:
        for step in report['steps']:
            left = report['full_grid']['points'] - step['points']
            if step['points'] >= 10 and left >= 10 and step['expected_percent']:
                found.append(step['expected_percent'] / step['unmeasured_percent'])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--data', type=pathlib.Path, default=ROOT.parent / 'shared/data/raw')
    parser.add_argument('--reckon', type=pathlib.Path, default=ROOT / 'build/bin/reckon')
    parser.add_argument('--only', default='')
    parser.add_argument('--seeds', default='1,2,3')
    parser.add_argument('--designs', default='optimal,random')
    parser.add_argument('--until', type=float, default=0.5)
    parser.add_argument('--keep', type=pathlib.Path, help='folder for the reports of all replays')
    parser.add_argument('-j', type=int, default=2)
    args = parser.parse_args()
    tables = [name for name in TABLES if re.search(args.only, name)]
    designs = args.designs.split(',')
    seeds = [int(seed) for seed in args.seeds.split(',')]
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    print('| table | points | full grid % | design | same error | 1.05 times | 1.05, stays | 1.05, all points '
          '| % at a third | expected / real | too low |')
    print('|---|---|---|---|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        folder = pathlib.Path(name)
        for table in tables:
            write(args, folder, table)
        jobs = {(table, design, seed): pool.submit(replay, args, folder, table, design, seed)
                for table in tables for design in designs for seed in seeds}
        for table in tables:
            for design in designs:
                reports = [jobs[table, design, seed].result() for seed in seeds]
                honest = ratios(reports)
                shares = [[share_reached(report, 'reached') for report in reports],
                          [share_reached(report, 'nearly_reached') for report in reports],
                          [share_stays(report, 1.05) for report in reports],
                          [share_overall(report, 1.05) for report in reports]]
                grid = statistics.mean(report['full_grid']['error_percent'] for report in reports)
                third = statistics.mean(error_at(report, 1 / 3) for report in reports)
                cells = [table, str(reports[0]['full_grid']['points']), f'{grid:.2f}', design,
                         *map(listed, shares), f'{third:.2f}' if third == third else '-',
                         f'{statistics.median(honest):.2f}' if honest else '-',
                         f'{100 * sum(ratio < 1 for ratio in honest) / len(honest):.0f} %' if honest else '-']
                print('| ' + ' | '.join(cells) + ' |', flush=True)


if __name__ == '__main__':
    main()
