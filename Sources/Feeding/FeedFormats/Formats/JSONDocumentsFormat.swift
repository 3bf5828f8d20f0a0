import ContentFeeding
import JSONText

/// Documents as JSON, one a line or an argument; each may be in an envelope.
struct JSONDocumentsFormat: RecordFormat {
    /// A line feed, or NUL behind an argument.
    let end: UInt8
    /// What the operation is: an update, else an addition.
    let isUpdate: Bool
    let field: String
    let limits: InputLimits
    private let ids = DocumentIDPages()

    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { Document.tooLong(limits.document) }
    var dropsCarriageReturn: Bool { end != 0 }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: end, from: start).map { $0 + 1 }
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        guard !record.isBlankJSON else { return .blank }
        do throws(RejectedRecord) {
            let document = try document(in: record)
            return .operation(isUpdate ? .update(document) : .add(document))
        } catch {
            return .rejected(error.reason)
        }
    }

    private func document(in record: Span<UInt8>) throws(RejectedRecord) -> Document {
        let line = try JSONLine(record, lookingFor: ["id", field, "document"])
        let id = try line.id(in: line.isEnvelope ? "id" : field, of: record, limit: limits.id, from: ids)
        // The document is the object: blanks around it are the line's.
        var range = record.withoutOuterBlanks
        if line.isEnvelope {
            guard let document = line["document"], document.kind == .object else {
                throw RejectedRecord("an envelope without an object 'document'; write the document itself, or add it")
            }
            range = document.value
        }
        guard range.count <= limits.document else { throw RejectedRecord(tooLong) }
        var json: [UInt8] = []
        json.reserveCapacity(range.count)
        json.append(copying: record.extracting(range))
        return Document(id: id, json: json)
    }
}

extension Span<UInt8> {
    /// The range without JSON's white space at both ends.
    fileprivate var withoutOuterBlanks: Range<Int> {
        var (lower, upper) = (0, count)
        while lower < upper, isBlank(lower) { lower += 1 }
        while upper > lower, isBlank(upper - 1) { upper -= 1 }
        return lower..<upper
    }

    private func isBlank(_ index: Int) -> Bool {
        switch self[index] {
        case 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
