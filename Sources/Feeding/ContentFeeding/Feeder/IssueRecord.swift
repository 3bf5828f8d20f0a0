/// The format of an outcome with an issue, in a spill file and in a job's journal: as short as possible, because there
/// may be millions.
///
/// Operation ID, kind and outcome, flags (severity, disposition, routing), attempts, code, message, document ID, routing;
/// numbers as LEB128, texts preceded by their length. A missing document takes 6 bytes, its message and its ID.
public enum IssueRecord {
    /// Journals hold places of these lists, and raw values of ``Outcome``: only ever add to an end.
    private static let codes: [DocumentFailure.Code] = [
        .documentMissing, .idTooLong, .documentTooLarge, .rejectedByEngine, .attemptsExhausted, .expired, .dropped,
        .stale, .duplicateInInput,
    ]
    private static let kinds: [ContentOperation.Kind] = [.add, .update, .remove]
    private static let dispositions: [DocumentFailure.Disposition] = [
        .permanent, .retryable, .dropped, .operatorAction,
    ]

    private static let errorFlag: UInt8 = 0x10
    private static let routingFlag: UInt8 = 0x20

    /// Appends an outcome; one without an issue adds nothing.
    public static func append(_ outcome: OperationOutcome, to bytes: inout [UInt8]) {
        guard let issue = outcome.issue else { return }
        let failure = issue.failure
        append(outcome.operationID.rawValue, to: &bytes)
        let kind = kinds.firstIndex(of: outcome.kind) ?? 0
        bytes.append(UInt8(kind << 4 | outcome.outcome.rawValue))
        let disposition = dispositions.firstIndex(of: failure.disposition) ?? 0
        let routing = outcome.routing
        bytes.append((issue.isError ? errorFlag : 0) | (routing == nil ? 0 : routingFlag) | UInt8(disposition))
        append(UInt64(outcome.attempts), to: &bytes)
        if let index = codes.firstIndex(of: failure.code) {
            bytes.append(UInt8(index + 1))
        } else {
            bytes.append(0)
            append(failure.code.rawValue.utf8.span, to: &bytes)
        }
        append(failure.message.utf8.span, to: &bytes)
        append(outcome.documentID.utf8, to: &bytes)
        if let routing { append(routing.text.utf8.span, to: &bytes) }
    }

    private static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        append(UInt64(text.count), to: &bytes)
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads the record at `index` and advances past it; returns `nil` if it is incomplete.
    public static func read(_ bytes: [UInt8], at index: inout Int) -> OperationOutcome? {
        var place = index
        guard let id = number(bytes, &place), place + 2 <= bytes.count else { return nil }
        let (head, flags) = (bytes[place], bytes[place + 1])
        place += 2
        guard let attempts = number(bytes, &place), place < bytes.count else { return nil }
        let known = Int(bytes[place])
        place += 1
        guard known <= codes.count, Int(head >> 4) < kinds.count, Int(flags & 0xF) < dispositions.count else {
            return nil
        }
        guard let code = known > 0 ? codes[known - 1] : text(bytes, &place).map(DocumentFailure.Code.init) else {
            return nil
        }
        guard let message = text(bytes, &place), let documentID = text(bytes, &place) else { return nil }
        guard let documentID = try? DocumentID(documentID), let outcome = Outcome(rawValue: Int(head & 0xF)) else {
            return nil
        }
        var routing: Routing?
        if flags & routingFlag != 0 {
            guard let text = text(bytes, &place) else { return nil }
            routing = Routing(text)
        }
        index = place
        let failure = DocumentFailure(code, message, disposition: dispositions[Int(flags & 0xF)])
        return OperationOutcome(
            operationID: OperationID(rawValue: id),
            kind: kinds[Int(head >> 4)],
            documentID: documentID,
            routing: routing,
            outcome: outcome,
            issue: flags & errorFlag != 0 ? .error(failure) : .warning(failure),
            attempts: Int(attempts)
        )
    }

    private static func text(_ bytes: [UInt8], _ place: inout Int) -> String? {
        guard let length = number(bytes, &place), length <= UInt64(bytes.count - place) else { return nil }
        defer { place += Int(length) }
        return String(decoding: bytes[place..<place + Int(length)], as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], _ place: inout Int) -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
