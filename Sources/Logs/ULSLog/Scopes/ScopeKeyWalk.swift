/// The way through a scope's name, a word or a sign at a time.
struct ScopeKeyWalk {
    var offset: Int
    /// The whole name is one address.
    let isRequest: Bool
    /// The offset is in an address that the name holds.
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
        // What follows the first word of an address or of a GUID.
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

    /// A GUID in braces, or the brace or escape alone.
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

    /// Where the host begins, if an address does at `start`: `http://`, `net.tcp://`.
    private static func host(in name: Span<UInt8>, from start: Int) -> Int? {
        var offset = name.reads("net.", at: start) ? start + 4 : start
        let limit = min(name.count, offset + 12)
        while offset < limit, name[offset].isScopeLetter { offset += 1 }
        return offset > start && name.reads("://", at: offset) ? offset + 3 : nil
    }

    /// `0x` and hexadecimal digits.
    private static func isPrefixedNumber(_ name: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard word.count > 2, name.reads("0x", at: word.lowerBound) else { return false }
        for place in word.dropFirst(2) where !name[place].isScopeHexadecimal { return false }
        return true
    }

    /// Eight, four, four, four and twelve hexadecimal digits.
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

    /// Parts an address from the words behind it.
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
