import ContentFeeding
import JSONText

/// What a line of JSON says besides its document: its ID, and where an envelope holds the document.
struct JSONLine {
    let members: JSONMembers
    /// True when it is written as `get`, `find` and `--backup` write documents.
    let isEnvelope: Bool

    static let envelopeSchema = "fastctl.document/1"

    init(_ line: Span<UInt8>) throws(RejectedRecord) {
        do throws(JSONError) {
            members = try JSONMembers(of: line)
        } catch {
            throw RejectedRecord(notJSON: error)
        }
        var isEnvelope = false
        if let first = members.all.first, first.key == "schema", first.kind == .string {
            isEnvelope = line.string(in: first.value).utf8.elementsEqual(Self.envelopeSchema.utf8)
        }
        self.isEnvelope = isEnvelope
    }

    /// The ID that a member holds: a string, or a whole number as it is written.
    func id(in field: String, of line: Span<UInt8>, limit: Int) throws(RejectedRecord) -> DocumentID {
        let matches = members.all.filter { $0.key.utf8.elementsEqual(field.utf8) }
        guard let member = matches.first else {
            throw RejectedRecord("has no member '\(field)' for the ID; add it, or name another with --field")
        }
        guard matches.count == 1 else {
            throw RejectedRecord("has the member '\(field)' twice; keep the one that is the ID")
        }
        switch member.kind {
        case .string: return try DocumentID(record: line.string(in: member.value), limit: limit)
        case .number where line.isWholeNumber(member.value):
            return try DocumentID(record: line.extracting(member.value), limit: limit)
        default: throw RejectedRecord("the member '\(field)' is no ID; write it as a string")
        }
    }

    func has(_ field: String) -> Bool { members[field] != nil }
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
