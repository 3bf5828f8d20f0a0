package import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

/// The definitions of collections: the schema, and in a cluster the shards, replicas and aliases.
///
/// A config set also contains `solrconfig.xml`, which is not part of a definition.
extension SolrEngine: DefinitionAdministration {
    package var definedEngine: CollectionDefinition.Engine { .solr }
    package var isCluster: Bool { solr.mode != .standalone }

    package func definition(of name: CollectionName) async throws(EngineError) -> CollectionDefinition {
        guard await solr.presence(of: name) != .absent else { throw await solr.missing(name) }
        do {
            let aliases = try await solr.aliases()
            let collection = try Self.only(aliases[name.rawValue] ?? [name.rawValue], behind: name)
            let schema = try await solr.client.tree(EnginePath(collection.rawValue, "schema"))["schema"]
            let properties = try await aliasProperties()
            let settings = try await shardSettings(of: collection)
            let holding = aliases.filter { $0.value.contains(collection.rawValue) }.keys
            return try definition(
                of: collection,
                version: version,
                settings: settings,
                mappings: SchemaDefinition(schema: schema).mappings,
                aliases: .object(
                    holding.map { alias in
                        let facts = properties[alias]
                        let hasFacts = !facts.members.isEmpty
                        let value = JSONValue.object(
                            hasFacts ? [JSONValue.Member(key: "properties", value: facts)] : []
                        )
                        return JSONValue.Member(key: alias, value: value)
                    }
                )
            )
        } catch let error as EngineError {
            throw error
        } catch let error as RequestFailure {
            let error = await solr.error(error, about: name)
            throw isCluster ? error.needing("schema-read", "collection-admin-read") : error.needing("schema-read")
        } catch {
            throw EngineError(.unusable, "the definition of '\(name)' at \(target) can't be read: \(error)")
        }
    }

    private static func only(
        _ collections: [String],
        behind name: CollectionName
    ) throws(EngineError) -> CollectionName {
        guard let first = collections.first, collections.count == 1 else {
            throw EngineError(
                .rejected,
                "'\(name)' refers to \(collections.count) collections, each with its own definition",
                advice: "specify one of them: \(collections.sorted().prefix(3).joined(separator: ", "))"
            )
        }
        return CollectionName(first)
    }

    private func aliasProperties() async throws(RequestFailure) -> JSONValue {
        guard isCluster else { return .null }
        return try await solr.client.tree(EnginePath("admin", "collections").with("action", "LISTALIASES"))[
            "properties"
        ]
    }

    /// Returns the numbers of shards and replicas under the names that create a collection.
    private func shardSettings(of name: CollectionName) async throws(RequestFailure) -> JSONValue {
        guard isCluster else { return .object([]) }
        let collection = try await solr.status(of: name)[name.rawValue]
        var settings = [JSONValue.Member(key: "numShards", value: .string("\(collection["shards"].members.count)"))]
        for key in ["replicationFactor", "tlogReplicas", "pullReplicas"] {
            guard let count = collection[key].int, count > 0 else { continue }
            settings.append(JSONValue.Member(key: key, value: .string("\(count)")))
        }
        let router = collection["router"]
        if let name = router["name"].text, name != CollectionRouter.compositeID {
            settings.append(JSONValue.Member(key: "router.name", value: .string(name)))
        }
        if let field = router["field"].text {
            settings.append(JSONValue.Member(key: "router.field", value: .string(field)))
        }
        return .object(settings)
    }

    // MARK: Creation

    package func create(
        _ name: CollectionName,
        from definition: CollectionDefinition,
        moving: AliasMoves
    ) async throws(EngineError) -> DefinedCollection {
        try name.validate()
        try require(definition, toFit: name)
        let isNew = try await isNew(name)
        let taken = try await takenAliases(of: definition, for: name, moving)
        if isNew { try await createCollection(name, definition) }
        try await changeSchema(of: name, to: definition, isNew: isNew)
        var moved: [CollectionAlias] = []
        for alias in definition.aliasNames where taken[alias] != [name] {
            do {
                let before = try await point(alias, to: name)
                if !before.isEmpty { moved.append(CollectionAlias(name: alias, collections: before)) }
            } catch {
                throw EngineError(
                    error.code,
                    "'\(name)' \(isNew ? "was created" : "has its schema"), but its alias '\(alias)' was not set: "
                        + error.message,
                    advice: "set it with: fastctl collections alias swap \(alias) \(name)",
                    cause: error
                )
            }
        }
        return DefinedCollection(isNew: isNew, moved: moved)
    }

