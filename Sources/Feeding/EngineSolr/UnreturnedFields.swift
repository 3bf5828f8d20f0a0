import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// Fields that documents have and Solr can't give back, being neither stored nor in `docValues` that it returns.
///
/// An update of a part makes Solr index the rest again from what it can give back, and a copy holds nothing else.
/// Targets of `copyField` don't matter: they are filled from their sources again.
final class UnreturnedFields: Sendable {
    /// What a document is read for.
    enum Purpose: Hashable {
        case update
        case backup
        case copy
    }

    private let solr: SolrInstance
    private let collection: CollectionName
    private let approved = Mutex<Set<Purpose>>([])

    init(in collection: CollectionName, of solr: SolrInstance) { (self.collection, self.solr) = (collection, solr) }

    /// Returns why documents can't be read whole; `nil` if they can, which is asked once.
    func refusal(of purpose: Purpose) async throws(RequestFailure) -> EngineError? {
        if approved.withLock({ $0.contains(purpose) }) { return nil }
        guard let name = try await firstName(for: purpose) else {
            approved.withLock { _ = $0.insert(purpose) }
            return nil
        }
        let field = "the field '\(name)' of '\(collection)' is not stored, so "
        let advice = "store it in the schema and index the documents again, or "
        switch purpose {
        case .update:
            return EngineError(
                .unsupported,
                field + "Solr would erase it when it updates a document",
                advice: advice + "feed whole documents: fastctl add"
            )
        case .backup:
            return EngineError(
                .unsupported,
                field + "a backup would be without it",
                advice: advice + "do without a backup"
            )
        case .copy:
            return EngineError(
                .unsupported,
                field + "a copy would be without it, and erase it when it is pushed",
                advice: advice + "change documents at the origin: fastctl update"
            )
        }
    }

    private func firstName(for purpose: Purpose) async throws(RequestFailure) -> String? {
        let schema = try await schema()
        if let schema, schema.isComplete { return nil }
        if purpose != .update {
            // Of a document that is not committed, an update keeps every field, but a copy doesn't.
            do {
                try await solr.commit(collection, .soft)
            } catch {
                guard error.status == 403 else { throw error }
            }
        }
        var names = schema?.names ?? []
        for core in try await solr.leadingCores(of: collection) {
            let path = EnginePath(core, "admin", "luke").with("numTerms", "0")
            for field in try await solr.client.tree(path, isOfCore: true)["fields"].members {
                let isUnreturned = schema?.isUnreturned(field) ?? FieldRules.seemsUnreturned(field)
                if isUnreturned { names.insert(field.key) }
            }
        }
        for name in names.sorted() {
            let isLost = try await isUsed(name)
            if isLost { return name }
        }
        return nil
    }

    /// Returns the schema's rules; `nil` if we may not see them.
    private func schema() async throws(RequestFailure) -> FieldRules? {
        let (name, client) = (collection.rawValue, solr.client)
        do {
            return FieldRules(
                fields: try await client.tree(EnginePath(name, "schema", "fields").with("showDefaults", "true")),
                dynamic: try await client.tree(
                    EnginePath(name, "schema", "dynamicfields").with("showDefaults", "true")
                ),
                copies: try await client.tree(EnginePath(name, "schema", "copyfields"))
            )
        } catch {
            guard error.status == 403 else { throw error }
            return nil
        }
    }

    /// Whether a document that searches see has the field.
    private func isUsed(_ name: String) async throws(RequestFailure) -> Bool {
        let form = FormBody([
            ("q", "\(SolrQuery.escaped(name)):[* TO *]"), ("defType", "lucene"), ("rows", "0"),
            ("shards.tolerant", "false"), ("expandMacros", "false"),
        ])
        let path = EnginePath(collection.rawValue, "select").with("wt", "json")
        return try await solr.client.ask(path, form).found() > 0
    }
}

/// The fields of a schema that Solr keeps, but does not give back.
struct FieldRules: Hashable {
    /// Fields of the schema.
    private(set) var names: Set<String> = []
    /// Patterns of its dynamic fields, such as `*_t`.
    private var patterns: Set<String> = []
    /// Names and patterns of fields that are filled from others.
    private let targets: [String]

    init(fields: JSONValue, dynamic: JSONValue, copies: JSONValue) {
        targets = copies["copyFields"].elements.compactMap { $0["dest"].text }
        names = Set(Self.unreturned(fields["fields"]).filter { !isTarget($0) })
        patterns = Set(Self.unreturned(dynamic["dynamicFields"]).filter { !isTarget($0) })
    }

    /// Whether every field comes back.
    var isComplete: Bool { names.isEmpty && patterns.isEmpty }

    /// Whether a field of an index does not come back, as `/admin/luke` describes it.
    func isUnreturned(_ field: JSONValue.Member) -> Bool {
        guard let pattern = field.value["dynamicBase"].text else { return names.contains(field.key) }
        return patterns.contains(pattern) && !isTarget(field.key)
    }

    /// Whether a field of an index does not come back, as far as one can tell without the schema.
    ///
    /// Its flags begin with `I` for indexed and have `S` for stored and `D` for `docValues`.
    static func seemsUnreturned(_ field: JSONValue.Member) -> Bool {
        let flags = field.value["schema"].text ?? ""
        guard !ReplyDocuments.internalFields.contains(field.key) else { return false }
        return flags.utf8.first == UInt8(ascii: "I") && !flags.contains("S") && !flags.contains("D")
    }

    private static func unreturned(_ fields: JSONValue) -> [String] {
        fields.elements.compactMap { field in
            guard let name = field["name"].text, !ReplyDocuments.internalFields.contains(name) else { return nil }
            let hasValues = field["docValues"].bool == true
            let comesBack = field["stored"].bool == true || hasValues && field["useDocValuesAsStored"].bool != false
            return !comesBack && (hasValues || field["indexed"].bool == true) ? name : nil
        }
    }

    private func isTarget(_ name: String) -> Bool {
        targets.contains { target in
            guard let star = target.firstIndex(of: "*") else { return target == name }
            return name.hasPrefix(target[..<star]) && name.hasSuffix(target[target.index(after: star)...])
        }
    }
}
