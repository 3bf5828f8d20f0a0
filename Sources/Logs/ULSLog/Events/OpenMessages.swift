/// Messages that may go on in rows to come.
///
/// One is forgotten when it has waited for a mebibyte of its server's log, or when more than ``LogLimit/openParts`` wait.
struct OpenMessages<Value> {
    private struct Entry {
        var value: Value
        var position: Int64
    }

    /// Bytes of log between two parts of a message: they are written within moments.
    static var maximumDistance: Int64 { 1 << 20 }

    private var entries: [UInt64: Entry] = [:]
    private(set) var evicted = 0

    /// Waits for the next part of a message that ends at `position`.
    mutating func open(_ value: Value, key: UInt64, at position: Int64) {
        if entries.count >= LogLimit.openParts.maximum {
            entries = entries.filter { position - $0.value.position <= Self.maximumDistance }
            makeRoom()
        }
        entries[key] = Entry(value: value, position: position)
    }

    /// The message that a part at `position` goes on with; it waits on if more is to come.
    mutating func part(key: UInt64, at position: Int64, hasMore: Bool) -> Value? {
        guard let entry = entries[key], position - entry.position <= Self.maximumDistance else { return nil }
        if hasMore { entries[key]?.position = position } else { entries[key] = nil }
        return entry.value
    }

    /// Whether a message may still go on when its server's log has come to `position`.
    func isOpen(key: UInt64, at position: Int64, where isSame: (Value) -> Bool) -> Bool {
        guard let entry = entries[key], isSame(entry.value) else { return false }
        return position - entry.position <= Self.maximumDistance
    }

    /// Forgets the oldest quarter, if more than that must wait: one at a time would take long.
    private mutating func makeRoom() {
        let wanted = LogLimit.openParts.maximum * 3 / 4
        guard entries.count > wanted else { return }
        let byAge = entries.sorted { ($0.value.position, $0.key) < ($1.value.position, $1.key) }
        for (key, _) in byAge.prefix(entries.count - wanted) { entries[key] = nil }
        evicted += byAge.count - wanted
    }
}
