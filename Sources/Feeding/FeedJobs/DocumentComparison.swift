package import ContentFeeding
package import JSONText

/// The effect that an operation would have on its document, as determined by a dry run.
package struct PreviewedOperation: Sendable {
    package enum Effect: Sendable {
        /// The document was not looked up.
        case unknown
        /// An earlier operation in the input names the same document, so the effect depends on that operation.
        case repeated
        case removed
        case added
        /// The document would be replaced, or some of its values would change.
        case replaced(JSONDifference)
        case updated(JSONDifference)
        /// The document is already in the requested state.
        case unchanged
        /// The document to remove or update does not exist.
        case missing
        /// The engine would refuse the operation.
        case failed(DocumentFailure)
    }

    package let operation: ContentOperation
    package let effect: Effect

    package init(_ operation: ContentOperation, _ effect: Effect) {
        self.operation = operation
        self.effect = effect
    }

    /// Whether the operation is known to change something.
    package var hasEffect: Bool {
        switch effect {
        case .unknown, .removed, .added, .replaced, .updated: true
        case .repeated, .unchanged, .missing, .failed: false
        }
    }

    /// The reason why the document would not be changed although the operation requests it, as words that can follow
    /// its ID; `nil` if there is none.
    package func obstacle(in collection: CollectionName?) -> String? {
        switch effect {
        case .missing:
            "does not exist" + (collection.map { " in \($0)" } ?? "")
                + (operation.routing.map { " with the routing value '\($0)'" } ?? "")
        case .failed(let failure): "would be refused: \(failure.message)"
        default: nil
        }
    }
}

