"""The measurements of the log commands."""

import json
import os
import pathlib
import shutil
from functools import cached_property

from logpeers import Peers
from measure import Failure, interleaved, measure
from table import megabytes, seconds
from ulsfiles import SEED, Plan

REPETITIONS = 3
SHORT_REPETITIONS = 7
MEMORY_LIMIT = 64_000_000
DIAGNOSIS_MEMORY_LIMIT = 256_000_000
ABSENT = "00c0ffee-0000-4000-8000-00000000beef"
LITERAL = "Unexpected"
# One row in 2,300 matches it.
EXPRESSION = "Timer Job [a-z]+ Schedule Manager"
SERVERS = 3
SCOPES = 50_000
SCOPES_LIMIT = 0.45  # seconds of processor time for 1 GiB
SAMPLE = pathlib.Path(__file__).parent.parent / "Samples/owssvr-aspnet-tracing/TEST-SP-20110926-1039.log"
ONE_CORE = ("taskset", "-c", "0")


class LogWorkloads:
    """The measurements; each adds its rows to the table. Shared files are written once, when first needed."""

    ALL = (
        "log_summary", "log_scopes", "log_mawk", "log_lnav", "log_duckdb", "log_polars", "log_literal", "log_memory", "log_show",
        "log_match", "log_trace", "log_merge", "log_diagnose", "log_diagnose_memory",
    )
    TOOLS = ("lnav", "mawk", "rg", "taskset", "time", "wc")

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.table = table
        self.gigabyte = (1 << 30) // divisor
        self.output = work / "output.txt"
        self.peers = Peers(work)

    # Logs

    @cached_property
    def file_plan(self):
        return Plan(SEED, self.gigabyte)

    @cached_property
    def file(self):
        path = self.work / "uls.log"
        self.file_plan.write_file(path)
        return warm(path)

    @cached_property
    def farm_plan(self):
        return Plan(SEED, 10 * self.gigabyte, SERVERS)

    @cached_property
    def farm(self):
        folder = self.work / "farm"
        for path in self.farm_plan.write_folder(folder):
            warm(path)
        return folder

    # Commands

    def logs(self, *arguments, prefix=(), expected=0):
        return measure([*prefix, self.command, "logs", *arguments], expected=expected, output=self.output)

    def summary(self, file, *options, prefix=()):
        run = self.logs("summary", "-o", "json", *options, file, prefix=prefix)
        return run, self.levels()

    def levels(self):
        """Returns the counts by level of the last summary."""
        report = json.loads(self.output.read_text())
        counts = {level["value"]: level["count"] for level in report["levels"]}
        if sum(counts.values()) != report["events"]:
            raise Failure(f"{report['events']} events, but {sum(counts.values())} by level")
        return counts

    def events(self, *arguments):
        """Returns the events that a command finds."""
        self.logs(*arguments, "-o", "ndjson")
        with open(self.output) as lines:
            return [json.loads(line) for line in lines]

    # Summary

    def log_summary(self):
        for cores, options, prefix, limit in (("two cores", (), (), 1.5), ("one core", ("--jobs", "1"), ONE_CORE, 2.5)):
            own, other = interleaved(
                SHORT_REPETITIONS,
                lambda: self.summary(self.file, *options, prefix=prefix)[0],
                lambda: measure([*prefix, "wc", "-l", self.file]),
            )
            self.slower(f"summary of {binary(self.gigabyte)}, {cores}", own, "wc -l", other, limit)

    def log_scopes(self):
        """A log of a farm whose inner scopes have names of their own; processor time, because that is what they cost."""
        path = self.work / "scopes.log"
        Plan(SEED, self.gigabyte, scopes=SCOPES).write_file(path)
        many, few = interleaved(
            SHORT_REPETITIONS,
            lambda: self.summary(warm(path))[0],
            lambda: self.summary(self.file)[0],
        )
        path.unlink()
        limit = SCOPES_LIMIT * self.gigabyte / (1 << 30)
        self.table.add(
            f"summary of {binary(self.gigabyte)}, {SCOPES:,} scopes", own=f"{many.cpu:.2f} s of CPU",
            other=f"usual scopes: {few.cpu:.2f} s of CPU", result=f"{many.cpu / few.cpu:.2f} × the CPU",
            goal=f"≤ {limit:.2f} s", met=many.cpu <= limit, peak=many.peak,
        )

    def log_mawk(self):
        self.against("mawk", self.peers.mawk, 15)

    def log_lnav(self):
        self.against("lnav", self.peers.lnav, 15)

    def log_duckdb(self):
        self.against("duckdb", self.peers.duckdb, 10)

    def log_polars(self):
        self.against("polars", self.peers.polars, None)

    def against(self, name, peer, goal):
        """Compares the summary with another program that counts the same; the counts by level must be equal."""
        peer_counts, own_counts = {}, {}

        def own():
            run, counts = self.summary(self.file)
            own_counts.update(counts)
            return run

        def other():
            run, counts = peer(self.file)
            peer_counts.update(counts)
            return run

        own_run, peer_run = interleaved(REPETITIONS, own, other)
        if own_counts != peer_counts:
            raise Failure(f"by level fastctl counts {own_counts}, {name} {peer_counts}")
        ratio = peer_run.seconds / own_run.seconds
        self.table.add(
            f"summary of {binary(self.gigabyte)}", own=seconds(own_run.seconds),
            other=f"{name}: {seconds(peer_run.seconds)}, {megabytes(peer_run.peak)}", result=f"{ratio:.1f} × its speed",
            goal=f"≥ {goal}" if goal else "", met=ratio >= goal if goal else None, peak=own_run.peak,
        )

    def log_literal(self):
        own, other = interleaved(
            SHORT_REPETITIONS,
            lambda: self.summary(self.file)[0],
            lambda: measure(["rg", "--count", "--fixed-strings", LITERAL, self.file]),
        )
        self.slower(f"summary of {binary(self.gigabyte)}", own, "rg counting a literal", other, None)

    def log_memory(self):
        small, = interleaved(REPETITIONS, lambda: self.summary(self.file)[0])
        large_file = self.work / "large.log"
        Plan(SEED, 4 * self.gigabyte).write_file(large_file)
        large, = interleaved(REPETITIONS, lambda: self.summary(large_file)[0])
        large_file.unlink()
        for size, run in ((self.gigabyte, small), (4 * self.gigabyte, large)):
            self.table.add(
                f"memory of a summary of {binary(size)}", own=seconds(run.seconds), goal="≤ 64 MB",
                met=run.peak <= MEMORY_LIMIT, peak=run.peak,
            )

    # One request

    def log_show(self):
        planted = self.file_plan.planted.correlation
        for what, correlation in (("in the middle", planted), ("not there", ABSENT)):
            search = ["rg", "--fixed-strings", correlation, self.file]
            code = 1 if correlation == ABSENT else 0
            measure(search, output=self.output, expected=code)
            rows = self.output.read_text().count("\n")
            events = self.events("show", "--correlation", correlation, self.file)
            if len(events) != rows:
                raise Failure(f"{len(events)} events with {correlation}, rg finds {rows}")
            own, other = interleaved(
                SHORT_REPETITIONS,
                lambda: self.logs("show", "--correlation", correlation, self.file),
                lambda: measure(search, output=self.output, expected=code),
            )
            self.slower(f"show a correlation, {what}", own, "rg", other, 1.5)

    def log_match(self):
        search = ["rg", "--ignore-case", EXPRESSION, self.file]
        measure(search, output=self.output)
        rows = self.output.read_text().count("\n")
        events = self.events("show", "--match", EXPRESSION, self.file)
        if len(events) != rows:
            raise Failure(f"{len(events)} events match {EXPRESSION}, rg finds {rows}")
        own, other = interleaved(
            SHORT_REPETITIONS,
            lambda: self.logs("show", "--match", EXPRESSION, self.file),
            lambda: measure(search, output=self.output),
        )
        self.slower("show what matches an expression", own, "rg", other, 1.5)

    def log_trace(self):
        planted = self.farm_plan.planted
        command = ["trace", planted.correlation, "--around", planted.time, self.farm]
        servers = {event["server"] for event in self.events(*command)}
        if servers != set(planted.servers):
            raise Failure(f"trace finds {planted.correlation} on {servers}, not on {planted.servers}")
        own, = interleaved(SHORT_REPETITIONS, lambda: self.logs(*command))
        self.table.add(
            f"trace in {binary(10 * self.gigabyte)} of {SERVERS} servers", own=f"{own.seconds * 1000:.0f} ms",
            goal="< 1 s", met=own.seconds < 1, peak=own.peak,
        )

    def log_merge(self):
        """Merges the first files of each server, a tenth of them all, and discards the output."""
        some = self.work / "some"
        some.mkdir()
        names = sorted(path.name for path in self.farm.iterdir())
        half_hours = sorted({name[-17:] for name in names})
        chosen = half_hours[:max(1, len(half_hours) // 10)]
        paths = [name for name in names if name[-17:] in chosen]
        for name in paths:
            os.link(self.farm / name, some / name)
        size = sum((some / name).stat().st_size for name in paths)
        own, = interleaved(REPETITIONS, lambda: measure([self.command, "logs", "merge", some]))
        shutil.rmtree(some)
        self.table.add(
            f"merge {len(paths)} files, {size / 1e6:,.0f} MB",
            own=f"{seconds(own.seconds)}, {size / own.seconds / 1e6:,.0f} MB/s", peak=own.peak,
        )

    # Diagnosis

    def diagnose(self, file):
        """Runs all rules over a log that ends with the request of the sample, which one of them must find."""
        command = [self.command, "diagnose", "-o", "json", file]
        run = measure(command, expected=1, output=self.output)
        report = json.loads(self.output.read_text())
        found = [finding["rule"] for finding in report["findings"]]
        if "FS0101" not in found:
            raise Failure(f"the request of the sample was not found, only {found}")
        unknown = [rule for rule in report["notEvaluated"] if rule["reason"] != "no web.config was given"]
        if unknown:
            raise Failure(f"not evaluated: {unknown[0]}")
        return run

    def with_sample(self, plan, name):
        """Writes a log with the rows of the sample at its end, and returns its path."""
        path = self.work / name
        plan.write_file(path)
        with open(path, "ab") as file:
            file.write(SAMPLE.read_bytes().split(b"\n", 1)[1])
        return warm(path)

    def log_diagnose(self):
        file = self.with_sample(self.file_plan, "diagnosed.log")
        own, other = interleaved(
            SHORT_REPETITIONS, lambda: self.diagnose(file), lambda: measure(["wc", "-l", file])
        )
        file.unlink()
        self.slower(f"diagnose {binary(self.gigabyte)}, all rules, two cores", own, "wc -l", other, 3)

    def log_diagnose_memory(self):
        for size in (self.gigabyte, 4 * self.gigabyte):
            file = self.with_sample(Plan(SEED, size), "diagnosed.log")
            own, = interleaved(REPETITIONS, lambda: self.diagnose(file))
            file.unlink()
            self.table.add(
                f"memory of a diagnosis of {binary(size)}", own=seconds(own.seconds), goal="≤ 256 MB",
                met=own.peak <= DIAGNOSIS_MEMORY_LIMIT, peak=own.peak,
            )

    # Rows

    def slower(self, what, own, name, other, limit):
        """Adds a row with fastctl's time as a multiple of the other's."""
        ratio = own.seconds / other.seconds
        self.table.add(
            what, own=seconds(own.seconds), other=f"{name}: {seconds(other.seconds)}", result=f"{ratio:.2f} × its time",
            goal=f"≤ {limit}" if limit else "", met=ratio <= limit if limit else None, peak=own.peak,
        )


def warm(path):
    """Reads a file into the page cache."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
    return path


def binary(size):
    """Returns a size in binary units, such as 1 GiB or 102 MiB."""
    mebibytes = round(size / (1 << 20))
    return f"{mebibytes / 1024:.1f} GiB".replace(".0", "") if mebibytes >= 1024 else f"{mebibytes} MiB"
