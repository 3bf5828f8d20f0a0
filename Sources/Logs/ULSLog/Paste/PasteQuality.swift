/// Limits on what a paste may make the reader hold.
///
/// The number of records has no limit: they leave as they are read.
struct PasteLimits: Equatable, Sendable {
    /// Bytes of a record; the rest is left out, and the record counted in ``PasteQuality/cutRecords``.
    package var record = 1 << 20

    /// Bytes of paragraphs held back until it is known whether the text has rows.
    var held = 1 << 20

    /// Bytes from the start of a row to its level.
    ///
    /// Nine padded columns need about 170, twice that with no-break spaces.
    package var head = 1024

    /// Bytes of a header line.
    package var header = 4096

    /// Bytes examined of a physical line: more than a record may have, enough to see that it is cut.
    var line: Int { record + head + 1 }

    package init() {}
}

/// The account of a paste's lines.
///
/// Each line is counted in exactly one of five properties, so their sum is ``lines``.
struct PasteQuality: Equatable, Sendable {
    package var lines = 0
    /// First lines of records, and so the number of records.
    var records = 0
    /// Lines that belong to a record above.
    var continuations = 0
    var headers = 0
    package var blank = 0
    /// Lines that fit nowhere, in a text that has records.
    var notUnderstood = 0

    /// Records longer than ``PasteLimits/record``; not part of the sum.
    var cutRecords = 0

    package init() {}

    /// The sum of the five properties.
    var accounted: Int { records + continuations + headers + blank + notUnderstood }
}
