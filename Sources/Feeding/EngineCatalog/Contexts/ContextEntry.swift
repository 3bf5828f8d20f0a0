import YAML

/// A context as a settings file has it: texts, each with its place.
struct ContextEntry: Equatable, Decodable {
    /// In the order of ``ContextKey``.
    var texts: [ContextKey: Located<String>] = [:]
    /// What the user calls a collection, and what the engine calls it.
    var collections: YAMLMapping<Located<String>>?
    var isProtected: Located<Bool>?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ContextKey.self)
        for key in ContextKey.texts {
            texts[key] = try container.decodeIfPresent(Located<String>.self, forKey: key)
        }
        collections = try container.decodeIfPresent(YAMLMapping<Located<String>>.self, forKey: .collections)
        isProtected = try container.decodeIfPresent(Located<Bool>.self, forKey: .protected)
    }

    /// Where it says something of `key`.
    func place(of key: ContextKey) -> Place? {
        switch key {
        case .collections: collections?.entries.first?.key.place
        case .protected: isProtected?.place
        default: texts[key]?.place
        }
    }

    /// The same without its places, to compare two.
    var meaning: [String] {
        texts.map { "\($0.key.rawValue)=\($0.value.value)" }.sorted()
            + (collections?.entries.map { "\($0.key.value)>\($0.value.value)" } ?? [])
            + ["\(isProtected?.value ?? false)"]
    }
}

/// A whole settings file.
struct ContextDocument: Decodable {
    var current: Located<String>?
    var contexts: YAMLMapping<ContextEntry>?
}
