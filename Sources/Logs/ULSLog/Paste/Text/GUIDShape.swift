/// The shape of a GUID: 36 characters, hexadecimal digits in groups of 8, 4, 4, 4 and 12.
enum GUIDShape {
    static let length = 36

    /// Whether `bytes` are a GUID from its first character on, as far as they go.
    static func isBeginning(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= length else { return false }
        for (offset, byte) in bytes.enumerated() {
            let isHyphen = offset == 8 || offset == 13 || offset == 18 || offset == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isHexadecimal else { return false }
        }
        return true
    }

    static func isWhole(_ bytes: some Collection<UInt8>) -> Bool { bytes.count == length && isBeginning(bytes) }

    /// Whether a line break cut a GUID: `head` ends with the beginning of one, at least its first group and hyphen, and
    /// `tail` begins with the rest, or is a further piece of it.
    static func isCut(between head: [UInt8], and tail: [UInt8]) -> Bool {
        var start = head.count
        while start > 0, head.count - start < length, head[start - 1].isGUIDCharacter { start -= 1 }
        let end = tail.prefix(length).firstIndex { !$0.isGUIDCharacter } ?? min(tail.count, length)
        guard head.count - start > 8, end > 0 else { return false }
        guard start == 0 || head.isBoundary(before: start) else { return false }
        let joined = head[start...] + tail[..<end]
        if joined.count == length, end < tail.count, tail[end].isGUIDCharacter { return false }
        return isWhole(joined) || (end == tail.count && joined.last == UInt8(ascii: "-") && isBeginning(joined))
    }
}

extension UInt8 {
    fileprivate var isGUIDCharacter: Bool { isHexadecimal || self == UInt8(ascii: "-") }
}

extension [UInt8] {
    /// Whether a word may begin at `index`: it is the first, or a blank stands before it.
    func isBoundary(before index: Int) -> Bool {
        guard index > 0 else { return true }
        return [0x20, 0x09, 0x0A].contains(self[index - 1])
            || (index > 1 && self[index - 1] == 0xA0 && self[index - 2] == 0xC2)
    }
}
