extension CaptureTemplate {
    /// The longest template, in bytes.
    public static let maximumBytes = 4096

    /// Reads a template; returns `nil` if there is anything wrong with it.
    public init?(_ text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            return nil
        }
    }

    /// Reads a template, and says what is wrong with it.
    public init(parsing text: String) throws(CaptureTemplateError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw CaptureTemplateError(code: .tooLong, message: "longer than \(Self.maximumBytes) bytes")
        }
        var literal: [UInt8] = []
        var prefix: [UInt8]?
        var names: [String] = []
        var terminators: [[UInt8]] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "{"), rest.first != UInt8(ascii: "{") else {
                if byte == UInt8(ascii: "{") { rest.removeFirst() }
                literal.append(byte)
                continue
            }
            if prefix == nil { prefix = literal } else { terminators.append(literal) }
            guard names.isEmpty || !literal.isEmpty else { throw .touching(names.last ?? "") }
            literal = []
            names.append(try Self.name(from: &rest, after: names))
        }
        terminators.append(literal)
        guard let prefix, !names.isEmpty else {
            throw CaptureTemplateError(code: .noHole, message: "it has no {hole}, so it captures nothing")
        }
        self.prefix = FoldedLiteral(prefix)
        holes = zip(names, terminators).map { Hole(name: $0, terminator: FoldedLiteral($1)) }
    }

    private static func name(
        from rest: inout Substring.UTF8View,
        after others: [String]
    ) throws(CaptureTemplateError) -> String {
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
            throw CaptureTemplateError(code: .open, message: "a '{' is not closed; write '{{' for a brace")
        }
        let name = String(Substring(rest[..<end]))
        rest = rest[rest.index(after: end)...]
        guard isName(name) else {
            throw CaptureTemplateError(
                code: .badName,
                message: "'\(name.prefix(40))' is no name; use small letters, digits and '_', or write '{{' for a brace"
            )
        }
        guard !others.contains(name) else {
            throw CaptureTemplateError(code: .badName, message: "two holes are called '\(name.prefix(40))'")
        }
        return name
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || "0123456789_".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
}
