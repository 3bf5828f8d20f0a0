"""The sqlite3 shell as a contestant, with the statements that a user would write by hand."""

import re
import subprocess

TRANSACTION = 1_000

# The embedded engine's settings, from its options and Sources/Bridges/SQLiteStore/Database.swift.
PRAGMAS = """\
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -32768;
PRAGMA temp_store = MEMORY;
PRAGMA secure_delete = ON;
PRAGMA wal_autocheckpoint = 1000;
"""

# The straightforward index: full text with its own content, and a table from ID to row.
STRAIGHTFORWARD_SCHEMA = """\
CREATE TABLE page_row(id TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE page USING fts5(id UNINDEXED, body);
"""


def command(store):
    return ["sqlite3", "-batch", "-bail", "-init", "/dev/null", str(store)]


def query(store, sql):
    """Returns the answer to a query, as text."""
    answer = subprocess.run([*command(store), sql], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    answer.check_returncode()
    return answer.stdout.strip()


def checkpoint(store):
    """Copies the write-ahead log into the store, so that one file has everything."""
    query(store, "PRAGMA wal_checkpoint(TRUNCATE)")


class Collection:
    """The tables of the only collection in a store of the embedded engine.

    The engine marks removed documents in bitmaps, which SQL can't do. Somebody who removes by hand writes a row for
    each one into the table that is created here.
    """

    def __init__(self, store):
        names = query(store, "SELECT name FROM sqlite_schema WHERE type = 'table'").split("\n")
        documents = [name for name in names if re.fullmatch(r"document_\d+", name)]
        if len(documents) != 1:
            raise ValueError(f"{store} has {len(documents)} collections, not one")
        self.documents = documents[0]

    def prepare(self, store):
        query(store, "CREATE TABLE removed(row INTEGER PRIMARY KEY) STRICT; PRAGMA wal_checkpoint(TRUNCATE)")

    def removal(self, document_id):
        """Marks the newest row of an ID as removed, if it exists and is not removed yet."""
        return (
            f"INSERT OR IGNORE INTO removed SELECT row FROM {self.documents}"
            f" WHERE id = '{document_id}' ORDER BY row DESC LIMIT 1;\n"
        )

    def removed_by_hand(self, store):
        return int(query(store, "SELECT count(*) FROM removed"))

    def live(self, store):
        """Returns the number of live documents by the engine's count."""
        return int(query(store, "SELECT documents FROM collection"))


def straightforward_removal(document_id):
    """Deletes a document from the straightforward index, if it exists."""
    return (
        f"DELETE FROM page WHERE rowid = (SELECT row FROM page_row WHERE id = '{document_id}');\n"
        f"DELETE FROM page_row WHERE id = '{document_id}';\n"
    )


def write_removals(ids, statement, script):
    """Writes the script that removes the IDs in a file, `TRANSACTION` of them per transaction."""
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