/// A comparison of operations with the documents that they would change.
package struct DocumentComparison {
    private let engine: any CollectionEngine
    private let limits: OperationLimits
    private let addsOnlyNew: Bool
    private let addsMissing: Bool
    private var named = RecentDocuments()

    /// The number of bytes of documents read at once, limited because documents may be large.
    private static let pageBytes = 1 << 20

    /// Creates a comparison; with `addsOnlyNew`, adding an existing document fails; with
    /// `addsMissing`, an update adds a document that does not exist.
    package init(with engine: any CollectionEngine, addsOnlyNew: Bool = false, addsMissing: Bool = false) {
        self.engine = engine
        (self.addsOnlyNew, self.addsMissing) = (addsOnlyNew, addsMissing)
        var capabilities = engine.capabilities
        capabilities.comparesContents = true
        limits = OperationLimits(of: capabilities)
    }

    /// Returns the effect of each of `operations`.
    package mutating func effects(of operations: [ContentOperation]) async throws -> [PreviewedOperation] {
        var effects: [PreviewedOperation.Effect?] = []
        for operation in operations {
            if let failure = limits.refusal(of: operation) {
                effects.append(.failed(failure))
            } else if named.note(operation.documentHash) {
                effects.append(.repeated)
            } else {
                effects.append(nil)
            }
        }
        try await compareVersions(of: operations, &effects)
        let open = effects.indices.filter { effects[$0] == nil }
        // Documents that are to be removed only if unchanged must be read.
        let removals = open.filter { Self.needsNoContents(operations[$0]) }
        for (place, isThere) in zip(removals, try await exist(removals.map { operations[$0].key })) {
            effects[place] = isThere ? .removed : .missing
        }
        var others = open.filter { !Self.needsNoContents(operations[$0]) }[...]
        while !others.isEmpty {
            let page = try await engine.get(at: others.map { operations[$0].key }[...], maximumBytes: Self.pageBytes)
            try page.check(against: others.count)
            var documents = page.documents[...]
            for (place, isThere) in zip(others, page.answers) {
                let id = operations[place].documentID
                // A key without a routing value may match several documents.
                let own = isThere ? documents.prefix { $0.id == id } : []
                documents = documents.dropFirst(own.count)
                let flawed = page.unreadable.first { $0.key.id == id }
                let isCompared = if case .contents? = operations[place].condition { true } else { false }
                if let flawed, isCompared || operations[place].kind != .add {
                    effects[place] = .failed(flawed.failure)
                } else {
                    // The addition can't be compared with the document that it would replace.
                    effects[place] = flawed == nil ? effect(of: operations[place], on: Array(own)) : .unknown
                }
            }
            others = others.dropFirst(page.answers.count)
        }
        try await findElsewhere(operations, &effects)
        return zip(operations, effects).map { PreviewedOperation($0, $1 ?? .unknown) }
    }

    /// Looks up the documents that are missing at their routing values at other ones, where the engine would refuse the
    /// operations.
    private func findElsewhere(
        _ operations: [ContentOperation],
        _ effects: inout [PreviewedOperation.Effect?]
    ) async throws {
        var places = effects.indices.filter { place in
            guard operations[place].routing != nil, case .missing? = effects[place] else { return false }
            return true
        }[...]
        while !places.isEmpty {
            let keys = places.map { DocumentKey(operations[$0].documentID) }
            let page = try await engine.get(at: keys[...], maximumBytes: Self.pageBytes)
            try page.check(against: keys.count)
            let found = page.documents.map { ($0.id, $0.routing) } + page.unreadable.map { ($0.key.id, $0.key.routing) }
            let routings = Dictionary(grouping: found, by: \.0)
            for (place, isThere) in zip(places, page.answers) where isThere {
                let others = routings[operations[place].documentID, default: []].map(\.1)
                effects[place] = .failed(.elsewhere(operations[place].routing, others))
            }
            places = places.dropFirst(page.answers.count)
        }
    }

    /// Determines the effects of the operations that depend on the document's version.
    private func compareVersions(
        of operations: [ContentOperation],
        _ effects: inout [PreviewedOperation.Effect?]
    ) async throws {
        guard let reader = engine.versions else { return }
        let open = effects.indices.filter { place in
            guard effects[place] == nil, case .unchanged? = operations[place].condition else { return false }
            return true
        }
        try await reader.forEachVersion(at: open.map { operations[$0].key }) { index, answer in
            effects[open[index]] = versionedEffect(of: operations[open[index]], on: answer)
        }
    }

    private func versionedEffect(
        of operation: ContentOperation,
        on answer: VersionAnswer
    ) -> PreviewedOperation.Effect {
        if case .unreadable(let flawed) = answer { return .failed(flawed.failure) }
        guard let document = answer.document else {
            return operation.kind == .add ? .failed(.versionConflict("the document is gone")) : .missing
        }
        guard case .unchanged(document.version)? = operation.condition else {
            // A change by an earlier run is not a conflict.
            if operation.leaves(document.json, in: engine.capabilities) { return .unchanged }
            return .failed(.versionConflict("the document has changed since its version was seen"))
        }
        if operation.kind == .remove { return .removed }
        return effect(
            of: operation,
            on: [StoredDocument(id: document.id, version: nil, routing: document.routing, json: document.json)]
        )
    }

    private static func needsNoContents(_ operation: ContentOperation) -> Bool {
        if case .contents? = operation.condition { return false }
        return operation.kind == .remove
    }

    private func exist(_ keys: [DocumentKey]) async throws -> [Bool] {
        guard !keys.isEmpty else { return [] }
        let answers = try await engine.exists(at: keys)
        guard answers.count == keys.count else { throw EngineError(answers: answers.count, of: keys.count) }
        return answers
    }

    private func effect(of operation: ContentOperation, on documents: [StoredDocument]) -> PreviewedOperation.Effect {
        if case .contents(let contents)? = operation.condition {
            if let document = documents.first, operation.isElsewhere(document.routing, in: engine.capabilities) {
                return .failed(.changedSince(isGone: false))
            }
            if operation.leaves(documents.first?.json, in: engine.capabilities) { return .unchanged }
            let found = documents.first.map { ContentDigest(of: $0.json, $0.id, in: engine.capabilities) }
            guard let found = found ?? ContentDigest.none, contents.contains(found) else {
                return .failed(.changedSince(isGone: documents.isEmpty))
            }
            if operation.kind == .remove { return .removed }
        }
        guard let document = documents.first else {
            guard operation.kind == .update, addsMissing else { return operation.kind == .add ? .added : .missing }
            do throws(JSONPatchError) {
                _ = try operation.addedDocument()
                return .added
            } catch {
                return .failed(DocumentFailure(.rejectedByEngine, error.description))
            }
        }
        if operation.condition == .absent {
            return operation.leaves(document.json, in: engine.capabilities) ? .unchanged : .failed(.alreadyExists)
        }
        if operation.kind == .add, addsOnlyNew { return .failed(.alreadyExists) }
        guard documents.count == 1 else {
            return .failed(.ambiguous(documents.map(\.routing)))
        }
        let (changesKey, keptKeys) = (engine.capabilities.mayChangeIDKey, engine.capabilities.keptKeys)
        func isIDKey(_ value: ArraySlice<UInt8>) -> Bool {
            guard changesKey, let value = try? JSONValue(Array(value)) else { return false }
            let text = if case .number(let number) = value { number } else { value.text }
            return text == operation.documentID.text
        }
        do {
            let new =
                operation.kind == .add
                ? operation.json : try JSONPatch.merged(base: document.json, patch: operation.json) ?? document.json
            let difference = try JSONDifference(from: document.json, to: new) { keptKeys.contains($0) || isIDKey($1) }
            guard !difference.isEmpty else { return .unchanged }
            return operation.kind == .add ? .replaced(difference) : .updated(difference)
        } catch let error as JSONPatchError {
            return .failed(DocumentFailure(.rejectedByEngine, error.description))
        } catch {
            return .failed(DocumentFailure(.rejectedByEngine, "the document is not a single JSON object"))
        }
    }
}
