package import JSONText
import TextKit

/// A collection's definition: the settings, mappings and aliases that a user chose, without documents.
///
/// Its file format is `fastctl.collectionDefinition/1`: the engine's own JSON with sorted keys, which can be reviewed
/// and kept in version control. Two definitions are equal if the engine would treat them alike: settings are flat,
/// their values are text, and settings that the engine assigns itself are omitted. The mappings of Solr are its schema,
/// with an object in place of each list: its keys are the names of the fields or field types.
public struct CollectionDefinition: Hashable, Sendable {
    /// The kind of an engine whose collections can be defined in a file.
    public enum Engine: String, Hashable, Sendable, CaseIterable {
        case openSearch = "opensearch"
        case elasticsearch
        case solr
        /// The embedded index, which has neither field types nor aliases.
        case embedded

        /// Whether definitions have the form of OpenSearch and Elasticsearch.
        var isOfIndices: Bool { self == .openSearch || self == .elasticsearch }
    }

    /// A part of a definition.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        case settings, mappings, aliases
    }

    /// The kind of the engine that the definition is for.
    public private(set) var engine: Engine
    /// The version of that engine; `nil` if it is unknown.
    public private(set) var version: String?
    /// The collection's name.
    public let name: CollectionName
    /// The settings by their full names, such as `index.number_of_shards` or `numShards`; each value is a string or a
    /// list of strings.
    package private(set) var settings: JSONValue
    /// The mappings, as the engine writes them.
    package private(set) var mappings: JSONValue
    /// The aliases by their names, each with its filter, its routing, and whether it is the write index.
    package private(set) var aliases: JSONValue

    /// The maximum size of a definition's file, in bytes.
    public static let maximumByteCount = 16 << 20

    /// Creates a definition from the engine's own JSON.
    package init(
        engine: Engine,
        version: String?,
        name: CollectionName,
        settings: JSONValue,
        mappings: JSONValue,
        aliases: JSONValue
    ) throws(CollectionDefinitionError) {
        (self.engine, self.version, self.name) = (engine, version, name)
        self.settings = try Self.flat(settings, of: engine)
        self.mappings = try Self.sorted(mappings, in: .mappings)
        self.aliases = .object([])
        self.aliases = try Self.plain(Self.sorted(aliases, in: .aliases))
    }

    /// The names of the aliases, sorted.
    public var aliasNames: [CollectionName] { aliases.members.map { CollectionName($0.key) } }

    /// Returns the definition without the aliases for which the closure returns true.
    public func removingAliases(_ isRemoved: (CollectionName) -> Bool) -> CollectionDefinition {
        var copy = self
        copy.aliases = .object(aliases.members.filter { !isRemoved(CollectionName($0.key)) })
        return copy
    }

    /// Returns the definition with only some of its parts; the others are empty.
    public func keeping(_ parts: [Part]) -> CollectionDefinition {
        var copy = self
        if !parts.contains(.settings) { copy.settings = .object([]) }
        if !parts.contains(.mappings) { copy.mappings = .object([]) }
        if !parts.contains(.aliases) { copy.aliases = .object([]) }
        return copy
    }

    /// Returns a definition of the same collection for another engine, whose objects must have sorted keys.
    func replacing(engine: Engine, settings: JSONValue, mappings: JSONValue, aliases: JSONValue) -> Self {
        var copy = self
        if engine != self.engine { copy.version = nil }
        (copy.engine, copy.settings, copy.mappings, copy.aliases) = (engine, settings, mappings, aliases)
        return copy
    }

    /// The parts that specify anything.
    package var filledParts: [Part] { Part.allCases.filter { !self[$0].members.isEmpty } }

    package subscript(part: Part) -> JSONValue {
        switch part {
        case .settings: settings
        case .mappings: mappings
        case .aliases: aliases
        }
    }
}

/// A defect in the file of a definition.
public struct CollectionDefinitionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The defect and its position, as a fragment that can follow the file's name.
    public let description: String

    package init(_ description: String) { self.description = description }
}

// MARK: - The file

extension CollectionDefinition {
    private static let schema = "fastctl.collectionDefinition/1"

