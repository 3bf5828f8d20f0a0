import ULSLog

/// A trace for people: its facts, then its tree.
struct TraceText {
    private let trace: RequestTrace
    private let layout: TextLayout

    init(_ trace: RequestTrace, _ layout: TextLayout) {
        self.trace = trace
        self.layout = layout
    }

    func append(to bytes: inout [UInt8], drain: BufferDrain) throws {
        for (name, value) in TraceHead(trace).rows {
            bytes.append(.bold, layout) { $0.append(padded: name, to: 13) }
            bytes.append(blanks: 2)
            value.append(to: &bytes, layout)
            bytes.append(0x0A)
        }
        bytes.append(0x0A)
        try TraceTree(trace, layout).append(to: &bytes, drain: drain)
    }
}