    /// Returns the collections that the definition's aliases point at, and refuses to take an alias without permission.
    private func takenAliases(
        of definition: CollectionDefinition,
        for name: CollectionName,
        _ moving: AliasMoves
    ) async throws(EngineError) -> [CollectionName: [CollectionName]] {
        guard !definition.aliasNames.isEmpty else { return [:] }
        guard isCluster else {
            throw EngineError(
                .unsupported,
                "'\(name)' was not created: the definition has aliases, and only SolrCloud has aliases",
                advice: moving.withoutAliases
            )
        }
        let holders = Dictionary(try await aliases().map { ($0.name, $0.collections) }) { first, _ in first }
        for alias in definition.aliasNames where !definition[.aliases][alias.rawValue].members.isEmpty {
            throw EngineError(
                .unsupported,
                "'\(name)' was not created: the alias '\(alias)' has properties, which only Solr's own tools can set",
                advice: "\(moving.withoutAliases), and set them with CREATEALIAS"
            )
        }
        let wanted = holders.filter { definition.aliasNames.contains($0.key) }
        if let refusal = moving.refusal(of: name, taking: wanted) { throw refusal }
        return holders
    }

    /// Returns whether the collection must be created; throws if it exists and its schema can't be changed.
    private func isNew(_ name: CollectionName) async throws(EngineError) -> Bool {
        switch await solr.presence(of: name) {
        case .unknown:
            throw EngineError(
                .permission,
                "these credentials do not show whether '\(name)' exists, so it was not created",
                advice: "use credentials that can list the collections"
            )
        case .present:
            try await requireEmpty(name)
            return false
        case .absent:
            guard solr.mode == .cloud else {
                throw EngineError(
                    .unsupported,
                    "'\(name)' was not created: without SolrCloud, a core that is created over HTTP shares its schema "
                        + "with the other cores of its config set",
                    advice:
                        "create a core of its own on the server with 'bin/solr create -c \(name)', and run the same "
                        + "command again"
                )
            }
            return true
        }
    }

    /// Refuses a collection with documents, because their index would no longer fit the schema, and a schema that
    /// other collections use.
    private func requireEmpty(_ name: CollectionName) async throws(EngineError) {
        let count: Int
        let isLive: Bool
        let sharing: [String]
        let isAlias: Bool
        do {
            isAlias = try await solr.aliases()[name.rawValue] != nil
            (count, isLive) = try await solr.committedCount(name)
            sharing = try await collectionsSharingConfigSet(of: name)
        } catch {
            throw await solr.error(error, about: name)
        }
        guard isLive || isAlias || count > 0 else {
            throw EngineError(
                .permission,
                "whether '\(name)' has documents is not known: the user may not commit at \(target), so some may not be "
                    + "visible yet",
                advice: "use an account that may update the collection"
            )
        }
        guard !isAlias, count == 0 else {
            let what = isAlias ? "is an alias" : "exists and has \(Quantity(count, "document", "documents"))"
            throw EngineError(
                .collectionExists,
                "'\(name)' \(what) at \(target): only a collection without documents can get another definition",
                advice: "see its contents: fastctl collections show \(name)"
            )
        }
        guard sharing.isEmpty else {
            throw EngineError(
                .rejected,
                "'\(name)' exists, and its schema is in a config set that \(sharing.prefix(3).joined(separator: ", ")) "
                    + (sharing.count > 1 ? "also use" : "also uses") + (sharing.count > 3 ? ", with others" : ""),
                advice: "use a new name: a new collection gets a config set of its own"
            )
        }
    }

    private func collectionsSharingConfigSet(of name: CollectionName) async throws(RequestFailure) -> [String] {
        guard isCluster else { return [] }
        let sets = try await configSetsInUse()
        guard let own = sets[name.rawValue] else { return [] }
        return sets.filter { $0.value == own && $0.key != name.rawValue }.keys.sorted()
    }

    /// Returns the name of each collection's config set.
    private func configSetsInUse() async throws(RequestFailure) -> [String: String] {
        let status = try await solr.client.tree(EnginePath("admin", "collections").with("action", "CLUSTERSTATUS"))
        return status["cluster"]["collections"].members.reduce(into: [:]) { sets, collection in
            sets[collection.key] = collection.value["configName"].text
        }
    }

