package import JSONText

/// A value of a definition that could not be carried over to another kind of engine.
public struct DefinitionLoss: Hashable, Sendable {
    /// The part of the definition.
    public let part: CollectionDefinition.Part
    /// The keys that lead to the value in the part.
    public let path: [String]
    /// The value.
    package let value: JSONValue
    /// The reason, as a sentence fragment.
    public let reason: String

    /// The keys, joined by dots.
    public var place: String { path.joined(separator: ".") }
}

extension CollectionDefinition {
    /// Returns the definition for another kind of engine, and the values that could not be carried over to it.
    ///
    /// Between OpenSearch and Elasticsearch, only settings that the other one does not support are lost. Between these
    /// two and Solr, the common types of fields are translated. The embedded index has no types. A block is never carried
    /// over, because the new collection is to be filled. `isCluster` is whether the collections of the other engine have
    /// shards and aliases.
    public func adapted(
        to engine: Engine,
        isCluster: Bool = true
    ) -> (definition: CollectionDefinition, losses: [DefinitionLoss]) {
        var translation = DefinitionTranslation(self, to: engine, isCluster: isCluster)
        translation.run()
        return (translation.result, translation.sortedLosses)
    }
}

extension DefinitionAdministration {
    /// Returns the definition for this engine, and the values that could not be carried over to it, including settings
    /// that refer to something that the engine does not have.
    public func adapted(
        _ definition: CollectionDefinition
    ) async throws(EngineError) -> (definition: CollectionDefinition, losses: [DefinitionLoss]) {
        let (adapted, losses) = definition.adapted(to: definedEngine, isCluster: isCluster)
        let obstacles = try await obstacles(toSettingsOf: adapted)
        return obstacles.isEmpty ? (adapted, losses) : adapted.omitting(obstacles, losses)
    }
}

extension CollectionDefinition {
    /// Returns the definition without some settings, each with the reason, which are added to its losses.
    fileprivate func omitting(
        _ reasons: [String: String],
        _ losses: [DefinitionLoss]
    ) -> (definition: CollectionDefinition, losses: [DefinitionLoss]) {
        let kept = settings.members.filter { reasons[$0.key] == nil }
        let omitted = settings.members.compactMap { member in
            reasons[member.key].map { reason in
                DefinitionLoss(part: .settings, path: [member.key], value: member.value, reason: reason)
            }
        }
        let definition = replacing(engine: engine, settings: .object(kept), mappings: mappings, aliases: aliases)
        return (definition, (losses + omitted).inOrder)
    }
}

extension [DefinitionLoss] {
    /// The losses in the order of the parts and paths.
    fileprivate var inOrder: [DefinitionLoss] {
        CollectionDefinition.Part.allCases.flatMap { part in
            filter { $0.part == part }.sorted { first, second in
                first.place.utf8.lexicographicallyPrecedes(second.place.utf8)
            }
        }
    }
}

/// The translation of a definition for another kind of engine.
private struct DefinitionTranslation {
    private let source: CollectionDefinition
    private let engine: CollectionDefinition.Engine
    private let isCluster: Bool

    private var settings: [String: JSONValue] = [:]
    private var mappings: [String: JSONValue] = [:]
    private var aliases: [String: JSONValue] = [:]
    private var losses: [DefinitionLoss] = []

    init(_ source: CollectionDefinition, to engine: CollectionDefinition.Engine, isCluster: Bool) {
        (self.source, self.engine, self.isCluster) = (source, engine, isCluster)
    }

    var result: CollectionDefinition {
        source.replacing(
            engine: engine,
            settings: .sorted(settings),
            mappings: .sorted(mappings),
            aliases: .sorted(aliases)
        )
    }

    var sortedLosses: [DefinitionLoss] { losses.inOrder }

    mutating func run() {
        switch (source.engine, engine) {
        case (.solr, .solr), (.embedded, .embedded): keep()
        case (_, .embedded): loseAll()
        case (.embedded, _):
            for setting in source.settings.members {
                lose(.settings, [setting.key], setting.value, "only the embedded index has this setting")
            }
        case (.solr, _): translateSchema()
        case (_, .solr): translateIndex()
        default: keep()
        }
    }

    private mutating func lose(
        _ part: CollectionDefinition.Part,
        _ path: [String],
        _ value: JSONValue,
        _ reason: String
    ) {
        losses.append(DefinitionLoss(part: part, path: path, value: value, reason: reason))
    }

