import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// The fields that Solr fills from other fields, according to the `copyField` rules of the schema.
///
/// A search returns such fields, if they are stored, as if they had been fed. If they were fed again, they would
/// contain their values twice, or keep values that their sources no longer contain. Documents are therefore read
/// without these fields, and the names of the fields are reported.
final class DerivedFields: Sendable {
    private struct State {
        /// The rules; `nil` until they are first requested.
        var rules: CopyRules?
        /// The targets that have already been reported.
        var named: Set<String> = []
    }

    private let solr: SolrInstance
    private let collection: CollectionName
    private let uniqueKey: String
    private let state = Mutex(State())

    init(in collection: CollectionName, of solr: SolrInstance, uniqueKey: String) {
        (self.collection, self.solr, self.uniqueKey) = (collection, solr, uniqueKey)
    }

    /// Returns documents without the fields that are filled from other fields.
    func leftOut(of documents: [StoredDocument]) async throws(RequestFailure) -> [StoredDocument] {
        guard !documents.isEmpty else { return documents }
        let rules = try await rules()
        guard !rules.isEmpty else { return documents }
        var targets: Set<String> = []
        let fed = documents.map { document in
            StoredDocument(
                id: document.id,
                version: document.version,
                routing: document.routing,
                json: rules.fed(document.json, except: uniqueKey, &targets)
            )
        }
        name(targets)
        return fed
    }

    /// Returns those of a document's fields that are filled from its other fields.
    func targets(among names: Set<String>) async throws(RequestFailure) -> Set<String> {
        let rules = try await rules()
        return names.filter { $0 != uniqueKey && rules.isFilled($0, from: names) }
    }

    private func rules() async throws(RequestFailure) -> CopyRules {
        if let rules = state.withLock({ $0.rules }) { return rules }
        let rules: CopyRules
        do {
            rules = CopyRules(try await solr.client.tree(EnginePath(collection.rawValue, "schema", "copyfields")))
        } catch {
            guard error.status == 403 else { throw error }
            rules = CopyRules(.null)
            solr.remark(
                "documents of '\(collection)' may contain fields that Solr fills from others (copyField), as if they had been fed: these "
                    + "credentials do not show its schema"
            )
        }
        state.withLock { $0.rules = rules }
        return rules
    }

    /// Reports the targets that have not yet been reported.
    private func name(_ targets: Set<String>) {
        let new = state.withLock { state in
            let new = targets.subtracting(state.named)
            state.named.formUnion(new)
            return new
        }
        guard !new.isEmpty else { return }
        solr.remark(
            "the documents of '\(collection)' are read without the fields that Solr fills from others (copyField): "
                + new.sorted().joined(separator: ", ")
        )
    }
}

/// The `copyField` rules of a schema.
struct CopyRules: Hashable {
    private struct Rule: Hashable {
        let source: NamePattern
        let target: NamePattern

        /// Returns whether the field is filled from one of the fields with these names.
        func isFilling(_ name: String, from names: Set<String>) -> Bool {
            guard let part = target.part(of: name) else { return false }
            if target.hasStar { return names.contains(source.name(with: part)) }
            return names.contains { $0 != name && source.part(of: $0) != nil }
        }
    }

    private let rules: [Rule]

    /// Parses the rules in Solr's schema.
    init(_ schema: JSONValue) {
        rules = schema["copyFields"].elements.compactMap { rule in
            guard let source = rule["source"].text, let target = rule["dest"].text else { return nil }
            return Rule(source: NamePattern(source), target: NamePattern(target))
        }
    }

    /// Whether the schema fills no field from other fields.
    var isEmpty: Bool { rules.isEmpty }

    /// Returns whether a field may be filled from other fields.
    func isTarget(_ name: String) -> Bool { rules.contains { $0.target.part(of: name) != nil } }

    /// Returns whether a document's field is filled from one of its other fields.
    func isFilled(_ name: String, from names: Set<String>) -> Bool {
        rules.contains { $0.isFilling(name, from: names) }
    }

    /// Returns a document without the fields that a rule has filled from its other fields, and adds the targets' names
    /// or patterns to `targets`.
    ///
    /// A target must itself have been fed if all its sources are absent from the document. A target with a source may
    /// also have been fed, which can't be detected.
    func fed(_ json: [UInt8], except uniqueKey: String, _ targets: inout Set<String>) -> [UInt8] {
        guard let members = try? JSONMembers(of: json.span).all else { return json }
        let names = Set(members.map(\.key))
        var writer = JSONWriter()
        var isWhole = true
        writer.object { writer in
            for member in members {
                let rule = rules.first { $0.isFilling(member.key, from: names) }
                guard let rule, member.key != uniqueKey else {
                    writer.member(member.key, raw: Array(json[member.value]))
                    continue
                }
                targets.insert(rule.target.text)
                isWhole = false
            }
        }
        return isWhole ? json : writer.takeBytes()
    }
}

/// The name of a field in a schema, which may contain one `*` that matches any characters.
struct NamePattern: Hashable {
    let text: String
    /// The characters before the star; the whole name if it has no star.
    private let before: String
    private let after: String
    let hasStar: Bool

    init(_ text: String) {
        self.text = text
        let star = text.firstIndex(of: "*")
        hasStar = star != nil
        before = String(text[..<(star ?? text.endIndex)])
        after = star.map { String(text[text.index(after: $0)...]) } ?? ""
    }

    /// Returns the part of a name that the star matches; `nil` if the name does not match.
    func part(of name: String) -> String? {
        guard hasStar else { return name == text ? "" : nil }
        guard name.count >= before.count + after.count, name.hasPrefix(before), name.hasSuffix(after) else {
            return nil
        }
        return String(name.dropFirst(before.count).dropLast(after.count))
    }

    /// Returns the name with the star replaced by `part`.
    func name(with part: String) -> String { hasStar ? before + part + after : text }
}
