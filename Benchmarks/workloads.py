"""The measurements of feeding."""

import os
import shutil
import subprocess
from functools import cached_property

import data
import shell
from measure import Failure, interleaved, measure
from table import count, megabytes, rate

REPETITIONS = 3
STARTS = 50
MEMORY_LIMIT = 100_000_000
COLLECTION = "Bench"


class Workloads:
    """The measurements; each adds its rows to the table. Shared files are written once, when first needed."""

    ALL = ("removal_of_some", "removal_of_all", "reading", "memory", "start")
    TOOLS = ("mawk", "sqlite3", "time")

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.table = table
        self.page_count = 1_000_000 // divisor
        self.id_count = 10_000_000 // divisor

    # Stores

    def fastctl(self, store, *arguments, stdin=None, expected=0):
        environment = {**os.environ, "FASTCTL_TARGET": f"sqlite:{store}", "FASTCTL_COLLECTION": COLLECTION}
        return measure([self.command, *arguments], stdin=stdin, environment=environment, expected=expected)

    def new_store(self, name, documents=None):
        store = self.work / name
        self.fastctl(store, "collections", "create", COLLECTION)
        if documents:
            self.fastctl(store, "add", "--quiet", documents)
        shell.checkpoint(store)
        return store

    def copy(self, store, prepare=None):
        """Returns a fresh copy, synced to disk before measuring; deletes the previous copy."""
        copy = self.work / "copy.sqlite"
        for old in self.work.glob("copy.sqlite*"):
            old.unlink()
        shutil.copy(store, copy)
        if prepare:
            prepare(copy)
        os.sync()
        return copy

    @cached_property
    def pages(self):
        """The files of documents, for fastctl and for the shell."""
        files = self.work / "pages.jsonl", self.work / "pages.tsv"
        data.write_pages(self.page_count, *files)
        return files

    @cached_property
    def page_store(self):
        return self.new_store("pages.sqlite", self.pages[0])

    @cached_property
    def straightforward_store(self):
        store = self.work / "straightforward.sqlite"
        shell.make_straightforward_store(store, self.pages[1])
        return store

    # Removal

    def removal_of_some(self):
        ids, taken = self.shuffled_ids(self.page_count // 10)
        own, add_merge = self.removal_against_shell(ids, taken)

        script = self.work / "straightforward.sql"
        shell.write_removals(ids, shell.straightforward_removal, script)
        other, = interleaved(REPETITIONS, lambda: self.straightforward_removal(script, taken))
        ratio = other.seconds / own.seconds
        self.table.add(
            "  … and the straightforward schema", own=rate(taken, own.seconds),
            other=f"sqlite3, FTS5 per ID: {rate(taken, other.seconds)}",
            result=f"{ratio:.1f} × its speed", goal="≥ 5", met=ratio >= 5,
        )
        add_merge()

    def removal_of_all(self):
        _, add_merge = self.removal_against_shell(*self.shuffled_ids(self.page_count))
        add_merge()

    def shuffled_ids(self, taken):
        ids = self.work / f"ids-{taken}.txt"
        data.write_shuffled_ids(self.page_count, taken, ids)
        return ids, taken

    def removal_against_shell(self, ids, taken):
        collection = shell.Collection(self.page_store)
        script = self.work / "removals.sql"
        shell.write_removals(ids, collection.removal, script)
        merges = []

        def own():
            store = self.copy(self.page_store)
            run = self.fastctl(store, "remove", "--quiet", "--missing", "ignore", stdin=ids)
            expect(collection.live(store), self.page_count - taken)
            merges.append(self.fastctl(store, "collections", "optimize", COLLECTION))
            return run

        def by_shell():
            store = self.copy(self.page_store, collection.prepare)
            run = measure(shell.command(store), stdin=script)
            expect(collection.removed_by_hand(store), taken)
            return run

        own_run, shell_run = interleaved(REPETITIONS, own, by_shell)
        merge, = interleaved(len(merges), iter(merges).__next__)
        ratio = shell_run.seconds / own_run.seconds
        self.table.add(
            f"remove {count(taken)} of {count(self.page_count)}", own=rate(taken, own_run.seconds),
            other=f"sqlite3, a row an ID: {rate(taken, shell_run.seconds)}",
            result=f"{ratio:.2f} × its speed", goal="≥ 0.9", met=ratio >= 0.9, peak=own_run.peak,
        )
        return own_run, lambda: self.table.add(
            "  its merge", own=rate(taken, merge.seconds), peak=merge.peak
        )

    def straightforward_removal(self, script, taken):
        store = self.copy(self.straightforward_store)
        run = measure(shell.command(store), stdin=script)
        expect(int(shell.query(store, "SELECT count(*) FROM page_row")), self.page_count - taken)
        return run

    # Reading

    def reading(self):
        numbers = self.work / "numbers.txt"
        data.write_numbers(self.id_count, numbers)
        store = self.new_store("empty.sqlite")
        own, other = interleaved(
            5,
            lambda: self.fastctl(store, "remove", "--dry-run=client", "--quiet", stdin=numbers),
            lambda: measure(["mawk", "END { print NR }"], stdin=numbers),
        )
        ratio = own.seconds / other.seconds
        self.table.add(
            f"read {count(self.id_count)} IDs, dry run", own=rate(self.id_count, own.seconds),
            other=f"mawk counting them: {rate(self.id_count, other.seconds)}",
            result=f"{ratio:.1f} × its time", goal="≤ 5", met=ratio <= 5, peak=own.peak,
        )

    # Memory

    def memory(self):
        empty = self.new_store("nothing.sqlite")
        removed, missing = [], []
        for number in (self.id_count // 10, self.id_count):
            numbers, documents = self.work / "memory.txt", self.work / "memory.jsonl"
            data.write_numbers(number, numbers)
            data.write_small_documents(number, documents)
            store = self.new_store(f"small-{number}.sqlite", documents)
            documents.unlink()
            removed.append(self.fastctl(store, "remove", "--quiet", "--missing", "ignore", stdin=numbers))
            store.unlink()
            missing.append(self.fastctl(empty, "remove", "--quiet", "--missing", "error", stdin=numbers, expected=1))
        for what, (few, many) in (("all removed", removed), ("all missing, each an error", missing)):
            self.table.add(
                f"{count(self.id_count)} IDs, {what}", own=rate(self.id_count, many.seconds),
                other=f"itself with {count(self.id_count // 10)}: {megabytes(few.peak)}",
                result=f"{many.peak / few.peak:.2f} × the memory", goal="< 100 MB", met=many.peak < MEMORY_LIMIT,
                peak=many.peak,
            )

    # Start

    def start(self):
        empty, name = self.empty_program()
        own, other = interleaved(STARTS, lambda: measure([self.command, "version"]), lambda: measure([empty]))
        difference = (own.seconds - other.seconds) * 1000
        self.table.add(
            "fastctl version", own=f"{own.seconds * 1000:.1f} ms",
            other=f"{name}: {other.seconds * 1000:.1f} ms", result=f"+ {difference:.1f} ms", goal="≤ 10 ms",
            met=difference <= 10, peak=own.peak,
        )

    def empty_program(self):
        """Returns a C program that does nothing; without a compiler, `true`."""
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            return "true", "true"
        program = self.work / "empty"
        subprocess.run(
            [compiler, "-O2", "-x", "c", "-o", program, "-"], input="int main(void) { return 0; }", text=True, check=True
        )
        return program, "an empty C program"


def expect(found, wanted):
    if found != wanted:
        raise Failure(f"{found} instead of {wanted} documents")
