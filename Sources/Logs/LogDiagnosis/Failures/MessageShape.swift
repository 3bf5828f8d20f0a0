import TextKit

/// A message without the parts that differ from row to row: numbers, GUIDs, addresses, paths, accounts, and quoted
/// text.
///
/// Rows with the same event ID and shape are of one kind.
struct MessageShape {
    private var bytes = InlineArray<144, UInt8>(repeating: 0)
    private var count = 0
    private var address: Range<Int>?
    private var account: Range<Int>?
    var names: NamesInMessage { NamesInMessage(address: address, account: account) }
    /// The end of the last token without a backslash; only the beginning of that token determines whether it is masked.
    private var plainEnd = 0
    /// The end of the last path, which may continue after a blank.
    private var pathEnd = 0
    /// True if the shape is too long, so that only its beginning is kept.
    private var isCut = false

    /// The maximum number of bytes in a shape, not counting a mask at its end, and of a message that are examined.
    private static let maximumShape = 120
    private static let maximumExamined = 1024

    /// Sets the shape to that of a message, for example `Failed to open '…' (# of #)`.
    mutating func set(_ message: Span<UInt8>) {
        count = 0
        address = nil
        account = nil
        plainEnd = 0
        pathEnd = 0
        let end = min(message.count, Self.maximumExamined)
        let kinds = Self.kinds
        var index = Self.textStart(message)
        // Whether the previous byte is part of a word: a number or an address begins only where a word could begin.
        var isInWord = false
        isCut = true
        while index < end, count < Self.maximumShape {
            let kind = kinds[Int(message[index])]
            if kind == .lineEnd || kind == .blank && Self.isStack(message, at: index) {
                isCut = false
                break
            }
            if !isInWord, let after = maskedEnd(message, from: index, to: end, kind) {
                index = after
                continue
            }
            append(message[index])
            index += 1
            isInWord = kind.isOfWord
            // The rest of a word is kept unchanged.
            while isInWord, index < end, count < Self.maximumShape, kinds[Int(message[index])].isOfWord {
                append(message[index])
                index += 1
            }
        }
        isCut = isCut && index < message.count
        trim(wasCut: index < message.count)
    }

    /// Returns the start of the text inside the XML that a watchdog of Office Online Server reports; otherwise, the
    /// beginning of the message.
    private static func textStart(_ message: Span<UInt8>) -> Int {
        let element: StaticString = "<HealthMessage>"
        guard message.hasText("<?xml", at: 0) else { return 0 }
        let last = min(message.count, maximumExamined) - element.utf8CodeUnitCount
        guard let start = (0..<max(0, last)).first(where: { message.hasText(element, at: $0) }) else { return 0 }
        return start + element.utf8CodeUnitCount
    }

    /// The shape in readable form, with a mark where it was cut.
    var text: String { bytes.span.extracting(first: count).text + (isCut ? "…" : "") }

    /// Adds the shape to a hash.
    func add(to hash: inout StableHash) { hash.add(bytes.span.extracting(first: count)) }

    private var last: UInt8? { count > 0 ? bytes[count - 1] : nil }