    /// Creates a collection with its own copy of the usual config set, which Solr deletes together with it.
    private func createCollection(
        _ name: CollectionName,
        _ definition: CollectionDefinition
    ) async throws(EngineError) {
        let own = name.rawValue + CollectionCreation.generatedSuffix
        let sets: [String]
        do { sets = try await configSets() } catch { throw error.needing("config-read") }
        let settings = definition[.settings].members.map { CollectionSetting(name: $0.key, value: $0.value.text ?? "") }
        let base = try CollectionCreation(name, settings, mode: solr.mode, configSets: sets).configSet
        let others = settings.filter { $0.name != CollectionCreation.configSet }
        // Solr copies its default config set itself; the API refuses that to users who are not authenticated.
        // A collection's own config set is such a copy, and the definition has the schema by which it differs.
        let isDefault =
            base == CollectionCreation.defaultConfigSet
            || base.hasSuffix(CollectionCreation.generatedSuffix) && sets.contains(CollectionCreation.defaultConfigSet)
        let copiesDefault = isDefault && !sets.contains(own)
        let creation = try CollectionCreation(
            name,
            others + [CollectionSetting(name: CollectionCreation.configSet, value: own)],
            mode: solr.mode,
            configSets: [own],
            copiesDefault: copiesDefault
        )
        let user: String?
        do {
            user = sets.contains(own) ? try await configSetsInUse().first { $0.value == own }?.key : nil
        } catch {
            throw EngineError(error).needing("collection-admin-read")
        }
        if let user {
            throw EngineError(
                .rejected,
                "'\(name)' was not created: the collection '\(user)' uses its config set, '\(own)'",
                advice: "use another name"
            )
        }
        // If the config set exists, it remains from an attempt that failed.
        if !sets.contains(own), !copiesDefault { try await copyConfigSet(base, to: own) }
        do {
            _ = try await solr.client.send(creation.request)
        } catch {
            throw creation.error(error).needing("collection-admin-edit")
        }
    }

    /// Copies a config set; Solr answers a user without authentication with 401 if an authenticated user created it.
    private func copyConfigSet(_ base: String, to own: String) async throws(EngineError) {
        let path = EnginePath("admin", "configs").with("action", "CREATE").with("name", own)
        var request = EngineRequest(.get, path.with("baseConfigSet", base).with("wt", "json"))
        request.isReading = false
        do {
            _ = try await solr.client.send(request)
        } catch {
            let reason = EngineError(error).needing("config-edit")
            throw EngineError(
                reason.code,
                "no collection was created: its config set can't be copied from '\(base)': \(reason.message)",
                advice: "\(reason.advice ?? "remove the cause"), or copy the config set on the server, as '\(own)'",
                cause: reason
            )
        }
    }

    private func changeSchema(
        of name: CollectionName,
        to definition: CollectionDefinition,
        isNew: Bool
    ) async throws(EngineError) {
        let state = isNew ? "'\(name)' was created, but its schema was not changed" : "'\(name)' was not changed"
        let path = EnginePath(name.rawValue, "schema")
        let wanted = SchemaDefinition(mappings: definition[.mappings])
        let schema: SchemaDefinition
        do {
            schema = SchemaDefinition(schema: try await solr.client.tree(path)["schema"])
        } catch {
            throw Self.error(error, state, needing: "schema-read")
        }
        if let obstacle = wanted.obstacle(to: schema) {
            throw EngineError(
                .rejected,
                "\(state): \(obstacle)",
                advice: "create a collection with another config set, and import the definition into it: "
                    + "fastctl collections create NAME --setting configSet=SET"
            )
        }
        guard let body = wanted.commands(for: schema) else { return }
        if !isCluster {
            solr.remark("if other cores use the config set of '\(name)', their schema changes as well")
        }
        var request = EngineRequest(.post, path.with("wt", "json"), body: body)
        request.timeout = CollectionCreation.timeout
        do {
            _ = try await solr.client.send(request)
        } catch {
            let state = error.isReplyLost ? "the schema of '\(name)' may have been changed" : state
            throw Self.error(error, state, needing: "schema-edit")
        }
    }

