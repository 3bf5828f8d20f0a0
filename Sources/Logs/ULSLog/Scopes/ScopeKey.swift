/// The name under which requests and scopes are counted.
///
/// What differs from one call to the next is left out, so that calls of the same kind have the same key:
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
/// A word is a run of ASCII letters, ASCII digits and anything beyond ASCII; an escape (`%20`) separates words. A word
/// that is a number becomes `*`: all digits, `0x` with hexadecimal digits, or eight or more hexadecimal digits of which
/// one is a decimal digit (`feedface` is a word). So does a GUID, with the braces around it, also written `%7B` and
/// `%7D`. Digits inside a word stay. Addresses lose scheme, host, query and fragment; paths stay as written, including
/// escapes and case.
enum ScopeKey {
    /// Most bytes of a key; `…` marks what was cut off.
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
        while walk.offset < text.count, key.count - start <= longest { walk.appendNext(of: text, to: &key) }
        cut(&key, from: start)
    }

    /// Appends `GET ` for `GET:`; a scheme (`http://`) is not a method.
    private static func appendMethod(of name: Span<UInt8>, _ offset: inout Int, to key: inout [UInt8]) {
        var end = offset
        while end < name.count, end - offset < 16, name[end].isScopeLetter { end += 1 }
        guard end > offset, end < name.count, name[end] == UInt8(ascii: ":"), !name.reads("://", at: end) else {
            return
        }
        for place in offset..<end { key.append(name[place]) }
        key.append(UInt8(ascii: " "))
        offset = end + 1
    }

    /// Cuts a key at the start of a character.
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

/// A walk through a scope's name, one word or sign at a time.
private struct ScopeKeyWalk {
    var offset: Int
    /// Whether the whole name is one address.
    let isRequest: Bool
    /// Whether the offset is in an address within the name.
    private var isInAddress = false

    init(offset: Int, isRequest: Bool) {
        self.offset = offset
        self.isRequest = isRequest
    }

    /// Appends what the next word or sign of the name becomes.
    mutating func appendNext(of name: Span<UInt8>, to key: inout [UInt8]) {
        let byte = name[offset]
        if byte.isOfScopeWord {
            appendWord(of: name, to: &key)
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") {
            appendBrace(of: name, to: &key)
        } else if isInAddress || isRequest, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
            while offset < name.count, isRequest || !name[offset].endsAddress { offset += 1 }
        } else {
            if byte.endsAddress { isInAddress = false }
            key.append(byte)
            offset += 1
        }
    }

    private mutating func appendWord(of name: Span<UInt8>, to key: inout [UInt8]) {
        let start = offset
        var (hasDigit, isDecimal, isHexadecimal) = (false, true, true)
        while offset < name.count, name[offset].isOfScopeWord {
            let byte = name[offset]
            if byte.isScopeDigit { hasDigit = true } else { isDecimal = false }
            if isHexadecimal, !byte.isScopeHexadecimal { isHexadecimal = false }
            offset += 1
        }
        // The sign that follows the first word of an address or of a GUID.
        let sign = offset < name.count ? name[offset] : 0
        if sign == UInt8(ascii: ":") || sign == UInt8(ascii: "."), let host = Self.host(in: name, from: start) {
            isInAddress = true
            offset = host
            while offset < name.count, !name[offset].endsHost { offset += 1 }
            if offset == name.count || name[offset] != UInt8(ascii: "/") { key.append(UInt8(ascii: "/")) }
            return
        }
        if sign == UInt8(ascii: "-"), Self.isGUID(name, at: start) {
            offset = start + 36
            return key.append(UInt8(ascii: "*"))
        }
        let isLong = offset - start >= 8 && hasDigit
        if isDecimal || isHexadecimal && isLong || Self.isPrefixedNumber(name, start..<offset) {
            return key.append(UInt8(ascii: "*"))
        }
        key.append(copying: name.extracting(start..<min(offset, start + ScopeKey.longest + 1)))
    }

    /// Appends `*` for a GUID in braces, otherwise the brace or escape alone.
    private mutating func appendBrace(of name: Span<UInt8>, to key: inout [UInt8]) {
        let (open, close) = name[offset] == UInt8(ascii: "{") ? ("{", "}") : ("%7b", "%7d")
        let size = open.utf8.count
        if name.reads(open, at: offset), Self.isGUID(name, at: offset + size, mayTouch: true),
            name.reads(close, at: offset + size + 36)
        {
            offset += 36 + 2 * size
            return key.append(UInt8(ascii: "*"))
        }
        let isEscape =
            size == 3 && offset + 2 < name.count && name[offset + 1].isScopeHexadecimal
            && name[offset + 2].isScopeHexadecimal
        for _ in 0..<(isEscape ? 3 : 1) {
            key.append(name[offset])
            offset += 1
        }
    }

    /// Returns the offset of the host if an address begins at `start`: `http://`, `net.tcp://`.
    private static func host(in name: Span<UInt8>, from start: Int) -> Int? {
        var offset = name.reads("net.", at: start) ? start + 4 : start
        let limit = min(name.count, offset + 12)
        while offset < limit, name[offset].isScopeLetter { offset += 1 }
        return offset > start && name.reads("://", at: offset) ? offset + 3 : nil
    }

    /// Returns whether a word is `0x` and hexadecimal digits.
    private static func isPrefixedNumber(_ name: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard word.count > 2, name.reads("0x", at: word.lowerBound) else { return false }
        for place in word.dropFirst(2) where !name[place].isScopeHexadecimal { return false }
        return true
    }

    /// Returns whether a GUID is at `start`: eight, four, four, four and twelve hexadecimal digits.
    private static func isGUID(_ name: Span<UInt8>, at start: Int, mayTouch: Bool = false) -> Bool {
        guard name.count - start >= 36, mayTouch || name.count - start == 36 || !name[start + 36].isOfScopeWord else {
            return false
        }
        for place in 0..<36 {
            let byte = name[start + place]
            let isDash = place == 8 || place == 13 || place == 18 || place == 23
            guard isDash ? byte == UInt8(ascii: "-") : byte.isScopeHexadecimal else { return false }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isOfScopeWord: Bool { isScopeLetter || isScopeDigit || self >= 0x80 }

    /// Whether the byte separates an address from the words after it.
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

    /// Returns whether a scope of this name is a whole request or timer job, not a part of one.
    static func isRequest(_ name: Span<UInt8>) -> Bool {
        name.reads("request (", at: 0) || name.reads("timer job ", at: 0)
    }
}

/// The site that a request is about, as given in `xmnv` rows.
enum RequestSite {
    /// Returns the range of the path in `Site=/sites/a`; nil for any other message.
    static func parse(_ message: Span<UInt8>) -> Range<Int>? {
        guard let value = CorrelationValue.parse(message, key: "site=") else { return nil }
        return message[value.lowerBound] == UInt8(ascii: "/") ? value : nil
    }
}

/// A fact about a correlation: `Key=Value` and nothing else.
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
