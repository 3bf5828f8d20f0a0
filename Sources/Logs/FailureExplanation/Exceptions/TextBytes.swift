import TextKit

/// The bytes of a text, and functions that find the part of an exception that begins at a given offset.
///
/// Every part that is returned is complete, because the byte after it was also read.
struct TextBytes {
    /// The type of an exception, up to the colon before its message.
    struct Header {
        var start: Int
        var type: Range<Int>
        var hresult: UInt32?
        /// The offset at which the message begins.
        var end: Int
        /// The message, if a quote shows its end.
        var message: Range<Int>?
    }

    /// Words that may introduce an exception without a type.
    struct Opening {
        var start: Int
        var end: Int
    }

    struct Frame {
        var start: Int
        var name: Range<Int>
        var end: Int
        /// The number of dots in the name.
        var dots: Int
    }

    private static let (maximumName, maximumArguments) = (512, 2048)
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }
    subscript(index: Int) -> UInt8 { bytes[index] }

    func isByte(_ byte: UInt8, at index: Int) -> Bool { index >= 0 && index < count && bytes[index] == byte }

    func matches(_ words: StaticString, at index: Int) -> Bool {
        guard index >= 0, index + words.utf8CodeUnitCount <= count else { return false }
        return words.withUTF8Buffer { buffer in
            for offset in 0..<buffer.count where bytes[index + offset] != buffer[offset] { return false }
            return true
        }
    }

    /// Returns the offset of the next byte that is neither a blank nor a line end.
    func skippingBlanks(from index: Int) -> Int {
        var place = index
        while place < count, bytes[place].isBlank { place += 1 }
        return place
    }

    /// Returns the end of a name with dots; `nil` if the text ends before the name does.
    func wordEnd(from start: Int) -> Int? {
        var end = start
        while end < count, bytes[end].isWord, !isTypographic(at: end) { end += 1 }
        return end == start ? start + 1 : end < count ? end : nil
    }

    /// Returns true for multibyte quotes and blanks, which are not part of a name.
    private func isTypographic(at index: Int) -> Bool {
        bytes[index] == 0xE2 && isByte(0x80, at: index + 1) || bytes[index] == 0xC2
    }

    /// Reads the header of an exception whose type may be this word.
    ///
    /// - Parameters:
    ///   - word: A name with dots.
    ///   - isExpected: Whether the word must be an exception, regardless of how its name ends.
    /// - Returns: The header; `nil` if the word is something else.
    func header(_ word: Range<Int>, isExpected: Bool) -> Header? {
        if matches("ExceptionType", at: word.lowerBound), word.count == 13 { return quotedHeader(word) }
        if matches("type", at: word.lowerBound), word.count == 4 { return namedHeader(word) }
        guard let shape = typeShape(word), shape.isException || isExpected && shape.isDotted else { return nil }
        var place = word.upperBound
        if isByte(UInt8(ascii: "["), at: place) {
            guard shape.isGeneric, let end = endOfBrackets(from: place) else { return nil }
            place = end
        }
        var header = Header(start: word.lowerBound, type: word, end: place)
        if let number = hresult(at: place) {
            header.hresult = number.value
            place = number.end
        }
        if isByte(UInt8(ascii: ":"), at: place), place + 1 < count {
            header.end = place + 1
            return isByte(UInt8(ascii: ":"), at: place + 1) ? nil : header
        }
        if shape.isDotted, let message = debuggerMessage(from: place) {
            header.message = message
            header.end = message.upperBound
            return header
        }
        // If there is no message, the stack trace follows immediately.
        guard shape.isDotted, let frame = frameAhead(from: place) else { return nil }
        header.end = frame
        return header
    }

    /// Reads `ExceptionType: '…' ExceptionMessage: '…'`.
    private func quotedHeader(_ word: Range<Int>) -> Header? {
        guard matches(": '", at: word.upperBound) else { return nil }
        let start = word.upperBound + 3
        guard let end = wordEnd(from: start), isByte(UInt8(ascii: "'"), at: end), typeShape(start..<end) != nil else {
            return nil
        }
        var header = Header(start: word.lowerBound, type: start..<end, end: end + 1)
        let next = skippingBlanks(from: end + 1)
        guard matches("ExceptionMessage: '", at: next) else { return header }
        let message = next + 19
        var close = message
        while close < count, close - message < ExceptionText.maximumMessage, !endsMessage(at: close) { close += 1 }
        header.message = message..<close
        header.end = close
        return header
    }

    /// Reads `An exception of type … was thrown.  Additional exception information: …` from the configuration wizard,
    /// and the two lines `Exception type: …` and `Exception message: …` from ASP.NET events.
    private func namedHeader(_ word: Range<Int>) -> Header? {
        let isSentence = matches("xception of ", at: word.lowerBound - 12)
        guard isSentence || matches("Exception ", at: word.lowerBound - 10) && matches(": ", at: word.upperBound) else {
            return nil
        }
        let start = skippingBlanks(from: isSentence ? word.upperBound : word.upperBound + 1)
        guard start < count, bytes[start].isWordStart, let end = wordEnd(from: start),
            let shape = typeShape(start..<end), shape.isException
        else { return nil }
        var header = Header(start: word.lowerBound, type: start..<end, end: end)
        if isSentence {
            guard matches(" was thrown.", at: end) else { return nil }
            header.end = end + 12
            let next = skippingBlanks(from: header.end)
            if matches("Additional exception information:", at: next) { header.end = next + 33 }
        } else {
            var next = skippingBlanks(from: end)
            // Markdown's hard break.
            if isByte(UInt8(ascii: "\\"), at: next) { next = skippingBlanks(from: next + 1) }
            guard matches("Exception message:", at: next) else { return header }
            header.message = line(from: next + 18)
            header.end = next + 18
        }
        return header
    }

    /// Reads what debuggers write below a type: `System.IO.IOException was caught`, then `Message=…`.
    private func debuggerMessage(from index: Int) -> Range<Int>? {
        guard matches(" was caught", at: index) || matches(" was unhandled", at: index) else { return nil }
        var place = index
        while place < count, place - index < Self.maximumVerdict, !matches("Message=", at: place) { place += 1 }
        return matches("Message=", at: place) ? line(from: place + 8) : nil
    }

    /// The text between a type that a debugger shows and its message: `was unhandled by user code`.
    private static let maximumVerdict = 64

    /// Returns the rest of a line, without a backslash at its end.
    private func line(from index: Int) -> Range<Int> {
        var end = index
        while end < count, bytes[end] != UInt8(ascii: "\n"), end - index < ExceptionText.maximumMessage { end += 1 }
        if end > index, isByte(UInt8(ascii: "\\"), at: end - 1) { end -= 1 }
        return index..<end
    }

    /// Returns whether a quote ends the message, which may itself contain quotes: the next field, or nothing, must
    /// follow.
    private func endsMessage(at index: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "'") else { return bytes[index] == UInt8(ascii: "\n") }
        guard index + 1 < count, bytes[index + 1].isBlank else { return index + 1 == count }
        return isByte(UInt8(ascii: " "), at: index + 2) || matches(" StackTrace:", at: index + 1)
            || isByte(UInt8(ascii: "\n"), at: index + 1)
    }

    /// Reads the words before an exception that is logged without its type.
    func opening(_ word: Range<Int>) -> Opening? {
        let start = word.lowerBound
        var end = word.upperBound
        if word.count == 5, matches("Error=", at: start) {
            guard start == 0 || bytes[start - 1].isBlank || bytes[start - 1] == UInt8(ascii: ",") else { return nil }
            end += 1
        } else if word.count == 9, matches("Exception:", at: start) || matches("Exception=", at: start) {
            guard start == 0 || !(bytes[start - 1].isWord || bytes[start - 1] == UInt8(ascii: "[")) else { return nil }
            end += 1
        } else {
            return nil
        }
        let message = skippingBlanks(from: end)
        guard message < count, bytes[message].isWordLetter else { return nil }
        return Opening(start: start, end: message)
    }

    /// Returns the place after a label of an inner exception: `Caused by:`, `Inner Exception:`, `InnerException =`.
    func innerLabel(_ word: Range<Int>) -> Int? {
        let start = word.lowerBound
        guard matches("Inner", at: start) || matches("Caused by:", at: start) || matches("Root cause:", at: start),
            let label = Self.innerLabels.first(where: { matches($0, at: start) })
        else { return nil }
        var place = start + label.utf8CodeUnitCount
        while isByte(UInt8(ascii: " "), at: place) { place += 1 }
        guard isByte(UInt8(ascii: ":"), at: place) || isByte(UInt8(ascii: "="), at: place) else { return nil }
        return skippingBlanks(from: place + 1)
    }

    private static let innerLabels: [StaticString] = [
        "InnerExceptionMessage", "InnerException", "Inner exception message", "Inner Exception Message",
        "Inner exception type", "Inner Exception Type", "Inner exception", "Inner Exception", "Caused by", "Root cause",
    ]

    /// Returns whether words show that there is no inner exception.
    func isNothing(at index: Int) -> Bool {
        ["null", "Null", "None", "none", "N/A", "n/a", "<null", "(null"].contains { matches($0, at: index) }
    }

    /// Returns true for the words between a message and its stack trace.
    func isTraceTitle(_ word: Range<Int>) -> Bool {
        let start = word.lowerBound
        return word.count == 10 && (matches("StackTrace:", at: start) || matches("StackTrace=", at: start))
            || word.count == 9 && (matches("Callstack:", at: start) || matches("CallStack:", at: start))
            || word.count == 5 && (matches("Stack trace:", at: start) || matches("Stack Trace:", at: start))
            || word.count == 6 && (matches("Source Error:", at: start) || matches("Source File:", at: start))
    }

    func isFrameWord(_ word: Range<Int>) -> Bool {
        word.count == 2 && matches("at", at: word.lowerBound) || word.count == 3 && matches("bei", at: word.lowerBound)
    }

    /// Reads the method after `at`, whose word starts at `start`; its arguments may be truncated.
    func frame(from index: Int, startingAt start: Int) -> Frame? {
        guard index < count, bytes[index].isBlank else { return nil }
        let place = skippingBlanks(from: index)
        guard place < count else { return nil }
        guard let name = methodName(from: place, mayWrap: true) else {
            return bareFrame(from: place, startingAt: start)
        }
        let end = endOfArguments(from: name.end) ?? name.end + 1
        return Frame(start: start, name: place..<name.nameEnd, end: end, dots: name.dots)
    }

    /// Reads a frame in the format of error pages: `   Ns.Type.Method(args) +258`.
    func pageFrame(_ word: Range<Int>) -> Frame? {
        let start = word.lowerBound
        guard start == 0 || bytes[start - 1].isBlank, let name = methodName(from: start), name.dots > 0,
            let end = endOfArguments(from: name.end), matches(" +", at: end), end + 2 < count,
            bytes[end + 2].isDigit
        else { return nil }
        var last = end + 2
        while last < count, bytes[last].isDigit || bytes[last].isWordLetter { last += 1 }
        return Frame(start: start, name: start..<name.nameEnd, end: last, dots: name.dots)
    }

    /// Returns the beginning of a frame that is preceded only by blanks.
    private func frameAhead(from index: Int) -> Int? {
        let place = skippingBlanks(from: index)
        guard place > index else { return nil }
        let length = matches("at ", at: place) || matches("à ", at: place) ? 2 : matches("bei ", at: place) ? 3 : 0
        return length > 0 && frame(from: place + length, startingAt: place) != nil ? index : nil
    }

    /// Reads a frame without arguments, which must be on its own line and below an exception.
    private func bareFrame(from place: Int, startingAt start: Int) -> Frame? {
        guard let before = bytes[..<start].last(where: { !$0.isBlank || $0 == UInt8(ascii: "\n") }),
            before == UInt8(ascii: "\n"), bytes[place].isWordStart
        else { return nil }
        let (end, dots) = nameAhead(from: place)
        var rest = end
        while rest < count, bytes[rest].isBlank, bytes[rest] != UInt8(ascii: "\n") { rest += 1 }
        // At the end of the text, the name may be truncated.
        guard dots >= 2, isByte(UInt8(ascii: "\n"), at: rest), bytes[end - 1] != UInt8(ascii: ".") else { return nil }
        // Lines that continue with other words are prose.
        let next = skippingBlanks(from: rest)
        guard next >= count || ["at ", "bei ", "à ", "...", "---"].contains(where: { matches($0, at: next) }) else {
            return nil
        }
        return Frame(start: start, name: place..<end, end: end, dots: 1)
    }

    private func nameAhead(from start: Int) -> (end: Int, dots: Int) {
        var (end, dots) = (start, 0)
        while end < count, end - start < Self.maximumName {
            let byte = bytes[end]
            if byte == UInt8(ascii: ".") {
                dots += 1
            } else if !byte.isWord, !byte.isGenerated {
                break
            }
            end += 1
        }
        return (end, dots)
    }

    /// Reads a name up to its opening parenthesis, which is at `end`; pages wrap long lines before it.
    private func methodName(from start: Int, mayWrap: Bool = false) -> (nameEnd: Int, end: Int, dots: Int)? {
        guard bytes[start].isWordStart || bytes[start] == UInt8(ascii: "<") else { return nil }
        let (nameEnd, dots) = nameAhead(from: start)
        var end = nameEnd
        // Markdown leaves a backslash before the number of parameters.
        if isByte(UInt8(ascii: "["), at: end), let close = endOfBrackets(from: end) { end = close }
        if mayWrap, dots > 1, let line = wrappedLine(from: end) { end = line }
        guard isByte(UInt8(ascii: "("), at: end), bytes[nameEnd - 1] != UInt8(ascii: ".") else { return nil }
        return (nameEnd, end, dots)
    }

    /// Returns the start of the next line if only blanks precede it on this line.
    private func wrappedLine(from index: Int) -> Int? {
        var place = index
        while place < count, place - index < 4, bytes[place].isBlank, bytes[place] != UInt8(ascii: "\n") { place += 1 }
        return isByte(UInt8(ascii: "\n"), at: place) ? place + 1 : nil
    }

    /// Returns the end of `(…)`, provided that no other parenthesis opens inside.
    private func endOfArguments(from open: Int) -> Int? {
        var place = open + 1
        while place < count, place - open < Self.maximumArguments, bytes[place] != UInt8(ascii: "(") {
            if bytes[place] == UInt8(ascii: ")") { return place + 1 }
            place += 1
        }
        return nil
    }

    private func endOfBrackets(from open: Int) -> Int? {
        var (place, depth) = (open, 0)
        while place < count, place - open < Self.maximumName, bytes[place] != UInt8(ascii: "\n") {
            if bytes[place] == UInt8(ascii: "[") { depth += 1 }
            if bytes[place] == UInt8(ascii: "]") { depth -= 1 }
            place += 1
            if depth == 0 { return place }
        }
        return nil
    }

    /// Reads ` (0x80070005)`.
    private func hresult(at index: Int) -> (value: UInt32, end: Int)? {
        let open = isByte(UInt8(ascii: " "), at: index) ? index + 1 : index
        guard matches("(0x", at: open), isByte(UInt8(ascii: ")"), at: open + 11) else { return nil }
        let digits = String(decoding: bytes[open + 3..<open + 11], as: UTF8.self)
        return UInt32(digits, radix: 16).map { ($0, open + 12) }
    }

    private func typeShape(_ word: Range<Int>) -> (isException: Bool, isDotted: Bool, isGeneric: Bool)? {
        guard word.count <= Self.maximumName, bytes[word.upperBound - 1] != UInt8(ascii: ".") else { return nil }
        // A name after an ellipsis is incomplete, because it began in a missing part of the text.
        guard !isByte(UInt8(ascii: "."), at: word.lowerBound - 1) else { return nil }
        var (isDotted, isGeneric, end) = (false, false, word.upperBound)
        for index in word {
            if bytes[index] == UInt8(ascii: ".") {
                // A name does not begin with a digit: 15.0.4420.1017 is a version.
                guard bytes[index + 1].isWordStart else { return nil }
                isDotted = true
            } else if bytes[index] == UInt8(ascii: "`"), !isGeneric {
                (isGeneric, end) = (true, index)
            }
        }
        let isException = end - word.lowerBound > 9 && matches("Exception", at: end - 9)
        return (isException, isDotted, isGeneric)
    }

    /// Reads `End of inner exception stack trace ---` after its first dashes.
    func endMarker(from index: Int) -> (end: Int, isInner: Bool)? {
        guard matches(" End of ", at: index) || matches(" Ende der ", at: index) || matches(" Fin de la ", at: index)
        else { return nil }
        var (place, isInner) = (index, false)
        while place < count, place - index < 200, bytes[place] != UInt8(ascii: "\n") {
            if matches(" ---", at: place) { return (place + 4, isInner) }
            if matches(" inner", at: place) || matches(" intern", at: place) { isInner = true }
            place += 1
        }
        return nil
    }

    /// Returns true if a log row starts here: a date, or the file name of a process with its number.
    func startsRow(at index: Int) -> Bool {
        guard index < count else { return false }
        if bytes[index].isDigit {
            let isDate = matches("/", at: index + 2) && matches("/", at: index + 5)
            let isTime = matches(":", at: index + 2) && matches(":", at: index + 5)
            return isDate || isTime || matches("-", at: index + 4) && matches("-", at: index + 7)
        }
        var place = index
        while place < count, place - index < 40, bytes[place].isWord { place += 1 }
        return place > index && matches(" (0x", at: place)
            && (matches(".exe", at: place - 4) || matches(".EXE", at: place - 4))
    }
}

extension UInt8 {
    /// True if the byte is a letter, or part of a non-ASCII character.
    fileprivate var isWordLetter: Bool { isLetter || self >= 0x80 }
    var isWordStart: Bool { isWordLetter && !(self >= 0x80 && self < 0xC0) || self == UInt8(ascii: "_") }
    /// True for characters in the name of a type: letters, digits, `.`, `+` for inner types and a backquote for generic
    /// ones.
    var isWord: Bool {
        isWordLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: ".") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: "`")
    }
    /// True for characters that compilers add to method names.
    var isGenerated: Bool {
        self == UInt8(ascii: "<") || self == UInt8(ascii: ">") || self == UInt8(ascii: "$") || self == UInt8(ascii: "|")
            || self == UInt8(ascii: "&") || self == UInt8(ascii: "\\")
    }
}
