package import ContentFeeding

/// The operations of a text that is in memory as a whole: one JSON value on each line.
///
/// Documents, `{"remove":"ID"}` and envelopes are read as an input of JSON lines is; a removal may be a string too.
package struct OperationText: Sendable {
    /// The operations, in the order of their lines.
    package private(set) var operations: [ContentOperation] = []
    /// The first lines that are not operations, each with its number and what is wrong with it.
    package private(set) var rejections: [InputRejection] = []
    /// The number of such lines.
    package private(set) var rejected = 0

    /// Reads `text`; a line without content is not an operation, and not an error either.
    ///
    /// `refusal` returns the reason why an operation is rejected; `nil` if it is not.
    package init(
        _ text: Span<UInt8>,
        for kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits,
        refusal: (ContentOperation) -> String? = { _ in nil }
    ) {
        switch kind {
        case .remove: read(text, JSONIDsFormat(field: nil, limits: limits), source, refusal)
        case .add, .update:
            let format = JSONDocumentsFormat(
                end: UInt8(ascii: "\n"),
                isUpdate: kind == .update,
                field: "id",
                routingField: "routing",
                limits: limits
            )
            read(text, format, source, refusal)
        }
    }

    private mutating func read(
        _ text: Span<UInt8>,
        _ format: some RecordFormat,
        _ source: String,
        _ refusal: (ContentOperation) -> String?
    ) {
        var (format, start, line) = (format, 0, 0)
        while start < text.count {
            let next = format.endOfRecord(in: text, from: start)
            var end = next.map { $0 - format.endByteCount } ?? text.count
            if format.dropsCarriageReturn, end > start, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            line += 1
            let isTooLong = end - start > format.maximumRecordBytes
            var reading = isTooLong ? .rejected(format.tooLong) : format.reading(text.extracting(start..<end))
            if case .operation(let operation) = reading, let reason = refusal(operation) { reading = .rejected(reason) }
            switch reading {
            case .operation(let operation): operations.append(operation)
            case .rejected(let reason):
                rejected += 1
                if rejections.count < 100 {
                    rejections.append(InputRejection(source: source, line: line, reason: reason))
                }
            case .blank, .structure: break
            }
            start = next ?? text.count
        }
    }
}
