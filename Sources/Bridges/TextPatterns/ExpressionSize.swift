/// How many characters a regular expression describes when its repeats are written out: `(ab{3}){2}` has 8.
///
/// Hyperscan builds them all, and takes 20 seconds for `(a{1,300}b{1,300}){20}`. What is not understood counts as
/// characters; Hyperscan says what is wrong with it.
struct ExpressionSize {
    /// More than that is not counted, so that no product overflows.
    private static let maximum = 1 << 30

    /// What open groups have had so far, the innermost last.
    private var sums = [0]
    /// What a repeat would repeat.
    private var last = 0
    private var rest: Substring.UTF8View

    private init(_ expression: String) { rest = expression[...].utf8 }

    static func characters(of expression: String) -> Int {
        var size = ExpressionSize(expression)
        while let byte = size.rest.popFirst() { size.add(byte) }
        return size.sums.reduce(0) { min($0 + $1, maximum) }
    }

    private mutating func add(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\\"): escape()
        case UInt8(ascii: "["):
            skipClass()
            append(1)
        case UInt8(ascii: "("): sums.append(0)
        case UInt8(ascii: ")") where sums.count > 1: append(sums.removeLast())
        case UInt8(ascii: "{"):
            if let bound = bound() { multiply(by: bound) } else { append(1) }
        default: append(1)
        }
    }

    private mutating func append(_ count: Int) {
        last = count
        sums[sums.count - 1] = min(sums[sums.count - 1] + count, Self.maximum)
    }

    private mutating func multiply(by bound: Int) {
        let more = min(last * max(1, bound), Self.maximum) - last
        append(more)
        last = min(last + more, Self.maximum)
    }

    /// The upper bound behind a `{`, or the lower one where there is no other; `nil` for braces that are text.
    private mutating func bound() -> Int? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let bounds = rest[..<end].split(separator: UInt8(ascii: ","))
        let areNumbers = bounds.allSatisfy { $0.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
        guard let text = bounds.last, bounds.count <= 2, areNumbers else { return nil }
        rest = rest[rest.index(after: end)...]
        return text.count > 6 ? 1 << 20 : Int(String(Substring(text)))
    }

    /// Goes behind what a backslash takes with it: one character, or one with a number or a name in braces.
    private mutating func escape() {
        guard let byte = rest.popFirst() else { return }
        append(1)
        if "xpPoN".utf8.contains(byte), rest.first == UInt8(ascii: "{"),
            let end = rest.firstIndex(of: UInt8(ascii: "}"))
        {
            rest = rest[rest.index(after: end)...]
        }
    }

    /// Goes behind the `]` of a class; one that comes first is part of it.
    private mutating func skipClass() {
        if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
        while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            guard byte == UInt8(ascii: "["), rest.first == UInt8(ascii: ":") else { continue }
            while let inner = rest.popFirst(), inner != UInt8(ascii: "]") {}
        }
    }
}
