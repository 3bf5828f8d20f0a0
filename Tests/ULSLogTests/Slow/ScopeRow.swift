import TestSupport

@testable import ULSLog

/// A row of a scope, for tables of them.
struct ScopeRow: Sendable {
    var name: String
    /// Nil for an Entering row.
    var duration: Int64?
    var isLeaving = true

    static func entering(_ name: String) -> ScopeRow { ScopeRow(name: name, isLeaving: false) }
    static func leaving(_ name: String, _ duration: Int64?) -> ScopeRow { ScopeRow(name: name, duration: duration) }

    /// Rows whose names have some fifty keys, requests and parts of them, many spellings of each.
    static func random(_ count: Int, keys: Int = 50, seed: UInt64) -> [ScopeRow] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let letter = String(UnicodeScalar(UInt8(97 + Int.random(in: 0..<keys, using: &generator) % 26)))
            let word = String(repeating: letter, count: 1 + Int.random(in: 0..<(keys + 25) / 26, using: &generator))
            let number = Int.random(in: 0..<1000, using: &generator)
            let name = [
                "Request (GET:http://wfe\(number):80/sites/\(word)?id=\(number))", "Timer Job \(word)",
                "Part \(word) \(number)",
            ][Int.random(in: 0..<3, using: &generator)]
            return ScopeRow(
                name: name,
                duration: Bool.random(using: &generator) ? Int64.random(in: 0..<5_000_000, using: &generator) : nil,
                isLeaving: Bool.random(using: &generator)
            )
        }
    }
}

extension ScopeTable {
    init(_ rows: some Sequence<ScopeRow>, limit: Int = LogLimit.scopes.maximum) {
        self.init(limit: limit)
        for row in rows { add(row) }
    }

    mutating func add(_ row: ScopeRow) {
        let name = row.name.utf8.span
        if row.isLeaving { left(name: name, duration: row.duration) } else { entered(name: name) }
    }
}
