/// Writes JSON into a buffer as it goes; keys keep the order they are written in.
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
        /// No blanks, no line ends.
        case compact
        /// A member or element a line, two blanks for each level.
        case indented
    }

    /// What has been written so far.
    public private(set) var bytes: [UInt8]
    private let layout: Layout
    private var depth = 0
    private var needsComma = false
    private var followsKey = false

    /// Writes onto the end of `buffer`, which ``takeBytes()`` gives back.
    public init(_ layout: Layout = .compact, onto buffer: consuming [UInt8] = []) {
        self.layout = layout
        bytes = buffer
    }

    /// Hands over what has been written so far, also in the middle of a value: so a long one needs no long buffer.
    public mutating func takeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Lends what has been written so far to `body`, which may empty it.
    public mutating func drain<Failure: Error>(
        _ body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try body(&bytes)
    }

    /// What has been written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Forgets what has been written and begins anew, keeping the buffer.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        (depth, needsComma, followsKey) = (0, false, false)
    }

    /// Ends a value that stands alone with a line feed; the next may follow.
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

    /// Writes bytes that are JSON already, as they are.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes bytes that are JSON already, as they are.
    public mutating func raw(_ json: Span<UInt8>) {
        separate()
        json.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    /// Writes text in UTF-8 as a string.
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

    /// Ends what stands before a value or key.
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
