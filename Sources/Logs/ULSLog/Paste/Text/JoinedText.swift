/// Text whose lines were broken, by what wrote them or by a page that wrapped them.
///
/// A line end is kept where the line is part of a stack trace, stands behind one, or stands behind a blank line: there
/// it belongs to the text. Anywhere else it is taken for wrapping and becomes one blank, and nothing at all inside a
/// GUID. Nothing else is changed.
struct JoinedText {
    private(set) var bytes: [UInt8] = []
    /// Where the last line begins.
    private(set) var lastLineStart = 0
    /// Whether text was left out, because it is longer than the limit.
    private(set) var wasCut = false

    private let limit: Int
    private var hasStack = false

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ line: [UInt8], isBehindBlank: Bool = false) {
        let content = line.trimmed
        guard !content.isEmpty else { return }
        let isStack = StackLine.matches(line)
        let keepsLineEnd = isStack || hasStack || isBehindBlank
        hasStack = hasStack || isStack
        guard !bytes.isEmpty else { return extend(by: line[content]) }
        if GUIDShape.isCut(between: bytes, and: Array(line[content].prefix(GUIDShape.length + 1))) {
            return extend(by: line[content])
        }
        extend(by: [keepsLineEnd ? 0x0A : 0x20])
        lastLineStart = bytes.count
        // An indentation behind a line end that counts is text as well.
        extend(by: keepsLineEnd ? line[..<content.upperBound] : line[content])
    }

    private mutating func extend(by part: ArraySlice<UInt8>) {
        let room = limit - bytes.count
        if part.count > room { wasCut = true }
        bytes.append(contentsOf: part.prefix(max(0, room)))
    }
}
