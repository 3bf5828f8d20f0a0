"""The sqlite3 shell as a contestant: the statements somebody would write by hand."""

import re
import subprocess

TRANSACTION = 1_000

# As fastctl's own connection has them: Sources/Bridges/SQLiteStore/Configuration.swift.
PRAGMAS = """\
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
PRAGMA secure_delete = ON;
PRAGMA wal_autocheckpoint = 1000;
"""

# The straightforward index: full text with its own content, and a table that finds the row of an ID.
STRAIGHTFORWARD_SCHEMA = """\
CREATE TABLE page_row(id TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE page USING fts5(id UNINDEXED, body);
"""


def command(store):
    return ["sqlite3", "-batch", "-bail", "-init", "/dev/null", str(store)]


def query(store, sql):
    """The answer to a query, as text."""
    answer = subprocess.run([*command(store), sql], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    answer.check_returncode()
    return answer.stdout.strip()


def checkpoint(store):
    """Copies the write-ahead log into the store, so that one file is all of it."""
    query(store, "PRAGMA wal_checkpoint(TRUNCATE)")


class Collection:
    """The tables of the only collection in a store of the embedded engine."""

    def __init__(self, store):
        names = query(store, "SELECT name FROM sqlite_schema WHERE type = 'table'").split("\n")
        numbers = [match[1] for match in map(re.compile(r"document_(\d+)").fullmatch, names) if match]
        if len(numbers) != 1:
            raise ValueError(f"{store} has {len(numbers)} collections, not one")
        self.documents = f"document_{numbers[0]}"
        self.tombstones = f"tombstone_{numbers[0]}"
        self.ids_are_blobs = query(store, f"SELECT typeof(id) FROM {self.documents} LIMIT 1") == "blob"

    def removal(self, document_id):
        """Entombs the newest row of an ID, if there is one and it is not in its tomb already."""
        key = f"CAST('{document_id}' AS BLOB)" if self.ids_are_blobs else f"'{document_id}'"
        return (
            f"INSERT OR IGNORE INTO {self.tombstones}(row) SELECT row FROM {self.documents}"
            f" WHERE id = {key} ORDER BY row DESC LIMIT 1;\n"
        )

    def tombstone_count(self, store):
        return int(query(store, f"SELECT count(*) FROM {self.tombstones}"))


def straightforward_removal(document_id):
    """Deletes a document from the straightforward index, if it is there."""
    return (
        f"DELETE FROM page WHERE rowid = (SELECT row FROM page_row WHERE id = '{document_id}');\n"
        f"DELETE FROM page_row WHERE id = '{document_id}';\n"
    )


def write_removals(ids, statement, script):
    """Writes the script that removes the IDs of a file, so many in a transaction."""
    with open(ids) as lines, open(script, "w") as sql:
        sql.write(PRAGMAS)
        for number, line in enumerate(lines):
            if number % TRANSACTION == 0:
                sql.write("BEGIN IMMEDIATE;\n" if number == 0 else "COMMIT;\nBEGIN IMMEDIATE;\n")
            sql.write(statement(line.rstrip("\n")))
        sql.write("COMMIT;\n")


def make_straightforward_store(store, table):
    """Fills the straightforward index from a file of tab-separated IDs and bodies."""
    script = f"""\
{PRAGMAS}{STRAIGHTFORWARD_SCHEMA}
CREATE TEMP TABLE incoming(id, body);
.mode tabs
.import {table} incoming
BEGIN;
INSERT INTO page(rowid, id, body) SELECT rowid, id, body FROM incoming;
INSERT INTO page_row(id, row) SELECT id, rowid FROM incoming;
COMMIT;
"""
    subprocess.run(command(store), input=script, text=True, stdout=subprocess.DEVNULL, check=True)
    checkpoint(store)