    /// Reads the contents of a definition's file.
    public init(json: [UInt8]) throws(CollectionDefinitionError) {
        guard json.count <= Self.maximumByteCount else {
            throw CollectionDefinitionError("it is larger than \(ShortByteCount(Self.maximumByteCount))")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(json)
        } catch {
            throw CollectionDefinitionError("it is not valid JSON: \(error)")
        }
        guard case .object = value, value["schema"] != .null else {
            throw CollectionDefinitionError(
                "it is not a definition: it has no member \"schema\" with the value \"\(Self.schema)\""
            )
        }
        guard value["schema"].text == Self.schema else {
            let found = value["schema"].text.map { "'\($0)'" } ?? "not a text"
            throw CollectionDefinitionError("\"schema\" is \(found), not '\(Self.schema)'")
        }
        let known = ["schema", "engine", "version", "name"] + Part.allCases.map(\.rawValue)
        var seen: Set<String> = []
        for key in value.members.map(\.key) {
            guard known.contains(key) else {
                throw CollectionDefinitionError("it has an unknown member \"\(key)\"")
            }
            guard seen.insert(key).inserted else { throw CollectionDefinitionError("\"\(key)\" occurs twice") }
        }
        guard let engine = value["engine"].text.flatMap(Engine.init) else {
            let names = Engine.allCases.map(\.rawValue).joined(separator: ", ")
            throw CollectionDefinitionError("\"engine\" must be one of: \(names)")
        }
        guard let name = value["name"].text, !name.isEmpty else {
            throw CollectionDefinitionError("\"name\" must be the collection's name")
        }
        try self.init(
            engine: engine,
            version: value["version"].text,
            name: CollectionName(name),
            settings: value["settings"],
            mappings: value["mappings"],
            aliases: value["aliases"]
        )
    }

    /// The contents of the definition's file: indented JSON with sorted keys, and a line end.
    public var json: [UInt8] {
        var writer = JSONWriter(.indented)
        writer.object { writer in
            writer.member("schema", Self.schema)
            writer.member("engine", engine.rawValue)
            writer.member("version", version)
            writer.member("name", name.rawValue)
            for part in Part.allCases { writer.member(part.rawValue, self[part]) }
        }
        writer.endLine()
        return writer.takeBytes()
    }
}

// MARK: - Normalization

extension CollectionDefinition {
    /// Returns settings under their full names; nested objects become names with dots, and values become text.
    private static func flat(
        _ settings: JSONValue,
        of engine: Engine
    ) throws(CollectionDefinitionError) -> JSONValue {
        var members: [JSONValue.Member] = []
        try collect(settings, below: "", into: &members)
        if engine.isOfIndices {
            members = members.map { member in
                let name = member.key.hasPrefix("index.") ? member.key : "index.\(member.key)"
                return JSONValue.Member(key: name, value: member.value)
            }
            members.removeAll { isAssigned($0.key, $0.value) }
        }
        return try sorted(.object(members), in: .settings)
    }

    private static func collect(
        _ value: JSONValue,
        below path: String,
        into members: inout [JSONValue.Member]
    ) throws(CollectionDefinitionError) {
        switch value {
        case .object(let inner):
            for member in inner {
                try collect(member.value, below: path.isEmpty ? member.key : "\(path).\(member.key)", into: &members)
            }
        case .null: break
        case .array, .string, .number, .bool:
            guard !path.isEmpty else { throw CollectionDefinitionError("\"settings\" is not an object") }
            members.append(JSONValue.Member(key: path, value: value.asText))
        }
    }

    /// Returns a value whose objects have sorted keys without duplicates.
    private static func sorted(_ value: JSONValue, in part: Part) throws(CollectionDefinitionError) -> JSONValue {
        switch value {
        case .object, .null: return try sorted(value == .null ? .object([]) : value, at: part.rawValue)
        case .array, .string, .number, .bool:
            throw CollectionDefinitionError("\"\(part.rawValue)\" is not an object")
        }
    }

    private static func sorted(_ value: JSONValue, at path: String) throws(CollectionDefinitionError) -> JSONValue {
        switch value {
        case .object(let members):
            var sorted: [JSONValue.Member] = []
            for member in members {
                let inner = try Self.sorted(member.value, at: "\(path).\(member.key)")
                sorted.append(JSONValue.Member(key: member.key, value: inner))
            }
            sorted.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (first, second) in zip(sorted, sorted.dropFirst()) where first.key.utf8.elementsEqual(second.key.utf8) {
                throw CollectionDefinitionError("\"\(path).\(first.key)\" occurs twice")
            }
            return .object(sorted)
        case .array(let elements):
            var sorted: [JSONValue] = []
            for element in elements { sorted.append(try Self.sorted(element, at: path)) }
            return .array(sorted)
        case .string, .number, .bool, .null: return value
        }
    }

