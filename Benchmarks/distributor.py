"""The content distributor: batches, documents, hooks, streams, followers, its start, and the same in front of engines."""

import http.client
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import select
import signal
import socket
import statistics
import subprocess
import time
from concurrent import futures

import servers
from measure import Failure, Run, interleaved, measure
from table import count, rate

PORT, NGINX_PORT = 10_730, 10_731
REPETITIONS = 5
DOCUMENTS = 200_000
BATCH = 1_000
STREAMS = 10_000
FOLLOWERS, CHANGES, CHANGE_SECONDS = 1_000, 1_000, 10
CHANGE_BATCH, CHANGE_WRITERS = 50, 4
STARTS = 50
CONNECTIONS = 16
TENANT = "user.tenant == document.tenant"
HOOKS = 50
CALLS = 4_000

SETTINGS = """\
listen: 127.0.0.1:{port}
state: {folder}/state
target: {target}
collections:
  open: {{read: everyone}}
  keys: {{read: application-key, insert: application-key, update: application-key, delete: application-key}}
  tenants: {{read: {tenant}}}
  steps: {{read: everyone, hooks: [{steps}]}}
  program: {{read: everyone, hooks: [{{on: read, program: echo}}]}}
programs:
  echo: {{command: [python3, echo.py], processes: 1}}
limits: {{connections: {connections}, streams: {connections}, sessions: 10}}
"""

ECHO = """\
import sys
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
"""

NGINX = """\
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


def pinned(core):
    """Returns the words that pin a program to a separate processor, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core])] if len(cores) > 1 else []


CLIENT, SERVER = 0, -1
COLLECTIONS = OPEN, KEYS, TENANTS, STEPS, PROGRAM = "open", "keys", "tenants", "steps", "program"


def create(command, target, name, *options):
    command = [command, "collections", "create", name, "--target", target, *options]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode:
        raise Failure(f"{name} was not created in {target}: {answer.stderr}")


