import Glibc

extension Span<UInt8> {
    /// Where `byte` stands first at or behind `start`.
    func offset(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBytes { all in
            guard let base = all.baseAddress, let found = memchr(base + start, CInt(byte), all.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }

    /// How often `byte` occurs.
    func count(of byte: UInt8) -> Int {
        var total = 0
        for index in indices where self[index] == byte { total += 1 }
        return total
    }

    /// What is left without the spaces and tabs at both ends.
    func trimmed() -> Range<Int> {
        var (start, end) = (0, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }
}

extension [UInt8] {
    mutating func append(copying bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
