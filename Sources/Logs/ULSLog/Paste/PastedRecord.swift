/// One record as a paste shows it: the columns it found, as text without padding.
package struct PastedRecord: Equatable, Sendable {
    /// What a record looked like in the paste.
    package enum Shape: Sendable {
        /// A row whose columns were told apart by what stands in them.
        case row
        /// A block of `Key : value` lines.
        case block
        /// A row below a header: comma- or tab-separated values, or a console's table.
        case delimited
        /// A paragraph without columns.
        case message
    }

    package var shape: Shape

    /// As written, `09/26/2011 10:39:40.52` or `15:54:30.25`; empty for a placeholder such as `<Date> <Time>`.
    package var time: [UInt8] = []
    /// As written, `w3wp.exe (0x1790)`; without its id where that is a placeholder.
    package var process: [UInt8] = []
    /// As written, `0x0EB8`; empty for a placeholder.
    package var thread: [UInt8] = []
    package var area: [UInt8] = []
    package var category: [UInt8] = []
    package var eventID: [UInt8] = []
    package var level: [UInt8] = []
    package var message: [UInt8] = []
    package var correlation: [UInt8] = []

    /// The first physical line, counted from 1.
    package var firstLine: Int
    package var lastLine: Int

    /// Whether a `*` stands behind the time: the row goes on with a message that was cut.
    package var isContinuation = false

    /// Whether columns were inferred: always for rows and messages.
    package var isInferred: Bool

    package init(shape: Shape, line: Int) {
        self.shape = shape
        firstLine = line
        lastLine = line
        isInferred = shape == .row || shape == .message
    }
}
