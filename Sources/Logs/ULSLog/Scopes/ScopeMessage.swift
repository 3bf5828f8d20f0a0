import TextKit
public import ULSRows

/// A row that reports that a monitored scope was entered (`nasq`) or left (`b4ly`).
///
/// | version | message |
/// |---|---|
/// | 2010, 2013 | `Entering monitored scope (X)`, also with `. Parent No` or `. Parent=Y` |
/// | 2010, 2013 | `Leaving Monitored Scope (X). Execution Time=145.0229` |
/// | 2016+ | `Leaving Monitored Scope: (X) Execution Time=153.7; CPU Milliseconds=1; SQL Query Count=0; Parent=Y` |
/// | in other languages | `Leaving Monitored Scope: Tiempo de ejecución=7.0718; …`, `… (X). Время выполнения=1,9594` |
///
/// Offsets are relative to the message.
struct ScopeMessage: Equatable {
    /// The kind of event that the row reports: whether the scope was entered or left.
    enum Kind: Equatable {
        case entering
        /// The scope was left; the duration is in microseconds, or nil if the row doesn't give it in a known form.
        case leaving(duration: Int64?)
    }

    var kind: Kind

    /// The range of the scope's name.
    ///
    /// The value is nil if the row names no scope, because it has no parentheses or is a template that was not filled
    /// in (`{0}`). If the message was cut before the closing parenthesis, the range ends where the message does.
    var name: Range<Int>?

    /// The range of the level that the component originally chose, if the service forced the row.
    var originalLevel: Range<Int>?

    /// Parses the message of a scope row; returns nil for any other message.
    static func parse(_ message: Span<UInt8>) -> ScopeMessage? {
        if let plain = plainLeaving(message) ?? plainEntering(message) { return plain }
        var start = message.skippingBlanks(from: 0)
        var originalLevel: Range<Int>?
        guard start < message.count else { return nil }
        if message[start] == UInt8(ascii: "[") {
            guard let mark = ForcedRowMark.parse(message, from: start), mark.end < message.count else { return nil }
            start = mark.end
            originalLevel = mark.originalLevel
        }
        let isLeaving: Bool
        switch message[start] | 0x20 {
        case UInt8(ascii: "e") where message.reads("entering monitored scope", at: start):
            isLeaving = false
            start += 24
        case UInt8(ascii: "l") where message.reads("leaving monitored scope", at: start):
            isLeaving = true
            start += 23
        default: return nil
        }
        if start < message.count {
            // "Entering monitored scopes …" would be an ordinary sentence.
            guard !message[start].isLetter else { return nil }
            if message[start] == UInt8(ascii: ":") { start += 1 }
        }
        start = message.skippingBlanks(from: start)

        var name: Range<Int>?
        var behind = start
        if start < message.count, message[start] == UInt8(ascii: "(") {
            let bracket = closingBracket(in: message, from: start + 1, isLeaving: isLeaving)
            let end = bracket ?? endOfCutName(in: message, from: start + 1)
            name = isUsable(message, start + 1..<end) ? start + 1..<end : nil
            behind = bracket.map { $0 + 1 } ?? message.count
        }
        return ScopeMessage(
            kind: isLeaving ? .leaving(duration: ScopeDuration.parse(message, from: behind)) : .entering,
            name: name,
            originalLevel: originalLevel
        )
    }

    /// Parses the form of nearly all rows in SharePoint 2010 and 2013, recognized by its end: `… (X). Execution
    /// Time=145.0229`.
    private static func plainLeaving(_ message: Span<UInt8>) -> ScopeMessage? {
        let start = 25
        guard message.count > start + 18, message.beginsScope(0x2067_6E69_7661_656C, 0x6572_6F74_696E_6F6D),
            message[start - 1] == UInt8(ascii: "(")
        else { return nil }
        let equals = message.numberStart(above: start) - 1
        let bracket = equals - 17
        guard bracket > start, message[equals] == UInt8(ascii: "="), message[bracket] == UInt8(ascii: ")"),
            // `. Execution Time`
            message.word(at: bracket + 1) == 0x7475_6365_7845_202E,
            message.word(at: bracket + 9) == 0x656D_6954_206E_6F69, isUsable(message, start..<bracket)
        else { return nil }
        return ScopeMessage(
            kind: .leaving(duration: ScopeDuration.parse(message, from: equals)),
            name: start..<bracket
        )
    }

