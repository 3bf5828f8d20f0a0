"""Comparisons of a collection with its source: ten million IDs and versions on each side, none of which differ."""

import json
import math
import os
import shutil

from measure import Failure, measure
from table import count, seconds

COLLECTION = "pages"
PAIRS = 10_000_000
TIME_LIMIT = 30
MEMORY_GOAL = 150_000_000
# Odd, and coprime to the number of pairs, so all of them are visited, in no apparent order.
STRIDE = 9_777_773


class ReconcileWorkloads:
    ALL = ("reconcile_unchanged",)
    TOOLS = ("time",)

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.table = table
        self.pairs = PAIRS // divisor
        self.environment = {
            **os.environ, "HOME": str(work), "XDG_STATE_HOME": str(work / "state"), "XDG_CONFIG_HOME": str(work),
        }

    def reconcile_unchanged(self):
        for name, order in (("in order", range(self.pairs)), ("in no order", self.shuffled())):
            here, there = self.work / "here.sqlite", self.work / "there.sqlite"
            self.fill(here, order)
            shutil.copy(here, there)
            result = self.work / "result.json"
            run = measure(
                [self.command, "reconcile", "--target", f"sqlite:{here}", "--collection", COLLECTION,
                 "--source", f"sqlite:{there}/{COLLECTION}?version=etag", "--output", "json"],
                environment=self.environment, output=result,
            )
            same = json.loads(result.read_text())["counts"]["same"]
            if same != self.pairs:
                raise Failure(f"{same} of {self.pairs} are the same")
            self.table.add(
                f"reconcile {count(self.pairs)} with as many, {name}", own=seconds(run.seconds),
                goal=f"< {TIME_LIMIT} s", met=run.seconds < TIME_LIMIT, peak=run.peak,
            )
            self.table.add("  … its memory", own=f"{run.peak / 1e6:.0f} MB", goal="< 150 MB", met=run.peak < MEMORY_GOAL)
            for path in (here, there):
                path.unlink()

    def shuffled(self):
        assert math.gcd(STRIDE, self.pairs) == 1
        return (number * STRIDE % self.pairs for number in range(self.pairs))

    def fill(self, store, order):
        lines = self.work / "pairs.jsonl"
        with open(lines, "w") as out:
            for number in order:
                etag = number * 2_654_435_761 & 0xFFFFFFFF
                out.write(f'{{"id":"https://example.org/p/{number:08}","etag":"W-{etag:08x}"}}\n')
        target = ["--target", f"sqlite:{store}"]
        measure([self.command, "collections", "create", COLLECTION, *target], environment=self.environment)
        measure(
            [self.command, "add", "--collection", COLLECTION, "--quiet", "--no-journal", *target, lines],
            environment=self.environment,
        )
        lines.unlink()
