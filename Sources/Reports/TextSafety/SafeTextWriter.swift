/// Writes one text, code point by code point, with what must be known of those before.
struct SafeTextWriter {
    /// What a mark or a joiner would attach to.
    private enum Base {
        case none
        case text
        /// A digit, `#` or `*`, of which an enclosing mark makes a key.
        case keycap
        case emoji
    }

    private let maximum: Int?
    private var base = Base.none
    private var marks = 0
    /// Characters written.
    private var width = 0
    /// True behind a joiner, which must not be the last.
    private var isJoining = false

    init(maximum: Int?) { self.maximum = maximum }

    mutating func write(_ text: Span<UInt8>, from start: Int, to output: inout [UInt8]) {
        /// Where the text is cut when there is more than fits.
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
        let before = output.count
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: letter))
        output.append(UInt8(ascii: "{"))
        output.append(contentsOf: String(value, radix: 16, uppercase: true).utf8)
        output.append(UInt8(ascii: "}"))
        width += output.count - before
    }
}
