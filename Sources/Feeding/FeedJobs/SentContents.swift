import ContentFeeding
import JSONText
import Synchronization

/// The content of a document, or the part of it, that was sent; only hashes are kept.
struct SentContent: Hashable, Sendable {
    /// The keys, each with the digest of its value, sorted by their hashes.
    let members: [ContentFingerprint.Member]
    /// Whether the document may have other keys, because it was updated.
    let isPart: Bool

    init(_ members: [ContentFingerprint.Member], isPart: Bool) { (self.members, self.isPart) = (members, isPart) }

    // MARK: In a file

    /// The number of bytes of a member.
    static let stride = 16

    /// The content as bytes, which only this process can read.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [isPart ? 1 : 0]
        bytes.reserveCapacity(1 + members.count * Self.stride)
        for member in members {
            for number in [member.key, member.value] {
                withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }

    /// Reads ``bytes``; `nil` if there are none.
    init?(bytes: ArraySlice<UInt8>) {
        guard let flag = bytes.first else { return nil }
        let rest = bytes.dropFirst()
        func number(at place: Int) -> UInt64 {
            rest[place..<(place + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let places = Swift.stride(from: rest.startIndex, to: rest.endIndex, by: Self.stride)
        self.init(
            places.map { ContentFingerprint.Member(key: number(at: $0), value: number(at: $0 + 8)) },
            isPart: flag == 1
        )
    }
}

/// The contents of documents that are sent, until their operations settle.
final class SentContents: Sendable {
    private struct State {
        var contents: [OperationID: SentContent] = [:]
        /// The contents of the whole documents that updates add if there are none.
        var wholes: [OperationID: SentContent] = [:]
        var names: [UInt64: String] = [:]
    }

    /// Whether the keys that updates send are compared, too.
    let includesUpdates: Bool
    private let fingerprint: ContentFingerprint
    private let state = Mutex(State())

    /// The maximum number of keys whose names are kept in memory; the others are only counted.
    private static let mostNames = 10_000

    /// Creates a record of contents that are sent to an engine with these capabilities.
    init(for capabilities: EngineCapabilities, includingUpdates: Bool = false) {
        fingerprint = ContentFingerprint(for: capabilities)
        includesUpdates = includingUpdates
    }

    /// Records the documents of a batch that is about to be sent, and returns the batch.
    func noting(_ batch: ContentBatch) -> ContentBatch {
        for item in batch.items {
            var names: [(key: UInt64, name: String)] = []
            let content = content(of: item.operation) { names.append(($0, $1)) }
            let whole = whole(of: item.operation) { names.append(($0, $1)) }
            guard content != nil || whole != nil else { continue }
            state.withLock { state in
                state.contents[item.id] = content
                state.wholes[item.id] = whole
                for (key, name) in names where state.names.count < Self.mostNames && state.names[key] == nil {
                    state.names[key] = KeyDifference.shortened(name)
                }
            }
        }
        return batch
    }

    /// Removes and returns the content of an operation's document; `isAdded` is whether there was none before.
    func take(_ id: OperationID, isAdded: Bool) -> SentContent? {
        state.withLock { state in
            let (content, whole) = (state.contents.removeValue(forKey: id), state.wholes.removeValue(forKey: id))
            return isAdded ? whole ?? content : content
        }
    }

    /// Returns the content that an operation sends; `nil` if the result depends on the stored document.
    private func content(of operation: ContentOperation, naming: (UInt64, String) -> Void) -> SentContent? {
        let (json, id) = (operation.json, operation.documentID)
        switch operation.kind {
        case .add:
            return fingerprint.members(of: json.span, id: id.utf8, naming: naming)
                .map { SentContent($0, isPart: false) }
        case .update:
            guard includesUpdates, !JSONPatch.hasOperators(json) else { return nil }
            return fingerprint.members(of: json.span, id: id.utf8, isPatch: true, naming: naming)
                .map { SentContent($0, isPart: true) }
        case .remove: return nil
        }
    }

    /// Returns the content of the whole document that an update adds if there is none; `nil` if it has none.
    private func whole(of operation: ContentOperation, naming: (UInt64, String) -> Void) -> SentContent? {
        guard includesUpdates, let whole = operation.wholeDocument else { return nil }
        return fingerprint.members(of: whole.span, id: operation.documentID.utf8, naming: naming)
            .map { SentContent($0, isPart: false) }
    }

    // MARK: Comparing

    /// Returns the keys by which stored documents with the same ID differ from what was sent; `nil` if one of them does
    /// not.
    ///
    /// The result is empty if the documents can't be read.
    func difference(
        of documents: [StoredDocument],
        from content: SentContent,
        in engine: any CollectionEngine
    ) async throws(EngineError) -> ContentDifference? {
        var first: ContentDifference?
        for document in documents {
            guard let found = try await difference(of: document, from: content, in: engine) else { return nil }
            if first == nil { first = found }
        }
        return first ?? ContentDifference()
    }

    private func difference(
        of document: StoredDocument,
        from content: SentContent,
        in engine: any CollectionEngine
    ) async throws(EngineError) -> ContentDifference? {
        var names: [UInt64: String] = [:]
        let stored = fingerprint.members(of: document.json.span, id: document.id.utf8) { names[$0] = $1 }
        guard let stored else { return ContentDifference() }
        var change = ContentChange(from: content, to: stored)
        if change.isEmpty { return nil }
        let sentNames = state.withLock { state in content.members.map { ($0.key, state.names[$0.key]) } }
        for case (let key, let name?) in sentNames where names[key] == nil { names[key] = name }
        if !change.removed.isEmpty {
            let derived = try await engine.derivedKeys(among: Array(names.values))
            change.removed.removeAll { key in names[key].map { derived.contains($0) } ?? false }
        }
        guard !change.isEmpty else { return nil }
        return ContentDifference(KeyDifference(change, names), of: includesUpdates ? change.keys : [])
    }

    /// Returns the rest of an earlier difference of a document after a later operation has sent `content`; `nil` if
    /// there is no rest.
    ///
    /// An update sends only some keys, so the others are not compared.
    func rest(of earlier: ContentDifference, after content: SentContent) -> ContentDifference? {
        guard content.isPart else { return nil }
        let sent = Set(content.members.map(\.key))
        let keys = earlier.keys.filter { !sent.contains($0) }
        guard !keys.isEmpty else { return nil }
        let names = state.withLock { state in Set(sent.compactMap { state.names[$0] }) }
        return ContentDifference(earlier.names.without(names), of: keys)
    }
}

/// The keys by which a stored document differs from what was sent.
struct ContentDifference: Sendable {
    /// Their names; empty if the document can't be read.
    private(set) var names: KeyDifference
    /// Their hashes, if updates are compared.
    private(set) var keys: [UInt64]

    init(_ names: KeyDifference = KeyDifference(), of keys: [UInt64] = []) { (self.names, self.keys) = (names, keys) }

    /// Returns this difference with the keys of another one.
    func joined(with other: Self) -> Self { Self(names.joined(with: other.names), of: keys + other.keys) }

    /// The difference without names.
    var unnamed: Self { Self(of: keys) }
}

/// The differences between a content that was sent and a stored document, as hashes of keys.
private struct ContentChange {
    var added: [UInt64] = []
    var changed: [UInt64] = []
    var removed: [UInt64] = []

    init(from content: SentContent, to stored: [ContentFingerprint.Member]) {
        if stored == content.members { return }
        let absent = ContentFingerprint.Member.absent
        var rest = Dictionary(stored.map { ($0.key, $0.value) }) { first, _ in first }
        for member in content.members {
            let value = rest.removeValue(forKey: member.key) ?? absent
            if value == member.value { continue }
            if value == absent {
                removed.append(member.key)
            } else if member.value == absent {
                added.append(member.key)
            } else {
                changed.append(member.key)
            }
        }
        if !content.isPart { added += rest.keys }
    }

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    var keys: [UInt64] { added + changed + removed }
}

/// The top-level keys by which a stored document differs from the one that was sent.
package struct KeyDifference: Hashable, Sendable {
    /// Keys that only the stored document has.
    package private(set) var added: [String] = []
    /// Keys with different values.
    package private(set) var changed: [String] = []
    /// Keys that only the document that was sent has.
    package private(set) var removed: [String] = []
    /// The number of further keys, which are not named.
    package private(set) var more = 0

    /// The maximum number of keys of each kind that are named.
    private static let mostNamed = 8
    /// The maximum number of characters of a key.
    private static let mostLetters = 40

    /// Creates a difference without keys, of a document that can't be read.
    package init() {}

    /// Creates a difference from names, which are `nil` if they were not kept.
    package init(added: [String?] = [], changed: [String?] = [], removed: [String?] = []) {
        self.added = named(added)
        self.changed = named(changed)
        self.removed = named(removed)
    }

    fileprivate init(_ change: ContentChange, _ names: [UInt64: String]) {
        self.init(
            added: change.added.map { names[$0] },
            changed: change.changed.map { names[$0] },
            removed: change.removed.map { names[$0] }
        )
    }

    /// Compares a stored document with the one that it should be, by meaning; `nil` if they are the same.
    init?(from wanted: [UInt8], to stored: [UInt8], _ id: DocumentID, in capabilities: EngineCapabilities) {
        let fingerprint = ContentFingerprint(for: capabilities)
        var names: [UInt64: String] = [:]
        let before = fingerprint.members(of: wanted.span, id: id.utf8) { names[$0] = $1 }
        let after = fingerprint.members(of: stored.span, id: id.utf8) { names[$0] = $1 }
        guard let before, let after else {
            self.init()
            return
        }
        let change = ContentChange(from: SentContent(before, isPart: false), to: after)
        if change.isEmpty { return nil }
        self.init(change, names)
    }

    fileprivate func joined(with other: Self) -> Self {
        var all = Self(added: added + other.added, changed: changed + other.changed, removed: removed + other.removed)
        all.more += more + other.more
        return all
    }

    fileprivate func without(_ names: Set<String>) -> Self {
        var rest = self
        rest.added.removeAll { names.contains($0) }
        rest.changed.removeAll { names.contains($0) }
        rest.removed.removeAll { names.contains($0) }
        return rest
    }

    /// Returns the first names in alphabetical order, and counts the others.
    private mutating func named(_ names: [String?]) -> [String] {
        let sorted = names.compactMap(\.self).sorted().prefix(Self.mostNamed)
        more += names.count - sorted.count
        return sorted.map(Self.shortened)
    }

    /// Returns a name that is short enough to be kept and shown.
    static func shortened(_ name: String) -> String {
        name.count > mostLetters ? name.prefix(mostLetters - 1) + "…" : name
    }
}
