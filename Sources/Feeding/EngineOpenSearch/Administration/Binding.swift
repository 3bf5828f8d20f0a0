import ContentFeeding
import EngineHTTP
import JSONText

/// What a collection's name stands for inside the engine.
struct Binding: Hashable, Sendable {
    /// The indices behind the name: itself, or those of an alias.
    var indices: [String]
    var isAlias: Bool
    /// The index of several that takes what is added; `nil` where there is none, or only one index at all.
    var writeIndex: String?
    /// Whether the engine answers before a batch is safe on its disk.
    var isAsynchronous = false
    /// The settings of the first index, as far as we may see them.
    var settings: [CollectionSetting] = []

    /// Whether a document has exactly one place to be: only then can it be removed, updated and read by its ID.
    var isSingle: Bool { indices.count == 1 }
}

extension Cluster {
    /// Finds out what `name` stands for, or why that can't be known.
    ///
    /// Settings say it best; who may not see them may still be allowed to search.
    func bind(_ name: CollectionName) async throws(EngineError) -> Binding {
        try name.validate(for: product)
        let settings: JSONValue
        do throws(RequestTrouble) {
            settings = try await ask(
                EngineRequest(.get, EnginePath(name.rawValue, "_settings").with("flat_settings", "true"))
            )
        } catch {
            guard error.status == 403, error.complaint != nil else { throw await self.error(error, about: name) }
            return try await bindBySearch(name)
        }
        let indices = settings.members.map(\.key)
        guard let first = settings.members.first else { throw await missing(name) }
        var binding = Binding(indices: indices, isAlias: indices != [name.rawValue])
        binding.settings = first.value["settings"].members.map {
            CollectionSetting(name: $0.key, value: $0.value.settingText)
        }
        binding.isAsynchronous = settings.members.contains {
            $0.value["settings"]["index.translog.durability"].text?.lowercased() == "async"
        }
        if indices.count > 1 { binding.writeIndex = try await writeIndex(of: name) }
        return binding
    }

    /// What the fields of a collection tell of its indices: all that a reader may ask.
    private func bindBySearch(_ name: CollectionName) async throws(EngineError) -> Binding {
        let path = EnginePath(name.rawValue, "_field_caps").with("fields", "_id").with("filter_path", "indices")
        let answer = try await ask(EngineRequest(.get, path), about: name)
        let indices = answer["indices"].elements.compactMap(\.text)
        guard !indices.isEmpty else { throw await missing(name) }
        var binding = Binding(indices: indices, isAlias: indices != [name.rawValue])
        if indices.count > 1 { binding.writeIndex = try? await writeIndex(of: name) }
        return binding
    }

    private func writeIndex(of alias: CollectionName) async throws(EngineError) -> String? {
        let answer = try await ask(EngineRequest(.get, EnginePath(alias.rawValue, "_alias")), about: alias)
        return answer.members.first { $0.value["aliases"][alias.rawValue]["is_write_index"].bool == true }?.key
    }
}
