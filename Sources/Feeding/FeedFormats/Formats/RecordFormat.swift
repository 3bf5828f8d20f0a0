import ContentFeeding

/// Knows where a record of a format ends and what it says.
///
/// A format that comes later is one more conformance and one more case in ``InputFormat/reader(of:source:limits:)``.
protocol RecordFormat {
    /// The longest record, in bytes without its end.
    var maximumRecordBytes: Int { get }
    /// What a longer one is told.
    var tooLong: String { get }
    /// True when a carriage return before the end of a record belongs to that end.
    var dropsCarriageReturn: Bool { get }
    /// How many bytes end a record and are not part of it.
    var endByteCount: Int { get }
    /// True when a record may hold line ends, so that lines are counted by them.
    var holdsLineEnds: Bool { get }

    /// The place behind the end of the record that goes on at `start`; `nil` when it goes on behind these bytes too.
    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int?
    /// What the record says; its end is cut off.
    mutating func reading(_ record: Span<UInt8>) -> RecordReading
    /// What a record is that is too long to be read.
    mutating func readingOfTooLong() -> RecordReading
    /// What is wrong with an input that ends here, if that is wrong.
    var unfinished: String? { get }
    /// True when nothing of the first record decides about the whole source, or that record has been read.
    var isReady: Bool { get }
    /// What the first record says against reading the source.
    func refusal(source: String) -> InputError?
}

extension RecordFormat {
    var endByteCount: Int { 1 }
    var holdsLineEnds: Bool { false }
    var unfinished: String? { nil }
    var isReady: Bool { true }
    func readingOfTooLong() -> RecordReading { .rejected(tooLong) }
    func refusal(source: String) -> InputError? { nil }
}

/// What a record turned out to be.
enum RecordReading {
    case operation(ContentOperation)
    case blank
    /// What stands round the records: the first row of a table, XML between elements.
    case structure
    case rejected(String)
}