    private mutating func append(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    private mutating func append(_ text: String) { for byte in text.utf8 { append(byte) } }

    /// Drops trailing blanks and a character that was cut.
    private mutating func trim(wasCut: Bool) {
        while let last, wasCut, last & 0xC0 == 0x80 || last >= 0xC0, !isWholeAtEnd { count -= 1 }
        while last == 0x20 { count -= 1 }
    }

    /// Whether the shape ends with a complete character.
    private var isWholeAtEnd: Bool {
        let end = (max(0, count - 4)..<count).map { bytes[$0] }
        return String(validating: end.drop { $0 & 0xC0 == 0x80 }, as: UTF8.self) != nil
    }

    /// Writes the mask for the part that begins here and returns where the part ends; `nil` if it is kept unchanged.
    private mutating func maskedEnd(_ message: Span<UInt8>, from start: Int, to end: Int, _ kind: Kind) -> Int? {
        switch kind {
        case .quote:
            var index = start + 1
            while index < end, message[index] != message[start], message[index] != 0x0A { index += 1 }
            append(message[start])
            append("…")
            append(message[start])
            note(message, start + 1..<index)
            return index + 1
        case .digit, .numeral, .word, .other:
            if let token = maskedToken(message, from: start, to: end) { return token }
            guard kind == .digit || kind == .numeral else { return nil }
            let number = Self.numberEnd(message, from: start, to: end)
            guard number > start else { return nil }
            if last != UInt8(ascii: "#") { append(UInt8(ascii: "#")) }
            return number
        case .blank, .lineEnd: return nil
        }
    }

    /// Writes the mask of the token that begins here, and returns its end; `nil` if it is neither an address, nor a
    /// path, nor an account.
    private mutating func maskedToken(_ message: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        // Nearly all tokens are words, which need no further examination.
        switch message[start] {
        case UInt8(ascii: "h"), UInt8(ascii: "i"), UInt8(ascii: "/"): break
        default:
            if start < plainEnd { return nil }
            let token = Self.token(message, from: start, to: end)
            guard token.hasBackslash else {
                plainEnd = token.end
                return nil
            }
        }
        let token =
            start..<(message.hasText("http", at: start)
            ? Self.addressEnd(message, from: start, to: end) : Self.token(message, from: start, to: end).end)
        guard let mask = mask(message, token) else { return nil }
        append(mask)
        return token.upperBound
    }

    /// Returns the placeholder for a token that is an address, a path or an account.
    private mutating func mask(_ message: Span<UInt8>, _ token: Range<Int>) -> String? {
        guard token.count > 3 else { return nil }
        let start = token.lowerBound
        if message.hasText("http", at: start), message.contains("://", in: start..<min(token.upperBound, start + 9)) {
            if address == nil { address = token }
            return "<url>"
        }
        let isPath =
            message.hasText("\\\\", at: start) || message.hasText(":\\", at: start + 1)
            || message[start] == UInt8(ascii: "/") && Self.kinds[Int(message[start + 1])] != .other
        if isPath || continuesPath(message, token) {
            pathEnd = token.upperBound
            return "<path>"
        }
        if AccountToken.hasForm(message, token) {
            if AccountToken.endsLikeFile(message, token) {
                pathEnd = token.upperBound
                return "<path>"
            }
            if account == nil, !isInstance(message, token), !isCounter(message, token) {
                account = AccountToken.whole(message, token)
            }
            return "<account>"
        }
        return nil
    }

    /// Returns whether a token with a backslash continues a path whose folder names contain blanks, as `Files\Common`
    /// continues `C:\Program`; up to two capitalized words may be between them.
    private func continuesPath(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        guard pathEnd > 0, token.lowerBound - pathEnd <= 40, message.contains("\\", in: token) else { return false }
        var words = 0
        for index in pathEnd..<token.lowerBound {
            switch message[index] {
            case 0x20: continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard message[index - 1] == 0x20 else { continue }
                let isLower = message[index] >= UInt8(ascii: "a")
                words += 1
                guard words <= 2, !isLower, !message.hasText("User", at: index), !message.hasText("Account", at: index)
                else { return false }
            default: return false
            }
        }
        return true
    }

    /// Returns whether a token names an instance of SQL Server or Analysis Services, as in `server SQL1\POWERPIVOT`.
    private func isInstance(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        let start = token.lowerBound
        return message.hasText("erver ", at: start - 6) || message.hasText("erver: ", at: start - 7)
            || message.hasText("erver at ", at: start - 9)
            || message.hasText("nstance ", at: start - 8) || message.hasText("eplica ", at: start - 7)
    }

    /// Records an address or an account within quotes.
    private mutating func note(_ message: Span<UInt8>, _ range: Range<Int>) {
        guard range.count > 3 else { return }
        if address == nil, message.hasText("http", at: range.lowerBound) { address = range }
        let quoted = range.lowerBound - 1..<range.upperBound
        if account == nil, range.count < 128, AccountToken.isAccount(message, range), !isInstance(message, quoted) {
            account = range
        }
    }

    /// Returns whether a token is the rest of a performance counter, as in `\MSOLAP$POWERPIVOT:Memory\Memory`; `User:`
    /// before an account does not begin a counter.
    private func isCounter(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        guard token.lowerBound > 1, message[token.lowerBound - 1] == UInt8(ascii: ":") else { return false }
        var index = token.lowerBound - 2
        while index > 0, Self.kinds[Int(message[index])].isOfWord { index -= 1 }
        return message[index] == UInt8(ascii: "$") || message[index] == UInt8(ascii: "\\")
    }

    private enum Kind: UInt8 {
        case other, blank, lineEnd, quote, digit, numeral, word

        /// Whether a word may contain a character of this kind.
        var isOfWord: Bool { rawValue >= Self.digit.rawValue }
    }

    // An inline array would be copied for each byte.
    private static let kinds: [Kind] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case 0x20, 0x09: .blank
        case 0x0A, 0x0D: .lineEnd
        case UInt8(ascii: "'"), UInt8(ascii: "\""): .quote
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        // Other characters of GUIDs and hexadecimal numbers.
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "x"),
            UInt8(ascii: "X"), UInt8(ascii: "-"):
            .numeral
        case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"), 0x80...: .word
        default: .other
        }
    }

    /// Returns the end of a token and whether it contains a backslash; a blank, a quote, a bracket, a comma or a
    /// semicolon ends the token.
    private static func token(
        _ message: Span<UInt8>,
        from start: Int,
        to end: Int
    ) -> (end: Int, hasBackslash: Bool) {
        var index = start
        var hasBackslash = false
        while index < end {
            switch message[index] {
            case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: ")"),
                UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "="):
                return (index, hasBackslash)
            case UInt8(ascii: "\\"): hasBackslash = true
            default: break
            }
            index += 1
        }
        return (index, hasBackslash)
    }

    /// Returns the end of a web address, or of text that begins like a web address.
    private static func addressEnd(_ message: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            switch message[index] {
            case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: ")"), UInt8(ascii: ","),
                UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "]"):
                return index
            default: index += 1
            }
        }
        return index
    }

    /// Returns the end of a number or GUID that begins here: a run of the characters of numbers and GUIDs that includes
    /// a digit; otherwise `start`.
    private static func numberEnd(_ message: Span<UInt8>, from start: Int, to end: Int) -> Int {
        let kinds = kinds
        var index = start
        var hasDigit = false
        while index < end {
            let kind = kinds[Int(message[index])]
            guard kind == .digit || kind == .numeral else { return kind == .word || !hasDigit ? start : index }
            if kind == .digit { hasDigit = true }
            index += 1
        }
        return hasDigit ? index : start
    }

    /// Returns whether a stack trace begins here: three blanks and `at`, in one of three languages.
    private static func isStack(_ message: Span<UInt8>, at index: Int) -> Bool {
        guard index + 1 < message.count, message[index + 1] == 0x20 else { return false }
        return message.hasText("   at ", at: index) || message.hasText("   bei ", at: index)
            || message.hasText("   à ", at: index)
    }
}

