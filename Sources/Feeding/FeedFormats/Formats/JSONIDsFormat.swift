import ContentFeeding
import JSONText

/// IDs to remove as JSON, one a line: a string, an object with the field, `{"remove":"ID"}` or an envelope.
struct JSONIDsFormat: RecordFormat {
    let field: String?
    let limits: InputLimits
    private let ids = DocumentIDPages()

    /// A line may be a whole envelope, so it may be as long as one.
    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { "longer than \(limits.documentLine) bytes; check that a line ends after each value" }
    var dropsCarriageReturn: Bool { true }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: UInt8(ascii: "\n"), from: start).map { $0 + 1 }
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        guard !record.isBlankJSON else { return .blank }
        do throws(RejectedRecord) {
            return .operation(.remove(try id(in: record)))
        } catch {
            return .rejected(error.reason)
        }
    }

    private func id(in record: Span<UInt8>) throws(RejectedRecord) -> DocumentID {
        switch try kind(of: record) {
        case .string: return try ids.id(record: text(of: record).utf8.span, limit: limits.id)
        case .object: break
        default: throw RejectedRecord("neither a string nor an object; write an ID as a string")
        }
        let line = try JSONLine(record, lookingFor: ["id", field ?? "remove"])
        if line.isEnvelope { return try line.id(in: "id", of: record, limit: limits.id, from: ids) }
        if let field { return try line.id(in: field, of: record, limit: limits.id, from: ids) }
        guard line["remove"] != nil else {
            throw RejectedRecord("an object without 'remove'; say which member holds the ID, for example --field id")
        }
        return try line.id(in: "remove", of: record, limit: limits.id, from: ids)
    }

    private func kind(of record: Span<UInt8>) throws(RejectedRecord) -> JSONKind {
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            return try scanner.kind()
        } catch {
            throw RejectedRecord(notJSON: error)
        }
    }

    private func text(of record: Span<UInt8>) throws(RejectedRecord) -> String {
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            let text = try scanner.stringText()
            try scanner.end()
            return text
        } catch {
            throw RejectedRecord(notJSON: error)
        }
    }
}

extension InputLimits {
    /// The longest line that holds a document: the document itself, and what an envelope puts round it.
    var documentLine: Int { document + line }
}

extension Span<UInt8> {
    /// True when there is nothing but what JSON calls blanks.
    var isBlankJSON: Bool {
        for index in indices where self[index] != 0x20 && self[index] != 0x09 && self[index] != 0x0D { return false }
        return true
    }
}
