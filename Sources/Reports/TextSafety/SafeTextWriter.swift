/// A writer of one text, code point by code point, that keeps what must be known of the preceding ones.
struct SafeTextWriter {
    /// The base that a mark or a joiner would attach to.
    private enum Base {
        case none
        case text
        /// A digit, `#` or `*`, which an enclosing mark turns into a keycap.
        case keycap
        case emoji
    }

    private let maximum: Int?
    private let notation: SafeText.Notation
    private var base = Base.none
    private var marks = 0
    /// Characters written.
    private var width = 0
    /// True after a joiner, which must not come last.
    private var isJoining = false

    init(maximum: Int?, _ notation: SafeText.Notation = .escapes) {
        self.maximum = maximum
        self.notation = notation
    }

    mutating func write(_ text: Span<UInt8>, from start: Int, to output: inout [UInt8]) {
        /// The place to cut the text if it does not fit.
        var cut = output.count
        var decoder = ScalarDecoder(offset: start)
        while maximum != 0, let unit = decoder.next(in: text) {
            switch unit {
            case .scalar(let scalar): write(scalar, before: decoder.following(in: text), to: &output)
            case .invalid(let byte):
                base = .none
                escape(UInt32(byte), as: "x", to: &output)
            }
            guard let maximum else { continue }
            if width > maximum {
                output.removeLast(output.count - cut)
                output.append(contentsOf: "…".utf8)
                return
            }
            if width < maximum, !isJoining { cut = output.count }
        }
    }

    private mutating func write(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?, to output: inout [UInt8]) {
        let kind = ScalarKind(scalar)
        isJoining = false
        switch kind {
        case .plain, .keycap, .emoji:
            base = kind == .emoji ? .emoji : kind == .keycap ? .keycap : .text
            marks = 0
            width += 1
            keep(scalar, in: &output)
        case .mark where base != .none && marks < SafeText.maximumMarks:
            marks += 1
            keep(scalar, in: &output)
        case .emojiSelector where base == .emoji && marks == 0,
            .emojiSelector where base == .keycap && marks == 0 && next == "\u{20E3}":
            marks += 1
            keep(scalar, in: &output)
        case .joiner where base == .emoji && next.map(ScalarKind.init) == .emoji:
            isJoining = true
            keep(scalar, in: &output)
        case .mark where base != .none:
            escape(scalar.value, as: "u", to: &output)
        case .mark, .emojiSelector, .joiner, .hidden:
            base = .none
            escape(scalar.value, as: "u", to: &output)
        }
    }

    private func keep(_ scalar: Unicode.Scalar, in output: inout [UInt8]) {
        output.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }

    private mutating func escape(_ value: UInt32, as letter: Unicode.Scalar, to output: inout [UInt8]) {
        guard notation == .escapes else { return show(value, isByte: letter == "x", to: &output) }
        let before = output.count
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: letter))
        output.append(UInt8(ascii: "{"))
        output.append(contentsOf: String(value, radix: 16, uppercase: true).utf8)
        output.append(UInt8(ascii: "}"))
        width += output.count - before
    }

    /// Writes a control character as its symbol, any other code point by its number, a byte as the replacement character.
    private mutating func show(_ value: UInt32, isByte: Bool, to output: inout [UInt8]) {
        switch value {
        case _ where isByte: output.append(contentsOf: "\u{FFFD}".utf8)
        case ..<0x20: output.append(contentsOf: String(Character(Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}")).utf8)
        case 0x7F: output.append(contentsOf: "\u{2421}".utf8)
        default:
            let digits = String(value, radix: 16, uppercase: true)
            let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
            output.append(contentsOf: "\u{2039}U+\(zeros)\(digits)\u{203A}".utf8)
            width += zeros.count + digits.count + 3
        }
        width += 1
    }
}

/// A decoder of UTF-8 that may be invalid.
private struct ScalarDecoder {
    enum Unit {
        case scalar(Unicode.Scalar)
        /// A byte that belongs to no code point.
        case invalid(UInt8)
    }

    private var offset: Int

    init(offset: Int) { self.offset = offset }

    mutating func next(in text: Span<UInt8>) -> Unit? {
        guard offset < text.count else { return nil }
        let first = text[offset]
        guard let (scalar, length) = Self.scalar(in: text, at: offset) else {
            offset += 1
            return .invalid(first)
        }
        offset += length
        return .scalar(scalar)
    }

    /// Returns the next code point without taking it.
    func following(in text: Span<UInt8>) -> Unicode.Scalar? { Self.scalar(in: text, at: offset)?.0 }

    private static func scalar(in text: Span<UInt8>, at offset: Int) -> (Unicode.Scalar, Int)? {
        guard offset < text.count else { return nil }
        let first = UInt32(text[offset])
        let (length, least): (Int, UInt32)
        switch first {
        case ..<0x80: return (Unicode.Scalar(UInt8(first)), 1)
        case 0xC2...0xDF: (length, least) = (2, 0x80)
        case 0xE0...0xEF: (length, least) = (3, 0x800)
        case 0xF0...0xF4: (length, least) = (4, 0x10000)
        default: return nil
        }
        guard text.count - offset >= length else { return nil }
        var value = first & (0x7F >> UInt32(length))
        for index in offset + 1..<offset + length {
            let byte = UInt32(text[index])
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | byte & 0x3F
        }
        guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, length)
    }
}
