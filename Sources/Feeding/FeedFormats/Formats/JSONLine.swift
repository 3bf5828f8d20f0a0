import ContentFeeding
import JSONText

/// What a line of JSON says besides its document: its ID, and where an envelope holds the document.
struct JSONLine {
    /// A member that was looked for.
    struct Member {
        var kind: JSONKind
        var value: Range<Int>
        var isRepeated: Bool
    }

    /// The members that were looked for, by their keys; of several the last.
    private var members: [String: Member] = [:]
    /// True when it is written as `get`, `find` and `--backup` write documents.
    private(set) var isEnvelope = false

    static let envelopeSchema = "fastctl.document/1"

    /// Checks the whole line, and keeps the places of `keys` only: there may be millions of others.
    init(_ line: Span<UInt8>, lookingFor keys: [String]) throws(RejectedRecord) {
        do throws(JSONError) {
            var scanner = JSONScanner(line)
            var isFirst = true
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let kind = try scanner.kind()
                let value = try scanner.skipValue()
                if isFirst, kind == .string, scanner.isEqual(key, "schema") {
                    isEnvelope = line.string(in: value).utf8.elementsEqual(Self.envelopeSchema.utf8)
                }
                isFirst = false
                guard let name = keys.first(where: { scanner.isEqual(key, $0) }) else { continue }
                members[name] = Member(kind: kind, value: value, isRepeated: members[name] != nil)
            }
            try scanner.end()
        } catch {
            throw RejectedRecord(notJSON: error)
        }
    }

    subscript(key: String) -> Member? { members[key] }

    /// The ID that a member holds: a string, or a whole number as it is written.
    func id(
        in field: String,
        of line: Span<UInt8>,
        limit: Int,
        from ids: DocumentIDPages
    ) throws(RejectedRecord) -> DocumentID {
        guard let member = members[field] else {
            throw RejectedRecord("has no member '\(field)' for the ID; add it, or name another with --field")
        }
        guard !member.isRepeated else {
            throw RejectedRecord("has the member '\(field)' twice; keep the one that is the ID")
        }
        switch member.kind {
        case .string: return try ids.id(record: line.string(in: member.value).utf8.span, limit: limit)
        case .number where line.isWholeNumber(member.value):
            return try ids.id(record: line.extracting(member.value), limit: limit)
        default: throw RejectedRecord("the member '\(field)' is no ID; write it as a string")
        }
    }
}

extension RejectedRecord {
    init(notJSON error: JSONError) {
        self.init("not one JSON value (\(error)); write one value a line, and check the format")
    }
}

extension Span<UInt8> {
    /// What a string of checked JSON says; `range` has its quotes.
    func string(in range: Range<Int>) -> String {
        var scanner = JSONScanner(extracting(range))
        guard let text = try? scanner.stringText() else { return "" }
        return text
    }

    fileprivate func isWholeNumber(_ range: Range<Int>) -> Bool {
        for index in range where !(self[index] &- 0x30 < 10 || self[index] == UInt8(ascii: "-")) { return false }
        return true
    }
}