    /// Parses `Entering Monitored Scope (X)`, with nothing after it, and with no parenthesis in X except at its end.
    private static func plainEntering(_ message: Span<UInt8>) -> ScopeMessage? {
        let start = 26
        let bracket = message.count - 1
        guard bracket > start, message.beginsScope(0x676E_6972_6574_6E65, 0x726F_7469_6E6F_6D20),
            message[start - 1] == UInt8(ascii: "("), message[bracket] == UInt8(ascii: ")"),
            isUsable(message, start..<bracket),
            let first = message.firstIndex(of: UInt8(ascii: ")"), from: start), first >= bracket - 1
        else { return nil }
        return ScopeMessage(kind: .entering, name: start..<bracket)
    }

    /// Returns the end of a name whose closing parenthesis was cut off; the service marks a cut with three dots.
    private static func endOfCutName(in message: Span<UInt8>, from start: Int) -> Int {
        let end = message.endWithoutBlanks(from: start)
        return end - start >= 3 && message.reads("...", at: end - 3) ? end - 3 : end
    }

    /// Returns whether a name is neither empty nor a template's placeholder: `{0}`.
    private static func isUsable(_ message: Span<UInt8>, _ name: Range<Int>) -> Bool {
        guard let first = name.first, let last = name.last else { return false }
        guard message[first] == UInt8(ascii: "{"), message[last] == UInt8(ascii: "}"), name.count > 2 else {
            return true
        }
        for offset in first + 1..<last where !message[offset].isDigit { return true }
        return false
    }
}

extension ScopeMessage {
    /// The maximum length of a value's label, in bytes: `Execution Time`, `Время выполнения`.
    private static let longestLabel = 64

    /// Returns the parenthesis that closes the scope's name.
    ///
    /// Names can themselves contain parentheses, as addresses do, and not always in pairs, so the text after a
    /// parenthesis determines whether it closes the name. If several parentheses are possible, the one that also closes
    /// the pair is chosen, or else the first.
    private static func closingBracket(in message: Span<UInt8>, from start: Int, isLeaving: Bool) -> Int? {
        var depth = 0
        var firstFit: Int?
        var atEnd: Int?
        for offset in start..<message.count {
            switch message[offset] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                let next = afterFullStop(in: message, behind: offset)
                if next == message.count {
                    if !isLeaving, depth == 0 { return offset }
                    atEnd = offset
                } else if fits(message, behind: offset, next: next, isLeaving: isLeaving) {
                    if depth == 0 { return offset }
                    firstFit = firstFit ?? offset
                }
                depth -= 1
            default: break
            }
        }
        return firstFit ?? atEnd
    }

    /// Returns the offset after a parenthesis and the period and blanks that follow it.
    private static func afterFullStop(in message: Span<UInt8>, behind bracket: Int) -> Int {
        let next = bracket + 1
        let hasFullStop = next < message.count && message[next] == UInt8(ascii: ".")
        return message.skippingBlanks(from: hasFullStop ? next + 1 : next)
    }

    private static func fits(_ message: Span<UInt8>, behind bracket: Int, next: Int, isLeaving: Bool) -> Bool {
        guard message[next - 1] == 0x20 || message[next - 1] == 0x09 else { return false }
        if !isLeaving, message.reads("parent", at: next) { return true }
        for offset in next..<min(message.count, next + longestLabel) {
            switch message[offset] {
            case UInt8(ascii: "="):
                guard isLeaving, offset + 1 < message.count else { return offset > next }
                let first = message[offset + 1]
                return offset > next && (first.isDigit || first == UInt8(ascii: "-"))
            // None of these occur in labels, but all of them occur in addresses and parameters.
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: "?"),
                UInt8(ascii: "&"):
                return false
            default: break
            }
        }
        return false
    }
}

/// The duration of a scope, as given in its row.
enum ScopeDuration {
    /// The greatest duration, in microseconds: one year.
    ///
    /// Longer durations count as one year.
    static let longest: Int64 = 366 * 86_400_000_000

