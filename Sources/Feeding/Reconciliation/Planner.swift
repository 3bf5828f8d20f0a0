package import ContentFeeding
import Digests
package import DocumentSources
package import Files
import JSONText
package import TextKit

/// A planner of the operations that synchronize a collection with its source: missing and stale documents are read
/// again from the source, and orphaned documents are removed.
///
/// Entries that have changed since the comparison are not planned, only counted.
package struct Planner {
    /// The entries of both sides.
    package struct Sides: Sendable {
        /// The versions of the source.
        package var source: VersionList
        /// The versions of the collection.
        package var collection: VersionList

        /// Creates the two sides of a comparison.
        package init(source: VersionList, collection: VersionList) {
            (self.source, self.collection) = (source, collection)
        }
    }

    /// The entries that differed in the comparison, but are not part of the plan.
    package struct LeftOut: Hashable, Sendable {
        /// Documents whose version has changed in the source since the comparison.
        package var changed = 0
        /// Documents that disappeared from the source after the comparison.
        package var vanished = 0
        /// Documents that are missing from the collection and only partially present in the source.
        package var partial = 0
        /// Documents that would lose keys if the source replaced them, because the source does not have these keys at
        /// all.
        package private(set) var lessened = 0
        /// The first of the keys that would be lost.
        package private(set) var lostKeys: Set<String> = []
        /// Documents of the collection that can't be read, and thus can't be backed up; `apply` would not change them.
        package private(set) var unreadable = 0
        /// The first unreadable documents, without their contents.
        package private(set) var namedUnreadable: [UnreadableDocument] = []

        /// The maximum number of unreadable documents that are listed; all are counted.
        private static let maximumNamed = 100
        /// The maximum number of lost keys that are listed.
        private static let maximumKeys = 5

        /// Creates counts of zero.
        package init() {}

        mutating func note(_ document: UnreadableDocument) {
            unreadable += 1
            guard unreadable <= Self.maximumNamed else { return }
            namedUnreadable.append(UnreadableDocument(document.key, bytes: [], reason: document.reason))
        }

        mutating func noteLessened(without keys: Set<String>) {
            lessened += 1
            for key in keys.sorted() where lostKeys.count < Self.maximumKeys { lostKeys.insert(key) }
        }
    }

    private let source: any DocumentSource
    private let engine: any VersionedEngine
    private let basis: VersionBasis
    private let sides: Sides
    /// Whether documents of the source replace documents of the collection even if the latter have other keys.
    private let replacesWithPartial: Bool
    private let mostWanted: Int
    private let progress: ReconciliationProgress

    /// The maximum number of documents whose versions are requested at once.
    private static let pageCount = 500
    /// The memory for each wanted entry, in bytes.
    private static let wantedBytes = 17

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - source: The source, which is read again.
    ///   - engine: The collection.
    ///   - basis: The basis of the comparison.
    ///   - sides: The entries of both sides.
    ///   - replacesWithPartial: Whether a source that has only some keys of its documents adds and replaces documents;
    ///     otherwise, it updates these keys of existing documents.
    ///   - memory: The memory for the source's wanted entries, in bytes; if it is too small, the source is read several
    ///     times.
    ///   - progress: Receives the progress of the plan.
    package init(
        _ source: any DocumentSource,
        _ engine: any VersionedEngine,
        by basis: VersionBasis,
        _ sides: Sides,
        replacesWithPartial: Bool = false,
        memory: Int = 64 << 20,
        progress: ReconciliationProgress = ReconciliationProgress()
    ) {
        (self.source, self.engine, self.basis, self.sides) = (source, engine, basis, sides)
        self.replacesWithPartial = replacesWithPartial
        mostWanted = max(1, memory / Self.wantedBytes)
        self.progress = progress
    }

    /// Writes the operations for differences of these kinds: first the additions, then the removals, each in the order
    /// of IDs.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of difference.
    ///   - plan: Receives the operations.
    ///   - counts: The counts of the comparison, which determine the amount of work.
    /// - Returns: The differences that are not part of the plan.
    /// - Throws: Any error of reading the source, querying the collection or writing the plan.
    package func write(
        _ kinds: Set<Difference.Kind>,
        to plan: PlanWriter,
        expecting counts: ComparisonCounts = ComparisonCounts()
    ) async throws -> LeftOut {
        progress.beginPlanning(work(kinds, counts))
        var leftOut = LeftOut()
        if !kinds.isDisjoint(with: [.missing, .stale]) {
            let known = try await keysOfSource()
            var comparison = try Comparison(source: sides.source, collection: sides.collection)
            while case let wanted = try Wanted(of: kinds, from: &comparison, limit: mostWanted), !wanted.isEmpty {
                try await add(wanted, known, to: plan, &leftOut)
            }
        }
        if kinds.contains(.orphaned) { try await remove(to: plan, &leftOut) }
        return leftOut
    }

    /// The total number of entries to read, in all passes over the source, plus the number of orphans to look up.
    private func work(_ kinds: Set<Difference.Kind>, _ counts: ComparisonCounts) -> Int {
        let wanted = (kinds.contains(.missing) ? counts.missing : 0) + (kinds.contains(.stale) ? counts.stale : 0)
        let readings = (wanted + mostWanted - 1) / mostWanted
        return readings * sides.source.count + (kinds.contains(.orphaned) ? counts.orphaned : 0)
    }

    private func add(
        _ wanted: Wanted,
        _ known: Set<String>?,
        to plan: PlanWriter,
        _ leftOut: inout LeftOut
    ) async throws {
        var wanted = wanted
        let reader = try await source.reader(of: .documents, from: .beginning)
        while let page = try await reader.next() {
            defer { progress.note(done: page.entries.count) }
            var additions: [SourceEntry] = []
            for entry in page.entries {
                switch try wanted.take(entry, version: basis.digest(of: entry, source.traits)) {
                case .unwanted: continue
                case .changed: leftOut.changed += 1
                case .asCompared: additions.append(entry)
                }
            }
            var rest = additions[...]
            while !rest.isEmpty {
                try await add(rest.prefix(Self.pageCount), known, to: plan, &leftOut)
                rest = rest.dropFirst(Self.pageCount)
            }
        }
        leftOut.vanished += wanted.left
    }

    private func add(
        _ entries: ArraySlice<SourceEntry>,
        _ known: Set<String>?,
        to plan: PlanWriter,
        _ leftOut: inout LeftOut
    ) async throws {
        let updates = source.traits.isPartial && !replacesWithPartial
        let found = try await versions(of: entries.map { DocumentKey($0.id, routing: $0.routing) })
        for (entry, answer) in zip(entries, found) {
            if case .unreadable(let flawed) = answer {
                leftOut.note(flawed)
                continue
            }
            let document = answer.document
            guard let json = entry.json else {
                throw SourceError(.unsupported, "\(source.name) returned no document for '\(entry.id)'")
            }
            if let known, let document {
                let lost = try Self.keys(of: document.json).subtracting(known)
                guard lost.isEmpty else {
                    leftOut.noteLessened(without: lost)
                    continue
                }
            }
            let content = Document(id: entry.id, json: json, routing: entry.routing ?? document?.routing)
            switch document?.version {
            case nil where updates: leftOut.partial += 1
            case let version? where updates:
                // The source's values are data, even if they look like operators.
                let json = JSONPatch.literal(json)
                let patch = Document(id: content.id, json: json, routing: content.routing)
                try plan.append(.update(patch, version, .stale))
            case let version: try plan.append(.add(content, replacing: version, version == nil ? .missing : .stale))
            }
        }
    }

    /// The union of the keys of all entries, if the source has fixed keys; it is needed because an empty cell of a
    /// table is an absent key.
    private func keysOfSource() async throws -> Set<String>? {
        guard source.traits.hasFixedKeys, !replacesWithPartial else { return nil }
        var keys: Set<String> = []
        let reader = try await source.reader(of: .documents, from: .beginning)
        while let page = try await reader.next() {
            for entry in page.entries { keys.formUnion(try Self.keys(of: entry.json ?? [])) }
        }
        return keys
    }

    /// The top-level keys of a document.
    private static func keys(of json: [UInt8]) throws(JSONError) -> Set<String> {
        Set(try JSONValue(json).members.map(\.key))
    }

    private func remove(to plan: PlanWriter, _ leftOut: inout LeftOut) async throws {
        var comparison = try Comparison(source: sides.source, collection: sides.collection)
        while case let page = try comparison.next(Self.pageCount), !page.isEmpty {
            let orphans = page.filter { $0.kind == .orphaned }
            defer { progress.note(done: orphans.count) }
            let found = try await versions(of: orphans.map { DocumentKey($0.id) })
            for (orphan, answer) in zip(orphans, found) {
                switch answer {
                case .found(let document):
                    let key = DocumentKey(orphan.id, routing: document.routing)
                    try plan.append(.remove(key, document.version, .orphaned))
                case .unreadable(let flawed): leftOut.note(flawed)
                // The document has already been removed, so there is nothing to do.
                case .absent: continue
                }
            }
        }
    }

    private func versions(of keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        keys.isEmpty ? [] : try await engine.allVersions(at: keys)
    }
}

