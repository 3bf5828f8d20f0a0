package import ContentFeeding
import JSONText

/// The operations in text that is completely in memory: one JSON value on each line.
///
/// Documents may contain line breaks if each document is followed by a NUL, which never occurs in JSON, instead of a
/// line feed. Documents, `{"remove":"ID"}` and envelopes are read like JSON lines in an input; a removal may also be a
/// string. An envelope and `{"remove":"ID"}` may have `onVersion`, as in a plan: the version that the document must
/// still have, or `null` if the document must not exist.
package struct OperationText: Sendable {
    /// The operations, in the order of their lines.
    package private(set) var operations: [ContentOperation] = []
    /// The line number of each operation.
    package private(set) var lines: [Int] = []
    /// The first lines that are not operations, each with its number and the reason.
    package private(set) var rejections: [InputRejection] = []
    /// The number of such lines.
    package private(set) var rejected = 0

    /// Reads `text`; an empty line is neither an operation nor an error.
    ///
    /// `refusal` returns the reason why an operation is rejected; `nil` if it is accepted.
    package init(
        _ text: Span<UInt8>,
        for kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits,
        refusal: (ContentOperation) -> String? = { _ in nil }
    ) {
        switch kind {
        case .remove: read(text, JSONIDsFormat(field: nil, version: .onVersion, limits: limits), source, refusal)
        case .add, .update:
            let format = JSONDocumentsFormat(
                end: text.offset(of: 0, from: 0) == nil ? UInt8(ascii: "\n") : 0,
                isUpdate: kind == .update,
                field: "id",
                routingField: "routing",
                version: .onVersion,
                limits: limits
            )
            read(text, format, source, refusal)
        }
    }

    /// Reads the keys of documents as removals: each line is a string, or an object with `id` and optionally `routing`.
    package init(keys text: Span<UInt8>, source: String, limits: InputLimits) {
        read(text, JSONIDsFormat(field: "id", routingField: "routing", limits: limits), source) { _ in nil }
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
            case .operation(let operation):
                operations.append(operation)
                lines.append(line)
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

    // MARK: Writing

    /// The member of a line that holds the version on which its operation depends.
    package static let versionKey = "onVersion"
    static let envelopeSchema = "fastctl.document/1"

    /// Returns operations as text, each followed by a line feed, or by a NUL if a document contains line breaks.
    package static func bytes(of operations: [ContentOperation]) -> [UInt8] {
        let hasBreaks = operations.contains { $0.json.contains(UInt8(ascii: "\n")) }
        var body: [UInt8] = []
        body.reserveCapacity(operations.reduce(0) { $0 + $1.byteCount + 80 })
        var writer = JSONWriter()
        for operation in operations {
            writer.reset()
            append(operation, to: &writer)
            body += writer.bytes
            body.append(hasBreaks ? 0 : UInt8(ascii: "\n"))
        }
        return body
    }

    private static func append(_ operation: ContentOperation, to writer: inout JSONWriter) {
        writer.object { object in
            if operation.kind == .remove {
                object.key("remove")
                object.value(utf8: operation.documentID.utf8)
            } else {
                object.member("schema", envelopeSchema)
                object.key("id")
                object.value(utf8: operation.documentID.utf8)
            }
            if let routing = operation.routing { object.member("routing", routing.text) }
            switch operation.condition {
            case nil: break
            case .absent?: object.member(versionKey, String?.none)
            case .unchanged(let version)?: object.member(versionKey, version.rawValue)
            // There is no notation for these conditions, but an operation must not lose its condition.
            case .olderThan?, .contents?: object.member(versionKey, DocumentVersion.unknown.rawValue)
            }
            if operation.kind != .remove { object.member("document", raw: operation.json) }
        }
    }
}
