/// Finds attributes in a tag, one after another.
struct AttributeScanner {
    /// A name and a value, without the quotes.
    struct Found {
        var name: Range<Int>
        var value: Range<Int>
        var isDoubleQuoted: Bool
    }

    let units: CodeUnits
    private let end: Int
    /// Behind what was read, and behind space that follows it.
    private(set) var offset: Int

    init(_ units: CodeUnits, from start: Int, to end: Int) {
        self.units = units
        self.end = end
        offset = start
        skipSpace()
    }

    /// Returns the next attribute; `nil`, without a step, where something else stands.
    mutating func next() -> Found? {
        let start = offset
        guard let found = attribute() else {
            offset = start
            return nil
        }
        skipSpace()
        return found
    }

    private mutating func attribute() -> Found? {
        let nameStart = offset
        while offset < end, !XMLSyntax.endsName(units[offset]) { offset += units.step }
        let name = nameStart..<offset
        skipSpace()
        guard !name.isEmpty, offset < end, units[offset] == UInt8(ascii: "=") else { return nil }
        offset += units.step
        skipSpace()
        guard offset < end else { return nil }
        let quote = units[offset]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        offset += units.step
        let start = offset
        while offset < end, units[offset] != quote { offset += units.step }
        guard offset < end else { return nil }
        let value = start..<offset
        offset += units.step
        return Found(name: name, value: value, isDoubleQuoted: quote == UInt8(ascii: "\""))
    }

    private mutating func skipSpace() {
        while offset < end, XMLSyntax.isSpace(units[offset]) { offset += units.step }
    }
}
