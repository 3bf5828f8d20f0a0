/// An engine that compares contents where an operation asks for that, and tells a conflict with somebody else from one
/// with an earlier copy of the same operation.
///
/// A document is read before it is written if its operation has ``WriteCondition/contents(_:)``, and is written only if
/// nobody changes it in between. It is read after a conflict if the operation may have taken effect before: if the
/// document is as the operation leaves it, that is what happened.
public struct ComparingEngine: ContentEngine {
    private let base: any ContentEngine
    private let reader: any VersionedEngine

    /// Wraps `base`, which changes what `reader` reads.
    public init(_ base: any ContentEngine, reading reader: any VersionedEngine) {
        (self.base, self.reader) = (base, reader)
    }

    /// The collection that is fed.
    public var collection: CollectionName { base.collection }

    /// Those of the engine, which now compares contents.
    public var capabilities: EngineCapabilities {
        var capabilities = base.capabilities
        capabilities.comparesContents = true
        return capabilities
    }

    /// Checks as the engine does.
    public func check(_ intent: FeedIntent) async throws(EngineError) { try await base.check(intent) }

    /// Returns what the engine may not see.
    public func unseen(by intent: FeedIntent) -> String? { base.unseen(by: intent) }

    /// Returns what tells the collection from a later one.
    public func incarnation(for intent: FeedIntent) -> String? { base.incarnation(for: intent) }

    /// Raises everything that was applied.
    public func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }

    /// Compares where an operation asks for that, has the engine apply the others, and settles conflicts.
    public func apply(_ batch: ContentBatch) async -> BatchReply {
        guard batch.items.contains(where: \.operation.comparesContents) else {
            return await settled(await base.apply(batch), of: batch.items)
        }
        do throws(EngineError) {
            return await apply(batch, after: try await comparison(of: batch.items))
        } catch {
            return .failed(Self.failure(error))
        }
    }

    /// What the comparison of an operation with its document has found.
    private enum Verdict {
        /// The operation is to be done, if the document stays as it is until then.
        case send(ContentOperation)
        case settled(OperationResult)
    }

    private func apply(_ batch: ContentBatch, after verdicts: [Verdict]) async -> BatchReply {
        var sent: [ContentBatch.Item] = []
        var withheld: [OperationOutcome] = []
        for (item, verdict) in zip(batch.items, verdicts) {
            switch verdict {
            case .send(let operation):
                sent.append(.init(id: item.id, operation: operation, mayHaveApplied: item.mayHaveApplied))
            case .settled(let result):
                if let outcome = batch.job?.outcome(of: item, result) { withheld.append(outcome) }
            }
        }
        // An engine that keeps the job is told what was settled without it.
        let rest = ContentBatch(id: batch.id, items: sent, job: batch.job?.adding(withheld))
        var results: [OperationResult] = []
        if !sent.isEmpty || rest.job != nil {
            let reply = await settled(await base.apply(rest), of: sent)
            guard case .results(let found) = reply, found.count == sent.count else { return reply }
            results = found
        }
        var next = results.makeIterator()
        return .results(
            verdicts.map { verdict in
                switch verdict {
                case .settled(let result): result
                case .send: next.next() ?? .unknown(DocumentFailure(.attemptsExhausted, "the engine gave no result"))
                }
            }
        )
    }

    private func comparison(of items: [ContentBatch.Item]) async throws(EngineError) -> [Verdict] {
        let compared = items.indices.filter { items[$0].operation.comparesContents }
        var verdicts = items.map { Verdict.send($0.operation) }
        try await reader.forEachVersion(at: compared.map { items[$0].operation.key }) { index, document in
            let item = items[compared[index]]
            guard case .contents(let contents)? = item.operation.condition else { return }
            let found = digest(of: document)
            let wanted = item.operation.digest(ofResultOn: document?.json, in: reader.capabilities)
            if let found, found == wanted {
                verdicts[compared[index]] = .settled(.done(item.mayHaveApplied ? item.operation.doneBefore : .noop))
            } else if let found, contents.contains(found) {
                let condition = document.map { WriteCondition.unchanged($0.version) } ?? .absent
                verdicts[compared[index]] = .send(item.operation.only(condition))
            } else {
                verdicts[compared[index]] = .settled(.failed(.changedSince(isGone: document == nil)))
            }
        }
        return verdicts
    }

    private func digest(of document: VersionedDocument?) -> ContentDigest? {
        guard let document else { return ContentDigest.none }
        return ContentDigest(of: document.json, document.id, in: reader.capabilities)
    }

    /// Returns the reply with those conflicts settled that an operation has with an earlier copy of itself.
    private func settled(_ reply: BatchReply, of items: [ContentBatch.Item]) async -> BatchReply {
        guard case .results(var results) = reply, results.count == items.count else { return reply }
        let unclear = items.indices.filter { items[$0].mayHaveApplied && results[$0].isConflict }
        guard !unclear.isEmpty else { return reply }
        do throws(EngineError) {
            try await reader.forEachVersion(at: unclear.map { items[$0].operation.key }) { index, document in
                let operation = items[unclear[index]].operation
                guard operation.leaves(document?.json, in: reader.capabilities) else { return }
                results[unclear[index]] = .done(operation.doneBefore)
            }
        } catch {
            // Whoever may not read gets the conflict, with what else it may mean.
            guard [.unreachable, .locked].contains(error.code) else { return reply }
            let failure = DocumentFailure(
                .attemptsExhausted,
                "whether an earlier attempt has written the document could not be told: \(error.message)",
                disposition: .retryable
            )
            for place in unclear { results[place] = .unknown(failure) }
        }
        return .results(results)
    }

    /// Returns the failure of a batch of which nothing was sent.
    ///
    /// That an engine did not answer says nothing about the documents, which keep their
    /// attempts.
    private static func failure(_ error: EngineError) -> BatchFailure {
        guard [.unreachable, .locked].contains(error.code) else {
            return BatchFailure(.stop(error.code), DocumentFailure(.rejectedByEngine, error.message))
        }
        let failure = DocumentFailure(.attemptsExhausted, error.message, disposition: .retryable)
        return BatchFailure(.definite(isCharged: false), failure)
    }
}

extension ContentOperation {
    fileprivate var comparesContents: Bool {
        if case .contents? = condition { true } else { false }
    }

    /// The outcome of an operation that an earlier copy of it has done.
    fileprivate var doneBefore: Outcome {
        switch kind {
        case .add: condition == .absent ? .added : .updated
        case .update: .updated
        case .remove: .gone
        }
    }
}

extension OperationResult {
    /// Whether the document was not in the state that the operation was made for.
    fileprivate var isConflict: Bool {
        switch self {
        case .failed(let failure): failure.isConflict
        case .done(.stale): true
        case .done, .notNow, .outdated, .unknown: false
        }
    }
}

extension DocumentFailure {
    /// A document that is not as a job has left it.
    package static func changedSince(isGone: Bool) -> DocumentFailure {
        DocumentFailure(
            .changedSince,
            isGone
                ? "the document was removed since; it stays away"
                : "the document is not as the job left it: it was changed since, and stays as it is"
        )
    }
}
