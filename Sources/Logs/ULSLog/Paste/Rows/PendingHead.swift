/// Lines that begin like a row, until its level is found or they turn out to be text.
struct PendingHead {
    private(set) var lines: [PasteLine] = []
    private var text: JoinedText

    init(_ line: PasteLine, limits: PasteLimits) {
        text = JoinedText(limit: limits.record)
        add(line)
    }

    /// What the lines and one more say; that line is kept if it is not ``RowReading/none``.
    mutating func reading(with line: PasteLine, limits: PasteLimits) -> RowReading {
        var candidate = self
        candidate.add(line)
        let reading = RowGrammar.reading(candidate.text.bytes, limits: limits)
        if reading != .none { self = candidate }
        return reading
    }

    var bytes: [UInt8] { text.bytes }

    private mutating func add(_ line: PasteLine) {
        lines.append(line)
        text.append(line.bytes)
    }
}