    // MARK: Without translation

    private mutating func keep() {
        mappings = source.mappings.dictionary
        let hasShards = isCluster || engine != .solr
        for (name, value) in source.settings.dictionary {
            if engine != source.engine, source.isOwn(name) {
                lose(.settings, [name], value, "only \(source.engine.rawValue) supports this setting")
            } else if source.isBlock(name, value) {
                lose(.settings, [name], value, "a block would refuse documents; set it once the collection is filled")
            } else if hasShards {
                settings[name] = value
            } else {
                lose(.settings, [name], value, "a Solr core has no shards and no replicas")
            }
        }
        for (name, value) in source.aliases.dictionary { keepAlias(name, value) }
    }

    private mutating func keepAlias(_ name: String, _ value: JSONValue) {
        guard isCluster else { return lose(.aliases, [name], value, "only SolrCloud has aliases") }
        aliases[name] = value
    }

    private mutating func loseAll() {
        for (name, value) in source.settings.dictionary {
            lose(.settings, [name], value, "the embedded index has no such setting")
        }
        for (name, value) in source.mappings.dictionary {
            let isList = ["properties", "fields", "dynamicFields", "fieldTypes", "copyFields"].contains(name)
            for (key, inner) in isList ? value.dictionary : [:] {
                lose(.mappings, [name, key], inner, "the embedded index has no field types: it keeps values as fed")
            }
            if !isList || value.members.isEmpty {
                lose(.mappings, [name], value, "the embedded index has no mappings")
            }
        }
        for (name, value) in source.aliases.dictionary {
            lose(.aliases, [name], value, "the embedded index has no aliases")
        }
    }

    // MARK: From an index to Solr

    private mutating func translateIndex() {
        translateIndexSettings()
        for (key, value) in source.mappings.dictionary where key != "properties" {
            lose(.mappings, [key], value, "Solr has no counterpart")
        }
        let properties = source.mappings["properties"]
        var fields: [String: JSONValue] = [:]
        for (name, property) in properties.dictionary { fields[name] = solrField(name, property) }
        var copies: [String: JSONValue] = [:]
        for (name, property) in properties.dictionary where property["copy_to"] != .null {
            let value = property["copy_to"]
            let targets = (value.text.map { [$0] } ?? value.elements.compactMap(\.text))
            guard fields[name] != nil, !targets.isEmpty, targets.allSatisfy({ fields[$0] != nil }) else {
                // The copies of a field that is lost are lost with it.
                if fields[name] != nil {
                    lose(
                        .mappings,
                        ["properties", name, "copy_to"],
                        value,
                        "a field that it names could not be carried over"
                    )
                }
                continue
            }
            copies[name] = .sorted(Dictionary(targets.map { ($0, JSONValue.object([])) }) { first, _ in first })
        }
        if !fields.isEmpty { mappings["fields"] = .sorted(fields) }
        if !copies.isEmpty { mappings["copyFields"] = .sorted(copies) }
        for (name, value) in source.aliases.dictionary { translateAlias(name, value) }
    }

    private mutating func translateIndexSettings() {
        for (name, value) in source.settings.dictionary {
            switch (name, value.int) {
            case ("index.number_of_shards", let count?) where isCluster && count > 0:
                settings["numShards"] = .string("\(count)")
            case ("index.number_of_replicas", let count?) where isCluster && count >= 0 && count < Int.max:
                settings["replicationFactor"] = .string("\(count + 1)")
            case ("index.number_of_shards", _), ("index.number_of_replicas", _):
                lose(
                    .settings,
                    [name],
                    value,
                    isCluster ? "it is not a count" : "a Solr core has no shards and no replicas"
                )
            default:
                let isAnalysis = name.hasPrefix("index.analysis.")
                lose(.settings, [name], value, isAnalysis ? Self.noAnalyzers : "Solr has no such setting")
            }
        }
    }

    /// An alias without its filter or routing would also find other documents.
    private mutating func translateAlias(_ name: String, _ value: JSONValue) {
        if let fact = ["filter", "index_routing", "search_routing"].first(where: { value[$0] != .null }) {
            return lose(.aliases, [name], value, "an alias in Solr has no \(fact)")
        }
        keepAlias(name, .object([]))
        guard isCluster else { return }
        for (key, fact) in value.dictionary {
            lose(.aliases, [name, key], fact, "an alias in Solr has no such property")
        }
    }

