/// A pattern of relative paths, as a shell has it: `*` and `?` within a name, `[…]` for one of several characters, `**`
/// for any number of folders.
///
/// A name that begins with a dot is meant only by a pattern that does too.
struct PathPattern: Hashable, Sendable {
    private enum Part: Hashable {
        case anyFolders
        case name([Token])
    }

    private enum Token: Hashable {
        case character(Unicode.Scalar)
        case any
        case several
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    }

    /// The parts of the pattern that may be next, below some folder.
    struct Progress: Hashable, Sendable {
        fileprivate var next: Set<Int>

        /// Whether nothing below the folder can be meant.
        var isEmpty: Bool { next.isEmpty }
    }

    /// The longest pattern, in bytes, and the most of its parts.
    private static let maximumByteCount = 4096
    private static let maximumParts = 64

    private let parts: [Part]

    /// Parses a pattern.
    ///
    /// - Throws: A ``SourceError`` that says what is wrong with it.
    init(_ text: String) throws(SourceError) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !text.isEmpty, text.utf8.count <= Self.maximumByteCount, names.count <= Self.maximumParts,
            !names.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." })
        else {
            throw SourceError(
                .invalidAddress,
                "'\(text)' is no pattern of paths in the folder",
                advice: "write it like **/*.html, without '/' at its ends and without '..'"
            )
        }
        var parts: [Part] = []
        for name in names {
            guard name != "**" else {
                if parts.last != .anyFolders { parts.append(.anyFolders) }
                continue
            }
            parts.append(.name(try Self.tokens(of: name, in: text)))
        }
        self.parts = parts
    }

    private static func tokens(of name: Substring, in text: String) throws(SourceError) -> [Token] {
        var tokens: [Token] = []
        var rest = Array(name.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": if tokens.last != .several { tokens.append(.several) }
            case "?": tokens.append(.any)
            case "[":
                guard let token = set(&rest) else {
                    throw SourceError(.invalidAddress, "'\(text)': a '[' is not closed by ']'")
                }
                tokens.append(token)
            default: tokens.append(.character(scalar))
            }
        }
        return tokens
    }

    /// Reads a set of characters after its `[`; `nil` if it does not end.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Token? {
        var isNegated = false
        if rest.first == "!" || rest.first == "^" { (isNegated, rest) = (true, rest.dropFirst()) }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isFirst = true
        while let scalar = rest.popFirst() {
            if scalar == "]", !isFirst { return .oneOf(ranges, isNegated: isNegated) }
            isFirst = false
            var last = scalar
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                (last, rest) = (end, rest.dropFirst(2))
            }
            ranges.append(min(scalar, last)...max(scalar, last))
        }
        return nil
    }

    /// The state at the folder that paths are relative to.
    var start: Progress { Progress(next: [0]) }

    /// Returns the state below a folder of this name.
    func entering(_ name: String, from progress: Progress) -> Progress {
        var next: Set<Int> = []
        let scalars = Array(name.unicodeScalars)
        for part in reachable(progress) {
            switch parts[part] {
            case .anyFolders: if scalars.first != "." { next.insert(part) }
            case .name(let tokens):
                if part + 1 < parts.count, Self.matches(tokens, scalars) { next.insert(part + 1) }
            }
        }
        return Progress(next: next)
    }

    /// Whether a file of this name is meant.
    func matches(_ name: String, in progress: Progress) -> Bool {
        let scalars = Array(name.unicodeScalars)
        return reachable(progress).contains { part in
            guard part == parts.count - 1 else { return false }
            switch parts[part] {
            case .anyFolders: return scalars.first != "."
            case .name(let tokens): return Self.matches(tokens, scalars)
            }
        }
    }

    /// Any number of folders may be none.
    private func reachable(_ progress: Progress) -> Set<Int> {
        var reachable = progress.next
        for part in progress.next.sorted() {
            if parts[part] == .anyFolders, part + 1 < parts.count { reachable.insert(part + 1) }
        }
        return reachable
    }

    /// Compares with at most one way back, to the last `*`: that is all a pattern without alternatives needs.
    private static func matches(_ tokens: [Token], _ name: [Unicode.Scalar]) -> Bool {
        if name.first == ".", tokens.first != .character(".") { return false }
        var (token, place) = (0, 0)
        var back: (token: Int, place: Int)?
        while place < name.count {
            if token < tokens.count, tokens[token] == .several {
                back = (token, place)
                token += 1
            } else if token < tokens.count, matches(tokens[token], name[place]) {
                token += 1
                place += 1
            } else if let last = back {
                back = (last.token, last.place + 1)
                (token, place) = (last.token + 1, last.place + 1)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .several }
    }

    private static func matches(_ token: Token, _ scalar: Unicode.Scalar) -> Bool {
        switch token {
        case .character(let character): character == scalar
        case .any: true
        case .several: false
        case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
        }
    }
}
