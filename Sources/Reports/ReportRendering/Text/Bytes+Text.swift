import TextSafety

extension [UInt8] {
    mutating func append(text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(text: String) { append(contentsOf: text.utf8) }

    /// Text from outside, for a reader's eyes.
    mutating func append(safe text: String) { SafeText.append(text, to: &self) }

    mutating func append(safe text: Span<UInt8>) { SafeText.append(text, to: &self) }

    mutating func append(number: some BinaryInteger) {
        var rest = UInt64(number)
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}
