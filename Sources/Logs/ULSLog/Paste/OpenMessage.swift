/// A paragraph without columns, open to lines that may join it.
struct OpenMessage {
    private let firstLine: Int
    private var lastLine: Int
    private(set) var lines = 1
    private var text: JoinedText
    private let beginsWithLevel: Bool
    /// Whether it is an event of ASP.NET's health monitoring.
    let isHealthEvent: Bool
    private var time: ArraySlice<UInt8> = []
    private(set) var hasException = false
    /// Whether it is the text of an exception, not only about one.
    private(set) var isException = false
    private var endsWithFrame = false

    init(_ line: PasteLine, limits: PasteLimits) {
        beginsWithLevel = LevelRow(line.bytes) != nil
        firstLine = line.number
        lastLine = line.number
        text = JoinedText(limit: limits.record)
        isHealthEvent = HealthEvent.begins(line.bytes)
        text.append(line.bytes)
        note(line.bytes)
    }

    var wasCut: Bool { text.wasCut }

    /// Returns whether `line` belongs to the paragraph.
    ///
    /// A blank line ends it, except after a heading ("Error details:") or before a stack trace or what a debugger tells
    /// of an exception.
    ///
    /// Nor does a line with a level belong to one that begins with a level: they may turn out to be rows.
    func takes(_ line: PasteLine) -> Bool {
        if beginsWithLevel, LevelRow(line.bytes) != nil { return false }
        if isHealthEvent {
            return !HealthEvent.begins(line.bytes) && (!line.isBehindBlank || HealthEvent.goesOn(line.bytes))
        }
        return !line.isBehindBlank && !HealthEvent.begins(line.bytes) || text.bytes.last == UInt8(ascii: ":")
            || StackLine.matches(line.bytes) || StackLine.goesOn(line.bytes) || DebuggerLine.matches(line.bytes)
            || goesOnWithinSentence(line.bytes)
    }

    /// Whether a line goes on in the middle of the sentence that an exception's text ended in: `… is not known` and `at
    /// the receiver.`.
    ///
    /// Pages put a blank line before each word that looks like a frame's.
    private func goesOnWithinSentence(_ line: [UInt8]) -> Bool {
        guard hasException, !endsWithFrame, let last = text.bytes.last, last.lowercased.isSmallLetter || last.isDigit
        else { return false }
        return line.hasPrefix(Self.at, at: line.blanks(from: 0, to: line.count).end)
    }

    /// Notes what decides which lines may follow.
    private mutating func note(_ line: [UInt8]) {
        hasException = hasException || line.contains(Self.exception, in: line.indices)
        isException = isException || Self.beginsException(line)
        endsWithFrame = StackLine.matches(line)
        if isHealthEvent, time.isEmpty { time = HealthEvent.time(in: line) ?? [] }
    }

    /// Returns whether a line has the type of an exception and a colon, as its text begins: `System.IO.IOException: …`.
    ///
    /// A type without its namespace counts only at the beginning of the line: elsewhere, it may be a word of a sentence.
    static func beginsException(_ line: [UInt8]) -> Bool {
        var rest = line[line.trimmed]
        // `[IOException: …]`, as pages of ASP.NET have it.
        let first = rest.startIndex + (rest.first == UInt8(ascii: "[") ? 1 : 0)
        while let end = rest.firstRange(of: typeEnd)?.upperBound {
            let name = line[first..<end - 1]
            let start = name.lastIndex { !$0.isDigit && !$0.lowercased.isSmallLetter && !typeMarks.contains($0) }
            guard let start else { return true }
            if name[start...].contains(UInt8(ascii: ".")), name[start] != UInt8(ascii: "/") { return true }
            rest = rest[end...]
        }
        return false
    }

    private static let typeEnd = Array("Exception:".utf8)
    private static let typeMarks = Set("._+`".utf8)
    private static let at = Array("at ".utf8)
    private static let exception = Array("exception".utf8)

    /// Adds another paragraph, as what follows a blank line.
    mutating func append(_ other: OpenMessage) {
        text.append(paragraph: other.text)
        hasException = hasException || other.hasException
        isException = isException || other.isException
        lines += other.lines
        lastLine = other.lastLine
    }

    mutating func append(_ line: PasteLine) {
        text.append(line.bytes, isBehindBlank: line.isBehindBlank)
        note(line.bytes)
        lines += 1
        lastLine = line.number
    }

    var record: PastedRecord {
        var record = PastedRecord(shape: .message, line: firstLine)
        record.lastLine = lastLine
        record.message = text.bytes
        record.time = Array(time)
        return record
    }
}

/// Paragraphs that become messages if the text turns out to have no rows.
struct HeldMessages {
    private var messages: [OpenMessage] = []
    private var bytes = 0

    /// Whether they were released as messages: from then on, paragraphs become messages at once.
    private(set) var isDecided = false
    private var haveSign = false

    /// Whether they are messages of a log, as far as the text so far tells.
    var areMessages: Bool { isDecided || haveSign }

    /// Holds a paragraph; returns true if more than `limit` bytes are now held.
    mutating func hold(_ message: OpenMessage, limit: Int, _ isMessage: (([UInt8]) -> Bool)? = nil) -> Bool {
        let text = message.record.message
        haveSign = areMessages || MessageSigns.occur(in: text) || isMessage?(text) == true
        bytes += text.count + Self.overhead
        messages.append(message)
        return bytes > limit
    }

    /// Releases all paragraphs, to become messages or nothing; those of a page are put together.
    mutating func release(decided: Bool) -> [OpenMessage] {
        defer {
            messages = []
            bytes = 0
            isDecided = isDecided || decided
        }
        return decided ? ErrorPage.joined(messages) : messages
    }

    /// The cost of a held paragraph besides its text, so that a million short ones are bounded too.
    private static let overhead = 256
}
