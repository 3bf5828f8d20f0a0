/// The innermost exception of a message and its first frame of one's own, found at a glance.
///
/// It tells kinds of rows apart while millions of them are read, so it looks at names only. What a finding says comes
/// from a thorough reading of one row.
struct ExceptionSketch {
    /// The full name of the type; `nil` if the message names none.
    private(set) var type: Range<Int>?
    /// The first frame that is neither System nor Microsoft, or else the first that is not System.
    private(set) var frame: Range<Int>?

    /// The most bytes of a message that are examined.
    private static let maximum = 8192

    init(_ message: Span<UInt8>) {
        let end = min(message.count, Self.maximum)
        var isInner = false
        var fallback: Range<Int>?
        var index = 0
        while index < end {
            switch message[index] {
            case UInt8(ascii: "E") where message.hasText("Exception", at: index):
                if let name = Self.typeName(message, around: index, to: end) {
                    let follows = Self.followsArrow(message, name.lowerBound)
                    if Self.isWrapper(message, name) {
                        if type == nil { type = name }
                    } else if follows || !isInner {
                        if follows || type == nil || type.map({ Self.isWrapper(message, $0) }) == true { type = name }
                        isInner = true
                    }
                }
                index += 9
            case 0x20:
                guard let start = Self.frameStart(message, at: index) else {
                    index += 1
                    continue
                }
                if let name = Self.frameName(message, from: start, to: end), frame == nil {
                    if !message.hasText("System.", at: start) {
                        if !message.hasText("Microsoft.", at: start) {
                            frame = name
                        } else if fallback == nil {
                            fallback = name
                        }
                    }
                }
                index = start
            default: index += 1
            }
        }
        if frame == nil { frame = fallback }
    }

    /// Returns whether a message names the type of an exception so that nothing else can be meant.
    static func namesType(_ message: Span<UInt8>) -> Bool {
        let end = min(message.count, maximum)
        return message.withUnsafeBytes { bytes in
            BytePair.isAny(of: word, word, in: bytes) { places in
                places.contains { isType(message, at: $0, to: end) }
            }
        }
    }

    private static let word = BytePair("E", "x")

    /// Returns whether a type's name ends with a word that stands at `index`.
    private static func isType(_ message: Span<UInt8>, at index: Int, to end: Int) -> Bool {
        guard message.hasText("Exception", at: index), typeName(message, around: index, to: end) != nil else {
            return false
        }
        switch message[index - 1] {
        case UInt8(ascii: "_"), UInt8(ascii: "+"): return false
        default: break
        }
        guard index + 9 < message.count else { return true }
        return switch message[index + 9] {
        case UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "]"),
            UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "."), 0x0D, 0x0A:
            true
        default: false
        }
    }

    /// Returns the name of the type that ends with the word at `index`.
    private static func typeName(_ message: Span<UInt8>, around index: Int, to end: Int) -> Range<Int>? {
        let after = index + 9
        guard after <= end else { return nil }
        if after < end {
            let next = message[after]
            // A method, such as HandleException(, or a longer word is no type.
            guard !isNamePart(next) || next == UInt8(ascii: "."), next != UInt8(ascii: "(") else { return nil }
            if next == UInt8(ascii: "."), after + 1 < end, isNamePart(message[after + 1]) { return nil }
        }
        var start = index
        while start > 0, index - start < 200, isNamePart(message[start - 1]) { start -= 1 }
        // The word alone names no type.
        return start < index && message[index - 1] != UInt8(ascii: ".") ? start..<after : nil
    }

    /// Returns where a frame begins whose word, ` at ` or the German ` bei `, stands at a blank.
    private static func frameStart(_ message: Span<UInt8>, at index: Int) -> Int? {
        guard index + 1 < message.count else { return nil }
        switch message[index + 1] {
        case UInt8(ascii: "a"): return message.hasText(" at ", at: index) ? index + 4 : nil
        case UInt8(ascii: "b"): return message.hasText(" bei ", at: index) ? index + 5 : nil
        default: return nil
        }
    }

    private static func frameName(_ message: Span<UInt8>, from start: Int, to end: Int) -> Range<Int>? {
        var index = start
        var hasDot = false
        while index < end, index - start < 300 {
            let byte = message[index]
            if byte == UInt8(ascii: "(") { return hasDot ? start..<index : nil }
            guard
                isNamePart(byte) || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
            else { return nil }
            if byte == UInt8(ascii: ".") { hasDot = true }
            index += 1
        }
        return nil
    }

    private static func followsArrow(_ message: Span<UInt8>, _ start: Int) -> Bool {
        message.hasText("-> ", at: start - 3)
    }

    private static func isWrapper(_ message: Span<UInt8>, _ name: Range<Int>) -> Bool {
        wrappers.contains { message.hasText($0, at: name.upperBound - $0.utf8CodeUnitCount) }
    }

    /// Exceptions that only carry another one.
    private static let wrappers: [StaticString] = [
        "HttpUnhandledException", "TargetInvocationException", "TypeInitializationException", "AggregateException",
        "HttpException",
    ]

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
