/// Text from outside, made fit to be printed.
///
/// What a terminal would obey, what a reader can't see, and what would turn the line round is written as a visible
/// escape: `\u{1B}`. That is: control characters (line ends and tabs too), format characters such as bidirectional
/// controls, zero-width characters and tags, line and paragraph separators, private use, unassigned code points,
/// variation selectors without an emoji, and combining marks that have no base or are more than
/// ``maximumMarks`` on one. Bytes that are not UTF-8 become `\x{FF}`. Letters, their marks and emoji stay.
///
/// A backslash stays as it is, so making safe text safe changes nothing. The price: text that spells an escape looks
/// like one. Where that matters, use a data format.
public enum SafeText {
    /// How many combining marks may stand on one character.
    public static let maximumMarks = 8

    /// Appends text, made safe.
    public static func append(_ text: String, to output: inout [UInt8]) {
        append(text.utf8.span, to: &output)
    }

    /// Appends text of at most `maximum` characters, the last one being `…` when there are more.
    public static func append(_ text: String, maximum: Int, to output: inout [UInt8]) {
        append(text.utf8.span, maximum: maximum, to: &output)
    }

    /// Appends text given in UTF-8, made safe.
    public static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        let plain = text.plainPrefixCount
        text.extracting(0..<plain).withUnsafeBufferPointer { output.append(contentsOf: $0) }
        guard plain < text.count else { return }
        var writer = SafeTextWriter(maximum: nil)
        writer.write(text, from: plain, to: &output)
    }

    /// Appends text given in UTF-8 of at most `maximum` characters, the last one being `…` when there are more.
    ///
    /// An escape has as many characters as it is long and is never cut; marks count with the character they stand on.
    public static func append(_ text: Span<UInt8>, maximum: Int, to output: inout [UInt8]) {
        var writer = SafeTextWriter(maximum: max(0, maximum))
        writer.write(text, from: 0, to: &output)
    }

    /// The text, made safe.
    public static func escaping(_ text: String) -> String {
        guard text.utf8.span.plainPrefixCount < text.utf8.count else { return text }
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The text, made safe and at most `maximum` characters long.
    public static func escaping(_ text: String, maximum: Int) -> String {
        var output: [UInt8] = []
        append(text, maximum: maximum, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// How many bytes at the start are printable ASCII, except the last if something else follows.
    ///
    /// That last one may carry a combining mark.
    var plainPrefixCount: Int {
        var index = 0
        while index < count, self[index] &- 0x20 < 0x5F { index += 1 }
        return index == count || index == 0 ? index : index - 1
    }
}
