/// A value that JSON has a notation for.
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

/// A number that is not finite has no notation in JSON and is written as `null`.
extension Double: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        guard isFinite else { return writer.null() }
        // `1.0` as `1`, as other writers have it; `1e+20` stays.
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
