"""The content distributor: batches, single documents, hooks, open streams and its start."""

import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import statistics
import subprocess
import time

from measure import Failure, Run, interleaved, measure
from table import count, rate

PORT, NGINX_PORT = 10_730, 10_731
REPETITIONS = 5
DOCUMENTS = 200_000
BATCH = 1_000
STREAMS = 10_000
STARTS = 50
CONNECTIONS = 16
TENANT = "user.tenant == document.tenant"
HOOKS = 50
CALLS = 4_000

SETTINGS = """\
listen: 127.0.0.1:{port}
state: {folder}/state
target: sqlite:{folder}/store.sqlite
collections:
  Open: {{read: everyone}}
  Keys: {{read: application-key, insert: application-key, update: application-key, delete: application-key}}
  Tenants: {{read: {tenant}}}
  Steps: {{read: everyone, hooks: [{steps}]}}
  Program: {{read: everyone, hooks: [{{on: read, program: echo}}]}}
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
    """Returns the words that keep a program on a processor of its own, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core])] if len(cores) > 1 else []


CLIENT, SERVER = 0, -1


class Distributor:
    """A distributor on the loopback interface, with an embedded store of five collections."""

    def __init__(self, command, folder, connections=2_000):
        self.program = command.parent / "content-distributor"
        self.folder = folder
        folder.mkdir()
        self.settings = folder / "distributor.yaml"
        self.settings.write_text(
            SETTINGS.format(
                port=PORT, folder=folder, tenant=TENANT, connections=connections,
                steps=", ".join(["{on: read, set: {tenant: request.address}}"] * HOOKS),
            )
        )
        (folder / "echo.py").write_text(ECHO)
        for name in ("Open", "Keys", "Tenants", "Steps", "Program"):
            subprocess.run(
                [command, "collections", "create", name, "--target", f"sqlite:{folder}/store.sqlite"],
                check=True, capture_output=True,
            )

    def start(self):
        """Starts the server, and returns when it listens."""
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
    ALL = ("distributor_batches", "distributor_reads", "distributor_hooks", "distributor_streams", "distributor_start")
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
        number = max(BATCH, DOCUMENTS // self.divisor // BATCH * BATCH)
        lines = [
            json.dumps({"id": f"document-{place:020}", "title": f"Title {place}", "body": f"word{place % 997} " * 30})
            for place in range(number)
        ]
        batches = ["\n".join(lines[start:start + BATCH]).encode() for start in range(0, number, BATCH)]
        documents = self.work / "documents.jsonl"
        documents.write_bytes(b"\n".join(batches) + b"\n")

        def through():
            with Distributor(self.command, next(self.folders)) as server:
                client, before = Client(server.token("--role", "application")), server.cpu()
                start = time.perf_counter()
                session = client.ask("POST", "/v1/collections/Keys/sessions")["session"]
                for place, batch in enumerate(batches, 1):
                    client.ask("PUT", f"/v1/sessions/{session}/batches/{place}", batch)
                while (state := client.ask("GET", f"/v1/sessions/{session}?wait=secured"))["reached"] is None:
                    pass
                seconds = time.perf_counter() - start
                if state["outcomes"] != {"added": number}:
                    raise Failure(f"the outcomes are {state['outcomes']} instead of {number} added")
                return Run(seconds, server.memory(), server.cpu() - before)

        def direct():
            folder = next(self.folders)
            folder.mkdir()
            target = ["--target", f"sqlite:{folder}/store.sqlite"]
            subprocess.run([self.command, "collections", "create", "Keys", *target], check=True, capture_output=True)
            return measure([*pinned(SERVER), self.command, "add", documents, *target, "--collection", "Keys", "--quiet"])

        own, other = interleaved(REPETITIONS, through, direct)
        share = other.seconds / own.seconds
        self.table.add(
            f"distributor: {count(number)} documents in batches of {count(BATCH)}", own=rate(number, own.seconds),
            other=f"fastctl add: {rate(number, other.seconds)}", result=f"{share:.2f}", goal="≥ 0.3", met=share >= 0.3,
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
                for name in ("Open", "Keys", "Tenants"):
                    admin.ask("PUT", f"/v1/collections/{name}/documents/a", document)
                application = server.token("--role", "application")
                tenant = server.token("--role", "user", "--claim", "tenant=a")
                contestants = {
                    "nginx": (f"http://127.0.0.1:{NGINX_PORT}/document.json", f"Authorization: Bearer {application}"),
                    # As long a head, so that only the permission makes the difference.
                    "everyone": (self.url("Open"), f"X-Other-Field: Bearer {application}"),
                    "application-key": (self.url("Keys"), f"Authorization: Bearer {application}"),
                    "tenants": (self.url("Tenants"), f"Authorization: Bearer {tenant}"),
                }
                speeds = {name: [] for name in contestants}
                for _ in range(REPETITIONS):
                    for name, (url, header) in contestants.items():
                        speeds[name].append(wrk(url, header, seconds)[0])
                speed = {name: statistics.median(values) for name, values in speeds.items()}
                self.add_reads(speed)
                half = speed["application-key"] / 2
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

    def add_reads(self, speed):
        share = speed["application-key"] / speed["nginx"]
        self.table.add(
            "distributor: one document of 1 KB, with a token", own=f"{speed['application-key']:,.0f}/s",
            other=f"nginx, a file: {speed['nginx']:,.0f}/s", result=f"{share:.2f}", goal="≥ 0.25", met=share >= 0.25,
        )
        for name, what in (("application-key", "a token and its rule"), ("tenants", "a rule about the document")):
            cost = speed["everyone"] / speed[name] - 1
            self.table.add(
                f"  … the cost of {what}", own=f"{speed[name]:,.0f}/s", other=f"everyone: {speed['everyone']:,.0f}/s",
                result=f"{cost:+.1%}", goal="< 5 %", met=cost < 0.05,
            )

    # Hooks

    def distributor_hooks(self):
        """Reads a document one request after the other: what hooks take is the difference to a collection without."""
        number = max(200, CALLS // self.divisor)
        with Distributor(self.command, next(self.folders)) as server:
            client = Client(server.admin)
            paths = {name: f"/v1/collections/{name}/documents/a" for name in ("Open", "Steps", "Program")}
            for path in paths.values():
                client.ask("PUT", path, json.dumps({"tenant": "a", "text": "x" * 497}))
            times = {name: [] for name in paths}
            for _ in range(number):
                for name, path in paths.items():
                    start = time.perf_counter()
                    client.ask("GET", path)
                    times[name].append(time.perf_counter() - start)
        median = {name: statistics.median(values) * 1e6 for name, values in times.items()}
        step = (median["Steps"] - median["Open"]) / HOOKS
        call = median["Program"] - median["Open"]
        without = f"without hooks: {median['Open']:.0f} µs"
        self.table.add(
            f"distributor: a request with {HOOKS} steps", own=f"{median['Steps']:.0f} µs", other=without,
            result=f"{step:.1f} µs a step", goal="< 10 µs", met=step < 10,
        )
        self.table.add(
            "  … with a program in Python", own=f"{median['Program']:.0f} µs", other=without,
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
                session = Client(token).ask("POST", "/v1/collections/Keys/sessions")["session"]
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

    # Start

    def distributor_start(self):
        server, times = Distributor(self.command, next(self.folders)), []
        # The first start makes the folder of the state.
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


def receive(stream, words):
    """Receives until some words have come."""
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
