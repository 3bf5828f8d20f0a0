/// Writes JSON incrementally into a buffer; keys stay in the order in which they are written.
///
/// ```swift
/// let event = JSONWriter.object { writer in
///     writer.member("schema", "fastctl.event/1")
///     writer.member("number", nil as Int?)
///     writer.array("tags") { writer in writer.value("a") }
/// }
/// ```
package struct JSONWriter: Sendable {
    package enum Layout: Hashable, Sendable {
        /// Output without white space.
        case compact
        /// One member or element per line, indented by two spaces for each level.
        case indented
    }

    /// The bytes written so far.
    package private(set) var bytes: [UInt8]
    private let layout: Layout
    private var depth = 0
    private var needsComma = false
    private var followsKey = false

    /// Creates a writer that appends to `buffer`, which ``takeBytes()`` returns.
    package init(_ layout: Layout = .compact, onto buffer: consuming [UInt8] = []) {
        self.layout = layout
        bytes = buffer
    }

    /// Returns the bytes written so far and removes them, even in the middle of a value, so that a long value does not
    /// require a large buffer.
    package mutating func takeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Passes the bytes written so far to `body`, which may empty the buffer.
    package mutating func drain<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        try body(&bytes)
    }

    /// The text written so far.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Discards the bytes written so far and starts over, keeping the buffer.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        (depth, needsComma, followsKey) = (0, false, false)
    }

    /// Ends a top-level value with a line feed; another value may follow.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Returns the bytes of an object.
    package static func object<Failure: Error>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = JSONWriter()
        try writer.object(members)
        return writer.takeBytes()
    }

    package mutating func object<Failure: Error>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try members(&self)
        end(UInt8(ascii: "}"))
    }

    package mutating func array<Failure: Error>(
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "["))
        try elements(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes a member's key; its value must come next.
    package mutating func key(_ key: String) {
        separate()
        bytes.append(jsonString: key.utf8.span)
        bytes.append(UInt8(ascii: ":"))
        if layout == .indented { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    package mutating func value(_ value: some JSONWritable) { value.write(to: &self) }

    package mutating func null() { scalar("null") }

    /// Writes bytes that are already JSON, unchanged.
    package mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes bytes that are already JSON, unchanged.
    package mutating func raw(_ json: Span<UInt8>) {
        separate()
        json.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    /// Writes UTF-8 text as a string.
    package mutating func value(utf8 text: Span<UInt8>) {
        separate()
        bytes.append(jsonString: text)
        needsComma = true
    }

    mutating func scalar(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// Separates a value or key from the preceding one.
    private mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        if needsComma, depth > 0 { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
        if depth > 0 { breakLine() }
    }

    private mutating func breakLine() {
        guard layout == .indented else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if needsComma { breakLine() }
        bytes.append(bracket)
        needsComma = true
    }
}

extension JSONWriter {
    /// Writes a member of an object; `nil` is written as `null`.
    package mutating func member(_ key: String, _ value: (some JSONWritable)?) {
        self.key(key)
        if let value { self.value(value) } else { null() }
    }

    /// Writes a member whose value is already JSON.
    package mutating func member(_ key: String, raw json: [UInt8]) {
        self.key(key)
        raw(json)
    }

    /// Writes a member whose value is JSON from an external source, with control characters in its strings escaped.
    package mutating func member(_ key: String, foreign json: [UInt8]) {
        self.key(key)
        separate()
        bytes.append(escapingJSON: json.span)
        needsComma = true
    }

    package mutating func object<Failure: Error>(
        _ key: String,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try object(members)
    }

    package mutating func array<Failure: Error>(
        _ key: String,
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try array(elements)
    }
}

/// A value that can be written as JSON.
package protocol JSONWritable {
    /// Writes exactly one value.
    func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.value(utf8: utf8.span) }
}

extension Bool: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.scalar(self ? "true" : "false") }
}

extension Int: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.scalar(String(self)) }
}

extension Int64: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.scalar(String(self)) }
}

extension UInt64: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.scalar(String(self)) }
}

