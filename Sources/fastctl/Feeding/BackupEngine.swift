import ContentFeeding
import ReportRendering

/// An engine that writes down what a batch takes away, and only then lets the batch pass.
struct BackupEngine: ContentEngine {
    private let base: any CollectionEngine
    private let file: BackupFile

    /// Documents that are read at once: they may be large.
    private static let pageSize = 50

    init(_ base: any CollectionEngine, writingTo path: String) throws {
        self.base = base
        file = try BackupFile(path)
    }

    var collection: CollectionName { base.collection }
    var capabilities: EngineCapabilities { base.capabilities }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        do {
            let ids = batch.items.map(\.operation.documentID)
            for start in stride(from: 0, to: ids.count, by: Self.pageSize) {
                let page = try await base.get(Array(ids[start..<min(start + Self.pageSize, ids.count)]))
                try await file.append(page, of: collection)
            }
            try await file.synchronize()
        } catch let error as EngineError {
            return stop(error.code, error.message)
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
