import CHyperscan

extension PatternError {
    /// What Hyperscan says; it names a pattern by its index, or none.
    init(_ error: hs_compile_error_t?) {
        let text = error?.message.map { String(cString: $0) } ?? "the patterns cannot be compiled"
        let pattern = error.flatMap { $0.expression >= 0 ? Int($0.expression) : nil }
        self.init(code: pattern == nil ? .tooMany : .refused, pattern: pattern, message: Self.clear(text))
    }

    /// Some of its sentences need to be known to be understood.
    private static func clear(_ text: String) -> String {
        if text.hasPrefix("Pattern matches empty buffer") {
            return "it matches nothing at all, and so everything; make a part of it obligatory"
        }
        if text.hasPrefix("Embedded end anchors") { return "'$' is only allowed at the end" }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
