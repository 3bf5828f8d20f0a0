public import ContentFeeding
import JSONText

/// The definitions of collections, whose only setting is the tokenizer, which is the same for all.
extension SQLiteEngine: DefinitionAdministration {
    /// The kind of definition that the engine understands.
    public var definedEngine: CollectionDefinition.Engine { .embedded }
    /// Whether collections have shards and aliases: always `false`.
    public var isCluster: Bool { false }

    private static let tokenizer = "tokenizer"

    /// Returns the definition of a collection.
    public func definition(of name: CollectionName) async throws(EngineError) -> CollectionDefinition {
        let settings = try await show(name).settings.filter { $0.name == Self.tokenizer }
        do throws(CollectionDefinitionError) {
            return try CollectionDefinition(
                engine: .embedded,
                version: nil,
                name: name,
                settings: .object(settings.map { JSONValue.Member(key: $0.name, value: .string($0.value)) }),
                mappings: .null,
                aliases: .null
            )
        } catch {
            throw EngineError(.unusable, "the definition of '\(name)' at \(target) can't be read: \(error)")
        }
    }

    /// Creates an empty collection; the definition must not ask for anything that the engine lacks.
    public func create(
        _ name: CollectionName,
        from definition: CollectionDefinition,
        moving: Set<CollectionName>
    ) async throws(EngineError) -> DefinedCollection {
        guard definition.engine == .embedded else {
            throw EngineError(
                .unsupported,
                "the definition is for \(definition.engine.rawValue), and \(target) is an embedded index",
                advice: "adapt the definition first"
            )
        }
        for setting in definition[.settings].members {
            guard setting.key == Self.tokenizer, setting.value.text == CollectionTables.tokenizer else {
                throw EngineError(
                    .rejected,
                    "'\(name)' was not created: this engine does not support the setting '\(setting.key)' with this value",
                    advice:
                        "remove it: the only setting is \(Self.tokenizer), with the value '\(CollectionTables.tokenizer)'"
                )
            }
        }
        let foreign = [CollectionDefinition.Part.mappings, .aliases].first { !definition[$0].members.isEmpty }
        guard foreign == nil else {
            throw EngineError(
                .rejected,
                "'\(name)' was not created: collections of this engine have no \(foreign?.rawValue ?? "")",
                advice: "remove them from the definition"
            )
        }
        try await create(name, settings: [])
        return DefinedCollection(isNew: true, moved: [])
    }
}
