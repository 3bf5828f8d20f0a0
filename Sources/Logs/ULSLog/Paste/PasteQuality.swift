/// What became of the lines of a paste.
///
/// Each line is counted in exactly one of five places, so their sum is ``lines``.
package struct PasteQuality: Equatable, Sendable {
    package var lines = 0
    /// First lines of records, so also the number of records.
    package var records = 0
    /// Lines that belong to a record above.
    package var continuations = 0
    package var headers = 0
    package var blank = 0
    /// Lines that fit nothing, in a text that has records.
    package var notUnderstood = 0

    /// Records that were longer than ``PasteLimits/record``; not part of the sum.
    package var cutRecords = 0

    package init() {}

    /// The sum of the five.
    package var accounted: Int { records + continuations + headers + blank + notUnderstood }
}