    /// Returns aliases as the engine reports them: `routing` sets the routing of both the index and searches.
    private static func plain(_ aliases: JSONValue) throws(CollectionDefinitionError) -> JSONValue {
        var plain: [JSONValue.Member] = []
        for alias in aliases.members {
            guard case .object(var facts) = alias.value else {
                throw CollectionDefinitionError("the alias \"\(alias.key)\" is not an object")
            }
            if let routing = facts.first(where: { $0.key == "routing" })?.value {
                facts.removeAll { $0.key == "routing" }
                for key in ["index_routing", "search_routing"] where !facts.contains(where: { $0.key == key }) {
                    facts.append(JSONValue.Member(key: key, value: routing))
                }
            }
            facts.removeAll { $0.value == .null }
            facts.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            plain.append(JSONValue.Member(key: alias.key, value: .object(facts)))
        }
        return .object(plain)
    }
}

extension JSONValue {
    /// The value with its scalars as text, as engines return the values of settings.
    fileprivate var asText: JSONValue {
        switch self {
        case .bool(let isTrue): .string(isTrue ? "true" : "false")
        case .number(let text): .string(text)
        case .array(let elements): .array(elements.map(\.asText))
        case .object, .string, .null: self
        }
    }
}

// MARK: - Settings of one kind

extension CollectionDefinition {
    /// Returns whether the engine itself assigns a setting, so a user can't choose it.
    private static func isAssigned(_ name: String, _ value: JSONValue) -> Bool {
        switch name {
        // Elasticsearch assigns the tier to each index; on other engines, the setting would keep shards off all nodes.
        case "index.routing.allocation.include._tier_preference": value.text == "data_content"
        // OpenSearch 2 assigns this value to each index, unless the cluster has another default.
        case "index.replication.type": value.text == "DOCUMENT"
        default: name.isOne(of: assigned)
        }
    }

    /// The settings that the engines assign; a name that ends with a dot includes all settings below it.
    private static let assigned = [
        "index.uuid", "index.creation_date", "index.creation_date_string", "index.provided_name", "index.version.",
        "index.history.uuid", "index.history_uuid", "index.resize.", "index.shrink.", "index.split.",
        "index.routing.allocation.initial_recovery.", "index.verified_before_close", "index.verified_read_only",
        "index.blocks.read_only_allow_delete", "index.remote_store.", "index.transport_version.",
        "index.lifecycle.indexing_complete",
    ]

    /// Returns whether only this definition's engine supports a setting.
    func isOwn(_ setting: String) -> Bool { setting.isOne(of: Self.ownSettings(of: engine)) }

    /// Returns whether a setting blocks the collection, which keeps documents out of it.
    func isBlock(_ setting: String, _ value: JSONValue) -> Bool {
        engine.isOfIndices && setting.hasPrefix("index.blocks.") && value.text != "false"
    }

    /// The ingest pipelines that settings of an index name, by the names of the settings.
    package var pipelines: [String: String] {
        guard engine.isOfIndices else { return [:] }
        var pipelines: [String: String] = [:]
        for name in ["index.default_pipeline", "index.final_pipeline"] {
            // The engines have this word for the absence of a pipeline.
            if let pipeline = settings[name].text, pipeline != "_none" { pipelines[name] = pipeline }
        }
        return pipelines
    }

    /// Returns the settings that only this engine supports; a name that ends with a dot includes all settings below it.
    private static func ownSettings(of engine: Engine) -> [String] {
        switch engine {
        case .openSearch:
            [
                "index.knn", "index.knn.", "index.plugins.", "index.opendistro.", "index.replication.type",
                "index.search.default_pipeline", "index.search.concurrent_segment_search.",
                "index.search.concurrent.", "index.append_only.", "index.composite_index", "index.composite_index.",
                "index.context.", "index.merge_on_flush.", "index.derived_source.", "index.use_compound_file",
                "index.optimize_doc_id_lookup.", "index.unreferenced_file_cleanup.",
            ]
        case .elasticsearch:
            [
                "index.lifecycle.", "index.routing.allocation.include._tier_preference", "index.mode", "index.mode.",
                "index.time_series.", "index.look_ahead_time", "index.look_back_time", "index.logsdb.", "index.xpack.",
                "index.mapping.source.", "index.mapping.synthetic_source_keep", "index.mapping.semantic_text.",
                "index.frozen", "index.dense_vector.", "index.bloom_filter_for_id_field.", "index.esql.",
                "index.fast_refresh", "index.recovery.use_synthetic_source",
            ]
        case .solr, .embedded: []
        }
    }
}

