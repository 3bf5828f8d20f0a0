"""Files and folders of made-up ULS logs: one body per server, moved from half hour to half hour.

Drawing every row anew would take a minute for 4 GiB, so rows are drawn for half an hour; each further half hour has the
same texts with its own times and its own correlations. Servers share the correlations of calls between them.
"""

import datetime
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from ulsbody import CLOCK, CORRELATION_GROUPS, END, NO_CORRELATION, PART_MINUTES, SCOPE_GROUP, Body, padded
from ulsvocabulary import Chance, Vocabulary

SEED = 20240607
HALF_HOUR = 64 << 20  # bytes that a server writes in half an hour, at most: about 100 rows a second
BEGINNING = datetime.datetime(2024, 6, 7, 8)
SERVERS = ("SP-WFE1", "SP-APP1", "SP-WFE2", "SP-WFE3", "SP-APP2", "SP-WFE4")
CALLED = 1  # the server that the others call
HEADER = (
    "Timestamp              \tProcess                                 \tTID   \tArea                          \t"
    "Category                      \tEventID\tLevel     \tMessage \tCorrelation" + END
).encode()
FAILURE = padded("SharePoint Foundation", "Runtime", "tkau") + "Unexpected\t"


@dataclass
class Planted:
    """A request that occurs once in the logs, in the middle."""

    correlation: str
    time: str
    servers: tuple


def half_hour(number):
    return BEGINNING + datetime.timedelta(minutes=30 * number)


def moved(body, number, planted=None):
    """Yields the parts of a body, moved to a half hour, with the planted rows before the last part."""
    start = half_hour(number)
    many_scopes = body.vocabulary.scopes > 0
    groups = "-%04x-%04x-" % (0x1000 + number, 0x20C1)
    for index, part in enumerate(body.parts):
        if index == 2 and planted:
            yield planted
        clock = start.strftime("%m/%d/%Y %H:") + str(start.minute // 10 + index)
        part = part.replace(f"{CLOCK}{index}".encode(), clock.encode())
        part = part.replace(SCOPE_GROUP.encode(), b"S%04x" % number) if many_scopes else part
        yield part.replace(CORRELATION_GROUPS.encode(), groups.encode())


def cut(data, length):
    """Returns the records of `data` up to the one that reaches the length."""
    end = length
    while True:
        end = data.find(END.encode(), end) + len(END)
        if end < len(END) or end >= len(data):
            return data
        # The next line begins a record only if its time has no star.
        if data[end + 2:end + 3] == b"/" and data[end + 22:end + 23] == b" ":
            return data[:end]


class Plan:
    """The contents of the logs, and the place of the planted request."""

    def __init__(self, seed, size, servers=1, scopes=0):
        self.size = size
        self.servers = servers
        self.half_hours = max(1 if servers == 1 else 2, -(-size // (servers * HALF_HOUR)))
        length = min(HALF_HOUR, size // (servers * self.half_hours)) if servers > 1 else min(HALF_HOUR, size)
        vocabulary = Vocabulary(Chance(seed), -(-scopes // self.half_hours))
        calling = Body(vocabulary, Chance(seed + 1), length, calling=servers > 1)
        self.bodies = [calling]
        for server in range(1, servers):
            visits = calling.calls if server == CALLED else ()
            self.bodies.append(Body(vocabulary, Chance(seed + 1 + server), length, server, visits))
        # The half hour nearest to the middle whose last part begins before the end.
        self.planted_half_hour = int(size / servers / length - 2 / 3) // 2
        time = half_hour(self.planted_half_hour) + datetime.timedelta(minutes=2 * PART_MINUTES)
        correlation = Chance(seed + 1000).guid()
        self.planted = Planted(correlation, time.isoformat(), SERVERS[:2] if servers > 1 else ())

    def planted_rows(self, number, server):
        """Returns the rows of the planted request that this server writes in this half hour."""
        if number != self.planted_half_hour or server > CALLED:
            return None
        time = datetime.datetime.fromisoformat(self.planted.time).strftime("%m/%d/%Y %H:%M:%S.00 ")
        monitoring = "SharePoint Foundation", "Monitoring"
        name = "Request (GET:https://portal.contoso.example:443/sites/finance/Lists/Planted/AllItems.aspx)"
        scope = name if server == 0 else "ExecuteWcfServerOperation"
        rows = [padded(*monitoring, "nasq") + f"Medium  \tEntering Monitored Scope ({scope})"]
        if server == 0:
            rows.append(padded("SharePoint Foundation", "Logging Correlation Data", "xmnv") + f"Medium  \tName={name}")
        rows.append(FAILURE + "System.NullReferenceException: Object reference not set to an instance of an object.")
        leaving = padded(*monitoring, "b4ly") + "High    "
        rows.append(f"{leaving}\tLeaving Monitored Scope ({scope}). Execution Time=1234.5678")
        process = f"\t{'w3wp.exe (0x2A1C)':40}\t0x1F4C"
        correlations = [NO_CORRELATION if server == 0 else self.planted.correlation] + [self.planted.correlation] * 3
        return "".join(
            f"{time}{process}{row}\t{correlation}{END}" for row, correlation in zip(rows, correlations)
        ).encode()

    # Writing

    def write_file(self, path):
        """Writes one file of one server, cut after the record that reaches the size."""
        with open(path, "wb") as file:
            written = file.write(HEADER)
            for number in range(self.half_hours + 1):
                for piece in moved(self.bodies[0], number, self.planted_rows(number, 0)):
                    if written >= self.size:
                        return
                    written += file.write(cut(piece, max(0, self.size - written)))

    def write_folder(self, folder):
        """Writes a file for each server and half hour, named as SharePoint names them."""
        os.makedirs(folder, exist_ok=True)
        tasks = [(folder, number, server) for number in range(self.half_hours) for server in range(self.servers)]
        with ProcessPoolExecutor(initializer=keep, initargs=(self,)) as pool:
            return list(pool.map(write_dated_file, tasks))

    def write_dated_file(self, folder, number, server):
        path = os.path.join(folder, f"{SERVERS[server]}-{half_hour(number):%Y%m%d-%H%M}.log")
        with open(path, "wb") as file:
            file.write(HEADER)
            for piece in moved(self.bodies[server], number, self.planted_rows(number, server)):
                file.write(piece)
        return path


plan = None  # of a worker process


def keep(given):
    global plan
    plan = given


def write_dated_file(task):
    return plan.write_dated_file(*task)
