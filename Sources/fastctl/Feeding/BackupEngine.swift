import ContentFeeding
import ReportRendering

/// An engine that writes down what a batch takes away, and only then lets the batch pass.
struct BackupEngine: ContentEngine {
    private let base: any CollectionEngine
    private let file: BackupFile

    /// Documents may be large: so many bytes of them are read at once.
    private static let pageBytes = 1 << 20

    init(_ base: any CollectionEngine, writingTo path: String) throws {
        self.base = base
        file = try BackupFile(path)
    }

    var collection: CollectionName { base.collection }
    var capabilities: EngineCapabilities { base.capabilities }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        do {
            var ids = batch.items.map(\.operation.documentID)[...]
            while !ids.isEmpty {
                let page = try await base.get(ids, maximumBytes: Self.pageBytes)
                try await file.append(page.documents, of: collection)
                ids = ids.dropFirst(page.looked)
            }
            try await file.synchronize()
        } catch let error as EngineError {
            // Nothing of the batch was sent. What only did not answer may answer the next time, and says nothing of the
            // documents: they keep their attempts.
            guard [.unreachable, .locked].contains(error.code) else { return stop(error.code, error.message) }
            let failure = DocumentFailure(.attemptsExhausted, error.message, disposition: .retryable)
            return .failed(BatchFailure(.definite(isCharged: false), failure))
        } catch {
            return stop(.inputOutput, CommandFailure(error).message)
        }
        return await base.apply(batch)
    }

    private func stop(_ code: EngineError.Code, _ message: String) -> BatchReply {
        .failed(BatchFailure(.stop(code), DocumentFailure(.rejectedByEngine, message)))
    }

    func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }
}