    private static func error(_ failure: RequestFailure, _ state: String, needing right: String) -> EngineError {
        let reason = EngineError(failure).needing(right)
        let cause = reason.code == .permission ? reason.advice : nil
        return EngineError(
            reason.code,
            "\(state): \(reason.message)",
            advice: "\(cause ?? "remove the cause"), and run the same command again: the collection has no documents",
            cause: reason
        )
    }
}

/// The schema of a collection, as the mappings of a definition: each list is an object with the names as its keys.
struct SchemaDefinition: Hashable {
    let mappings: JSONValue

    /// A list in Solr's schema whose elements have names, with the words for it in commands.
    private static let lists = [("fieldTypes", "field-type"), ("fields", "field"), ("dynamicFields", "dynamic-field")]

    init(mappings: JSONValue) { self.mappings = mappings }

    /// Reads the `schema` in Solr's reply.
    init(schema: JSONValue) {
        var members: [JSONValue.Member] = []
        for member in schema.members where member.key != "name" {
            let value: JSONValue
            if member.key == "copyFields" {
                value = Self.copies(member.value)
            } else if Self.lists.contains(where: { $0.0 == member.key }) {
                value = .object(
                    member.value.elements.compactMap { element in
                        guard let name = element["name"].text else { return nil }
                        let facts = element.members.filter { $0.key != "name" }
                        return JSONValue.Member(key: name, value: .object(facts))
                    }
                )
            } else {
                value = member.value
            }
            members.append(JSONValue.Member(key: member.key, value: value))
        }
        mappings = .object(members)
    }

    /// Returns the rules for copying fields by their sources and targets.
    private static func copies(_ rules: JSONValue) -> JSONValue {
        var copies: [String: [JSONValue.Member]] = [:]
        for rule in rules.elements {
            guard let source = rule["source"].text, let target = rule["dest"].text else { continue }
            let facts = rule.members.filter { $0.key == "maxChars" }
            guard copies[source]?.contains(where: { $0.key == target }) != true else { continue }
            copies[source, default: []].append(JSONValue.Member(key: target, value: .object(facts)))
        }
        return .object(
            copies.sorted { $0.key < $1.key }.map { JSONValue.Member(key: $0.key, value: .object($0.value)) }
        )
    }

    /// Whether the definition has the whole schema, so that anything else is removed from a collection.
    ///
    /// A definition that was translated for Solr only has fields.
    private var isWhole: Bool { mappings["uniqueKey"] != .null }

    /// Returns the reason why the Schema API can't change a schema to this one; `nil` if it can.
    func obstacle(to schema: SchemaDefinition) -> String? {
        let editable = Self.lists.map(\.0) + ["copyFields", "version"]
        for member in mappings.members where !editable.contains(member.key) {
            let current = schema.mappings[member.key]
            guard !member.value.isSame(as: current) else { continue }
            let (found, wanted) = (current.text ?? "another one", member.value.text ?? "that of the definition")
            return "its \(member.key) is \(found), not \(wanted), and can't be changed"
        }
        return nil
    }

    /// Returns the commands that change a schema to this one; `nil` if there is nothing to change.
    ///
    /// Solr carries them out in this order, and either all or none.
    func commands(for schema: SchemaDefinition) -> [UInt8]? {
        var commands: [(name: String, arguments: [JSONValue])] = []
        let (oldCopies, newCopies) = (schema.copyRules, copyRules)
        let removed = oldCopies.filter { old in
            newCopies[old.key] != old.value && (isWhole || newCopies[old.key] != nil)
        }
        commands.append(("delete-copy-field", removed.keys.sorted(by: CopyPair.isBefore).map { $0.command([]) }))
        var deletions: [(name: String, arguments: [JSONValue])] = []
        for (list, word) in Self.lists {
            let (old, new) = (schema.mappings[list].members, wanted(list, in: schema).members)
            let known = Dictionary(old.map { ($0.key, $0.value) }) { first, _ in first }
            let changed = new.filter { member in known[member.key].map { !$0.isSame(as: member.value) } ?? true }
            commands.append(("add-\(word)", changed.filter { known[$0.key] == nil }.map(\.named)))
            commands.append(("replace-\(word)", changed.filter { known[$0.key] != nil }.map(\.named)))
            guard isWhole else { continue }
            let names = Set(new.map(\.key))
            let extra = old.filter { !names.contains($0.key) && $0.key != "_version_" }
            let arguments = extra.map { JSONValue.Member(key: $0.key, value: .object([])).named }
            deletions.append(("delete-\(word)", arguments))
        }
        // A field type can be deleted only after its fields.
        commands += deletions.reversed()
        let added = newCopies.filter { new in oldCopies[new.key] != new.value }
        commands.append(
            (
                "add-copy-field",
                added.sorted { CopyPair.isBefore($0.key, $1.key) }.map { $0.key.command($0.value.members) }
            )
        )
        commands.removeAll { $0.arguments.isEmpty }
        guard !commands.isEmpty else { return nil }
        return JSONWriter.object { writer in
            for command in commands { writer.member(command.name, JSONValue.array(command.arguments)) }
        }
    }

