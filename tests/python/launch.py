"""Starts the ranks of an example, and ends them whatever happens."""

import socket
import subprocess


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def launch(command, folder, environments):
    """Runs `command` once for each environment, together; standard output of each."""
    ranks = []
    outputs = []
    try:
        for environment in environments:
            ranks.append(
                subprocess.Popen(
                    command,
                    cwd=folder,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    universal_newlines=True,
                )
            )
        for process in ranks:
            out, problems = process.communicate(timeout=120)
            if process.returncode != 0:
                raise AssertionError("exit code %d: %s" % (process.returncode, problems))
            outputs.append(out)
    finally:
        for process in ranks:
            process.kill()
            process.communicate()
    return outputs