extension String {
    /// Returns whether the text is one of `names`, or begins with one of them that ends with a dot.
    fileprivate func isOne(of names: [String]) -> Bool {
        names.contains { $0.hasSuffix(".") ? hasPrefix($0) : self == $0 }
    }
}

// MARK: - Differences

/// A difference between two definitions, at one path.
public struct DefinitionDifference: Hashable, Sendable {
    /// The part of the definition.
    public let part: CollectionDefinition.Part
    /// The keys that lead to the value in the part.
    public let path: [String]
    /// The value in the first definition; `nil` if it has none.
    package let first: JSONValue?
    /// The value in the second definition; `nil` if it has none.
    package let second: JSONValue?

    /// The keys, joined by dots.
    public var place: String { path.joined(separator: ".") }
}

extension CollectionDefinition {
    /// Returns the differences from another definition, ordered by part and path.
    ///
    /// The engine and the name are not compared. A value that only one of the definitions has is a single difference,
    /// regardless of the values it contains. A definition for another kind of engine is compared after this one is
    /// translated; values that can't be translated are differences, too.
    public func differences(to other: CollectionDefinition) -> [DefinitionDifference] {
        let (own, losses) = isTranslated(for: other.engine) ? adapted(to: other.engine) : (self, [])
        return Part.allCases.flatMap { part in
            losses.filter { $0.part == part }.map {
                DefinitionDifference(part: part, path: $0.path, first: $0.value, second: nil)
            } + Self.differences(own[part], other[part], part: part, at: [])
        }
    }

    /// Returns whether the definition has another form for this kind of engine.
    public func isTranslated(for engine: Engine) -> Bool {
        engine != self.engine && !(engine.isOfIndices && self.engine.isOfIndices)
    }

    /// Returns the values of this definition that an existing collection lacks, or has with other values.
    ///
    /// Values that only the collection has, for example from an index template, do not conflict, and neither does the
    /// version of Solr's schema, which can't be chosen.
    public func conflicts(with existing: CollectionDefinition) -> [DefinitionDifference] {
        differences(to: existing).filter { $0.first != nil && !($0.part == .mappings && $0.path == ["version"]) }
    }

    private static func differences(
        _ first: JSONValue,
        _ second: JSONValue,
        part: Part,
        at path: [String]
    ) -> [DefinitionDifference] {
        guard first != second else { return [] }
        guard case .object(let before) = first, case .object(let after) = second else {
            return [DefinitionDifference(part: part, path: path, first: first, second: second)]
        }
        let (old, new) = (Dictionary(before), Dictionary(after))
        let keys = Set(old.keys).union(new.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return keys.flatMap { key -> [DefinitionDifference] in
            guard let one = old[key], let two = new[key] else {
                return [DefinitionDifference(part: part, path: path + [key], first: old[key], second: new[key])]
            }
            return differences(one, two, part: part, at: path + [key])
        }
    }
}

extension [String: JSONValue] {
    fileprivate init(_ members: [JSONValue.Member]) {
        self.init(members.map { ($0.key, $0.value) }) { first, _ in first }
    }
}

// MARK: - Engines

/// An open engine that reports the definitions of its collections, and creates collections from them.
public protocol DefinitionAdministration: CollectionAdministration {
    /// The kind of definition that the engine understands.
    var definedEngine: CollectionDefinition.Engine { get }
    /// Whether the engine's collections have shards and aliases, which a single Solr core and the embedded index lack.
    var isCluster: Bool { get }

    /// Returns the definition of a collection, or of the only collection behind an alias.
    func definition(of name: CollectionName) async throws(EngineError) -> CollectionDefinition

    /// Returns the reasons why settings of a definition can't be used here although the engine supports them, by the
    /// names of the settings: for example, that they refer to an ingest pipeline that does not exist.
    func obstacles(toSettingsOf definition: CollectionDefinition) async throws(EngineError) -> [String: String]

