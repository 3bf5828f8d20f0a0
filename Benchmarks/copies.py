"""Offline copies of an index: pulled whole, when nothing or little is new, after removals, and pushed."""

import json
import os
import sys

import servers
from forwarder import Forwarder
from measure import Failure, measure, median
from table import count, rate, seconds
from workloads import MEMORY_LIMIT, Workloads

REPETITIONS = 5
COLLECTION = "copied"
# The one request that shows whether anything has changed; the requests before it open the engine.
STATE = "_stats?"


class CopyWorkloads:
    ALL = ("copies_of_opensearch",)
    TOOLS = ("time",)

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.divisor = divisor
        self.table = table
        self.environment = {
            **os.environ, "XDG_STATE_HOME": str(work / "state"), "FASTCTL_TARGET": f"sqlite:{work / 'copies.sqlite'}",
        }

    def copies_of_opensearch(self):
        feeding = Workloads(self.command, self.work, self.divisor, self.table)
        number, pages = feeding.page_count, feeding.pages[0]
        with servers.OpenSearch(self.work, 9210) as server, Forwarder(9210) as forwarder:
            there = ["--target", f"opensearch+{server.url}", "--collection", COLLECTION]
            settings = {"number_of_shards": 2, "number_of_replicas": 0, "refresh_interval": "-1"}
            server.ask("PUT", f"/{COLLECTION}", {"settings": {"index": settings}})
            self.fastctl("add", "--quiet", *there, pages)
            self.fastctl("replicas", "create", COLLECTION, "--origin", f"opensearch+{forwarder.url}")

            whole = self.pull(number)
            self.table.add(
                f"pull of {count(number)} documents", own=rate(number, whole.seconds), goal="< 100 MB",
                met=whole.peak < MEMORY_LIMIT, peak=whole.peak,
            )
            self.nothing_new(forwarder)
            self.some_new(there, number, pages)
            self.some_gone(there, number)
            self.pushed(server, number)

    # Rows

    def nothing_new(self, forwarder):
        runs, asked = [], []
        for _ in range(REPETITIONS):
            forwarder.requests.clear()
            runs.append(self.pull())
            asked = list(forwarder.requests)
        unchanged = median(runs)
        about_state = sum(STATE in line for line in asked)
        print("a pull of nothing new asks:", *asked, sep="\n    ", file=sys.stderr)
        self.table.add(
            "  … of nothing new", own=seconds(unchanged.seconds), goal="< 1 s", met=unchanged.seconds < 1,
            peak=unchanged.peak,
        )
        self.table.add(
            "  …   its requests", own=f"{about_state} after opening", other=f"{len(asked) - about_state} to open",
            goal="1", met=about_state == 1 and STATE in asked[-1],
        )

    def some_new(self, there, number, pages):
        changed = self.work / "changed.jsonl"
        with open(pages) as lines, open(changed, "w") as out:
            for line, _ in zip(lines, range(number // 100)):
                out.write(json.dumps({**json.loads(line), "changed": True}) + "\n")
        self.fastctl("add", "--quiet", *there, changed)
        run = self.pull()
        self.table.add(f"  … of {count(number // 100)} changes", own=seconds(run.seconds), peak=run.peak)

    def some_gone(self, there, number):
        gone = self.work / "gone.txt"
        with open(self.work / "changed.jsonl") as lines:
            gone.write_text("".join(json.loads(line)["id"] + "\n" for line, _ in zip(lines, range(number // 1000))))
        self.fastctl("remove", "--quiet", *there, "--from", gone)
        run = self.pull(number - number // 1000)
        self.table.add(
            f"  … of {count(number // 1000)} removals: all IDs compared", own=rate(number, run.seconds),
            goal="< 100 MB", met=run.peak < MEMORY_LIMIT, peak=run.peak,
        )

    def pushed(self, server, number):
        edits = self.work / "edits.jsonl"
        with open(self.work / "pages.jsonl") as lines, open(edits, "w") as out:
            for place, line in enumerate(lines):
                if place >= number * 99 // 100:
                    out.write(json.dumps({**json.loads(line), "edited": True}) + "\n")
        self.fastctl("update", "--quiet", "--collection", COLLECTION, edits)
        run = self.fastctl("replicas", "push", COLLECTION)
        server.ask("POST", f"/{COLLECTION}/_refresh")
        found = server.ask("GET", f"/{COLLECTION}/_count?q=edited:true")["count"]
        if found != number // 100:
            raise Failure(f"{found} edits arrived instead of {number // 100}")
        self.table.add(f"push of {count(number // 100)} updates", own=rate(number // 100, run.seconds), peak=run.peak)

    # Commands

    def fastctl(self, *arguments, output=None):
        return measure([self.command, *arguments], environment=self.environment, output=output)

    def pull(self, expected=None):
        run = self.fastctl("replicas", "pull", COLLECTION)
        if expected is not None:
            shown = self.work / "shown.json"
            self.fastctl("replicas", "show", COLLECTION, "-o", "json", output=shown)
            found = json.loads(shown.read_text())["documents"]
            if found != expected:
                raise Failure(f"the copy has {found} documents instead of {expected}")
        return run