    /// Parses the number after the first `=` from `start` on, rounded to microseconds.
    ///
    /// The row gives milliseconds, with a decimal point or comma depending on the server's language, and with all the
    /// digits of a double (`206.33069286739`, `8.5E-05`). A number with two separators (`1.234,5`) is ambiguous, so it
    /// is not accepted.
    static func parse(_ message: Span<UInt8>, from start: Int) -> Int64? {
        var offset = start
        while offset < message.count, message[offset] != UInt8(ascii: "=") { offset += 1 }
        offset = message.skippingBlanks(from: offset + 1)
        guard offset < message.count, message[offset].isDigit else { return nil }

        var microseconds = Self.number(message, &offset).multipliedCapped(by: 1000)
        if isMark(message, at: offset) {
            offset += 1
            var weight: Int64 = 100
            while weight > 0, offset < message.count, message[offset].isDigit {
                microseconds += Int64(message[offset] - UInt8(ascii: "0")) * weight
                weight /= 10
                offset += 1
            }
            if weight == 0, offset < message.count, message[offset].isDigit {
                microseconds += message[offset] >= UInt8(ascii: "5") ? 1 : 0
            }
            while offset < message.count, message[offset].isDigit { offset += 1 }
            guard !isMark(message, at: offset) else { return nil }
        }
        return scaled(microseconds, message, offset)
    }

    /// Returns whether a decimal point or comma is followed by a digit.
    private static func isMark(_ message: Span<UInt8>, at offset: Int) -> Bool {
        guard offset + 1 < message.count, message[offset + 1].isDigit else { return false }
        return message[offset] == UInt8(ascii: ".") || message[offset] == UInt8(ascii: ",")
    }

    /// Applies an exponent like `E-05`.
    private static func scaled(_ microseconds: Int64, _ message: Span<UInt8>, _ start: Int) -> Int64? {
        guard start + 2 < message.count, message[start] | 0x20 == UInt8(ascii: "e"), message[start + 2].isDigit,
            message[start + 1] == UInt8(ascii: "-") || message[start + 1] == UInt8(ascii: "+")
        else { return min(microseconds, longest) }
        var offset = start + 2
        let isNegative = message[start + 1] == UInt8(ascii: "-")
        var result = microseconds
        for _ in 0..<min(number(message, &offset), 18) {
            result = isNegative ? result / 10 : result.multipliedCapped(by: 10)
        }
        return min(result, longest)
    }

    /// Reads an integer, capped at ``longest``.
    private static func number(_ message: Span<UInt8>, _ offset: inout Int) -> Int64 {
        var value: Int64 = 0
        while offset < message.count, message[offset].isDigit {
            value = min(value * 10 + Int64(message[offset] - UInt8(ascii: "0")), longest)
            offset += 1
        }
        return value
    }
}

extension Int64 {
    fileprivate func multipliedCapped(by factor: Int64) -> Int64 { Swift.min(self, ScopeDuration.longest) * factor }
}

/// The mark at the beginning of a row that the service wrote only because other rows were lost.
///
/// `[Forced due to logging gap, cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] Entering …`: the level in the
/// row's column is not the level that the component originally chose. Such rows occur in SharePoint 2016 and later.
struct ForcedRowMark: Equatable {
    /// The range of the level that the component originally chose; nil if the mark does not give it.
    fileprivate var originalLevel: Range<Int>?
    /// The offset at which the message itself begins.
    var end: Int

    /// The maximum length of a mark; longer text is not a mark.
    private static let longest = 160

    /// Parses the mark at `start`, if any.
    static func parse(_ message: Span<UInt8>, from start: Int = 0) -> ForcedRowMark? {
        guard message.reads("[forced due to", at: start) else { return nil }
        var originalLevel: Int?
        for offset in start..<min(message.count, start + longest) {
            switch message[offset] {
            case UInt8(ascii: "O") where message.reads("original level:", at: offset):
                originalLevel = message.skippingBlanks(from: offset + 15)
            case UInt8(ascii: "]"):
                return ForcedRowMark(
                    originalLevel: originalLevel.flatMap { $0 < offset ? $0..<offset : nil },
                    end: message.skippingBlanks(from: offset + 1)
                )
            default: break
            }
        }
        return nil
    }
}

