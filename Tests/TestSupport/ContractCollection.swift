import ContentFeeding
import Foundation
import Testing

/// A collection under test: it numbers operations and batches, and makes what was applied visible.
final class ContractCollection {
    let engine: any CollectionEngine
    private var nextOperation = OperationID.first
    private var nextBatch: UInt64 = 1

    init(_ engine: any CollectionEngine) { self.engine = engine }

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
            Issue.record("a batch of \(items.count) was answered with \(reply)")
            return []
        }
        try await engine.raise(to: .live)
        return results
    }

    func expect(
        _ operation: ContentOperation,
        _ outcome: Outcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await apply([operation]) == [.done(outcome)], sourceLocation: sourceLocation)
    }

    func json(of id: DocumentID) async throws -> String? {
        try await engine.get([id]).first.map { String(decoding: $0.json, as: UTF8.self) }
    }

    /// The document is there and is as it was fed: byte by byte where the engine says so, else in what it says besides
    /// its ID.
    func expectDocument(
        _ id: DocumentID,
        _ json: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await self.json(of: id)
        if engine.capabilities.keepsDocumentBytes {
            #expect(found == json, sourceLocation: sourceLocation)
        } else {
            #expect(meaning(found) == meaning(json), sourceLocation: sourceLocation)
        }
    }

    private func meaning(_ json: String?) -> NSDictionary? {
        guard let json, let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) else { return nil }
        let members = object as? [String: Any]
        return members?.filter { $0.key != "id" } as NSDictionary?
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

    public static let json = ContractVocabulary()

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
