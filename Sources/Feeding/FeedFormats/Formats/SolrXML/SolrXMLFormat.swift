import ContentFeeding
import XMLStream

/// Messages as Solr's update handler takes them: `<delete>` with IDs, `<add>` with documents, both in an `<update>`.
///
/// The message is cut into its elements as it comes, and only an element is parsed: so a message may be of any length,
/// and an element that is not well-formed stops no other. What cannot be carried out (queries, commits, attributes)
/// is rejected with its line; nothing is passed over in silence.
struct SolrXMLFormat: RecordFormat {
    let kind: ContentOperation.Kind
    /// The name of the field that holds a document's ID.
    let field: String
    let limits: InputLimits
    private var tokens = XMLTokens()
    private var message = SolrMessage()
    /// What the record that has ended is.
    private var piece: SolrMessage.Piece?
    /// True when the first element was what it should be.
    private var hasBegun = false
    private var isLost = false
    private var refusal: String?
    private let ids = DocumentIDPages()

    init(kind: ContentOperation.Kind, field: String, limits: InputLimits) {
        self.kind = kind
        self.field = field
        self.limits = limits
    }

    var maximumRecordBytes: Int { kind == .remove ? limits.line : limits.documentLine }
    var tooLong: String { "an element longer than \(maximumRecordBytes) bytes; check that each one is ended" }
    var dropsCarriageReturn: Bool { false }
    var holdsLineEnds: Bool { true }
    var endByteCount: Int { 0 }
    var isReady: Bool { hasBegun || isLost }

    var unfinished: String? {
        guard !isLost else { return nil }
        if let end = message.missingEnd { return "the input ends before \(end); was it cut off?" }
        if tokens.isUnfinished { return "the input ends within a tag or a comment; was it cut off?" }
        return tokens.isInText ? "text behind the end of the message; take it off" : nil
    }

    func refusal(source: String) -> InputError? {
        refusal.map { InputError(.wrongFormat, source: source, reason: $0) }
    }

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard !isLost else { return nil }
        var offset = start
        while let (token, end) = tokens.next(in: bytes, from: offset) {
            offset = end
            piece = message.piece(endedBy: token, name: tokens.name)
            if piece != nil { return end }
        }
        // What begins with text is no XML, and need not be read to its end.
        guard !message.hasRoot, tokens.isInText else { return nil }
        piece = .lost("does not begin with <add>, <delete> or <update>")
        return bytes.count
    }

    mutating func readingOfTooLong() -> RecordReading {
        defer { piece = nil }
        if case .lost(let reason) = piece { return lose(reason) }
        return isLost ? .structure : .rejected(tooLong)
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        defer { piece = nil }
        switch piece {
        case .aside: return aside(record)
        case .text: return .rejected("text where there should be an element; take it off")
        case .lost(let reason): return lose(reason)
        // The rest that is not read, and blanks at the end.
        case nil: return .structure
        case .opening(let container):
            if !hasBegun, let refusal = refusal(of: container) { return lose(refusal) }
            hasBegun = true
            return reading { () throws(RejectedRecord) in
                try SolrElement.checkOpening(record)
                return .structure
            }
        case .record(let name, let container):
            return reading { () throws(RejectedRecord) in
                .operation(try operation(record, String(decoding: name, as: UTF8.self), in: container))
            }
        }
    }

    private func reading(_ body: () throws(RejectedRecord) -> RecordReading) -> RecordReading {
        do throws(RejectedRecord) {
            return try body()
        } catch {
            return .rejected(error.reason)
        }
    }

    private func operation(
        _ record: Span<UInt8>,
        _ name: String,
        in container: SolrMessage.Container
    ) throws(RejectedRecord) -> ContentOperation {
        switch (container, name) {
        case (.delete, "id"):
            guard kind == .remove else { throw RejectedRecord("an ID to remove: give it to 'fastctl remove'") }
            return .remove(try SolrElement.id(record, limits: limits, from: ids))
        case (.delete, "query"): throw RejectedRecord(SolrElement.queryRefusal)
        case (.add, "doc"):
            guard kind != .remove else { throw RejectedRecord("a document to add: give it to 'fastctl add'") }
            let document = try SolrDocument(record, isUpdate: kind == .update, limits: limits)
            let operation = try document.document(idField: field, limits: limits, from: ids)
            return kind == .update ? .update(operation) : .add(operation)
        default:
            throw RejectedRecord("<\(name)> in <\(container.rawValue)> is not carried out; take it out")
        }
    }

    /// Nothing of such a message can be carried out; in an `<update>` each element is looked at.
    private func refusal(of container: SolrMessage.Container) -> String? {
        switch container {
        case .add where kind == .remove: "an <add> message, which 'fastctl add' takes"
        case .delete where kind != .remove: "a <delete> message, which 'fastctl remove' takes"
        default: nil
        }
    }

    private mutating func aside(_ record: Span<UInt8>) -> RecordReading {
        guard !hasBegun, let encoding = SolrElement.foreignEncoding(declaredBy: record) else { return .structure }
        return lose("is written in \(encoding); convert it first, for example with iconv -t UTF-8")
    }

    /// Gives up: before the first element the whole source, else the rest.
    private mutating func lose(_ reason: String) -> RecordReading {
        isLost = true
        guard !hasBegun else { return .rejected("\(reason); the rest is not read") }
        refusal = reason
        return .structure
    }
}