/// The name under which requests and scopes are counted.
///
/// Variable parts are left out, so that calls of the same kind have the same key:
///
/// | name | key |
/// |---|---|
/// | `Request (GET:http://wfe1:80/sites/a/Lists/L/AllItems.aspx?id=5#x)` | `GET /sites/a/Lists/L/AllItems.aspx` |
/// | `Request (GET:https://intranet)` | `GET /` |
/// | `Request (POST:http://wfe1/_vti_bin/owssvr14.dll?CS=65001)` | `POST /_vti_bin/owssvr14.dll` |
/// | `Request (GET:http://wfe1/_layouts/15/p_1_4.zip)` | `GET /_layouts/*/p_*_*.zip` |
/// | `Request (GET:http://wfe1/Shared%20Documents/2013)` | `GET /Shared%20Documents/*` |
/// | `Timer Job job-upgrade-sites` | `Timer Job job-upgrade-sites` |
/// | `Caller:http://host/ws-trust/200512/Issue` | `Caller:/ws-trust/*/Issue` |
/// | `Installing 'X' (ID: 'ca2543e6-29a1-40c1-bba9-bd8510a4c17b')` | `Installing 'X' (ID: '*')` |
/// | `WSS_Content_ca2543e629a140c1bba9bd8510a4c17b` | `WSS_Content_*` |
/// | `SPFileStreamManager#1` | `SPFileStreamManager#*` |
///
/// A word is a run of ASCII letters, ASCII digits and non-ASCII characters; an escape (`%20`) separates words. A word
/// that is a number becomes `*`: digits only, `0x` with hexadecimal digits, or eight or more hexadecimal digits with at
/// least one decimal digit (`feedface` is a word). A GUID also becomes `*`, together with the braces around it, even if
/// these are written as `%7B` and `%7D`. Digits inside a word are kept. Addresses lose their scheme, host, query and
/// fragment; paths are kept as written, including escapes and case.
enum ScopeKey {
    /// The maximum length of a key, in bytes; `…` marks the point where a longer key was cut off.
    static let longest = 200

    /// Appends the key of a scope's name.
    static func append(name: Span<UInt8>, to key: inout [UInt8]) {
        let start = key.count
        var offset = name.skippingBlanks(from: 0)
        var end = name.endWithoutBlanks(from: offset)
        let isRequest = name.reads("request (", at: offset)
        if isRequest {
            offset += 9
            if end > offset, name[end - 1] == UInt8(ascii: ")") { end -= 1 }
            appendMethod(of: name, &offset, to: &key)
        }
        var walk = ScopeKeyWalk(offset: offset, isRequest: isRequest)
        let text = name.extracting(0..<max(end, offset))
        while walk.offset < text.count, key.count - start + walk.run.count <= longest {
            walk.appendNext(of: text, to: &key)
        }
        walk.appendRun(of: text, to: &key)
        cut(&key, from: start)
    }

    /// Appends `GET ` for `GET:`; a scheme (`http://`) is not a method.
    private static func appendMethod(of name: Span<UInt8>, _ offset: inout Int, to key: inout [UInt8]) {
        var end = offset
        while end < name.count, end - offset < 16, name[end].isLetter { end += 1 }
        guard end > offset, end < name.count, name[end] == UInt8(ascii: ":"), !name.reads("://", at: end) else {
            return
        }
        for place in offset..<end { key.append(name[place]) }
        key.append(UInt8(ascii: " "))
        offset = end + 1
    }

    /// Cuts a key at a character boundary.
    private static func cut(_ key: inout [UInt8], from start: Int) {
        guard key.count - start > longest else { return }
        let ellipsis: [3 of UInt8] = [0xE2, 0x80, 0xA6]
        var end = start + longest - ellipsis.count
        // A character has at most three continuation bytes.
        for _ in 0..<3 where key[end] & 0xC0 == 0x80 { end -= 1 }
        key.removeSubrange(end...)
        for index in ellipsis.indices { key.append(ellipsis[index]) }
    }
}

