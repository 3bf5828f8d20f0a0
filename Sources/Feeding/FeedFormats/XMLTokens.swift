/// The tokens of XML, found in bytes that arrive in pieces.
///
/// Errors stay local: a `<` within a tag ends that tag, so that damage to one element stays there. The parser decides
/// what is well-formed.
struct XMLTokens {
    enum Token: Hashable {
        case text(isBlank: Bool)
        case characterData
        /// A comment, or an instruction such as the XML declaration.
        case aside
        case startTag(isClosed: Bool)
        case endTag
        /// Markup that XML does not have.
        case broken
    }

    private enum State {
        case start
        case text(isBlank: Bool)
        /// After `<`.
        case markup
        /// After `<!` and this many of the bytes that begin a comment or character data.
        case declaration(isComment: Bool?, Int)
        /// After this many of the bytes that end a comment: `--`, then `>`.
        case comment(Int)
        case characterData(Int)
        case instruction(Int)
        case name(isEnd: Bool)
        case tag(isEnd: Bool, isClosed: Bool)
        case quoted(UInt8, isEnd: Bool)
    }

    /// The most bytes kept of a name; the names that matter are shorter.
    private static let maximumName = 64

    /// The name of the last tag.
    private(set) var name: [UInt8] = []
    private var state = State.start

    /// True while text other than blanks is being read.
    var isInText: Bool { if case .text(isBlank: false) = state { true } else { false } }
    /// True within a token that cannot end here.
    var isUnfinished: Bool {
        switch state {
        case .start, .text: false
        default: true
        }
    }

    /// Returns the token that continues at `start` and the offset after it; `nil` if it extends beyond these bytes.
    mutating func next(in bytes: Span<UInt8>, from start: Int) -> (token: Token, end: Int)? {
        var index = start
        while index < bytes.count {
            // Most bytes are text, of which only the end matters.
            if case .text(isBlank: false) = state {
                guard let end = bytes.offset(of: Self.less, from: index) else { return nil }
                index = end
            }
            if let token = take(bytes[index]) {
                state = .start
                // Text, and a tag without its end, are ended by the `<` of the next token.
                return (token.token, token.isBefore ? index : index + 1)
            }
            index += 1
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> (token: Token, isBefore: Bool)? {
        switch state {
        case .start: state = byte == Self.less ? .markup : .text(isBlank: Self.isBlank(byte))
        case .text(let isBlank):
            if byte == Self.less { return (.text(isBlank: isBlank), true) }
            if isBlank, !Self.isBlank(byte) { state = .text(isBlank: false) }
        case .markup: return begin(byte)
        case .declaration(let isComment, let matched): return declaration(byte, isComment: isComment, matched)
        case .comment(let matched):
            if byte == Self.greater, matched == 2 { return (.aside, false) }
            state = .comment(byte == UInt8(ascii: "-") ? min(2, matched + 1) : 0)
        case .characterData(let matched):
            if byte == Self.greater, matched == 2 { return (.characterData, false) }
            state = .characterData(byte == UInt8(ascii: "]") ? min(2, matched + 1) : 0)
        case .instruction(let matched):
            if byte == Self.greater, matched == 1 { return (.aside, false) }
            state = .instruction(byte == UInt8(ascii: "?") ? 1 : 0)
        case .name(let isEnd):
            guard !Self.endsName(byte) else { return goOn(byte, isEnd: isEnd, isClosed: false) }
            if name.count < Self.maximumName { name.append(byte) }
        case .tag(let isEnd, let isClosed): return goOn(byte, isEnd: isEnd, isClosed: isClosed)
        case .quoted(let quote, let isEnd):
            if byte == Self.less { return (.broken, true) }
            if byte == quote { state = .tag(isEnd: isEnd, isClosed: false) }
        }
        return nil
    }

    /// Handles the first byte after `<`.
    private mutating func begin(_ byte: UInt8) -> (token: Token, isBefore: Bool)? {
        name.removeAll(keepingCapacity: true)
        switch byte {
        case UInt8(ascii: "!"): state = .declaration(isComment: nil, 0)
        case UInt8(ascii: "?"): state = .instruction(0)
        case UInt8(ascii: "/"): state = .name(isEnd: true)
        case Self.less: return (.broken, true)
        case _ where Self.beginsName(byte):
            name.append(byte)
            state = .name(isEnd: false)
        default: return (.broken, false)
        }
        return nil
    }

    private mutating func declaration(
        _ byte: UInt8,
        isComment: Bool?,
        _ matched: Int
    ) -> (token: Token, isBefore: Bool)? {
        let isComment = isComment ?? (byte == UInt8(ascii: "-"))
        let start: StaticString = isComment ? "--" : "[CDATA["
        guard byte == start.utf8Start[matched] else { return (.broken, byte == Self.less) }
        if matched + 1 < start.utf8CodeUnitCount {
            state = .declaration(isComment: isComment, matched + 1)
        } else {
            state = isComment ? .comment(0) : .characterData(0)
        }
        return nil
    }

    /// Continues in a tag, after its name.
    private mutating func goOn(_ byte: UInt8, isEnd: Bool, isClosed: Bool) -> (token: Token, isBefore: Bool)? {
        switch byte {
        case Self.greater: return (isEnd ? .endTag : .startTag(isClosed: isClosed), false)
        case Self.less: return (.broken, true)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .quoted(byte, isEnd: isEnd)
        default: state = .tag(isEnd: isEnd, isClosed: byte == UInt8(ascii: "/"))
        }
        return nil
    }

    private static var less: UInt8 { UInt8(ascii: "<") }
    private static var greater: UInt8 { UInt8(ascii: ">") }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), less, greater: true
        default: isBlank(byte)
        }
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
        }
    }
}