extension Span<UInt8> {
    /// Returns whether an ASCII text occurs at an offset.
    func hasText(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, offset + length <= count else { return false }
        for index in 0..<length where self[offset + index] != text.utf8Start[index] { return false }
        return true
    }

    /// Returns whether an ASCII text begins somewhere in a range.
    fileprivate func contains(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.contains { hasText(text, at: $0) }
    }
}

/// The positions of the first web address and the first account in the bytes of a message that its shape is made from.
struct NamesInMessage: Sendable {
    private let addressStart: UInt16
    private let addressEnd: UInt16
    private let accountStart: UInt16
    private let accountEnd: UInt16

    init(address: Range<Int>?, account: Range<Int>?) {
        addressStart = UInt16(clamping: address?.lowerBound ?? 0)
        addressEnd = UInt16(clamping: address?.upperBound ?? 0)
        accountStart = UInt16(clamping: account?.lowerBound ?? 0)
        accountEnd = UInt16(clamping: account?.upperBound ?? 0)
    }

    var address: Range<Int>? { addressEnd > 0 ? Int(addressStart)..<Int(addressEnd) : nil }
    var account: Range<Int>? { accountEnd > 0 ? Int(accountStart)..<Int(accountEnd) : nil }
}

/// The components of a kind: event ID, shape, exception and frame.
struct KindName: Sendable, Hashable {
    var eventID: String
    var template: String
    var exception: String?
    var frame: String?
}