/// The entries of a source that are to be read again, as digests of their versions by digests of their IDs.
private struct Wanted {
    enum Answer {
        case unwanted, asCompared, changed
    }

    private var entries: [(id: UInt64, version: UInt64)] = []
    private var isTaken: [Bool] = []
    /// The number of wanted entries that have not been read yet.
    private(set) var left: Int

    /// Takes the next missing and stale entries from a comparison, up to the maximum for one pass.
    init(of kinds: Set<Difference.Kind>, from comparison: inout Comparison, limit: Int) throws {
        while entries.count < limit, case let page = try comparison.next(min(1_000, limit - entries.count)),
            !page.isEmpty
        {
            for difference in page where difference.kind != .orphaned && kinds.contains(difference.kind) {
                guard difference.kind != .duplicate else { continue }
                entries.append((Fingerprint.of(difference.id.utf8), difference.version))
            }
        }
        entries.sort { $0.id < $1.id }
        isTaken = Array(repeating: false, count: entries.count)
        left = entries.count
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Records an entry that was read, and returns whether it is wanted.
    mutating func take(_ entry: SourceEntry, version: UInt64) throws(SourceError) -> Answer {
        guard let place = place(of: Fingerprint.of(entry.id.utf8)) else { return .unwanted }
        guard !isTaken[place] else {
            throw SourceError(
                .changed,
                "'\(entry.id)' occurred twice when the source was read again, but once before",
                advice: "run the command again"
            )
        }
        isTaken[place] = true
        left -= 1
        return entries[place].version == version ? .asCompared : .changed
    }

    private func place(of id: UInt64) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }
}

