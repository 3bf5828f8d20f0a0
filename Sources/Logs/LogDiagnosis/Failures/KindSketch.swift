/// What makes a kind: event ID, shape, exception and frame.
struct KindName: Sendable, Hashable {
    var eventID: String
    var template: String
    var exception: String?
    var frame: String?
}

/// The kind of a row, as its hash, and whom the row names.
struct RowSketch: Sendable {
    var hash: UInt64
    var names: NamesInMessage
}

typealias SketchMemo = MessageMemo<RowSketch>

/// The kind of one row after another, without making a name of each.
struct KindSketch {
    private var shape = MessageShape()

    mutating func look(_ row: ProblemRow, _ message: Span<UInt8>, _ memo: inout SketchMemo) -> RowSketch {
        let key = memo.key(of: message, row.eventID.span, UInt64(row.signs.rawValue))
        if let known = memo[key] { return known }
        shape.set(message)
        let exception = Self.exception(row, message)
        var hash = StableHash()
        hash.add(row.eventID.span)
        shape.add(to: &hash)
        if let range = exception?.type { hash.add(message.extracting(range)) }
        if let range = exception?.frame { hash.add(message.extracting(range)) }
        let sketch = RowSketch(hash: hash.value, names: shape.names)
        memo.note(sketch, by: key)
        return sketch
    }

    mutating func name(_ row: ProblemRow, _ message: Span<UInt8>) -> KindName {
        shape.set(message)
        let exception = Self.exception(row, message)
        return KindName(
            eventID: String(decoding: row.eventID, as: UTF8.self),
            template: shape.text,
            exception: exception?.type.map { message.extracting($0).text },
            frame: exception?.frame.map { message.extracting($0).text }
        )
    }

    private static func exception(_ row: ProblemRow, _ message: Span<UInt8>) -> ExceptionSketch? {
        row.signs.contains(.exception) ? ExceptionSketch(message) : nil
    }
}

/// A hash of texts that is the same in every run: FNV-1a, 64 bits.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Adds a text and its end.
    mutating func add(_ text: Span<UInt8>) {
        for index in text.indices { value = (value ^ UInt64(text[index])) &* 0x100_0000_01B3 }
        value = (value ^ 0xFF) &* 0x100_0000_01B3
    }

    /// A value as 16 hexadecimal digits.
    static func text(of value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func add(_ text: String) { add(Array(text.utf8).span) }
}