/// Numbers that are not finite cannot be represented in JSON, and are written as `null`.
extension Double: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        guard isFinite else { return writer.null() }
        // `1.0` is written as `1`, as other writers do; `1e+20` is kept.
        let text = description
        writer.scalar(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

extension [UInt8] {
    /// Appends UTF-8 text as a JSON string.
    ///
    /// Quotes, backslashes and control characters are escaped. So are characters that JSON allows, but that terminals
    /// interpret or readers can't see: C1 controls, bidirectional controls, U+2028 and U+2029 are written as `\uXXXX`.
    package mutating func append(jsonString text: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        append(text, escaping: .string)
        append(UInt8(ascii: "\""))
    }

    /// Appends text that is already JSON; in its strings, C1 controls, bidirectional controls, and U+2028 and U+2029
    /// are replaced by equivalent escapes.
    package mutating func append(escapingJSON json: Span<UInt8>) { append(json, escaping: .json) }

    /// Appends text that is already JSON, unchanged.
    package mutating func append(json: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    mutating func append(copying bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    @inline(__always)
    private mutating func append(_ text: Span<UInt8>, escaping rule: EscapingRule) {
        var start = 0
        while case let place = text.firstToEscape(from: start, by: rule), place < text.count {
            append(copying: text.extracting(start..<place))
            start = place + append(escapeAt: place, of: text)
        }
        append(copying: text.extracting(start..<text.count))
    }

    /// Appends an escape; returns the number of bytes that it represents.
    private mutating func append(escapeAt place: Int, of text: Span<UInt8>) -> Int {
        append(UInt8(ascii: "\\"))
        let byte = text[place]
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x20..<0x80: append(byte)
        case 0x80...:
            // Escaped non-ASCII code points have two or three bytes.
            let count = byte < 0xE0 ? 2 : 3
            var value = UInt32(byte & (byte < 0xE0 ? 0x1F : 0x0F))
            for offset in 1..<count { value = value << 6 | UInt32(text[place + offset] & 0x3F) }
            append(hexadecimal: value)
            return count
        default: append(hexadecimal: UInt32(byte))
        }
        return 1
    }

    private mutating func append(hexadecimal value: UInt32) {
        append(UInt8(ascii: "u"))
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}

/// The escaped characters.
private enum EscapingRule {
    /// Text that becomes a string.
    case string
    /// Text that is JSON.
    case json
}

extension Span<UInt8> {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// Returns the offset of the next code point that must be escaped, or the end if there is none.
    @inline(__always)
    fileprivate func firstToEscape(from start: Int, by rule: EscapingRule) -> Int {
        var place = start
        while place < count {
            place = firstSuspiciousWord(from: place, by: rule)
            let end = Swift.min(place + 8, count)
            while place < end {
                if mustBeEscaped(at: place, by: rule) { return place }
                place += 1
            }
        }
        return place
    }

    /// Returns the offset of the next eight bytes that may contain something to escape, or of the last few bytes.
    ///
    /// The search examines eight bytes at a time: a byte of a word is below `n` if subtracting `n` sets its highest
    /// bit, and that bit was not set before. A borrow can propagate into the next byte and cause a false positive, but
    /// never a false negative.
    @inline(__always)
    private func firstSuspiciousWord(from start: Int, by rule: EscapingRule) -> Int {
        let high = Self.ones &* 0x80
        var place = start
        withUnsafeBytes { bytes in
            while place + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                var found: UInt64 = 0
                if rule == .string {
                    let control = (word &- Self.ones &* 0x20) & ~word
                    found = control | Self.places(of: 0x22, in: word) | Self.places(of: 0x5C, in: word)
                }
                // Nearly all text is ASCII: check for the start of a longer code point only if there is one.
                if (found | word) & high != 0 {
                    found |= Self.places(of: 0xC2, in: word) | Self.places(of: 0xD8, in: word)
                    found |= Self.places(of: 0xE2, in: word)
                    if found & high != 0 { break }
                }
                place += 8
            }
        }
        return place
    }

    /// Returns a word in which the highest bit of a byte is set if `word` has the given byte there, and possibly also
    /// in a byte after it.
    @inline(__always)
    private static func places(of byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference
    }

    private func mustBeEscaped(at place: Int, by rule: EscapingRule) -> Bool {
        let byte = self[place]
        if byte < 0x80 {
            return rule == .string && (byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\"))
        }
        let second = place + 1 < count ? self[place + 1] : 0
        return switch byte {
        // C1 controls.
        case 0xC2: 0x80...0x9F ~= second
        // U+061C.
        case 0xD8: second == 0x9C
        case 0xE2:
            switch (second, place + 2 < count ? self[place + 2] : 0) {
            // U+200E, U+200F, and U+2028 to U+202E.
            case (0x80, 0x8E...0x8F), (0x80, 0xA8...0xAE): true
            // U+2066 to U+2069.
            case (0x81, 0xA6...0xA9): true
            default: false
            }
        default: false
        }
    }
}

// MARK: - Objects with a schema

extension [UInt8] {
    /// Appends one JSON object whose first member names its schema.
    package mutating func append<Failure: Error>(
        object schema: String,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var buffer: [UInt8] = []
        swap(&buffer, &self)
        var writer = JSONWriter(onto: buffer)
        defer { self = writer.takeBytes() }
        try writer.object { writer throws(Failure) in
            writer.member("schema", schema)
            try members(&writer)
        }
    }
}