/// A plan of changes to a collection: `fastctl.plan/1`, one JSON object per line.
///
/// The first line describes the compared sides, each of the following lines is one operation, and the last line
/// contains the number of operations and a digest of all preceding lines.
package enum Plan {
    /// The name of the format.
    package static let schema = "fastctl.plan/1"

    /// The maximum length of a line, which holds a document and its envelope.
    static let longestLine = Document.maximumByteCount + (1 << 20)
}

/// The first line of a plan, which describes the compared sides.
package struct PlanHeader: Hashable, Sendable {
    /// The command that made the plan.
    package var command: String
    /// The time when the plan was made, in ISO 8601 format.
    package var createdAt: String
    /// The address of the source with which the collection was compared; `nil` if there was none.
    package var source: String?
    /// The basis of the comparison; `nil` without a source.
    package var basis: String?
    /// The search that found the documents; `nil` if there was none.
    package var query: String?
    /// The context that named the target; `nil` if there was none.
    package var context: String?
    /// The address of the target, without secrets.
    package var target: String
    /// The collection's name in its engine.
    package var collection: CollectionName
    /// The state of the collection, which must be the same when the plan is applied.
    package var state: CollectionState
    /// The counts of the comparison; `nil` without a source.
    package var counts: ComparisonCounts?
    /// The differences that are in the plan; empty without a source.
    package var kinds: [Difference.Kind] = []
    /// The minimum size of the source, in percent of the entries of the previous reading; `nil` without a source.
    package var minimumShare: Double?

    /// Creates the first line of a plan for a collection.
    package init(
        command: String,
        createdAt: String,
        context: String?,
        target: String,
        collection: CollectionName,
        state: CollectionState
    ) {
        self.command = command
        self.createdAt = createdAt
        self.context = context
        self.target = target
        self.collection = collection
        self.state = state
    }
}

/// One line of a plan: an operation on a document, and its reason.
package struct PlannedOperation: Hashable, Sendable {
    /// The reason for an operation.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Only the source has the document.
        case missing
        /// The source has another version.
        case stale
        /// Only the collection has the document.
        case orphaned
        /// A search found the document.
        case found
    }

    /// The operation, on condition that the document is unchanged.
    package let operation: ContentOperation
    /// The reason for the operation.
    package let reason: Reason

    /// Returns a line that adds or replaces a document.
    ///
    /// - Parameters:
    ///   - document: The desired document.
    ///   - version: The version to replace; `nil` if the document must not exist yet.
    ///   - reason: The reason for adding it.
    /// - Returns: The line.
    package static func add(_ document: Document, replacing version: DocumentVersion?, _ reason: Reason) -> Self {
        let condition = version.map { WriteCondition.unchanged($0) } ?? .absent
        return Self(operation: ContentOperation.add(document).only(condition), reason: reason)
    }

    /// Returns a line that updates some keys of a document in a given version.
    ///
    /// - Parameters:
    ///   - patch: The keys.
    ///   - version: The version that was read.
    ///   - reason: The reason for updating it.
    /// - Returns: The line.
    package static func update(_ patch: Document, _ version: DocumentVersion, _ reason: Reason) -> Self {
        Self(operation: ContentOperation.update(patch).only(.unchanged(version)), reason: reason)
    }

    /// Returns a line that removes a document in a given version.
    package static func remove(_ key: DocumentKey, _ version: DocumentVersion, _ reason: Reason) -> Self {
        Self(operation: ContentOperation.remove(key).only(.unchanged(version)), reason: reason)
    }
}