    /// Returns a list of this definition, with the usual field types that its fields need and the schema lacks.
    private func wanted(_ list: String, in schema: SchemaDefinition) -> JSONValue {
        guard list == "fieldTypes", !isWhole else { return mappings[list] }
        let used = Set(
            ["fields", "dynamicFields"].flatMap { mappings[$0].members.compactMap { $0.value["type"].text } }
        )
        let missing = used.filter { mappings[list][$0] == .null && schema.mappings[list][$0] == .null }
        let types = missing.sorted().compactMap { name in
            Self.usualTypes[name].map { JSONValue.Member(key: name, value: $0) }
        }
        return .object(mappings[list].members + types)
    }

    /// The rules for copying fields, each with its properties.
    private var copyRules: [CopyPair: JSONValue] {
        var rules: [CopyPair: JSONValue] = [:]
        for source in mappings["copyFields"].members {
            for target in source.value.members {
                rules[CopyPair(source: source.key, target: target.key)] = target.value
            }
        }
        return rules
    }

    /// A source and a target of a rule for copying fields.
    private struct CopyPair: Hashable {
        let source: String
        let target: String

        func command(_ facts: [JSONValue.Member]) -> JSONValue {
            .object(
                [
                    JSONValue.Member(key: "source", value: .string(source)),
                    JSONValue.Member(key: "dest", value: .string(target)),
                ] + facts
            )
        }

        static func isBefore(_ first: CopyPair, _ second: CopyPair) -> Bool {
            (first.source, first.target) < (second.source, second.target)
        }
    }

    /// The field types of Solr's config set `_default` to which the fields of other engines are translated.
    private static let usualTypes: [String: JSONValue] = [
        "string": type("StrField", [("sortMissingLast", .bool(true)), ("docValues", .bool(true))]),
        "boolean": type("BoolField", [("sortMissingLast", .bool(true))]),
        "pint": type("IntPointField", [("docValues", .bool(true))]),
        "plong": type("LongPointField", [("docValues", .bool(true))]),
        "pfloat": type("FloatPointField", [("docValues", .bool(true))]),
        "pdouble": type("DoublePointField", [("docValues", .bool(true))]),
        "pdate": type("DatePointField", [("docValues", .bool(true))]),
        "text_general": type("TextField", [("positionIncrementGap", .string("100")), ("analyzer", analyzer)]),
    ]

    private static let analyzer = JSONValue.object([
        JSONValue.Member(
            key: "tokenizer",
            value: .object([JSONValue.Member(key: "class", value: .string("solr.StandardTokenizerFactory"))])
        ),
        JSONValue.Member(
            key: "filters",
            value: .array([
                .object([JSONValue.Member(key: "class", value: .string("solr.LowerCaseFilterFactory"))])
            ])
        ),
    ])

    private static func type(_ name: String, _ facts: [(String, JSONValue)]) -> JSONValue {
        .object(
            [JSONValue.Member(key: "class", value: .string("solr." + name))]
                + facts.map { JSONValue.Member(key: $0.0, value: $0.1) }
        )
    }
}

extension JSONValue.Member {
    /// The value, with the key as its name.
    fileprivate var named: JSONValue {
        .object([JSONValue.Member(key: "name", value: .string(key))] + value.members)
    }
}

extension JSONValue {
    /// Returns whether the values are equal, apart from the order of keys.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object(let first), .object(let second)):
            first.count == second.count && first.allSatisfy { $0.value.isSame(as: other[$0.key]) }
        case (.array(let first), .array(let second)):
            first.count == second.count && zip(first, second).allSatisfy { $0.isSame(as: $1) }
        default: self == other
        }
    }
}
