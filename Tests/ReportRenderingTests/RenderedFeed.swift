import ContentFeeding

/// Removals and additions against an engine where everything is there but IDs that begin with `FAKE`.
struct RenderedFeed {
    var operations: [ContentOperation]
    var rejections: [InputRejection] = []
    var missing = MissingPolicy.error
    var spillDirectory: String?

    /// Runs the feed; `observe` is told of its events.
    func run(_ observe: @escaping (FeedEvent) -> Void = { _ in }) async -> FeedResult {
        var options = FeedOptions()
        options.configuration.missing = missing
        options.configuration.linger = .zero
        options.spillDirectory = spillDirectory
        let (operations, rejections) = (operations, rejections)
        let chunks = AsyncStream<OperationChunk> { continuation in
            let input = InputTally(
                lines: operations.count + rejections.count,
                rejected: rejections.count,
                bytes: operations.reduce(0) { $0 + $1.byteCount }
            )
            continuation.yield(OperationChunk(operations: operations, input: input, rejections: rejections))
            continuation.finish()
        }
        return await OperationFeed(engine: PresentUnlessFake(), options: options).run(
            chunks,
            job: JobID(rawValue: "01JOB")
        ) { event, _ in
            observe(event)
        }
    }
}

private struct PresentUnlessFake: ContentEngine {
    let collection: CollectionName = "WebCollection"
    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.maximumBatchesInFlight = 1
        return capabilities
    }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        .results(batch.items.map { item in .done(outcome(of: item.operation)) })
    }

    private func outcome(of operation: ContentOperation) -> Outcome {
        switch operation.kind {
        case .add: .added
        case .update, .remove:
            operation.documentID.text.hasPrefix("FAKE") ? .missing : operation.kind == .remove ? .removed : .updated
        }
    }

    func raise(to level: CompletionLevel) async throws(EngineError) {}
}
