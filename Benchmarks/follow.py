"""The measurements of the time from writing a row until it is on the screen."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from measure import Failure

GOAL = 0.2
SERVERS = ("WFE1", "WFE2")
NUMBER = re.compile(rb"row (\d{6}) ")


class FollowWorkloads:
    """The measurements; each adds its rows to the table."""

    ALL = ("follow_single_rows", "follow_busy_logs", "follow_pipe")
    TOOLS = ()

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.table = table
        self.rows = max(50, 1_000 // divisor)

    def follow_single_rows(self):
        """Rows that arrive alone: each is the last of its log for a while, and might still get a second line."""
        self.measure("follow: single rows", pause=0.05, burst=1)

    def follow_busy_logs(self):
        """Two servers that write thousands of rows per second."""
        self.measure("follow: 2,000 rows/s", pause=0.01, burst=20)

    def follow_pipe(self):
        """Rows that arrive alone through a pipe."""
        self.measure("follow: through a pipe", pause=0.05, burst=1, through_pipe=True)

    def measure(self, what, *, pause, burst, through_pipe=False):
        folder = self.work / what.replace(" ", "-").replace(":", "").replace("/", "-").replace(",", "")
        folder.mkdir()
        logs = [folder / f"{server}-20240311-1103.log" for server in SERVERS[: 1 if through_pipe else 2]]
        if through_pipe:
            os.mkfifo(logs[0])
        targets = [os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND) for log in logs]
        screen, device = pty.openpty()
        fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        # A pager would wait for keys, and this terminal has no user.
        words = ["--no-pager", logs[0]] if through_pipe else ["--follow", "--lines", "0", folder]
        process = subprocess.Popen([self.command, "logs", "show", *words], stdin=subprocess.DEVNULL, stdout=device,
                                   stderr=subprocess.DEVNULL)
        os.close(device)
        try:
            time.sleep(1)
            delays = self.delays(screen, targets, pause, burst)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(10)
            for number in [screen, *targets]:
                os.close(number)
        half, most = (delays[int(len(delays) * share)] for share in (0.5, 0.99))
        self.table.add(what, own=f"p50 {half * 1000:.0f} ms, p99 {most * 1000:.0f} ms", result=f"{len(delays)} rows",
                       goal=f"p99 ≤ {GOAL * 1000:.0f} ms", met=most <= GOAL)

    def delays(self, screen, targets, pause, burst):
        """Writes rows, and returns the times from each write to the screen, sorted."""
        written, delays, number, text = {}, [], 0, b""
        deadline = time.monotonic() + 60
        due = time.monotonic()
        while len(delays) < self.rows:
            if time.monotonic() > deadline:
                raise Failure(f"{self.rows - len(delays)} of {self.rows} rows were not shown within a minute")
            if number < self.rows and time.monotonic() >= due:
                due += pause
                for _ in range(min(burst, self.rows - number)):
                    os.write(targets[number % len(targets)], row(number))
                    written[number] = time.monotonic()
                    number += 1
            ready, _, _ = select.select([screen], [], [], max(0, min(due - time.monotonic(), 0.05)))
            if not ready:
                continue
            text += os.read(screen, 1 << 16)
            now = time.monotonic()
            lines = text.split(b"\n")
            text = lines.pop()
            delays += [now - written[int(found[1])] for line in lines if (found := NUMBER.search(line))]
        return sorted(delays)


def row(number):
    now = time.gmtime()
    columns = [
        time.strftime("%m/%d/%Y %H:%M:%S", now) + f".{number % 100:02}", f"{'w3wp.exe (0x1790)':40}", "0x0EB8",
        f"{'SharePoint Foundation':30}", f"{'Runtime':30}", "b9y3", f"{'Medium':8}",
        f"row {number:06} was written", "3ad81d9b-c01d-4000-8000-cc75daffbf63",
    ]
    return ("\t".join(columns) + "\r\n").encode()
