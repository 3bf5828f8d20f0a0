"""Running a command and measuring it."""

import random
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Run:
    """What one run of a command took, or the median of several."""

    seconds: float
    peak: int  # the most resident memory, in bytes
    cpu: float = 0  # seconds of processor time, of all threads
    spread: tuple = ()  # of several: the fastest and the slowest


class Failure(Exception):
    """A command did not do what the measurement is about."""


def measure(command, *, stdin=None, environment=None, expected=0, output=None):
    """Runs a command with its output thrown away, or into a file.

    Memory comes from time(1), not from our own wait4(2): a child starts with its parent's peak on its account, and
    Python's is larger than that of some programs we measure.
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


# Nobody takes more turns than this; `--turns` sets it.
most_turns = 1_000


def interleaved(times, *contestants):
    """Lets contestants run in turns, so that a slow spell of the machine hits all; returns their medians.

    A contestant is a function that prepares, runs and returns a `Run` of what counts. Each turn has another order,
    always the same ones: what a server is left with by one contestant must not always hit the same other.
    """
    runs = [[] for _ in contestants]
    for turn in range(min(times, most_turns)):
        order = list(range(len(contestants)))
        random.Random(turn).shuffle(order)
        for index in order:
            runs[index].append(contestants[index]())
    return [median(results) for results in runs]


def median(runs):
    """The median times, and the highest peak."""
    return Run(
        statistics.median(run.seconds for run in runs), max(run.peak for run in runs),
        statistics.median(run.cpu for run in runs),
        (min(run.seconds for run in runs), max(run.seconds for run in runs)),
    )