    /// Creates a collection with the settings, mappings and aliases of a definition.
    ///
    /// Throws, without creating anything, if the collection exists, or if aliases point at other collections and are
    /// not in `moving`. An engine that creates a collection in one step also creates nothing if it does not accept a
    /// part of the definition. Solr changes the schema of a collection after creating it, and therefore also accepts
    /// an existing collection without documents. In the end, the aliases in `moving` are moved to the collection from
    /// all others.
    @discardableResult
    func create(
        _ name: CollectionName,
        from definition: CollectionDefinition,
        moving: AliasMoves
    ) async throws(EngineError) -> DefinedCollection
}

extension DefinitionAdministration {
    /// Returns no obstacles: the settings of most engines refer to nothing else.
    public func obstacles(toSettingsOf definition: CollectionDefinition) async throws(EngineError) -> [String: String] {
        [:]
    }
}

/// The aliases that a new collection takes from others, and the advice for the command that creates it.
public struct AliasMoves: Hashable, Sendable, ExpressibleByArrayLiteral {
    private let names: Set<CollectionName>
    private let isCopy: Bool

    /// Creates the moves that an import asks for.
    public init(_ names: some Sequence<CollectionName>) { (self.names, isCopy) = (Set(names), false) }

    /// Creates the moves that an import asks for.
    public init(arrayLiteral names: CollectionName...) { self.init(names) }

    private init(isCopy: Bool) { (names, self.isCopy) = ([], isCopy) }

    /// A copy takes no aliases from other collections.
    public static let ofCopy = AliasMoves(isCopy: true)

    /// The advice to create the collection without aliases.
    package var withoutAliases: String { isCopy ? "leave 'aliases' out of --with" : "use --without-aliases" }

    /// Returns the refusal of a collection whose aliases point at other collections; `nil` if all of them may be moved.
    package func refusal(
        of name: CollectionName,
        taking holders: [CollectionName: [CollectionName]]
    ) -> EngineError? {
        let taken = holders.filter { !$0.value.isEmpty && $0.value != [name] && !names.contains($0.key) }
            .sorted { $0.key < $1.key }
        guard !taken.isEmpty else { return nil }
        let places = taken.map { alias, collections in
            let some = collections.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
            return "the alias '\(alias)' points at \(some)\(collections.count > 3 ? ", …" : "")"
        }
        let moves = taken.map { "--move-alias \(CommandLineWords.quoted($0.key.rawValue))" }.joined(separator: " ")
        // The two options contradict each other.
        let advice = isCopy ? withoutAliases : names.isEmpty ? "\(withoutAliases), or \(moves)" : "also use \(moves)"
        return EngineError(
            .rejected,
            "'\(name)' was not created: \(places.joined(separator: ", and "))",
            advice: advice
        )
    }
}

/// The result of creating a collection from a definition.
public struct DefinedCollection: Hashable, Sendable {
    /// Whether the collection is new, and did not exist without documents before.
    public let isNew: Bool
    /// The aliases that were moved, each with the collections that it pointed at before.
    public let moved: [CollectionAlias]

    /// Creates a result.
    public init(isNew: Bool, moved: [CollectionAlias]) { (self.isNew, self.moved) = (isNew, moved) }
}

extension DefinitionAdministration {
    /// Returns the definition of a collection from the engine's own JSON.
    package func definition(
        of name: CollectionName,
        version: String? = nil,
        settings: JSONValue,
        mappings: JSONValue = .null,
        aliases: JSONValue = .null
    ) throws(EngineError) -> CollectionDefinition {
        do throws(CollectionDefinitionError) {
            return try CollectionDefinition(
                engine: definedEngine,
                version: version,
                name: name,
                settings: settings,
                mappings: mappings,
                aliases: aliases
            )
        } catch {
            throw EngineError(.unusable, "the definition of '\(name)' at \(target) can't be read: \(error)")
        }
    }

    /// Throws if the definition is for another kind of engine, or has an alias with the collection's name.
    package func require(_ definition: CollectionDefinition, toFit name: CollectionName) throws(EngineError) {
        guard definition.engine == definedEngine else {
            throw EngineError(
                .unsupported,
                "the definition is for \(definition.engine.rawValue), and \(target) is \(definedEngine.rawValue)",
                advice: "adapt the definition first"
            )
        }
        guard !definition.aliasNames.contains(name) else {
            throw EngineError(
                .rejected,
                "'\(name)' was not created: the definition has an alias of the same name",
                advice: "create a collection with another name, or remove the alias from the definition"
            )
        }
    }

    /// Returns the engine itself.
    public var defining: (any DefinitionAdministration)? { self }
    /// Returns `true`, for an engine whose collections always have shards and aliases.
    public var isCluster: Bool { true }
}
