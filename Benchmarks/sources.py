"""Sources: a table of Azure Storage, read from its emulator."""

import base64
import email.utils
import hashlib
import hmac
import http.client
import json
import os
import urllib.parse

import servers
from measure import Failure, interleaved, measure
from table import count, rate

REPETITIONS = 5
PORT = 10_700
ENTITIES = 100_000
PER_TRANSACTION = 100
# The emulator's own account, which its documentation publishes, so it is not a secret.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
TABLE = "events"
ACCEPT = "application/json;odata=minimalmetadata"
VERSION = "2019-02-02"


class Azurite(servers.Server):
    name = "azurite"


class SourceWorkloads:
    ALL = ("azure_table",)
    TOOLS = ("curl", "time")

    def __init__(self, command, work, divisor, table):
        self.command = command
        self.work = work
        self.divisor = divisor
        self.table = table
        self.environment = {**os.environ, "XDG_STATE_HOME": str(work / "state")}

    def azure_table(self):
        number = ENTITIES // self.divisor // PER_TRANSACTION * PER_TRANSACTION
        with Azurite(self.work, PORT):
            account = Account(PORT + 2)
            account.fill(number)
            credentials = self.work / "credentials"
            credentials.write_text(f"AccountKey={KEY}\n")
            credentials.chmod(0o600)
            address = f"azure-table+http://127.0.0.1:{PORT + 2}/{ACCOUNT}/{TABLE}"
            reading = [self.command, "source"]
            access = [address, "--source-credentials-file", credentials]
            self.compare(
                f"documents of a table of {count(number)} entities", number, account.curl_requests(""),
                [*reading, "sample", *access, "--limit", number + 1], lambda text: text.count("\n"),
            )
            self.compare(
                "  … IDs and versions alone", number, account.curl_requests("&%24select=PartitionKey%2CRowKey"),
                [*reading, "count", *access, "-o", "json"], lambda text: json.loads(text)["entries"],
            )

    def compare(self, what, number, requests, command, found):
        """Compares a command with a curl that sends exactly the same requests, and discards the replies."""
        output, config = self.work / "output", self.work / "requests"
        config.write_text(requests)

        def fastctl():
            run = measure(command, environment=self.environment, output=output)
            read = found(output.read_text())
            if read != number:
                raise Failure(f"{read} entities were read instead of {number}")
            return run

        def curl():
            return measure(["curl", "--silent", "--fail-early", "--config", config])

        own, other = interleaved(REPETITIONS, fastctl, curl)
        share = other.seconds / own.seconds
        self.table.add(
            what, own=rate(number, own.seconds), other=f"curl {rate(number, other.seconds)}", result=f"{share:.2f}",
            goal="0.9", met=share >= 0.9, peak=own.peak,
        )


class Account:
    """The emulator's tables, as needed to fill and read them."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def fill(self, number):
        self.send("POST", "Tables", body=json.dumps({"TableName": TABLE}), content_type="application/json")
        for start in range(0, number, PER_TRANSACTION):
            operations = "".join(
                "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                f"POST http://127.0.0.1:{self.port}/{ACCOUNT}/{TABLE} HTTP/1.1\r\n"
                f"Content-Type: application/json\r\nPrefer: return-no-content\r\n\r\n{entity(place)}\r\n"
                for place in range(start, start + PER_TRANSACTION)
            )
            body = (
                "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n"
                f"{operations}--changeset_1--\r\n--batch_1--\r\n"
            )
            answer, _ = self.send("POST", "$batch", body=body, content_type="multipart/mixed; boundary=batch_1")
            if answer.count(b"204 No Content") != PER_TRANSACTION:
                raise Failure(f"a transaction failed: {answer[:500]}")

    def curl_requests(self, selection):
        """Returns curl's configuration for exactly the requests needed to read the table, one after the other."""
        # A connection is idle while others are measured, and the emulator closes idle connections.
        self.connection.close()
        path, first, lines = f"{TABLE}()", "%24top=1000" + selection, []
        query = first
        while True:
            _, headers = self.send("GET", path, query)
            lines += [
                f'url = "http://127.0.0.1:{self.port}/{ACCOUNT}/{path}?{query}"', 'output = "/dev/null"', "fail", "globoff",
                *(f'header = "{name}: {value}"' for name, value in self.signed("GET", path).items()), "next",
            ]
            partition = headers.get("x-ms-continuation-nextpartitionkey")
            if partition is None:
                return "\n".join(lines[:-1]) + "\n"
            row = headers.get("x-ms-continuation-nextrowkey", "")
            query = f"{first}&" + urllib.parse.urlencode({"NextPartitionKey": partition, "NextRowKey": row})

    def signed(self, method, path, content_type=""):
        date = email.utils.formatdate(usegmt=True)
        text = f"{method}\n\n{content_type}\n{date}\n/{ACCOUNT}/{ACCOUNT}/{path}"
        signature = base64.b64encode(hmac.digest(base64.b64decode(KEY), text.encode(), hashlib.sha256)).decode()
        return {
            "x-ms-date": date, "x-ms-version": VERSION, "Accept": ACCEPT,
            "Authorization": f"SharedKey {ACCOUNT}:{signature}",
        }

    def send(self, method, path, query="", body=None, content_type=""):
        headers = self.signed(method, path, content_type)
        if content_type:
            headers["Content-Type"] = content_type
        self.connection.request(method, f"/{ACCOUNT}/{path}" + (f"?{query}" if query else ""), body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise Failure(f"{method} {path}: {answer.status} {content[:500]}")
        return content, {name.lower(): value for name, value in answer.getheaders()}


def entity(place):
    return json.dumps({
        "PartitionKey": f"p{place // PER_TRANSACTION:06}", "RowKey": f"{place % PER_TRANSACTION:03}",
        "Title": f"Event {place}", "Number": place, "Start": "2026-05-01T10:00:00Z",
        "Start@odata.type": "Edm.DateTime", "Text": "lorem ipsum dolor sit amet " * 8,
    })
