/// Writes JSON into a buffer as it goes; keys stay in the order in which they are written.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { writer in
///     writer.member("schema", "fastctl.event/1")
///     writer.member("number", nil as Int?)
///     writer.array("tags") { writer in writer.value("a") }
/// }
/// ```
public struct JSONWriter: Sendable {
    public enum Layout: Hashable, Sendable {
        /// Output without blanks or line ends.
        case compact
        /// One member or element per line, indented by two blanks for each level.
        case indented
    }

    /// The bytes written so far.
    public private(set) var bytes: [UInt8]
    private let layout: Layout
    private var depth = 0
    private var needsComma = false
    private var followsKey = false

    /// Creates a writer that appends to `buffer`, which ``takeBytes()`` returns.
    public init(_ layout: Layout = .compact, onto buffer: consuming [UInt8] = []) {
        self.layout = layout
        bytes = buffer
    }

    /// Returns the bytes written so far and removes them, even in the middle of a value, so that a long one needs no
    /// long buffer.
    public mutating func takeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Passes the bytes written so far to `body`, which may empty the buffer.
    public mutating func drain<Failure: Error>(
        _ body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try body(&bytes)
    }

    /// The text written so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Discards the bytes written so far and starts over, keeping the buffer.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        (depth, needsComma, followsKey) = (0, false, false)
    }

    /// Ends a top-level value with a line feed; the next may follow.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    public mutating func object<Failure: Error>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try members(&self)
        end(UInt8(ascii: "}"))
    }

    public mutating func array<Failure: Error>(
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "["))
        try elements(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes a member's key; its value must come next.
    public mutating func key(_ key: String) {
        separate()
        bytes.append(jsonString: key.utf8.span)
        bytes.append(UInt8(ascii: ":"))
        if layout == .indented { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    public mutating func value(_ value: some JSONWritable) { value.write(to: &self) }

    public mutating func null() { scalar("null") }

    /// Writes bytes that are already JSON, unchanged.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes bytes that are already JSON, unchanged.
    public mutating func raw(_ json: Span<UInt8>) {
        separate()
        json.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    /// Writes UTF-8 text as a string.
    public mutating func value(utf8 text: Span<UInt8>) {
        separate()
        bytes.append(jsonString: text)
        needsComma = true
    }

    mutating func scalar(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// Separates a value or key from what comes before it.
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
    public mutating func member(_ key: String, _ value: (some JSONWritable)?) {
        self.key(key)
        if let value { self.value(value) } else { null() }
    }

    /// Writes a member whose value is already JSON.
    public mutating func member(_ key: String, raw json: [UInt8]) {
        self.key(key)
        raw(json)
    }

    /// Writes a member whose value is JSON from elsewhere: the same value, but what its strings would tell a terminal
    /// is escaped.
    public mutating func member(_ key: String, foreign json: [UInt8]) {
        self.key(key)
        separate()
        bytes.append(escapingJSON: json.span)
        needsComma = true
    }

    public mutating func object<Failure: Error>(
        _ key: String,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try object(members)
    }

    public mutating func array<Failure: Error>(
        _ key: String,
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try array(elements)
    }
}

/// A value that can be written as JSON.
public protocol JSONWritable {
    /// Writes exactly one value.
    func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.value(utf8: utf8.span) }
}

extension Bool: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.scalar(self ? "true" : "false") }
}

extension Int: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.scalar(String(self)) }
}

extension Int64: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.scalar(String(self)) }
}

extension UInt64: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.scalar(String(self)) }
}

/// Numbers that are not finite have no JSON notation and are written as `null`.
extension Double: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        guard isFinite else { return writer.null() }
        // `1.0` is written as `1`, as other writers do; `1e+20` is kept.
        let text = description
        writer.scalar(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}