/// The hash of a row's kind, and the names in the row.
struct RowSketch: Sendable {
    var hash: UInt64
    var names: NamesInMessage
}

typealias SketchMemo = MessageMemo<RowSketch>

/// A calculator of the kinds of successive rows that does not create a name for each row.
struct KindSketch {
    private var shape = MessageShape()

    /// Returns the sketch of a row, whose message has this hash in memos.
    mutating func look(
        _ row: ProblemRow,
        _ message: Span<UInt8>,
        _ hash: UInt64,
        _ memo: inout SketchMemo
    ) -> RowSketch {
        let key = memo.key(hash, row.eventID.span, UInt64(row.signs.rawValue))
        if let known = memo[key] { return known }
        shape.set(message)
        let exception = Self.exception(row, message)
        var hash = StableHash()
        hash.add(row.eventID.span)
        shape.add(to: &hash)
        if let range = exception?.type { hash.add(message.extracting(range)) }
        if let range = exception?.frame { hash.add(message.extracting(range)) }
        let sketch = RowSketch(hash: hash.value, names: shape.names)
        memo.note(sketch, by: key)
        return sketch
    }

    mutating func name(_ row: ProblemRow, _ message: Span<UInt8>) -> KindName {
        shape.set(message)
        let exception = Self.exception(row, message)
        return KindName(
            eventID: String(decoding: row.eventID, as: UTF8.self),
            template: shape.text,
            exception: exception?.type.map { message.extracting($0).text },
            frame: exception?.frame.map { message.extracting($0).text }
        )
    }

    private static func exception(_ row: ProblemRow, _ message: Span<UInt8>) -> ExceptionSketch? {
        row.signs.contains(.exception) ? ExceptionSketch(message) : nil
    }
}

/// A hash of texts that is the same in every run: FNV-1a, 64 bits.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Adds a text and a mark for its end.
    mutating func add(_ text: Span<UInt8>) {
        for index in text.indices { value = (value ^ UInt64(text[index])) &* 0x100_0000_01B3 }
        value = (value ^ 0xFF) &* 0x100_0000_01B3
    }

    /// Returns a value as 16 hexadecimal digits.
    static func text(of value: UInt64) -> String { value.padded(to: 16, radix: 16) }

    mutating func add(_ text: String) { add(Array(text.utf8).span) }
}

/// A part of a message that may be an account: `contoso\ann`, `i:0#.w|contoso\ann`, `NT AUTHORITY\NETWORK SERVICE`.
enum AccountToken {
    /// Returns whether a token looks like an account and not like a file.
    static func isAccount(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        hasForm(message, token) && !endsLikeFile(message, token)
    }

    /// Returns whether a token looks like an account: `contoso\ann`, or a claim such as `i:0#.w|contoso\ann`.
    static func hasForm(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        // Any claim except that of an app: `i:0i.t|ms.sp.ext|…`.
        if message.hasText("i:0", at: token.lowerBound) { return !message.hasText("i:0i.t|", at: token.lowerBound) }
        var backslashes = 0
        for index in token {
            let byte = message[index]
            if byte == UInt8(ascii: "\\") {
                backslashes += 1
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") || byte == 0x20 {
                return false
            }
        }
        return backslashes == 1 && !"\\_".utf8.contains(message[token.lowerBound])
            && message[token.upperBound - 1] != UInt8(ascii: "\\")
    }

