/// What the scan of a work unit hands over: a part of it, or its end.
struct UnitOutput<Payload: Sendable>: Sendable {
    var text: LogText
    var payload: Payload
    /// Set at the end of a unit: what became of its lines, and its bytes.
    var end: UnitEnd?
}

/// The account of a work unit.
struct UnitEnd: Sendable {
    var quality: ReadQuality
    var bytes: Int64
    /// Whether it is the last one of its text.
    var isTextEnd: Bool
    /// What happened to the text, for a person.
    var notes: [String] = []
    /// Whether a part could not be read.
    var isIncomplete = false

    mutating func add(_ remark: TextRemark) {
        notes.append(remark.text)
        isIncomplete = isIncomplete || remark.isIncomplete
    }
}

/// What is to be said of a text that was read to its end.
struct TextRemark: Sendable {
    /// For a person.
    var text: String
    /// Whether a part of it could not be read.
    var isIncomplete = false

    init(_ change: FileChange) {
        text = change.description
        if case .shrank = change { isIncomplete = true }
    }

    /// `nil` if every place was understood.
    init?(undecodable count: Int) {
        guard count > 0 else { return nil }
        text = "\(count) place\(count == 1 ? " is" : "s are") no text in its encoding, U+FFFD stands for each: name the"
        text += " right one by --encoding"
    }
}

/// A consumer of records whose results can be handed over in parts.
protocol UnitSink: RecordSink, SendableMetatype {
    associatedtype Payload: Sendable

    /// What has come together so far, if it is enough to hand over.
    mutating func drain() -> Payload?

    /// All the rest; `parser` knows the texts behind the numbers of columns.
    consuming func finish(_ parser: borrowing RowParser) -> Payload
}