class Distributor:
    """A distributor on the loopback interface, with an embedded store of five collections, or in front of an engine."""

    def __init__(self, command, folder, connections=2_000, target=None):
        self.program = command.parent / "content-distributor"
        self.folder = folder
        folder.mkdir()
        self.settings = folder / "distributor.yaml"
        store = f"sqlite:{folder}/store.sqlite"
        self.settings.write_text(SETTINGS.format(
            port=PORT, folder=folder, target=target or store, tenant=TENANT, connections=connections,
            steps=", ".join(["{on: read, set: {tenant: request.address}}"] * HOOKS),
        ))
        (folder / "echo.py").write_text(ECHO)
        for name in () if target else COLLECTIONS:
            create(command, store, name)

    def start(self):
        """Starts the server, and returns once it listens."""
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [*pinned(SERVER), self.program, "run", self.settings], stdout=subprocess.PIPE, stderr=log, text=True
            )
        for line in self.process.stdout:
            if "administrator" in line:
                self.admin = line.split()[-1]
            if line.startswith("listening"):
                return
        raise Failure(f"the distributor did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(timeout=60) != 0:
            raise Failure("the distributor did not end well")
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def token(self, *options):
        answer = subprocess.run(
            [self.program, "tokens", "create", "bench", self.settings, *options],
            check=True, capture_output=True, text=True,
        )
        return answer.stdout.strip()

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def cpu(self):
        """Returns the seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    """A client with one connection."""

    def __init__(self, token):
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)

    def ask(self, method, path, body=None):
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise Failure(f"{method} {path}: {answer.status} {content[:500]}")
        return json.loads(content) if content else None


class DistributorWorkloads:
    ALL = (
        "distributor_batches", "distributor_reads", "distributor_hooks", "distributor_streams", "distributor_changes",
        "distributor_start",
    )
    TOOLS = ("nginx", "taskset", "time", "wrk")

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.divisor = divisor
        self.table = table
        self.folders = (work / f"distributor-{number}" for number in range(1_000_000))
        os.environ["XDG_STATE_HOME"] = str(work / "state")

    # Batches

    def distributor_batches(self):
        self.compare_batches("distributor", 0.3, self.embedded)

    def embedded(self):
        """Returns a new store with an empty collection."""
        folder = next(self.folders)
        folder.mkdir()
        target = f"sqlite:{folder}/store.sqlite"
        create(self.command, target, KEYS)
        return target

    def compare_batches(self, title, goal, fresh, *options):
        """Feeds the same documents through a distributor and directly; `fresh` empties the collection at a target."""
        number = max(BATCH, DOCUMENTS // self.divisor // BATCH * BATCH)
        lines = [
            json.dumps({"id": f"document-{place:020}", "title": f"Title {place}", "body_t": f"word{place % 997} " * 30})
            for place in range(number)
        ]
        batches = ["\n".join(lines[start:start + BATCH]).encode() for start in range(0, number, BATCH)]
        documents = self.work / "documents.jsonl"
        documents.write_bytes(b"\n".join(batches) + b"\n")

        def through():
            with Distributor(self.command, next(self.folders), target=fresh()) as server:
                client, before = Client(server.token("--role", "application")), server.cpu()
                start = time.perf_counter()
                session = client.ask("POST", f"/v1/collections/{KEYS}/sessions")["session"]
                for place, batch in enumerate(batches, 1):
                    client.ask("PUT", f"/v1/sessions/{session}/batches/{place}", batch)
                while (state := client.ask("GET", f"/v1/sessions/{session}?wait=secured"))["reached"] is None:
                    pass
                seconds = time.perf_counter() - start
                if state["outcomes"] != {"added": number}:
                    raise Failure(f"the outcomes are {state['outcomes']} instead of {number} added")
                return Run(seconds, server.memory(), server.cpu() - before)

        def direct():
            feed = [self.command, "add", documents, "--target", fresh(), "--collection", KEYS, "--quiet", *options]
            return measure([*pinned(SERVER), *feed])

        own, other = interleaved(REPETITIONS, through, direct)
        share = other.seconds / own.seconds
        self.table.add(
            f"{title}: {count(number)} documents in batches of {count(BATCH)}", own=rate(number, own.seconds),
            other=f"fastctl add: {rate(number, other.seconds)}", result=f"{share:.2f}", goal=f"≥ {goal}", met=share >= goal,
            peak=own.peak,
        )
        self.table.add("  … processor time", own=f"{own.cpu:.2f} s", other=f"fastctl add: {other.cpu:.2f} s")

    # Reads

    def distributor_reads(self):
        seconds = max(1, 10 // self.divisor)
        www = self.work / "www"
        www.mkdir()
        document = json.dumps({"tenant": "a", "text": "x" * 997})
        (www / "document.json").write_text(document)
        # The server may run as another user.
        for folder in (self.work, www):
            folder.chmod(0o755)
        configuration = self.work / "nginx.conf"
        configuration.write_text(NGINX.format(folder=self.work, port=NGINX_PORT))
        with Distributor(self.command, next(self.folders)) as server, subprocess.Popen(
            [*pinned(SERVER), "nginx", "-c", configuration], stderr=subprocess.DEVNULL
        ) as nginx:
            try:
                admin = Client(server.admin)
                for name in COLLECTIONS:
                    admin.ask("PUT", f"/v1/collections/{name}/documents/a", document)
                application = server.token("--role", "application")
                tenant = server.token("--role", "user", "--claim", "tenant=a")
                contestants = {
                    "nginx": (f"http://127.0.0.1:{NGINX_PORT}/document.json", f"Authorization: Bearer {application}"),
                    # The head has the same length, so only the permission makes a difference.
                    "everyone": (self.url(OPEN), f"X-Other-Field: Bearer {application}"),
                    "application-key": (self.url(KEYS), f"Authorization: Bearer {application}"),
                    "tenants": (self.url(TENANTS), f"Authorization: Bearer {tenant}"),
                }
                speeds = in_turns(contestants, seconds)
                self.add_reads(speeds)
                half = statistics.median(speeds["application-key"]) / 2
                reached, longest = wrk(*contestants["application-key"], seconds, per_second=half, work=self.work)
                self.table.add(
                    "  … at half of that", own=f"{reached:,.0f}/s, p99 {longest:.1f} ms", goal="< 20 ms",
                    met=longest < 20,
                )
            finally:
                nginx.terminate()

    @staticmethod
    def url(collection):
        return f"http://127.0.0.1:{PORT}/v1/collections/{collection}/documents/a"

    def add_reads(self, speeds):
        speed = {name: statistics.median(values) for name, values in speeds.items()}
        share = speed["application-key"] / speed["nginx"]
        self.table.add(
            "distributor: one document of 1 KB, with a token", own=f"{speed['application-key']:,.0f}/s",
            other=f"nginx, a file: {speed['nginx']:,.0f}/s", result=f"{share:.2f}", goal="≥ 0.25", met=share >= 0.25,
        )
        for name, what in (("application-key", "a token and its rule"), ("tenants", "a rule about the document")):
            # Within each turn: between turns, the machine's own speed varies by more than that.
            cost = statistics.median(free / own for free, own in zip(speeds["everyone"], speeds[name])) - 1
            self.table.add(
                f"  … the cost of {what}", own=f"{speed[name]:,.0f}/s", other=f"everyone: {speed['everyone']:,.0f}/s",
                result=f"{cost:+.1%}", goal="< 5 %", met=cost < 0.05,
            )

    # Hooks

    def distributor_hooks(self):
        """Reads a document, one request after the other: the cost of hooks is the difference from a collection without."""
        number = max(200, CALLS // self.divisor)
        with Distributor(self.command, next(self.folders)) as server:
            client = Client(server.admin)
            paths = {name: f"/v1/collections/{name}/documents/a" for name in (OPEN, STEPS, PROGRAM)}
            for path in paths.values():
                client.ask("PUT", path, json.dumps({"tenant": "a", "text": "x" * 497}))
            times = {name: [] for name in paths}
            for _ in range(number):
                for name, path in paths.items():
                    start = time.perf_counter()
                    client.ask("GET", path)
                    times[name].append(time.perf_counter() - start)
        median = {name: statistics.median(values) * 1e6 for name, values in times.items()}
        spread = {
            name: f"mean {statistics.mean(values) * 1e6:.0f} µs, p99 {sorted(values)[len(values) * 99 // 100] * 1e6:.0f} µs"
            for name, values in times.items()
        }
        step = (median[STEPS] - median[OPEN]) / HOOKS
        call = median[PROGRAM] - median[OPEN]
        without = f"without hooks: {median[OPEN]:.0f} µs, {spread[OPEN]}"
        self.table.add(
            f"distributor: a request with {HOOKS} steps", own=f"{median[STEPS]:.0f} µs, {spread[STEPS]}", other=without,
            result=f"{step:.1f} µs a step", goal="< 10 µs", met=step < 10,
        )
        self.table.add(
            "  … with a program in Python", own=f"{median[PROGRAM]:.0f} µs, {spread[PROGRAM]}", other=without,
            result=f"{call:.0f} µs a call", goal="< 150 µs", met=call < 150,
        )

    # Streams

    def distributor_streams(self):
        number = STREAMS // self.divisor
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < number + 500:
            raise Failure(f"{number} streams need as many open files, and the system allows {hard}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        streams = []
        try:
            with Distributor(self.command, next(self.folders), connections=number + 100) as server:
                token = server.token("--role", "application")
                session = Client(token).ask("POST", f"/v1/collections/{KEYS}/sessions")["session"]
                before = server.memory()
                request = (
                    f"GET /v1/sessions/{session}/outcomes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
                    f"Authorization: Bearer {token}\r\n\r\n"
                ).encode()
                start = time.perf_counter()
                for _ in range(number):
                    stream = socket.create_connection(("127.0.0.1", PORT), timeout=60)
                    stream.sendall(request)
                    streams.append(stream)
                for stream in streams:
                    receive(stream, b'"hasEnded":false')
                opened = time.perf_counter() - start
                peak = server.memory()
                self.table.add(
                    f"distributor: {count(number)} open streams", own=rate(number, opened),
                    result=f"{(peak - before) / number / 1024:.1f} KB each", goal="< 300 MB", met=peak < 300_000_000,
                    peak=peak,
                )
                start = time.perf_counter()
                Client(token).ask("PUT", f"/v1/sessions/{session}/batches/1?operation=remove", b'"none"')
                for stream in streams:
                    receive(stream, b'"number":1,')
                seconds = time.perf_counter() - start
                self.table.add("  … an error reaches all of them", own=rate(number, seconds), peak=server.memory())
                for stream in streams:
                    stream.close()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    # Changes

    def distributor_changes(self):
        number, seconds = FOLLOWERS // self.divisor, max(2, CHANGE_SECONDS // self.divisor)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < number + 500:
            raise Failure(f"{number} followers need as many open files, and the system allows {hard}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        followers = Followers()
        try:
            with Distributor(self.command, next(self.folders)) as server:
                tenant = server.token("--role", "user", "--claim", "tenant=a")
                # What the server takes once, for its first followers, is none of each one's.
                followers.open(max(1, number // 10), tenant)
                before, already = server.memory(), len(followers)
                followers.open(number - already, tenant)
                each = (server.memory() - before) / (number - already)
                self.table.add(
                    f"distributor: {count(number)} followers of a collection", own=f"{each / 1024:.1f} KB each",
                    goal="< 20 KB each", met=each < 20_000, peak=server.memory(),
                )
                cpu = server.cpu()
                with ChangeWriter(server.admin, CHANGES, seconds, self.work / "changes.json") as writer:
                    times, counts = followers.receive(writer)
                    report = writer.report()
                cpu = (server.cpu() - cpu) / report["seconds"]
                self.add_waits(number, times, counts, report, cpu, server.memory())
        finally:
            followers.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def add_waits(self, number, times, counts, report, cpu, peak):
        """Adds the times at which followers had a change, from its sending and from its acknowledgment."""
        written = report["written"]
        missing = sum(written - received for received in counts.values())
        if missing or len(counts) != number:
            raise Failure(f"{missing} of {number * written} changes did not reach their followers")
        speed = written / report["seconds"]
        sent, secured = ([], [])
        for at, arrival in times:
            sent.append((arrival - at) / 1e6)
            secured.append(max(0, arrival - report["acknowledged"][str(at)]) / 1e6)
        rows = [("the sending", sent, "< 20 ms"), ("the acknowledgment", secured, "")]
        for what, values, goal in rows:
            values.sort()
            median, longest = values[len(values) // 2], values[len(values) * 99 // 100]
            self.table.add(
                f"  … at {count(CHANGES)} changes a second, from {what}", own=f"p50 {median:.1f} ms, p99 {longest:.1f} ms",
                other=f"{speed:,.0f}/s written, {cpu:.0%} of a processor", goal=goal,
                # Slower writes would be another, easier measurement.
                met=longest < 20 and speed >= 0.95 * CHANGES if goal else None, peak=peak,
            )

    # Start

    def distributor_start(self):
        server, times = Distributor(self.command, next(self.folders)), []
        # The first start creates the folder of the state.
        server.start()
        server.kill()
        for _ in range(STARTS):
            start = time.perf_counter()
            server.start()
            times.append(time.perf_counter() - start)
            server.kill()
        median = statistics.median(times)
        self.table.add(
            "distributor: start until it listens", own=f"{median * 1000:.1f} ms",
            other=f"longest {max(times) * 1000:.1f} ms", goal="< 50 ms", met=median < 0.05,
        )


class DistributorEngineWorkloads(DistributorWorkloads):
    """The same in front of real engines, and compared with them."""

    ALL = ("distributor_opensearch", "distributor_solr", "distributor_elasticsearch")
    TOOLS = ("jcmd", "taskset", "time", "wrk")

    def distributor_opensearch(self):
        with servers.OpenSearch(self.work, 9230) as server:
            self.compare_engine(server, "--setting", "number_of_shards=1", "--setting", "number_of_replicas=0")

    def distributor_solr(self):
        with servers.Solr(self.work, 8930) as server:
            self.compare_engine(server, "--setting", "configSet=webcollection")

    def compare_engine(self, server, *settings):
        target = server.target()

        def fresh():
            delete = [self.command, "collections", "delete", KEYS, "--confirm", KEYS, "--target", target]
            subprocess.run(delete, check=True, capture_output=True)
            create(self.command, target, KEYS, *settings)
            server.collect_garbage()
            return target

        create(self.command, target, KEYS, *settings)

        # Bodies have the same size in both cases: otherwise, fastctl would search for a better one.
        self.compare_batches(f"distributor, {server.title}", 0.8, fresh, "--batch-count", str(BATCH))

    def distributor_elasticsearch(self):
        """Reads of one document: the distributor and its embedded store, against the engine's own endpoint."""
        seconds = max(1, 10 // self.divisor)
        document = json.dumps({"tenant": "a", "text": "x" * 997})
        with servers.Elasticsearch(self.work, 9430) as engine, Distributor(
            self.command, next(self.folders)
        ) as server:
            # On the distributor's processor: its present threads and future ones.
            if cores := pinned(SERVER):
                subprocess.run(["taskset", "-a", "-p", "-c", cores[-1], engine.pid()], check=True, capture_output=True)
            create(self.command, engine.target(), KEYS)
            engine.ask("PUT", f"/{KEYS}/_doc/a?refresh=true", document.encode())
            Client(server.admin).ask("PUT", f"/v1/collections/{KEYS}/documents/a", document)
            authorization = f"Authorization: Bearer {server.token('--role', 'application')}"
            contestants = {
                "own": (self.url(KEYS), authorization), "engine": (f"{engine.url}/{KEYS}/_doc/a", authorization)
            }
            # The engine's compiler must see many requests before measuring begins.
            wrk(*contestants["engine"], max(2, seconds))
            speeds = in_turns(contestants, seconds)
        own, other = (statistics.median(speeds[name]) for name in ("own", "engine"))
        self.table.add(
            "distributor: one document of 1 KB, embedded store", own=f"{own:,.0f}/s",
            other=f"Elasticsearch, _doc: {other:,.0f}/s", result=f"{own / other:.1f} × its speed", goal="≥ 2",
            met=own / other >= 2,
        )


def in_turns(contestants, seconds):
    """Returns the responses per second of each contestant, a URL and a header field, in turns of a second."""
    speeds = {name: [] for name in contestants}
    for turn in range(REPETITIONS * seconds):
        order = list(contestants)
        random.Random(turn).shuffle(order)
        for name in order:
            speeds[name].append(wrk(*contestants[name], 1)[0])
    return speeds


class ChangeWriter:
    """A process that writes documents at a speed, some in each batch; each has the time at which its batch was sent."""

    def __init__(self, token, per_second, seconds, file):
        self.arguments, self.file = (token, per_second, seconds, file), file

    def __enter__(self):
        self.process = multiprocessing.get_context("fork").Process(target=write_changes, args=self.arguments)
        self.process.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join()

    def is_alive(self):
        return self.process.is_alive()

    def report(self):
        self.process.join()
        if self.process.exitcode:
            raise Failure("the writer of changes failed")
        return json.loads(self.file.read_text())


def write_changes(token, per_second, seconds, file):
    """Writes changes, and reports to a file how many, in which time, and when each batch was acknowledged.

    Several clients take turns: none waits for the batches of the others.
    """
    number, acknowledged, start = per_second * seconds // CHANGE_BATCH, {}, time.perf_counter() + 0.1

    def write(place):
        client = Client(token)
        session = client.ask("POST", "/v1/collections/tenants/sessions")["session"]
        for batch, turn in enumerate(range(place, number, CHANGE_WRITERS), 1):
            time.sleep(max(0, start + turn * CHANGE_BATCH / per_second - time.perf_counter()))
            first, now = turn * CHANGE_BATCH, time.monotonic_ns()
            lines = [
                f'{{"id":"d{document % 500}","tenant":"a","at":"{now}"}}'
                for document in range(first, first + CHANGE_BATCH)
            ]
            client.ask("PUT", f"/v1/sessions/{session}/batches/{batch}", "\n".join(lines).encode())
            acknowledged[now] = time.monotonic_ns()
        while client.ask("GET", f"/v1/sessions/{session}?wait=secured")["reached"] is None:
            pass

    with futures.ThreadPoolExecutor(CHANGE_WRITERS) as pool:
        list(pool.map(write, range(CHANGE_WRITERS)))
    # The last batch ends its pause, too.
    written, taken = len(acknowledged) * CHANGE_BATCH, time.perf_counter() - start
    file.write_text(json.dumps({
        "written": written, "seconds": max(taken, written / per_second), "acknowledged": acknowledged,
    }))


class Followers:
    """The clients that follow a collection, read by this process alone."""

    def __init__(self):
        self.streams = []

    def __len__(self):
        return len(self.streams)

    def open(self, number, token):
        request = (
            "GET /v1/collections/tenants/changes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
            f"Authorization: Bearer {token}\r\n\r\n"
        ).encode()
        opened = [socket.create_connection(("127.0.0.1", PORT), timeout=60) for _ in range(number)]
        self.streams += opened
        for stream in opened:
            stream.sendall(request)
        for stream in opened:
            # The end of the event, and of its chunk.
            receive(stream, b"\n\n\r\n")

    def close(self):
        for stream in self.streams:
            stream.close()

    def receive(self, writer):
        """Returns for each chunk when its oldest change was sent, and when all of it came; and the changes of each stream."""
        field, times, counts, rests = b'"at":"', [], {}, {}
        poll, buffer = select.epoll(), bytearray(1 << 20)
        streams = {stream.fileno(): stream for stream in self.streams}
        for number, stream in streams.items():
            stream.setblocking(False)
            poll.register(number, select.EPOLLIN)
            counts[number], rests[number] = 0, b""
        last = time.monotonic()
        while writer.is_alive() or time.monotonic() - last < 1:
            for number, _ in poll.poll(0.1, len(streams)):
                size = streams[number].recv_into(buffer)
                now, last = time.monotonic_ns(), time.monotonic()
                if not size:
                    raise Failure("a follower's stream ended")
                chunks, rests[number] = whole_chunks(rests[number] + buffer[:size])
                for chunk in chunks:
                    start = chunk.find(field) + len(field)
                    if start >= len(field):
                        times.append((int(chunk[start:chunk.index(b'"', start)]), now))
                        counts[number] += chunk.count(field)
        poll.close()
        return times, counts


def whole_chunks(received):
    """Returns the bodies of the chunks that have come, and the rest."""
    chunks, place = [], 0
    while (line := received.find(b"\r\n", place)) > 0:
        start, size = line + 2, int(received[place:line], 16)
        if not size:
            raise Failure("a follower's stream ended")
        if len(received) < start + size + 2:
            break
        chunks.append(received[start:start + size])
        place = start + size + 2
    return chunks, received[place:]


def receive(stream, words):
    """Receives until some words have arrived."""
    received = b""
    while words not in received:
        more = stream.recv(65_536)
        if not more:
            raise Failure(f"a stream ended: {received[-500:]}")
        received += more


def wrk(url, header, seconds, *, per_second=None, work=None):
    """Returns the answers a second, and the milliseconds within which 99 of 100 came.

    At a given speed, each of many connections pauses for 10 ms after an answer.
    """
    connections, script = CONNECTIONS, []
    if per_second:
        connections = max(1, round(per_second / 100))
        (work / "pause.lua").write_text("function delay() return 10 end\n")
        script = ["--script", work / "pause.lua"]
    command = [
        *pinned(CLIENT), "wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s",
        "--latency", *script, "--header", header, url,
    ]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in answer or "Socket errors" in answer:
        raise Failure(f"{url}: {answer}")
    longest = re.search(r"99%\s+([\d.]+)(us|ms|s)\b", answer)
    milliseconds = float(longest[1]) * {"us": 0.001, "ms": 1, "s": 1000}[longest[2]]
    return float(re.search(r"Requests/sec:\s+([\d.]+)", answer)[1]), milliseconds