    /// Returns the field in Solr for a property; `nil` if it has no counterpart.
    private mutating func solrField(_ name: String, _ property: JSONValue) -> JSONValue? {
        let path = ["properties", name]
        let kind = property["type"].text ?? (property["properties"] == .null ? "" : "object")
        guard let type = Self.solrTypes[kind] else {
            let isNested = kind == "object" || kind == "nested"
            lose(
                .mappings,
                path,
                property,
                isNested ? "Solr has no fields inside objects" : "no type of Solr corresponds to '\(kind)'"
            )
            return nil
        }
        let isReserved = name == "id" || name.hasPrefix("_") && name.hasSuffix("_")
        guard !isReserved, Self.isPlain(name) else {
            let reason = isReserved ? "Solr uses this name for its own field" : "Solr does not support this name"
            lose(.mappings, path, property, reason)
            return nil
        }
        var field: [String: JSONValue] = ["type": .string(type), "multiValued": .bool(true)]
        for (key, value) in property.dictionary {
            switch (key, value.bool) {
            case ("type", _), ("copy_to", _): break
            case ("index", let isIndexed?): field["indexed"] = .bool(isIndexed)
            case ("doc_values", let hasValues?): field["docValues"] = .bool(hasValues)
            case ("analyzer", _), ("search_analyzer", _), ("normalizer", _), ("search_quote_analyzer", _):
                lose(.mappings, path + [key], value, Self.noAnalyzers)
            case ("fields", _): lose(.mappings, path + [key], value, "a field in Solr has no subfields")
            case ("format", _): lose(.mappings, path + [key], value, Self.oneFormat)
            default: lose(.mappings, path + [key], value, "a field in Solr has no such property")
            }
        }
        return .sorted(field)
    }

    private static let oneFormat =
        "dates in Solr have one format, such as 2026-11-29T12:00:00Z: convert the values before they are fed"
    private static let noAnalyzers = "analyzers are not translated"

    /// The usual field types of Solr, which its config set `_default` contains.
    private static let solrTypes = [
        "text": "text_general", "keyword": "string", "boolean": "boolean", "byte": "pint", "short": "pint",
        "integer": "pint", "long": "plong", "half_float": "pfloat", "float": "pfloat", "double": "pdouble",
        "date": "pdate",
    ]

