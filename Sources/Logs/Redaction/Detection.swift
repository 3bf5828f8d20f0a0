import TextKit

/// Part of a text that is recognizable by its structure, divided into the parts to keep and the parts to mask.
struct Detection {
    enum Part {
        /// Text that is kept unchanged.
        case keep(Range<Int>)
        /// Text that is kept, except for known names.
        case words(Range<Int>)
        /// Text that is processed separately.
        case text(Range<Int>)
        /// Text that was encoded, as decoded bytes.
        case decoded([UInt8])
        /// A name, which is replaced with a pseudonym; a learned name is also masked wherever else it occurs.
        case name(NameClass, Range<Int>, isLearned: Bool = true)
        /// A secret, which is removed.
        case secret(Range<Int>)
        case query(Range<Int>)
    }

    /// The parts, from the first byte to the last, without gaps.
    var parts: [Part]
    var end: Int

    init(_ parts: [Part], end: Int) {
        self.parts = parts
        self.end = end
    }
}

/// The detections that may begin at a position in a text.
///
/// Each kind of name has its own source file. The order matters because, for example, an address is also a word with a
/// dot.
enum Detections {
    /// Returns the detection that begins at `start`, the first byte of a word, and ends before `limit`; `nil` for a
    /// plain word.
    ///
    /// In the name of a folder or file, nothing is considered a secret because of its form alone.
    static func atWord(_ text: Span<UInt8>, _ start: Int, before limit: Int, inFolder: Bool) -> Detection? {
        let end = text.nameEnd(from: start, before: limit)
        let next = end < limit ? text[end] : 0
        switch next {
        case UInt8(ascii: ":"):
            if let found = WebAddresses.standardName(text, start, before: limit) { return found }
            if let found = WebAddresses.address(text, start..<end, before: limit) { return found }
            if let found = Accounts.claim(text, start, before: limit) { return found }
            if let found = WindowsPaths.drivePath(text, start..<end, before: limit) { return found }
            if let found = WindowsPaths.registryPath(text, start..<end, before: limit) { return found }
            if let found = NetworkNames.colonAddress(text, start, before: limit) { return found }
        case UInt8(ascii: "\\"):
            if let found = WindowsPaths.registryPath(text, start..<end, before: limit) { return found }
            if let found = Accounts.account(text, start..<end, before: limit) { return found }
        case UInt8(ascii: "@"):
            if let found = Accounts.mail(text, start..<end, before: limit) { return found }
        case UInt8(ascii: "#"), UInt8(ascii: "|"), UInt8(ascii: ")"), UInt8(ascii: "("), UInt8(ascii: "!"):
            if let found = Accounts.claim(text, start, before: limit) { return found }
        case UInt8(ascii: "%"):
            if let found = WebAddresses.escaped(text, start, before: limit) { return found }
        case UInt8(ascii: "?"):
            if let found = WebAddresses.query(after: start..<end, text, before: limit) { return found }
        default: break
        }
        let secret = inFolder ? Secrets.webToken : Secrets.token
        if let found = secret(text, start, limit) { return found }
        if let found = Fields.field(text, start..<end, before: limit) { return found }
        if let found = SpokenNames.name(text, start..<end, before: limit) { return found }
        return NetworkNames.name(text, start..<end, before: limit)
    }

    /// Returns the detection at `start` that does not begin with a word.
    static func atSign(_ text: Span<UInt8>, _ start: Int, before limit: Int) -> Detection? {
        switch text[start] {
        case UInt8(ascii: "\\"): WindowsPaths.sharePath(text, start, before: limit)
        case UInt8(ascii: "/"): WebAddresses.relative(text, start, before: limit)
        case UInt8(ascii: "-"): Secrets.certificate(text, start, before: limit)
        case UInt8(ascii: "."): Accounts.localAccount(text, start, before: limit)
        case UInt8(ascii: ":"): NetworkNames.colonAddress(text, start, before: limit)
        case UInt8(ascii: "<"): WebAddresses.maskedDirectory(text, start, before: limit)
        default: nil
        }
    }
}

/// Classification of bytes of UTF-8 text.
extension UInt8 {
    /// Whether the byte is part of a word: a letter, a digit, or part of a non-ASCII character.
    var isWord: Bool { isLetterOrDigit || self >= 0x80 }
    /// Whether the byte joins words into one name: `ann.meier_2`.
    var isJoint: Bool {
        switch Unicode.Scalar(self) {
        case ".", "-", "_", "$", "+": true
        default: false
        }
    }
    var isQuote: Bool { self == UInt8(ascii: "'") || self == UInt8(ascii: "\"") || self == UInt8(ascii: "`") }
}

extension Span<UInt8> {
    /// Returns the byte at an offset; 0 before the beginning and beyond the end.
    func byte(_ offset: Int) -> UInt8 { indices.contains(offset) ? self[offset] : 0 }

    func string(_ range: Range<Int>) -> String { String(decoding: range.map { self[$0] }, as: UTF8.self) }

    /// Returns whether text given in lowercase occurs at an offset, ignoring case.
    func has(_ text: StaticString, at offset: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard offset >= 0, offset + count <= self.count else { return false }
        return text.withUTF8Buffer { wanted in
            for index in 0..<count where self[offset + index].lowercased != wanted[index] { return false }
            return true
        }
    }

    /// Returns the end of the run of bytes from `start` on that meet a condition.
    func end(from start: Int, before limit: Int, while condition: (UInt8) -> Bool) -> Int {
        var end = start
        while end < limit, condition(self[end]) { end += 1 }
        return end
    }

    /// Returns the end of a name of words and joints, not including trailing joints.
    func nameEnd(from start: Int, before limit: Int) -> Int {
        var end = end(from: start, before: limit) { $0.isWord || $0.isJoint }
        while end > start, self[end - 1].isJoint, self[end - 1] != UInt8(ascii: "$") { end -= 1 }
        return end
    }

    /// Returns whether the bytes are a GUID with hyphens.
    func isGUID(_ range: Range<Int>) -> Bool {
        guard range.count == 36 else { return false }
        return (0..<36).allSatisfy { index in
            let byte = self[range.lowerBound + index]
            return [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.isHexadecimal
        }
    }

    /// Returns the first offset of a byte.
    func first(_ byte: UInt8, in range: Range<Int>) -> Int? { range.first { self[$0] == byte } }

    /// Returns the text after the last dot, in lowercase, if it looks like a file name extension.
    func fileSuffix(_ range: Range<Int>) -> String? {
        guard let dot = range.last(where: { self[$0] == UInt8(ascii: ".") }), dot > range.lowerBound else { return nil }
        let suffix = dot + 1..<range.upperBound
        guard (1...10).contains(suffix.count), suffix.contains(where: { self[$0].isLetter }) else { return nil }
        return string(suffix).lowercased()
    }
}
