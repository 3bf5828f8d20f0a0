import ContentFeeding
import JSONText

/// A collection under test: it numbers operations and batches, and makes what was applied visible.
final class ContractCollection {
    let engine: any CollectionEngine
    private var nextOperation = OperationID.first
    private var nextBatch: UInt64 = 1

    let record: ContractRecord

    init(_ engine: any CollectionEngine, _ record: ContractRecord) { (self.engine, self.record) = (engine, record) }

    /// What an engine says of a document that it removed.
    var removed: Outcome { engine.capabilities.reportsMissing ? .removed : .gone }

    /// What it says of one that was not there.
    var absent: Outcome { engine.capabilities.reportsMissing ? .missing : .gone }

    func apply(_ operations: [ContentOperation]) async throws -> [OperationResult] {
        let items = operations.map { operation in
            defer { nextOperation = nextOperation.next }
            return ContentBatch.Item(id: nextOperation, operation: operation)
        }
        defer { nextBatch += 1 }
        let batch = ContentBatch(id: BatchID(rawValue: nextBatch), items: items)
        let reply = await engine.apply(batch)
        guard case .results(let results) = reply else {
            record.expect(false, "a batch that can be applied has results", "\(items.count) operations: \(reply)")
            return []
        }
        try await engine.raise(to: .live)
        return results
    }

    func expect(_ operation: ContentOperation, _ outcome: Outcome) async throws {
        let law = "the outcome of \(operation.kind) of '\(operation.documentID)'"
        record.expect(try await apply([operation]), [.done(outcome)], law)
    }

    func json(of id: DocumentID) async throws -> String? {
        try await engine.get([id]).first.map { String(decoding: $0.json, as: UTF8.self) }
    }

    /// The document is there and is as it was fed: byte by byte where the engine says so, else in what it says besides
    /// its ID.
    func expectDocument(_ id: DocumentID, _ json: String) async throws {
        let found = try await self.json(of: id)
        let isSame =
            if engine.capabilities.keepsDocumentBytes {
                found == json
            } else {
                found.map { DocumentMeaning($0) == DocumentMeaning(json) } ?? false
            }
        record.expect(isSame, "a document is read as it was fed", "expected \(json), found \(found ?? "nothing")")
    }

    /// All pages.
    func find(_ query: SearchQuery) async throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await engine.find(query, after: cursor)
            documents += page.documents
            cursor = page.next
        } while cursor != nil
        return documents
    }
}

/// What a document says besides its ID: the order of keys and the notation of numbers don't count.
private indirect enum DocumentMeaning: Equatable {
    case members([String: DocumentMeaning])
    case elements([DocumentMeaning])
    case number(Double)
    case other(JSONValue)

    init?(_ json: String) {
        guard let value = try? JSONValue(Array(json.utf8)) else { return nil }
        self.init(value)
        guard case .members(var members) = self else { return }
        members["id"] = nil
        self = .members(members)
    }

    private init(_ value: JSONValue) {
        switch value {
        case .object(let members):
            self = .members(
                Dictionary(members.map { ($0.key, DocumentMeaning($0.value)) }, uniquingKeysWith: { _, last in last })
            )
        case .array(let elements): self = .elements(elements.map { DocumentMeaning($0) })
        case .number(let text): self = Double(text).map { .number($0) } ?? .other(value)
        case .string, .bool, .null: self = .other(value)
        }
    }
}

extension ContentOperation {
    static func add(_ id: String, _ json: String) -> Self {
        .add(Document(id: DocumentID(stringLiteral: id), json: Array(json.utf8)))
    }

    static func update(_ id: String, _ json: String) -> Self {
        .update(Document(id: DocumentID(stringLiteral: id), json: Array(json.utf8)))
    }
}

/// The documents of the contract, as an engine's collections can hold them.
///
/// Most engines take any JSON object. One with a schema has names for the types of fields, or no objects in documents;
/// it is asked the same of documents that fit.
public struct ContractVocabulary: Sendable {
    /// A field for whole numbers.
    var number = "n"
    /// A field for text that is searched by words.
    var text = "text"
    /// A field with a value that is replaced as one, and two such values.
    var whole = (name: "deep", first: #"{"x":1}"#, second: #"{"y":1}"#)
    /// Documents to find something in; their meaning is the same for all engines.
    var findable = [
        "a": #"{"title":"The quick brown fox","tags":["red","slow food"],"year":1999}"#,
        "b": #"{"title":"Café Zürich","body":{"text":"quick: the brown dog's fox"},"year":"1999"}"#,
        "c": #"{"title":"brown","other":"fox","color":"red","flag":true}"#,
        "d": #"{"quick":1,"title":"keys are not searched"}"#,
    ]
    /// Finds `Café Zürich`.
    var accented = ["cafe", "zurich"]
    /// Names of fields in ``findable``.
    var color = "color"
    var year = "year"
    var flag = "flag"

    /// Any JSON object; words are searched without their accents.
    public static let json = ContractVocabulary()

    /// Any JSON object; words are searched as they are written, but for their case.
    public static let accents = ContractVocabulary(accented: ["café", "zürich"])

    /// Fields whose names end in their type, and text that only loses its case.
    public static let suffixes = ContractVocabulary(
        number: "n_i",
        text: "text_t",
        whole: (name: "deep_s", first: #""x""#, second: #""y""#),
        findable: [
            "a": #"{"title":"The quick brown fox","tags_t":"red","body_t":"slow food","year_i":1999}"#,
            "b": #"{"title":"Café Zürich","body_t":"quick: the brown dog, fox","year_i":"1999"}"#,
            "c": #"{"title":"brown","other_t":"fox","color_s":"red","flag_s":"true"}"#,
            "d": #"{"quick_i":1,"title":"keys are not searched"}"#,
        ],
        accented: ["café", "zürich"],
        color: "color_s",
        year: "year_i",
        flag: "flag_s"
    )
}
