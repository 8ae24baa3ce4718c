#!/usr/bin/env python3
"""How well reckon-stress holds its levels, beside stress-ng --cpu-load alone in the same cgroup, with
several of its methods.

    bench/stress_accuracy.py [RECKON_STRESS] [--seconds 10] [--parts cpu,rival,disk]

Needs root and the cpu controller of cgroups, version 1 or 2. Everything is measured from outside: CPU
time by the cgroup, bytes and memory from /proc. Levels are means over the seconds measured; "worst
second" is the largest deviation of a single one, in points. Ends with 1 when a level of
reckon-stress is off by more than 3 points (disk, memory: 3 %)."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path("/sys/fs/cgroup")
NAME = f"reckon-stress-accuracy-{os.getpid()}"
TURN_US = 4000  # as a lab gives a host of less than a core its time
ALLOWED = 3.0
MEMORY_TOTAL = 2 << 30
# Methods of stress-ng --cpu for --cpu-load alone: the one reckon-stress uses, the default, and one of
# short rounds, which suits it best.
PEERS = ("matrixprod", "all", "int64")


class Group:
    """A cgroup of so many cores that goes before everything else on the machine."""

    def __init__(self, cores):
        period = round(TURN_US / cores) if cores < 1 else 10 * TURN_US
        quota = round(period * cores)
        if (ROOT / "cgroup.controllers").exists():
            self.folders = [ROOT / NAME]
            settings = {"cpu.max": f"{quota} {period}", "cpu.weight": "10000"}
            (ROOT / "cgroup.subtree_control").write_text("+cpu")
        else:
            self.folders = [ROOT / "cpu" / NAME, ROOT / "cpuacct" / NAME]
            settings = {"cpu.cfs_period_us": str(period), "cpu.cfs_quota_us": str(quota),
                        "cpu.shares": "262144"}
        for folder in self.folders:
            folder.mkdir(exist_ok=True)
        for name, value in settings.items():
            (self.folders[0] / name).write_text(value)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for folder in self.folders:
            for _ in range(200):
                try:
                    folder.rmdir()
                    break
                except OSError:  # the last process is not quite gone
                    time.sleep(0.05)

    def start(self, command):
        def enter():
            for folder in self.folders:
                (folder / "cgroup.procs").write_text(str(os.getpid()))
        return subprocess.Popen(command, preexec_fn=enter, stdout=subprocess.PIPE, text=True)

    def processes(self):
        return (self.folders[0] / "cgroup.procs").read_text().split()

    def cpu_s(self):
        version_1 = self.folders[-1] / "cpuacct.usage"
        if version_1.exists():
            return int(version_1.read_text()) * 1e-9
        for line in (self.folders[0] / "cpu.stat").read_text().splitlines():
            if line.startswith("usage_usec"):
                return int(line.split()[1]) * 1e-6
        raise RuntimeError("the cgroup does not tell its CPU time")

    def sum_of(self, file, name):
        total = 0
        for process in self.processes():
            for line in pathlib.Path("/proc", process, file).read_text().splitlines():
                if line.startswith(name):
                    total += int(line.split()[1])
        return total


def wait_until_ready(process):
    for line in process.stdout:
        if line.endswith(" ready\n"):
            return
    sys.exit(f"it ended before it was ready, with {process.wait()}")


def end(process):
    process.terminate()
    process.communicate(timeout=20)


def by_second(count, seconds):
    """What `count` rises by, a second, for so many seconds."""
    rises = []
    begin = (time.monotonic(), count())
    for _ in range(seconds):
        time.sleep(1)
        now = (time.monotonic(), count())
        rises.append((now[1] - begin[1]) / (now[0] - begin[0]))
        begin = now
    return rises


class Table:
    def __init__(self, *names):
        print("\n| " + " | ".join(names) + " |\n|" + "---|" * len(names), flush=True)

    @staticmethod
    def row(*cells):
        print("| " + " | ".join(cells) + " |", flush=True)


def held(values, wanted):
    """Mean and worst second, as cells."""
    mean = sum(values) / len(values)
    worst = max(abs(value - wanted) for value in values)
    return mean, (f"{mean:.2f}", f"{worst:.2f}")


def cpu_shares(group, cores, seconds):
    return [100 * used / cores for used in by_second(group.cpu_s, seconds)]


def idle_share():
    def read():
        return [int(x) for x in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    before = read()
    time.sleep(3)
    spent = [b - a for a, b in zip(before, read())]
    return 100 * (spent[3] + spent[4]) / sum(spent)


def cpu_levels(stress, seconds):
    """Each part returns its largest deviation."""
    worst = 0.0
    names = [f"{who} {what}" for who in ("reckon-stress,", *(f"{method}," for method in PEERS))
             for what in ("%", "worst second")]
    Table("cores", "level, %", *names)
    for cores in (0.2, 1.0):
        for level in (20, 40, 60, 80):
            with Group(cores) as group:
                process = group.start([stress, "--cpu", str(level), "--cpus", str(cores)])
                wait_until_ready(process)
                mean, cells = held(cpu_shares(group, cores, seconds), level)
                end(process)
                worst = max(worst, abs(mean - level))
            for method in PEERS:
                with Group(cores) as group:
                    process = group.start(["stress-ng", "--quiet", "--cpu", "1", "--cpu-method",
                                           method, "--cpu-load", str(round(level * cores))])
                    time.sleep(3)
                    cells += held(cpu_shares(group, cores, seconds), level)[1]
                    end(process)
            Table.row(f"{cores:g}", str(level), *cells)
    return worst


def beside_a_rival(stress, seconds):
    """A level that leaves more than its own to others is held beside one who takes all the rest."""
    worst = 0.0
    level = 40
    Table("cores", "level, %", "beside a busy process, %", "worst second")
    for cores in (0.2, 1.0):
        with Group(cores) as group:
            process = group.start([stress, "--cpu", str(level), "--cpus", str(cores)])
            wait_until_ready(process)
            rival = group.start([sys.executable, "-c", "while True: pass"])
            account = pathlib.Path(f"/proc/{rival.pid}/schedstat")
            time.sleep(2)
            used = by_second(lambda g=group, a=account:
                             g.cpu_s() - 1e-9 * int(a.read_text().split()[0]), seconds)
            mean, cells = held([100 * one / cores for one in used], level)
            rival.kill()
            rival.wait()
            end(process)
        worst = max(worst, abs(mean - level))
        Table.row(f"{cores:g}", str(level), *cells)
    return worst


def disk_and_memory(stress, seconds):
    worst = 0.0
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        Table("cores", "asked for", "held", "off by, %", "CPU used, % of the host")
        for cores in (0.2, 1.0):
            for rate in (5, 20):
                with Group(cores) as group:
                    process = group.start([stress, "--disk", f"{rate}MB", "--cpus",
                                           str(cores), "--folder", folder])
                    wait_until_ready(process)
                    cpu = group.cpu_s()
                    rates = by_second(lambda g=group: g.sum_of("io", "write_bytes:") / 1e6,
                                      seconds)
                    cpu = 100 * (group.cpu_s() - cpu) / seconds / cores
                    end(process)
                mean = sum(rates) / len(rates)
                off = 100 * (mean / rate - 1)
                worst = max(worst, abs(off))
                Table.row(f"{cores:g}", f"disk {rate} MB/s", f"{mean:.2f} MB/s", f"{off:+.2f}",
                          f"{cpu:.1f}")
            with Group(cores) as group:
                process = group.start([stress, "--memory", "30%", "--memory-total",
                                       str(MEMORY_TOTAL), "--cpus", str(cores)])
                wait_until_ready(process)
                cpu = group.cpu_s()
                time.sleep(seconds)
                cpu = 100 * (group.cpu_s() - cpu) / seconds / cores
                share = 100 * 1024 * group.sum_of("smaps_rollup", "Pss:") / MEMORY_TOTAL
                end(process)
            off = 100 * (share / 30 - 1)
            worst = max(worst, abs(off))
            Table.row(f"{cores:g}", "memory 30 % of 2 GiB", f"{share:.2f} %", f"{off:+.2f}",
                      f"{cpu:.1f}")
    return worst


PARTS = {"cpu": cpu_levels, "rival": beside_a_rival, "disk": disk_and_memory}


def main():
    parser = argparse.ArgumentParser()
    build = pathlib.Path(__file__).resolve().parent.parent / "build/bin/reckon-stress"
    parser.add_argument("stress", nargs="?", default=str(build))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--parts", default=",".join(PARTS), help="some of cpu, rival, disk")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, {idle_share():.0f} % idle before, "
          f"load {os.getloadavg()[0]:.1f}; {options.seconds} s each")
    worst = max(PARTS[part](options.stress, options.seconds) for part in options.parts.split(","))
    print(f"\nlargest deviation of reckon-stress: {worst:.2f}")
    return 1 if worst > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
