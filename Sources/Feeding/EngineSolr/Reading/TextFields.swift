import EngineHTTP
import JSONText
import Synchronization

/// The fields of a collection that words are looked for in: those with text or strings, which some document has.
enum TextFields {
    /// Reads them from what Solr says of its field types and of the fields in the index of each core.
    static func names(fieldTypes: JSONValue, cores: [JSONValue]) -> [String] {
        let textTypes = Set(
            fieldTypes["fieldTypes"].elements.compactMap { type in
                isText(type["class"].text ?? "") ? type["name"].text : nil
            }
        )
        var names: Set<String> = []
        for core in cores {
            for member in core["fields"].members where !ReplyDocuments.internalFields.contains(member.key) {
                // The first of Solr's flags says that the field is indexed.
                guard let type = member.value["type"].text, textTypes.contains(type),
                    member.value["schema"].text?.utf8.first == UInt8(ascii: "I")
                else { continue }
                names.insert(member.key)
            }
        }
        return names.sorted()
    }

    /// `solr.TextField`, `org.apache.solr.schema.SortableTextField`, `solr.StrField` and their like.
    private static func isText(_ className: String) -> Bool {
        className.hasSuffix("TextField") || className.hasSuffix("StrField")
    }
}

extension SolrInstance {
    func textFields(of collection: String, cores: [String]) async throws(SolrTrouble) -> [String] {
        let types = try await client.tree(EnginePath(collection, "schema", "fieldtypes"))
        var indexes: [JSONValue] = []
        for core in cores {
            indexes.append(try await client.tree(EnginePath(core, "admin", "luke").with("numTerms", "0")))
        }
        return TextFields.names(fieldTypes: types, cores: indexes)
    }
}

/// The text fields as they were when a search began, for its later pages.
final class FieldCache: Sendable {
    private let names = Mutex<[String]?>(nil)

    var current: [String]? { names.withLock { $0 } }

    func keep(_ fields: [String]) { names.withLock { $0 = fields } }
}
