/// The lines of a row that were broken at one column, within words too, as consoles and mailers of a fixed width do.
///
/// All lines but the last are then equally long. Lines that a page wrapped between words hardly ever are; nor are those
/// of a stack trace.
struct HardWrap {
    /// The lines without their ends.
    private(set) var bytes: [UInt8] = []
    /// Lines before the last.
    private(set) var fullLines = 0
    /// Whether all lines before the last are equally long, and the last is no longer.
    private(set) var isUniform = true

    private var width: Int?
    private var lastWidth: Int?
    private let limit: Int

    /// The fewest characters of a line, and the fewest full lines that are no accident.
    private static let leastWidth = 40
    static let leastLines = 3

    init(limit: Int) { self.limit = limit }

    mutating func append(_ line: PasteLine) {
        guard isUniform else { return }
        let length = line.bytes.count { $0 & 0xC0 != 0x80 }
        if let lastWidth {
            fullLines += 1
            if width == nil { width = lastWidth }
            isUniform = lastWidth == width && length <= lastWidth && lastWidth >= Self.leastWidth && !line.isBehindBlank
        }
        lastWidth = length
        isUniform = isUniform && !StackLine.matches(line.bytes) && bytes.count + line.bytes.count <= limit
        if !isUniform || bytes.isEmpty {
            bytes = isUniform ? line.bytes : []
        } else {
            bytes.append(contentsOf: line.bytes)
        }
    }

    /// Returns the row that the lines are, joined as they were broken.
    func reading(limits: PasteLimits) -> RowReading {
        isUniform && fullLines > 0 ? RowGrammar.reading(bytes, limits: limits) : .none
    }
}