/// The number of operations of each kind in a plan.
package struct PlanTally: Hashable, Sendable {
    /// Documents that are added, replaced or updated.
    package var additions = 0
    /// The replacements and the updates among ``additions``; zero if only the totals are known.
    package var replacements = 0, updates = 0
    /// Documents that are removed.
    package var removals = 0

    /// All operations.
    package var operations: Int { additions + removals }

    /// Creates a tally of zero operations.
    package init() {}

    /// The totals as text, as at the end of a plan: `5 additions and 1 removal`.
    var sums: String {
        "\(Quantity(additions, "addition", "additions")) and \(Quantity(removals, "removal", "removals"))"
    }

    /// The numbers as text: `2 additions, 3 replacements and 1 removal`.
    package var words: String {
        var words = ["\(Quantity(additions - replacements - updates, "addition", "additions"))"]
        if replacements > 0 { words.append("\(Quantity(replacements, "replacement", "replacements"))") }
        if updates > 0 { words.append("\(Quantity(updates, "update", "updates"))") }
        return words.joined(separator: ", ") + " and \(Quantity(removals, "removal", "removals"))"
    }

    mutating func note(_ operation: ContentOperation) {
        guard operation.kind != .remove else {
            removals += 1
            return
        }
        additions += 1
        if operation.kind == .update {
            updates += 1
        } else if operation.condition != .absent, operation.condition != .unchanged(.neverWritten) {
            replacements += 1
        }
    }
}

/// The reason why a file can't be read, or is not a plan.
package struct PlanError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    package enum Code: Hashable, Sendable {
        /// The file can't be opened.
        case cannotOpen
        /// The file can't be read because of a system error.
        case cannotRead
        /// The file is not a plan, or one of its lines is not a line of a plan.
        case malformed
        /// The end of the file is missing.
        case truncated
        /// The file was changed after it was written.
        case edited
    }

    /// The kind of failure.
    package let code: Code
    /// A description of the failure, naming the object, as a fragment that can follow `error: `.
    package let message: String
    /// The next step for the user; `nil` if there is none.
    package let advice: String?

    init(_ code: Code, _ message: String, advice: String? = nil) {
        (self.code, self.message, self.advice) = (code, message, advice)
    }
}

extension PlanError: CustomStringConvertible {
    package var description: String { message + (advice.map { "; \($0)" } ?? "") }
}

/// A writer of a plan; the file becomes visible only when it is complete, and only its owner can read it.
package final class PlanWriter {
    /// The counts of the lines written so far.
    package private(set) var tally = PlanTally()
    private let file: AtomicFile
    private var bytes: [UInt8] = []
    private var digest = RunningBLAKE2b()

    private static let drainThreshold = 256 << 10

    /// Creates a temporary file in the folder of the plan.
    package init(_ path: String) throws(FileError) { file = try AtomicFile(path, keeping: 0o600) }

    /// Removes the plan of an earlier run, which could be mistaken for this run's plan if this run ends without one;
    /// any other file is kept.
    package static func removeOlder(_ path: String) throws(FileError) {
        let mark = Array("{\"schema\":\"\(Plan.schema)\"".utf8)
        guard NewFile.exists(path), try SmallFile(path).prefix(mark.count) == mark else { return }
        try AtomicFile(path, keeping: 0o600).removeOlder()
    }

    /// Writes the first line.
    package func begin(_ header: PlanHeader) throws(FileError) {
        header.append(to: &bytes)
        try drain()
    }

    /// Writes an operation.
    package func append(_ operation: PlannedOperation) throws(FileError) {
        operation.append(to: &bytes)
        tally.note(operation.operation)
        if bytes.count >= Self.drainThreshold { try drain() }
    }

    /// Writes the last line, and moves the file to its final path.
    package func finish() throws(FileError) {
        try drain()
        PlanEnd(tally, digest.digestSoFar()).append(to: &bytes)
        try file.write(&bytes)
        try file.finish()
    }

    private func drain() throws(FileError) {
        digest.update(bytes.span)
        try file.write(&bytes)
    }
}

// MARK: - For people

extension PlanError: AdvisedError {
    package var failure: Failure {
        Failure(ExitStatus(code), message, advice: advice)
    }
}

extension ExitStatus {
    fileprivate init(_ code: PlanError.Code) {
        self =
            switch code {
            case .cannotOpen: .inputNotOpened
            case .cannotRead: .inputOutput
            case .malformed, .truncated: .inputRejected
            case .edited: .refused
            }
    }
}
