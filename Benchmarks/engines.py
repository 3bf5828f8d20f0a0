"""Removals over HTTP: fastctl against the engine's limit, the engines' own feeders and the usual Python clients."""

import itertools
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import replace

import data
import servers
from measure import Failure, interleaved, measure
from table import count, rate, seconds

REPETITIONS = 7
SLOW_REPETITIONS = 3
# The sizes of curl's bodies, and the numbers of them in flight: its best at each size is the engine's limit.
BODIES = (1_000, 5_000)
IN_FLIGHT = (1, 2, 4)
PEERS = os.environ.get("FASTCTL_PEERS", "")
SCRIPTS = pathlib.Path(__file__).resolve().parent / "peers"
SECONDS = re.compile(r"seconds ([\d.]+)")
# The output of fastctl with --verbose when it changes these numbers.
IN_FLIGHT_FOUND = re.compile(r"at most (\d+) batch")
SIZE_FOUND = re.compile(r"batches are (\d+) times|batches have their first size")
FIRST_SIZE = 1_000
PACKAGES = ("elasticsearch==7.13.4", "opensearch-py==2.8.0", "pysolr==3.10.0")


class EngineWorkloads:
    ALL = ("opensearch", "elasticsearch", "solr", "solr_flat")
    TOOLS = ("curl", "jcmd", "time")

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.table = table
        self.count = 1_000_000 // divisor
        self.ids = work / "ids.txt"
        data.write_shuffled_ids(self.count, self.count, self.ids)

    def opensearch(self):
        with servers.OpenSearch(self.work, 9210) as server:
            self.compare(server, java=None, python=("streaming_bulk", "parallel_bulk"))

    def elasticsearch(self):
        with servers.Elasticsearch(self.work, 9410) as server:
            self.compare(server, java=("bulkprocessor", 2.0), python=("streaming_bulk", "parallel_bulk"))

    def solr(self):
        with servers.Solr(self.work, 8910) as server:
            self.compare(server, java=("solrj", 2.0), python=("pysolr",))
            checked, = interleaved(SLOW_REPETITIONS, lambda: self.fastctl(server, "--check-missing"))
            self.table.add(
                "  … each document looked up first", own=rate(self.count, checked.seconds), peak=checked.peak
            )

    def solr_flat(self):
        with servers.FlatSolr(self.work, 8910) as server:
            self.compare(server, java=None, python=())

    def compare(self, server, java, python):
        server.load(self.count, data.page_id)
        prepared = {(size, number): self.prepare(server, size, number) for size in BODIES for number in IN_FLIGHT}
        # The engine's compiler must see every kind of request before measuring begins.
        for warm_up in (lambda: self.fastctl(server), lambda: self.curl(server, prepared[BODIES[-1], 4])):
            warm_up()
        contestants = [lambda: self.fastctl(server), lambda: self.fastctl(server, "--no-journal")]
        contestants += [lambda config=config: self.curl(server, config) for config in prepared.values()]
        if java:
            contestants.append(lambda: self.java(server, java[0]))
        own, bare, *others = interleaved(REPETITIONS, *contestants)
        self.against_limit(server, own, bare, dict(zip(prepared, others)))
        if java:
            self.against(java[0], own, others[-1], speed=java[1], cpu=8)
        for way in python:
            other, = interleaved(SLOW_REPETITIONS, lambda way=way: self.python(server, way))
            self.against(way, own, other, speed=None, cpu=8 if way == "parallel_bulk" else None)

    # Results

    def against_limit(self, server, own, bare, limits):
        title = f"{server.title}: remove {count(self.count)}"
        for size in BODIES:
            best = min((key for key in limits if key[0] == size), key=lambda key: limits[key].seconds)
            limit = limits[best]
            ratio = limit.seconds / own.seconds
            self.table.add(
                title, own=f"{self.speed(own)}, {self.cpu(own)}",
                other=f"curl, bodies of {size:,}, {best[1]} in flight: {self.time(limit)}, {self.cpu(limit)}",
                result=f"{ratio:.2f} × its speed", goal="≥ 0.95", met=ratio >= 0.95, peak=own.peak,
            )
        self.table.add(
            "  … without a journal", own=f"{self.speed(bare)}, {self.cpu(bare)}", result="", goal="CPU ≤ 0.6 s",
            met=bare.cpu <= 0.6 * self.count / 1_000_000, peak=bare.peak,
        )
        self.table.add("  … found", own="; ".join(self.found(server) for _ in range(SLOW_REPETITIONS)))
        for (size, number), limit in limits.items():
            self.table.add(
                f"  … curl, bodies of {size:,}, {number} in flight", own="",
                other=f"{self.speed(limit)}, {self.cpu(limit)}",
            )

    def against(self, name, own, other, speed, cpu):
        times, share = other.seconds / own.seconds, other.cpu / own.cpu
        goals = [f"≥ {goal} × {what}" for goal, what in ((speed, "speed"), (cpu, "CPU")) if goal]
        met = (not speed or times >= speed) and (not cpu or share >= cpu) if goals else None
        self.table.add(
            f"  … {name}", own=f"{seconds(own.seconds)}, {self.cpu(own)}",
            other=f"{self.time(other)}, {self.cpu(other)}",
            result=f"{times:.1f} × its speed, {share:.1f} × less CPU", goal=", ".join(goals), met=met, peak=other.peak,
        )

    def speed(self, run):
        return f"{self.time(run)}, {self.count / run.seconds:,.0f}/s"

    @staticmethod
    def time(run):
        fastest, slowest = run.spread
        return f"{seconds(run.seconds)} ({fastest:.1f} to {slowest:.1f})"

    @staticmethod
    def cpu(run):
        return f"CPU {run.cpu:.2f} s, engine's {run.server_cpu:.1f} s"

    def found(self, server):
        """Returns the size of batches and their number in flight at which a run ended."""
        server.renew(self.count)
        with open(self.ids, "rb") as source:
            words = subprocess.run(
                [*self.removal(server), "--verbose"], stdin=source, capture_output=True, text=True, check=True
            ).stderr
        numbers, sizes = IN_FLIGHT_FOUND.findall(words), SIZE_FOUND.findall(words)
        size = int(sizes[-1] or 1) if sizes else 1
        return f"{numbers[-1] if numbers else 4} batches of {size * FIRST_SIZE:,}"

    # Contestants. Each starts with all documents and must leave none.

    def removed(self, server, command, **more):
        server.renew(self.count)
        before = server.cpu()
        run = measure(command, **more)
        run.server_cpu = server.cpu() - before
        server.expect(0)
        return run

    def fastctl(self, server, *options):
        return self.removed(server, [*self.removal(server), *options], stdin=self.ids)

    def removal(self, server):
        return [
            self.command, "remove", "--target", server.target(), "--collection", servers.FRESH,
            "--missing", "ignore", "--quiet",
        ]

    def prepare(self, server, size, in_flight):
        """Returns the curl command that posts all bodies from files, `in_flight` at a time; writes missing files."""
        folder = self.work / f"bodies-{server.name}-{size}"
        if not folder.exists():
            folder.mkdir()
            with open(self.ids) as lines:
                names = (line.rstrip("\n") for line in lines)
                for number in itertools.count():
                    batch = list(itertools.islice(names, size))
                    if not batch:
                        break
                    (folder / f"{number}").write_text(server.removal(batch))
        config = self.work / f"curl-{server.name}-{size}-{in_flight}"
        requests = [
            f'url = "{server.url}{server.update_path}"\ndata-binary = "@{folder}/{body.name}"\noutput = "/dev/null"\n'
            f'header = "Content-Type: {server.update_type}"\nheader = "Expect:"\n'
            for body in sorted(folder.iterdir(), key=lambda body: int(body.name))
        ]
        config.write_text("next\n".join(requests))
        return ["curl", "--silent", "--fail", "--parallel", "--parallel-max", in_flight, "--config", config]

    def curl(self, server, command):
        return self.removed(server, command)

    def java(self, server, name):
        if not PEERS:
            raise Failure("FASTCTL_PEERS does not name the folder of the engines' own feeders")
        output = self.work / "java.txt"
        command = [pathlib.Path(PEERS) / "remove", name, server.url, servers.FRESH, self.ids]
        run = self.removed(server, command, output=output)
        # The peer's own clock counts, without the start of the virtual machine.
        return replace(run, seconds=float(SECONDS.search(output.read_text())[1]))

    def python(self, server, way):
        command = [self.interpreter(), SCRIPTS / "remove_engine.py", server.name, way, server.url, servers.FRESH]
        return self.removed(server, [*command, self.ids])

    def interpreter(self):
        """Returns a Python with the engines' clients, from PyPI."""
        venv = self.work / "venv"
        python = venv / "bin/python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", venv], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        return python