/// A walk through a scope's name, word by word and sign by sign.
private struct ScopeKeyWalk {
    private(set) var offset: Int
    /// The start of the words and signs that are kept as written but have not been appended yet.
    private var runStart: Int
    /// Whether the entire name is an address.
    let isRequest: Bool
    /// Whether the offset is in an address within the name.
    private var isInAddress = false

    init(offset: Int, isRequest: Bool) {
        self.offset = offset
        runStart = offset
        self.isRequest = isRequest
    }

    /// The words and signs that are kept as written but have not been appended yet.
    var run: Range<Int> { runStart..<offset }

    /// Appends the words and signs that are kept as written.
    mutating func appendRun(of name: Span<UInt8>, to key: inout [UInt8]) {
        key.append(copying: name.extracting(run.prefix(ScopeKey.longest + 1)))
        runStart = offset
    }

    /// Appends the next word or sign of the name in the form that it has in the key, or adds it to the run.
    mutating func appendNext(of name: Span<UInt8>, to key: inout [UInt8]) {
        let byte = name[offset]
        if byte.isOfScopeWord {
            appendWord(of: name, to: &key)
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") {
            appendBrace(of: name, to: &key)
        } else if isInAddress || isRequest, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
            var end = offset
            while end < name.count, isRequest || !name[end].endsAddress { end += 1 }
            replace(upTo: end, of: name, by: nil, in: &key)
        } else {
            if byte.endsAddress { isInAddress = false }
            offset += 1
        }
    }

    private mutating func appendWord(of name: Span<UInt8>, to key: inout [UInt8]) {
        var end = offset
        var (hasDigit, isDecimal, isHexadecimal) = (false, true, true)
        while end < name.count, name[end].isOfScopeWord {
            let byte = name[end]
            if byte.isDigit { hasDigit = true } else { isDecimal = false }
            if isHexadecimal, !byte.isHexadecimal { isHexadecimal = false }
            end += 1
        }
        // The sign that follows the first word of an address or of a GUID.
        let sign = end < name.count ? name[end] : 0
        if sign == UInt8(ascii: ":") || sign == UInt8(ascii: "."), let host = Self.host(in: name, from: offset) {
            isInAddress = true
            end = host
            while end < name.count, !name[end].endsHost { end += 1 }
            let hasPath = end < name.count && name[end] == UInt8(ascii: "/")
            return replace(upTo: end, of: name, by: hasPath ? nil : UInt8(ascii: "/"), in: &key)
        }
        if sign == UInt8(ascii: "-"), Self.isGUID(name, at: offset) {
            return replace(upTo: offset + 36, of: name, by: UInt8(ascii: "*"), in: &key)
        }
        let isLong = end - offset >= 8 && hasDigit
        if isDecimal || isHexadecimal && isLong || Self.isPrefixedNumber(name, offset..<end) {
            return replace(upTo: end, of: name, by: UInt8(ascii: "*"), in: &key)
        }
        offset = end
    }

    /// Appends `*` for a GUID in braces, or else adds only the brace or escape to the run.
    private mutating func appendBrace(of name: Span<UInt8>, to key: inout [UInt8]) {
        let (open, close) = name[offset] == UInt8(ascii: "{") ? ("{", "}") : ("%7b", "%7d")
        let size = open.utf8.count
        if name.reads(open, at: offset), Self.isGUID(name, at: offset + size, mayTouch: true),
            name.reads(close, at: offset + size + 36)
        {
            return replace(upTo: offset + 36 + 2 * size, of: name, by: UInt8(ascii: "*"), in: &key)
        }
        let isEscape =
            size == 3 && offset + 2 < name.count && name[offset + 1].isHexadecimal
            && name[offset + 2].isHexadecimal
        offset += isEscape ? 3 : 1
    }

    /// Appends the run and then a byte, if any, in place of the text up to `end`.
    private mutating func replace(upTo end: Int, of name: Span<UInt8>, by byte: UInt8?, in key: inout [UInt8]) {
        appendRun(of: name, to: &key)
        if let byte { key.append(byte) }
        offset = end
        runStart = end
    }

    /// Returns the offset of the host if an address begins at `start`: `http://`, `net.tcp://`.
    private static func host(in name: Span<UInt8>, from start: Int) -> Int? {
        var offset = name.reads("net.", at: start) ? start + 4 : start
        let limit = min(name.count, offset + 12)
        while offset < limit, name[offset].isLetter { offset += 1 }
        return offset > start && name.reads("://", at: offset) ? offset + 3 : nil
    }

    /// Returns whether a word is `0x` and hexadecimal digits.
    private static func isPrefixedNumber(_ name: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard word.count > 2, name.reads("0x", at: word.lowerBound) else { return false }
        for place in word.dropFirst(2) where !name[place].isHexadecimal { return false }
        return true
    }

    /// Returns whether there is a GUID at `start`: eight, four, four, four and twelve hexadecimal digits.
    private static func isGUID(_ name: Span<UInt8>, at start: Int, mayTouch: Bool = false) -> Bool {
        guard name.count - start >= 36, mayTouch || name.count - start == 36 || !name[start + 36].isOfScopeWord else {
            return false
        }
        for place in 0..<36 {
            let byte = name[start + place]
            let isDash = place == 8 || place == 13 || place == 18 || place == 23
            guard isDash ? byte == UInt8(ascii: "-") : byte.isHexadecimal else { return false }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isOfScopeWord: Bool { isLetter || isDigit || self >= 0x80 }

    /// Whether the byte separates an address from the words that follow.
    fileprivate var endsAddress: Bool {
        switch self {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ")"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"):
            true
        default: false
        }
    }

    fileprivate var endsHost: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#") || endsAddress
    }
}