    /// Returns whether a token ends like a file name, as `bin\app.dll` does; account names may also contain periods,
    /// but do not end like this.
    static func endsLikeFile(_ message: Span<UInt8>, _ token: Range<Int>) -> Bool {
        let first = max(token.lowerBound, token.upperBound - 8)
        guard let point = (first..<token.upperBound).last(where: { message[$0] == UInt8(ascii: ".") }) else {
            return false
        }
        return fileEndings.contains { ending in
            ending.utf8CodeUnitCount == token.upperBound - point - 1
                && (0..<ending.utf8CodeUnitCount).allSatisfy { message[point + 1 + $0] | 0x20 == ending.utf8Start[$0] }
        }
    }

    private static let fileEndings: [StaticString] = [
        "dll", "exe", "config", "xml", "xsd", "xsl", "aspx", "ascx", "asmx", "svc", "master", "txt", "log", "css", "js",
        "html", "htm", "png", "gif", "jpg", "wsp", "cab", "ini", "dat", "mdf", "ldf", "resx", "dwp", "webpart", "etl",
        "docx", "xlsx", "pptx", "pdf", "tmp", "zip", "ps1", "bin", "cxx", "cpp", "hxx", "inl", "cs",
    ]

    /// Returns the range of the account whose backslash is in a token, without typographic quotes and a sentence's
    /// period, but with the other words of `NT AUTHORITY\NETWORK SERVICE`.
    static func whole(_ message: Span<UInt8>, _ token: Range<Int>) -> Range<Int> {
        var (start, end) = (token.lowerBound, token.upperBound)
        if isPrintedQuote(message, at: start) { start += 3 }
        while end > start {
            let mark = isPrintedQuote(message, at: end - 3) ? 3 : ".:!?`".utf8.contains(message[end - 1]) ? 1 : 0
            guard mark > 0 else { break }
            end -= mark
        }
        if message.hasText("AUTHORITY\\", at: start), message.hasText("NT ", at: start - 3) {
            start -= 3
            if message.hasText(" SERVICE", at: end) { end += 8 }
        } else if message.hasText("APPPOOL\\", at: start), message.hasText("IIS ", at: start - 4) {
            start -= 4
        }
        return start..<max(start, end)
    }

    /// Returns whether the bytes are a typographic quote: `‘`, `’`, `“` or `”`.
    private static func isPrintedQuote(_ message: Span<UInt8>, at index: Int) -> Bool {
        message.hasText("‘", at: index) || message.hasText("’", at: index) || message.hasText("“", at: index)
            || message.hasText("”", at: index)
    }
}

/// Two adjacent ASCII characters that are searched for at sixteen positions at once.
struct BytePair: Sendable {
    private let first: SIMD16<UInt8>
    private let second: SIMD16<UInt8>

    init(_ first: Unicode.Scalar, _ second: Unicode.Scalar) {
        self.first = SIMD16(repeating: UInt8(ascii: first))
        self.second = SIMD16(repeating: UInt8(ascii: second))
    }

    private static let width = 16

    /// Returns at which of the sixteen positions from an offset the pair occurs; one more byte must follow.
    @inline(__always)
    private func places(at offset: Int, in bytes: UnsafeRawBufferPointer) -> SIMDMask<SIMD16<Int8>> {
        let one = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        let next = bytes.loadUnaligned(fromByteOffset: offset &+ 1, as: SIMD16<UInt8>.self)
        return (one .== first) .& (next .== second)
    }

    /// Returns whether `isHit` accepts any range of offsets that may contain one of two pairs.
    @inline(__always)
    static func isAny(
        of one: BytePair,
        _ other: BytePair,
        in bytes: UnsafeRawBufferPointer,
        where isHit: (Range<Int>) -> Bool
    ) -> Bool {
        let last = bytes.count &- width &- 1
        guard last >= 0 else { return isHit(0..<bytes.count) }
        // The last range overlaps the previous one, because a partial range would take longer.
        var offset = 0
        while true {
            let places = one.places(at: offset, in: bytes) .| other.places(at: offset, in: bytes)
            let pairs = unsafeBitCast(places, to: SIMD2<UInt64>.self)
            if pairs[0] | pairs[1] != 0, isHit(offset..<(offset &+ width)) { return true }
            if offset == last { return false }
            offset = min(offset &+ width, last)
        }
    }
}
