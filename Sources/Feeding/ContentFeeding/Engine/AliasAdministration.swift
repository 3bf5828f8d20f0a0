/// An open engine whose collections can have other names, which change hands in one step.
public protocol AliasAdministration: CollectionAdministration {
    /// Returns the aliases, by their names.
    func aliases() async throws(EngineError) -> [CollectionAlias]

    /// Makes `alias` stand for one collection, and for none of those that it stood for, in one step: no request in
    /// between finds it missing, or both.
    ///
    /// Creates an alias that does not exist. Throws, and changes nothing, if it has what the new one would not have, such
    /// as a filter.
    ///
    /// - Returns: The collections for which it stood before.
    func point(_ alias: CollectionName, to collection: CollectionName) async throws(EngineError) -> [CollectionName]
}

/// Another name for collections.
public struct CollectionAlias: Hashable, Sendable {
    /// Its name.
    public var name: CollectionName
    /// The collections that it stands for, by their names.
    public var collections: [CollectionName]

    /// Creates an alias of these collections.
    public init(name: CollectionName, collections: [CollectionName]) {
        self.name = name
        self.collections = collections
    }
}
