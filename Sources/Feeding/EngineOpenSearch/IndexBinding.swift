import ContentFeeding
import JSONText

/// The meaning of a collection's name inside the engine.
struct IndexBinding: Hashable, Sendable {
    /// The indices behind the name: the one it names, those of an alias, or those of a data stream.
    var indices: [String]
    var isAlias: Bool
    /// What is known about the alias.
    var aliasFacts = AliasFacts()
    /// The unique ID of each index, as far as we may see them.
    var uniqueIDs: [String: String] = [:]
    /// Whether the engine answers before a batch is safe on its disk.
    var isAsynchronous = false
    /// The settings of the first index, as far as we may see them.
    var settings: [CollectionSetting] = []
    /// Whether we may see what the name stands for; if not, nothing of the above is known.
    var isSeen = true

    /// What is known of a collection to someone who may only write to it.
    static let unseen = {
        var binding = IndexBinding(indices: [], isAlias: false)
        binding.isSeen = false
        return binding
    }()

    /// Whether a document can only be in one index: only then can it be removed, updated and read by its ID.
    ///
    /// The engine itself refuses a name that stands for several, if we may not see that.
    var isSingle: Bool { !isSeen || indices.count == 1 && !isDataStream }

    /// Whether the name is a data stream's, or an alias of one.
    var isDataStream: Bool { isAlias && indices.contains(where: Self.isBackingIndex) }

    var identity: IndexIdentity {
        IndexIdentity(
            indices: Dictionary(indices.map { ($0, uniqueIDs[$0]) }) { first, _ in first },
            writeIndex: aliasFacts.writeIndex
        )
    }

    /// Whether an index belongs to a data stream, by the name that the engine gives it.
    private static func isBackingIndex(_ name: String) -> Bool { name.hasPrefix(".ds-") }

    /// Returns why documents can't be looked up by their IDs through the name `collection`, and what to do instead; `nil`
    /// if they can.
    ///
    /// `ignoringFilter`: the user knows that IDs lead past an alias's filter.
    func obstacle(to collection: CollectionName, ignoringFilter: Bool) -> (reason: String, advice: String)? {
        let some = indices.sorted().suffix(3).joined(separator: ", ")
        if isDataStream {
            return (
                "'\(collection)' is a data stream, whose documents are in its backing indices",
                "name the backing index that holds them: \(some)"
            )
        }
        if indices.count > 1 {
            return (
                "'\(collection)' is an alias of \(indices.count) indices, which the engine can't search by ID",
                "name one of them: \(indices.sorted().prefix(3).joined(separator: ", "))"
            )
        }
        guard aliasFacts.isFiltered, !ignoringFilter else { return nil }
        return (
            "'\(collection)' is an alias with a filter, which an ID leads past: any document of \(some) would be reached",
            "name the index, or use --ignore-alias-filter"
        )
    }

    /// Returns why an addition can't be sent to the name; `nil` if it can.
    func obstacleToAdditions(to collection: CollectionName, ignoringFilter: Bool) -> String? {
        if isDataStream || !isAlias && Self.isBackingIndex(collection.rawValue) {
            return "'\(collection)' belongs to a data stream, which can't be added to; add to an index of its own, "
                + "or feed the stream with a tool that only ever creates documents"
        }
        if indices.count > 1, aliasFacts.writeIndex == nil {
            return "'\(collection)' is an alias of \(indices.count) indices, none of which is its write index; "
                + "feed one of them by name"
        }
        guard aliasFacts.isFiltered, !ignoringFilter else { return nil }
        return "'\(collection)' is an alias with a filter, which additions are not held to; name the index, "
            + "or use --ignore-alias-filter"
    }
}

/// What the engine says about an alias.
struct AliasFacts: Hashable, Sendable {
    /// The index, of several, that receives additions; `nil` if there is none, or only one index at all.
    var writeIndex: String?
    /// Whether searches through the alias see only a part of the documents.
    var isFiltered = false

    init() {}

    /// Reads the answer about `alias`.
    init(_ answer: JSONValue, of alias: CollectionName) {
        let entries = answer.members.map { (index: $0.key, facts: $0.value["aliases"][alias.rawValue]) }
        if entries.count > 1 { writeIndex = entries.first { $0.facts["is_write_index"].bool == true }?.index }
        isFiltered = entries.contains { $0.facts["filter"] != .null }
    }
}