/// The name of a request or a timer job, as given in `xmnv` rows of "Logging Correlation Data".
enum RequestName {
    /// Returns the range of the name in `Name=Request (GET:http://…)` or `Name=Timer Job x`; nil for any other message.
    static func parse(_ message: Span<UInt8>) -> Range<Int>? {
        guard let value = CorrelationValue.parse(message, key: "name=") else { return nil }
        return isRequest(message.extracting(value)) ? value : nil
    }

    /// Returns whether a scope with this name is an entire request or timer job rather than a part of one.
    static func isRequest(_ name: Span<UInt8>) -> Bool {
        name.reads("request (", at: 0) || name.reads("timer job ", at: 0)
    }
}

/// The site of a request, as given in `xmnv` rows.
enum RequestSite {
    /// Returns the range of the path in `Site=/sites/a`; nil for any other message.
    static func parse(_ message: Span<UInt8>) -> Range<Int>? {
        guard let value = CorrelationValue.parse(message, key: "site=") else { return nil }
        return message[value.lowerBound] == UInt8(ascii: "/") ? value : nil
    }
}

/// A fact about a correlation, in a message that is just `Key=Value`.
private enum CorrelationValue {
    static func parse(_ message: Span<UInt8>, key: String) -> Range<Int>? {
        var start = message.skippingBlanks(from: 0)
        if let mark = ForcedRowMark.parse(message, from: start) { start = mark.end }
        guard message.reads(key, at: start) else { return nil }
        start = message.skippingBlanks(from: start + key.utf8.count)
        let end = message.endWithoutBlanks(from: start)
        return start < end ? start..<end : nil
    }
}

// MARK: - Durations of events

extension ULSEvent {
    /// The duration of the scope that a "Leaving Monitored Scope" row leaves, in milliseconds, to three decimal places.
    ///
    /// The value is `nil` for other rows, and if the number can't be parsed. Servers in many languages write a decimal
    /// comma.
    package var scopeMilliseconds: Double? {
        guard let message = ScopeMessage.parse(self[.message]), case .leaving(let duration?) = message.kind else {
            return nil
        }
        return Double(duration) / 1000
    }

    /// The duration of the scope that a "Leaving Monitored Scope" row leaves; `nil` for other rows, and if the number
    /// can't be parsed.
    public var scopeDuration: Duration? {
        guard let message = ScopeMessage.parse(self[.message]), case .leaving(let duration?) = message.kind else {
            return nil
        }
        return .microseconds(duration)
    }
}
