public import ContentFeeding

/// How a document of the source differs from that of the collection.
public struct Difference: Hashable, Sendable {
    /// What is different.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Only the source has it.
        case missing
        /// Both have it, in different versions.
        case stale
        /// Only the collection has it.
        case orphaned
        /// One of the sides has it more than once, so that nobody can say which is meant.
        case duplicate
    }

    /// What is different.
    public let kind: Kind
    /// The document's ID.
    public let id: DocumentID
    /// The digest of the source's version; 0 if it has none.
    let version: UInt64

    init(_ kind: Kind, _ id: DocumentID, version: UInt64) {
        (self.kind, self.id, self.version) = (kind, id, version)
    }
}

/// What two sides have, by ID: each of a side's IDs is counted once.
public struct ComparisonCounts: Hashable, Sendable {
    /// The different IDs of the source.
    public var source = 0
    /// The different IDs of the collection.
    public var collection = 0
    /// Those that both have in the same version.
    public var same = 0
    /// Those that only the source has.
    public var missing = 0
    /// Those that both have in different versions.
    public var stale = 0
    /// Those that only the collection has.
    public var orphaned = 0
    /// Those that one of the sides has more than once.
    public var duplicate = 0
    /// The differences that were none any more when they were looked at once more.
    public var settled = 0

    /// Creates counts of nothing.
    public init() {}

    /// The differences of a kind.
    public subscript(kind: Difference.Kind) -> Int {
        get {
            switch kind {
            case .missing: missing
            case .stale: stale
            case .orphaned: orphaned
            case .duplicate: duplicate
            }
        }
        set {
            switch kind {
            case .missing: missing = newValue
            case .stale: stale = newValue
            case .orphaned: orphaned = newValue
            case .duplicate: duplicate = newValue
            }
        }
    }
}

/// A comparison of what a source and a collection have, in the order of IDs.
public struct Comparison {
    /// What was counted so far.
    public private(set) var counts = ComparisonCounts()

    private var source: VersionListReader
    private var collection: VersionListReader
    private var hasSource: Bool
    private var hasCollection: Bool
    private let pages = DocumentIDPages()
    private let progress: ReconciliationProgress?
    /// What was compared and is not noted yet, each entry and each document.
    private var unnoted = 0

    /// The IDs after which progress is noted: there may be millions between two differences.
    private static let notedCount = 4_096

    /// Begins to compare two lists, and notes in `progress` how many entries and documents were compared.
    public init(
        source: VersionList,
        collection: VersionList,
        progress: ReconciliationProgress? = nil
    ) throws(SpillError) {
        self.progress = progress
        self.source = try VersionListReader(source)
        self.collection = try VersionListReader(collection)
        hasSource = try self.source.next()
        hasCollection = try self.collection.next()
    }

    /// Returns the next differences, at most `limit`; none at the end.
    public mutating func next(_ limit: Int) throws -> [Difference] {
        var differences: [Difference] = []
        defer { note() }
        while differences.count < limit, hasSource || hasCollection {
            let order = order
            if order <= 0 { counts.source += 1 }
            if order >= 0 { counts.collection += 1 }
            if let kind = kind(order) {
                counts[kind] += 1
                let id = order <= 0 ? source.id : collection.id
                let version = order <= 0 ? source.digest : 0
                differences.append(Difference(kind, try pages.id(utf8: id.span), version: version))
            } else {
                counts.same += 1
            }
            unnoted += (order <= 0 ? source.copies : 0) + (order >= 0 ? collection.copies : 0)
            if unnoted >= Self.notedCount { note() }
            if order <= 0 { hasSource = try source.next() }
            if order >= 0 { hasCollection = try collection.next() }
        }
        return differences
    }

    private mutating func note() {
        progress?.note(done: unnoted)
        unnoted = 0
    }

    /// Which side has the lower ID: negative for the source, zero if both have it.
    private var order: Int {
        guard hasSource else { return 1 }
        guard hasCollection else { return -1 }
        return PackedRecord.order(source.id, source.id.indices, collection.id, collection.id.indices)
    }

    private func kind(_ order: Int) -> Difference.Kind? {
        if order <= 0, source.copies > 1 { return .duplicate }
        if order >= 0, collection.copies > 1 { return .duplicate }
        if order < 0 { return .missing }
        if order > 0 { return .orphaned }
        return source.digest == collection.digest && source.digest != 0 ? nil : .stale
    }
}
