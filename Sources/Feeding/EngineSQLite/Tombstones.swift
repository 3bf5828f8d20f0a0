import SQLiteStore

/// Which rows of a collection are removed: one bit for each, in blobs of a page.
///
/// A thousand removals spread over a million documents touch some thirty pages here; in a table of rows, or in the
/// index itself, they would touch a thousand. Loaded blobs live as long as the transaction.
struct Tombstones {
    /// How many rows a blob covers: 4,000 bytes, which fill a page of 4,096 together with SQLite's header.
    static let rowsPerChunk = 32_000

    private let load: Statement
    private let store: Statement
    private let drop: Statement
    private var chunks: [Int: [UInt8]] = [:]
    private var changed: Set<Int> = []

    init(of tables: CollectionTables, in connection: borrowing Connection) throws(SQLiteError) {
        load = try connection.prepare("SELECT bits FROM \(tables.tombstone) WHERE chunk = ?")
        store = try connection.prepare("INSERT OR REPLACE INTO \(tables.tombstone)(chunk, bits) VALUES (?, ?)")
        drop = try connection.prepare("DELETE FROM \(tables.tombstone) WHERE chunk = ?")
    }

    /// Whether `row` is removed.
    mutating func contains(_ row: Int) throws(SQLiteError) -> Bool {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        guard let bits = chunks[chunk], !bits.isEmpty else { return false }
        return bits[byte] & bit != 0
    }

    /// Marks `row` as removed; false if it was already.
    mutating func insert(_ row: Int) throws(SQLiteError) -> Bool {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        return modify(chunk) { bits in
            if bits.isEmpty { bits = [UInt8](repeating: 0, count: Self.rowsPerChunk / 8) }
            guard bits[byte] & bit == 0 else { return false }
            bits[byte] |= bit
            return true
        }
    }

    /// Takes the mark from `row`, whose document is gone for good.
    mutating func remove(_ row: Int) throws(SQLiteError) {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        _ = modify(chunk) { bits in
            guard !bits.isEmpty, bits[byte] & bit != 0 else { return false }
            bits[byte] &= ~bit
            return true
        }
    }

    /// Writes what has changed.
    mutating func save() throws(SQLiteError) {
        for chunk in changed.sorted() {
            let bits = chunks[chunk] ?? []
            if bits.contains(where: { $0 != 0 }) {
                try store.run(chunk, bits)
            } else {
                try drop.run(chunk)
            }
        }
        changed.removeAll()
    }

    /// The removed rows of one blob, in order.
    static func rows(of bits: [UInt8], chunk: Int) -> [Int] {
        var rows: [Int] = []
        for (index, byte) in bits.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & (1 << bit) != 0 {
                rows.append(chunk * rowsPerChunk + index * 8 + bit)
            }
        }
        return rows
    }

    private static func place(of row: Int) -> (chunk: Int, byte: Int, bit: UInt8) {
        let (chunk, index) = row.quotientAndRemainder(dividingBy: rowsPerChunk)
        return (chunk, index >> 3, 1 << UInt8(index & 7))
    }

    /// Loads a blob; one that is not there is kept as an empty array.
    private mutating func need(_ chunk: Int) throws(SQLiteError) {
        guard chunks[chunk] == nil else { return }
        chunks[chunk] = try load.with(chunk).first { row throws(SQLiteError) in try row.column(0) } ?? []
    }

    private mutating func modify(_ chunk: Int, _ body: (inout [UInt8]) -> Bool) -> Bool {
        let hasChanged = body(&chunks[chunk, default: []])
        if hasChanged { changed.insert(chunk) }
        return hasChanged
    }
}
