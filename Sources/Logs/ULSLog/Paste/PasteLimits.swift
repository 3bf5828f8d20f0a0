/// How much a paste may make the reader hold.
///
/// The number of records has no limit: they leave as they are read.
package struct PasteLimits: Equatable, Sendable {
    /// Bytes of a record; what is beyond is left out, and counted in ``PasteQuality/cutRecords``.
    package var record = 1 << 20

    /// Bytes of paragraphs held back until it is known whether the text has rows.
    package var held = 1 << 20

    /// Bytes from the start of a row to its level.
    ///
    /// Nine padded columns need about 170, twice that with no-break spaces.
    package var head = 1024

    /// Bytes of a header line.
    package var header = 4096

    /// Bytes of a physical line that are looked at: more than a record may have is enough to see that it is cut.
    var line: Int { record + head + 1 }

    package init() {}
}
