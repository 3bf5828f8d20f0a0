/// A sentence of our own with words from outside in it: `"No event of \(outside: server)."`.
///
/// Text makes the outside words safe; Markdown also puts them in code, where `@name` and `<b>` mean nothing.
struct Phrase: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case own(String, TerminalStyle)
        case outside(String)
    }

    private(set) var pieces: [Piece] = []

    static func + (one: Self, other: Self) -> Self { Self(pieces: one.pieces + other.pieces) }

    private init(pieces: [Piece]) { self.pieces = pieces }
}

extension Phrase: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { pieces.append(.own(literal, .plain)) }
        }
        mutating func appendInterpolation(_ value: some CustomStringConvertible) { appendLiteral(value.description) }
        mutating func appendInterpolation(_ phrase: Phrase) { pieces += phrase.pieces }
        mutating func appendInterpolation(_ text: String, _ style: TerminalStyle) { pieces.append(.own(text, style)) }
        mutating func appendInterpolation(outside text: String) { pieces.append(.outside(text)) }
    }

    init(stringLiteral value: String) { pieces = [.own(value, .plain)] }
    init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }
}

extension Phrase {
    func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        for piece in pieces {
            switch piece {
            case .own(let text, let style): bytes.append(style, layout) { $0.append(text: text) }
            case .outside(let text): bytes.append(line: text, layout)
            }
        }
    }

    func appendMarkdown(to bytes: inout [UInt8]) {
        for piece in pieces {
            switch piece {
            case .own(let text, _): bytes.append(text: text)
            case .outside(let text): bytes.append(markdownCode: text)
            }
        }
    }

    /// The sentence on one line, for standard error.
    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes, TextLayout())
        return String(decoding: bytes, as: UTF8.self)
    }
}