    /// Returns whether a name consists of letters, digits, `_`, `-` and `.`, and does not begin with a digit.
    private static func isPlain(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        guard let first = scalars.first, !("0"..."9").contains(first) else { return false }
        return scalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".unicodeScalars.contains($0)
        }
    }

    // MARK: From Solr to an index

    private mutating func translateSchema() {
        for (name, value) in source.settings.dictionary {
            switch (name, value.int) {
            case ("numShards", let count?) where count > 0: settings["index.number_of_shards"] = .string("\(count)")
            case ("replicationFactor", let count?) where count > 0:
                settings["index.number_of_replicas"] = .string("\(count - 1)")
            default: lose(.settings, [name], value, "only Solr has this setting")
            }
        }
        let schema = source.mappings
        var usedTypes: Set<String> = []
        var properties: [String: JSONValue] = [:]
        // The unique key becomes the document's ID, and Solr fills the others itself.
        let omitted = [schema["uniqueKey"].text ?? "id", "_version_", "_root_", "_nest_path_"]
        for (name, field) in schema["fields"].dictionary where !omitted.contains(name) {
            properties[name] = indexField(["fields", name], field, &usedTypes)
        }
        translateDynamicFields(&usedTypes)
        translateCopies(&properties)
        if !properties.isEmpty { mappings["properties"] = .sorted(properties) }
        for (name, type) in schema["fieldTypes"].dictionary where usedTypes.contains(name) {
            guard let analyzer = Self.analyzers.first(where: { type[$0] != .null }) else { continue }
            lose(.mappings, ["fieldTypes", name, analyzer], type[analyzer], Self.noAnalyzers)
        }
        let known = ["fields", "dynamicFields", "copyFields", "fieldTypes", "uniqueKey", "version"]
        for (key, value) in schema.dictionary where !known.contains(key) {
            lose(.mappings, [key], value, "\(engine.rawValue) has no counterpart")
        }
        for (name, value) in source.aliases.dictionary {
            if value.members.isEmpty {
                keepAlias(name, value)
            } else {
                lose(.aliases, [name], value, "only an alias in Solr has properties")
            }
        }
    }

    /// Translates dynamic fields to templates; the longest name comes first, because Solr prefers it.
    private mutating func translateDynamicFields(_ usedTypes: inout Set<String>) {
        let dynamic = source.mappings["dynamicFields"].dictionary.sorted { first, second in
            (second.key.utf8.count, first.key) < (first.key.utf8.count, second.key)
        }
        var templates: [JSONValue] = []
        for (name, field) in dynamic {
            guard let mapping = indexField(["dynamicFields", name], field, &usedTypes) else { continue }
            templates.append(.sorted([name: .sorted(["match": .string(name), "mapping": mapping])]))
        }
        if !templates.isEmpty { mappings["dynamic_templates"] = .array(templates) }
    }

    private mutating func translateCopies(_ properties: inout [String: JSONValue]) {
        for (from, targets) in source.mappings["copyFields"].dictionary {
            var names: [JSONValue] = []
            for (target, rule) in targets.dictionary {
                if properties[from] != nil, properties[target] != nil, rule.members.isEmpty {
                    names.append(.string(target))
                } else {
                    let reason =
                        rule.members.isEmpty
                        ? "only fields that were both carried over can be copied" : "a copy is never shortened"
                    lose(.mappings, ["copyFields", from, target], rule, reason)
                }
            }
            guard !names.isEmpty, var property = properties[from]?.dictionary else { continue }
            names.sort { ($0.text ?? "") < ($1.text ?? "") }
            // Engines return a list, even if it has only one name.
            property["copy_to"] = .array(names)
            properties[from] = .sorted(property)
        }
    }

    /// Returns the property for a field in Solr; `nil` if it has no counterpart.
    private mutating func indexField(
        _ path: [String],
        _ field: JSONValue,
        _ usedTypes: inout Set<String>
    ) -> JSONValue? {
        let typeName = field["type"].text ?? ""
        let type = source.mappings["fieldTypes"][typeName]
        let name = (type["class"].text ?? "").split(separator: ".").last.map(String.init) ?? ""
        guard let kind = Self.indexTypes[name] else {
            let unknown = type == .null ? "the definition has no field type '\(typeName)'" : nil
            lose(.mappings, path, field, unknown ?? "no type of \(engine.rawValue) corresponds to \(name)")
            return nil
        }
        usedTypes.insert(typeName)
        var property: [String: JSONValue] = ["type": .string(kind)]
        if (field["indexed"].bool ?? type["indexed"].bool) == false { property["index"] = .bool(false) }
        let hasValues = field["docValues"].bool ?? type["docValues"].bool
        if hasValues == false, kind != "text" { property["doc_values"] = .bool(false) }
        for (key, value) in field.dictionary where !Self.implied.contains(key) {
            if key == "stored", value.bool == true { continue }
            let reason = key == "stored" ? "documents are always kept whole" : "a property has no such parameter"
            lose(.mappings, path + [key], value, reason)
        }
        return .sorted(property)
    }

    private static let analyzers = ["analyzer", "indexAnalyzer", "queryAnalyzer", "multiTermAnalyzer"]

    /// The properties of a field that are translated, or that any field of an index has.
    private static let implied = [
        "type", "indexed", "docValues", "multiValued", "useDocValuesAsStored", "uninvertible", "sortMissingLast",
    ]

    private static let indexTypes = [
        "StrField": "keyword", "TextField": "text", "SortableTextField": "text", "BoolField": "boolean",
        "IntPointField": "integer", "TrieIntField": "integer", "LongPointField": "long", "TrieLongField": "long",
        "FloatPointField": "float", "TrieFloatField": "float", "DoublePointField": "double",
        "TrieDoubleField": "double", "DatePointField": "date", "TrieDateField": "date",
    ]
}

extension JSONValue {
    /// Returns an object with its keys in the order of a definition.
    fileprivate static func sorted(_ members: [String: JSONValue]) -> JSONValue {
        .object(
            members.map { Member(key: $0.key, value: $0.value) }.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
        )
    }

    /// The members of an object by their keys; empty for anything else.
    fileprivate var dictionary: [String: JSONValue] {
        Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
