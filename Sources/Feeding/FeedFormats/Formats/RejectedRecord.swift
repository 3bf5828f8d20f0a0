import ContentFeeding

/// Why a record is no operation, in a sentence that says what to do.
struct RejectedRecord: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension RejectedRecord {
    static let notUTF8 = RejectedRecord("not UTF-8; convert the input first, for example with iconv -t UTF-8")

    static func columns(_ count: Int, instead expected: Int) -> RejectedRecord {
        RejectedRecord("has \(count) columns where the first row has \(expected); correct the row")
    }
}

extension Document {
    static func tooLong(_ limit: Int) -> String {
        "longer than the \(limit) bytes a document may have; split it, or leave it out"
    }
}

extension DocumentID {
    static func tooLong(_ limit: Int) -> String {
        "longer than the \(limit) bytes a document ID may have; check that the right format is given"
    }

    fileprivate static func advice(_ error: InvalidDocumentID, limit: Int) -> String {
        switch error.reason {
        case .empty: "the document ID is empty; give it a character or leave the record out"
        case .holdsNUL:
            "holds a NUL byte, which no document ID can; use -0 if NUL ends each ID, or convert UTF-16 to UTF-8"
        case .notUTF8: RejectedRecord.notUTF8.reason
        case .tooLong: tooLong(limit)
        }
    }
}

extension DocumentIDPages {
    /// Takes bytes of an input for an ID.
    func id(record bytes: Span<UInt8>, limit: Int) throws(RejectedRecord) -> DocumentID {
        guard bytes.count <= limit else { throw RejectedRecord(DocumentID.tooLong(limit)) }
        do throws(InvalidDocumentID) {
            return try id(utf8: bytes)
        } catch {
            throw RejectedRecord(DocumentID.advice(error, limit: limit))
        }
    }
}
