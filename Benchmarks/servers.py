"""Real engines for a measurement: started for it, filled with documents, stopped afterwards."""

import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.error
import urllib.request

from measure import Failure

SCRIPTS = os.environ.get("FASTCTL_ENGINES", "")
HEAP = "2g"
LOADED = "loaded"
FRESH = "bench"
LOAD_SIZE = 5_000


class Server:
    """One node on the loopback interface; `FASTCTL_ENGINES` is the folder of scripts that start it."""

    name = ""
    # The path of the engine on the server.
    prefix = ""

    def __init__(self, work, port):
        if not SCRIPTS:
            raise Failure("FASTCTL_ENGINES does not name the folder of engines")
        self.folder = work / self.name
        self.script = pathlib.Path(SCRIPTS) / self.name / "engine"
        self.port = port
        self.url = f"http://127.0.0.1:{port}{self.prefix}"

    def __enter__(self):
        self.run("start", self.folder, "--port", self.port, "--heap", HEAP)
        return self

    def __exit__(self, *_):
        self.run("stop", self.folder)
        # Another measurement starts the same product.
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments):
        # The output goes into a file, because the nodes keep inherited descriptors open.
        with open(self.folder.with_suffix(".log"), "w+") as log:
            code = subprocess.run(
                [self.script, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            ).returncode
            if code != 0:
                log.seek(0)
                raise Failure(f"{self.name} {arguments[0]}: {log.read()[-2000:]}")

    @property
    def title(self):
        return self.name

    def pid(self):
        return (self.folder / "1" / "pid").read_text().strip()

    def cpu(self):
        """Returns the processor time that the node has used, in seconds."""
        fields = pathlib.Path(f"/proc/{self.pid()}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def collect_garbage(self):
        """Starts every run with a clean heap, so that no run trips the circuit breaker because of the one before."""
        subprocess.run(["jcmd", self.pid(), "GC.run"], stdout=subprocess.DEVNULL, check=True)

    def ask(self, method, path, body=None, content_type="application/json", tolerated=()):
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": content_type}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as problem:
            if problem.code in tolerated:
                return None
            raise Failure(f"{self.name}: {method} {path}: {problem.code} {problem.read()[:500]}") from problem


class OpenSearch(Server):
    name = "opensearch"
    # The same request as fastctl's: the fields that it needs to determine the outcome of each document.
    update_path = f"/{FRESH}/_bulk?filter_path=took,errors," + ",".join(
        f"items.*.{field}" for field in ("_index", "_id", "_version", "status", "result", "error.type", "error.reason")
    )
    update_type = "application/x-ndjson"

    def load(self, count, page_id):
        """Fills the index from which every run starts."""
        settings = {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1"}
        self.ask("PUT", f"/{LOADED}", {"settings": {"index": settings}})
        for start in range(0, count, LOAD_SIZE):
            lines = []
            for number in range(start, min(start + LOAD_SIZE, count)):
                name = page_id(number)
                lines.append(f'{{"index":{{"_id":"{name}"}}}}\n{{"id":"{name}","site":"s{number % 97}"}}\n')
            answer = self.ask("POST", f"/{LOADED}/_bulk?filter_path=errors", "".join(lines).encode(), self.update_type)
            if answer["errors"]:
                raise Failure(f"{self.name}: not all documents were accepted")
        self.ask("POST", f"/{LOADED}/_flush")
        self.ask("PUT", f"/{LOADED}/_settings", {"index.blocks.write": True})

    def renew(self, count):
        """Recreates the measured index as a clone, which has every document of the loaded one."""
        self.ask("DELETE", f"/{FRESH}", tolerated=(404,))
        settings = {"index.blocks.write": None, "index.number_of_replicas": 0}
        self.ask("POST", f"/{LOADED}/_clone/{FRESH}?wait_for_active_shards=1", {"settings": settings})
        self.ask("GET", f"/_cluster/health/{FRESH}?wait_for_status=green&timeout=60s")
        self.collect_garbage()
        self.expect(count)

    def count(self):
        self.ask("POST", f"/{FRESH}/_refresh")
        return self.ask("GET", f"/{FRESH}/_count")["count"]

    def expect(self, count):
        found = self.count()
        if found != count:
            raise Failure(f"{self.name} has {found} documents instead of {count}")

    def removal(self, ids):
        return "".join(f'{{"delete":{{"_id":"{name}"}}}}\n' for name in ids)

    def target(self):
        return f"{self.name}+{self.url}"


class Elasticsearch(OpenSearch):
    name = "elasticsearch"


class Solr(Server):
    name = "solr"
    prefix = "/solr"
    update_path = f"/{FRESH}/update?wt=json"
    update_type = "application/json"
    expect = OpenSearch.expect
    target = OpenSearch.target

    def load(self, count, page_id):
        self.create(LOADED)
        for start in range(0, count, LOAD_SIZE):
            pages = range(start, min(start + LOAD_SIZE, count))
            self.ask("POST", f"/{LOADED}/update", [{"id": page_id(n), "site_s": f"s{n % 97}"} for n in pages])
        self.ask("POST", f"/{LOADED}/update?commit=true", {})
        self.ask("GET", f"/{LOADED}/replication?command=backup&name=full")
        self.wait(f"/{LOADED}/replication?command=details", lambda answer: "success" in json.dumps(
            answer["details"].get("backup", "")
        ))
        self.backup = self.ask("GET", "/admin/cores?action=STATUS")["status"][LOADED]["dataDir"]

    def create(self, name):
        self.ask("GET", f"/admin/cores?action=CREATE&name={name}&configSet=webcollection")

    def renew(self, count):
        """Recreates the measured core from the backup of the loaded one."""
        self.ask("GET", f"/admin/cores?action=UNLOAD&core={FRESH}&deleteInstanceDir=true", tolerated=(400,))
        self.create(FRESH)
        self.ask("GET", f"/{FRESH}/replication?command=restore&name=full&location={self.backup}")
        self.wait(f"/{FRESH}/replication?command=restorestatus", lambda answer: (
            answer["restorestatus"]["status"] == "success"
        ))
        self.collect_garbage()
        self.expect(count)

    def wait(self, path, is_done):
        for _ in range(600):
            if is_done(self.ask("GET", path)):
                return
            time.sleep(0.1)
        raise Failure(f"{self.name}: {path} did not finish")

    def count(self):
        self.ask("POST", f"/{FRESH}/update?commit=true&openSearcher=true", {})
        return self.ask("GET", f"/{FRESH}/select?q=*:*&rows=0")["response"]["numFound"]

    def removal(self, ids):
        return json.dumps({"delete": list(ids)})


class FlatSolr(Solr):
    """Solr with a schema that does not allow nested documents, so feeders need not look for them."""

    title = "solr without _root_"

    def create(self, name):
        super().create(name)
        # Cores share the schema, so it is changed once.
        self.ask("POST", f"/{name}/schema", {"delete-field": {"name": "_root_"}}, tolerated=(400,))
