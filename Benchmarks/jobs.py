"""The cost of being able to resume a run, and the speed of resuming it."""

import os
import pathlib
import signal
import subprocess
import time

import data
import servers
import shell
from engines import EngineWorkloads
from measure import Failure, interleaved, measure
from table import count, rate, seconds
from workloads import MEMORY_LIMIT, Workloads, expect

HERE = pathlib.Path(__file__).resolve().parent
REPETITIONS = 9
WITHOUT = "--no-journal"


class JobWorkloads:
    ALL = ("journal_of_the_store", "journal_of_opensearch", "null_engine", "pipe_and_resumption")
    TOOLS = ("sqlite3", "time")

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.divisor = divisor
        self.table = table
        self.id_count = 10_000_000 // divisor
        # Journals and spools of the measured runs are written only here.
        os.environ["XDG_STATE_HOME"] = str(work / "state")

    # Cost

    def journal_of_the_store(self):
        feeding = Workloads(self.command, self.work, self.divisor, self.table)
        number = feeding.page_count
        ids, _ = feeding.shuffled_ids(number)
        absent = self.work / "absent.txt"
        data.write_numbers(number, absent)

        def remove(ids, expected, left, *options):
            store = feeding.copy(feeding.page_store)
            run = feeding.fastctl(store, "remove", "--quiet", *options, stdin=ids, expected=expected)
            expect(shell.Collection(store).live(store), left)
            return run

        for what, *case in (("all removed", ids, 0, 0), ("all missing, each an error", absent, 1, number)):
            kept, unkept = interleaved(REPETITIONS, lambda: remove(*case), lambda: remove(*case, WITHOUT))
            self.against_without(f"store: {count(number)} IDs, {what}", number, kept, unkept, share=0.10)

    def journal_of_opensearch(self):
        engines = EngineWorkloads(self.command, self.work, self.divisor, self.table)
        with servers.OpenSearch(self.work, 9210) as server:
            server.load(engines.count, data.page_id)
            engines.fastctl(server)
            kept, unkept = interleaved(
                REPETITIONS, lambda: engines.fastctl(server), lambda: engines.fastctl(server, WITHOUT)
            )
        self.against_without(f"opensearch: {count(engines.count)} IDs", engines.count, kept, unkept, share=0.03)
        more = (kept.cpu - unkept.cpu) / engines.count * 1_000_000
        self.table.add(
            "  … processor time", own=f"CPU {kept.cpu:.2f} s", other=f"without a journal: CPU {unkept.cpu:.2f} s",
            result=f"{more:+.2f} s a million", goal="≤ 0.3 s", met=more <= 0.3,
        )

    def against_without(self, what, number, kept, unkept, share):
        more = kept.seconds / unkept.seconds - 1
        self.table.add(
            what, own=rate(number, kept.seconds), other=f"without a journal: {rate(number, unkept.seconds)}",
            result=f"{more:+.1%}", goal=f"≤ {share:.0%} slower", met=more <= share, peak=kept.peak,
        )

    def null_engine(self):
        package = HERE / "null-engine"
        subprocess.run(
            ["swift", "build", "-c", "release", "--package-path", package, "--scratch-path", self.work / "null"],
            stdout=subprocess.DEVNULL, check=True,
        )
        program = self.work / "null/release/null-engine"
        number = self.id_count // 2
        folders = iter(range(1_000_000))
        kept, unkept = interleaved(
            5,
            lambda: measure([program, number, self.work / f"null-{next(folders)}"]),
            lambda: measure([program, number]),
        )
        speed = number / kept.seconds
        self.table.add(
            "null engine: core and journal", own=rate(number, kept.seconds),
            other=f"core alone: {rate(number, unkept.seconds)}", result="", goal="≥ 1,000,000/s",
            met=speed >= 1_000_000, peak=kept.peak,
        )

    # Resumption

    def pipe_and_resumption(self):
        numbers = self.work / "numbers.txt"
        data.write_numbers(self.id_count, numbers)
        feeding = Workloads(self.command, self.work, self.divisor, self.table)
        store = feeding.new_store("resumed.sqlite")
        environment = {
            **os.environ, "FASTCTL_TARGET": f"sqlite:{store}", "FASTCTL_COLLECTION": "Bench",
        }
        command = [self.command, "remove", "--missing", "ignore"]
        pipe = ["sh", "-c", 'cat "$1" | "$0" remove --quiet --missing ignore --spool-max 8GiB', self.command, numbers]
        run = measure(pipe, environment=environment)
        self.table.add(
            f"{count(self.id_count)} IDs from a pipe", own=rate(self.id_count, run.seconds),
            goal="< 100 MB", met=run.peak < MEMORY_LIMIT, peak=run.peak,
        )
        command += ["--from", str(numbers)]
        self.kill_at(self.id_count * 9 // 10, command, environment)
        first = self.first_line(command, environment)
        self.table.add(
            "  resumed after a kill at 90 %", own=f"first removal after {seconds(first)}", goal="≤ 2 s",
            met=first <= 2,
        )

    @staticmethod
    def kill_at(number, command, environment):
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            for read, _ in enumerate(process.stdout, 1):
                if read == number:
                    process.send_signal(signal.SIGKILL)
                    break
            process.stdout.close()
            process.wait()

    @staticmethod
    def first_line(command, environment):
        start = time.perf_counter()
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            line = process.stdout.readline()
            first = time.perf_counter() - start
            for _ in process.stdout:
                pass
            said = process.stderr.read()
            if process.wait() != 0 or "resuming job" not in said or not line.startswith("Removing item"):
                raise Failure(f"the job was not resumed: {line}{said[-2000:]}")
        return first
