"""Runs and measures commands."""

import random
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Run:
    """The cost of one run of a command, or the median of several."""

    seconds: float
    peak: int  # the largest resident set, in bytes
    cpu: float = 0  # seconds of processor time, over all threads
    spread: tuple = ()  # the fastest and the slowest of several runs
    server_cpu: float = 0  # seconds of processor time of the server that was asked


class Failure(Exception):
    """The failure of a command to do the measured work."""


def measure(command, *, stdin=None, environment=None, expected=0, output=None):
    """Runs a command; its output is discarded or goes into a file.

    Memory comes from time(1), not from our own wait4(2): a child inherits its parent's peak, and Python's is larger
    than that of some measured programs.
    """
    with tempfile.NamedTemporaryFile("r") as account, tempfile.TemporaryFile("w+") as complaints:
        wrapped = ["time", "--quiet", "--format=%M %U %S", f"--output={account.name}", *map(str, command)]
        with open(stdin or "/dev/null", "rb") as source, open(output or "/dev/null", "wb") as sink:
            start = time.perf_counter()
            code = subprocess.run(
                wrapped, stdin=source, stdout=sink, stderr=complaints, env=environment
            ).returncode
            seconds = time.perf_counter() - start
        if code != expected:
            complaints.seek(0)
            raise Failure(f"{' '.join(map(str, command))}: exit code {code}\n{complaints.read()[-2000:]}")
        kilobytes, user, system = account.read().split()
        return Run(seconds, int(kilobytes) * 1024, float(user) + float(system))


# The maximum number of turns of a contestant; `--turns` sets it.
most_turns = 1_000


def interleaved(times, *contestants):
    """Runs contestants in turns, so that a slow spell of the machine hits all of them; returns their medians.

    A contestant is a function that prepares, runs and returns a `Run` of what counts. Each turn has another order, the
    same in every measurement: what one contestant leaves behind on a server must not always slow down the same other.
    """
    runs = [[] for _ in contestants]
    for turn in range(min(times, most_turns)):
        order = list(range(len(contestants)))
        random.Random(turn).shuffle(order)
        for index in order:
            runs[index].append(contestants[index]())
    return [median(results) for results in runs]


def median(runs):
    """Returns the median times, and the largest peak."""
    return Run(
        statistics.median(run.seconds for run in runs), max(run.peak for run in runs),
        statistics.median(run.cpu for run in runs),
        (min(run.seconds for run in runs), max(run.seconds for run in runs)),
        statistics.median(run.server_cpu for run in runs),
    )
