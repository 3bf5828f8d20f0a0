/// The tables of a store.
enum Schema {
    /// "fctl", in the file's header: whose file it is.
    static let applicationID: Int32 = 0x6663_746C

    /// What a store went through so far; only ever add to the end.
    static let migrations = [
        // A collection without a name is being taken apart. `next` is the row of the next document: rows are versions,
        // so they are never used twice, not even after `clear`. `gaps` counts merges since the file was last rewritten.
        """
        CREATE TABLE collection(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT UNIQUE,
            documents INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL DEFAULT 0,
            next INTEGER NOT NULL DEFAULT 1,
            gaps INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE job(
            collection INTEGER NOT NULL REFERENCES collection(number) ON UPDATE CASCADE ON DELETE CASCADE,
            id TEXT NOT NULL,
            source INTEGER NOT NULL,
            byte INTEGER NOT NULL,
            first INTEGER NOT NULL,
            lowest INTEGER NOT NULL,
            settled BLOB NOT NULL,
            PRIMARY KEY(collection, id)
        ) STRICT, WITHOUT ROWID;
        """,
        // Jobs of a collection in the order in which they began, so that the oldest can be dropped.
        "ALTER TABLE job ADD COLUMN began INTEGER NOT NULL DEFAULT 0",
    ]
}

/// The names of one collection's tables; they are made of its number, never of its name.
struct CollectionTables: Hashable, Sendable {
    let document: String
    let documentIndex: String
    let search: String
    let tombstone: String

    init(number: Int) {
        document = "document_\(number)"
        documentIndex = "document_\(number)_id"
        search = "search_\(number)"
        tombstone = "tombstone_\(number)"
    }

    /// The full-text table keeps no text of its own, and no lengths, because nothing is ranked.
    ///
    /// Eight segments are merged
    /// at a time instead of four: a quarter faster to feed, and searches don't feel it.
    var creation: String {
        """
        CREATE TABLE \(document)(row INTEGER PRIMARY KEY, id TEXT NOT NULL, json TEXT NOT NULL) STRICT;
        CREATE INDEX \(documentIndex) ON \(document)(id);
        CREATE TABLE \(tombstone)(chunk INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;
        CREATE VIRTUAL TABLE \(search)
            USING fts5(text, content='', columnsize=0, tokenize='\(Self.tokenizer)');
        INSERT INTO \(search)(\(search), rank) VALUES ('automerge', 8);
        """
    }

    static let tokenizer = "unicode61 remove_diacritics 2"
}
