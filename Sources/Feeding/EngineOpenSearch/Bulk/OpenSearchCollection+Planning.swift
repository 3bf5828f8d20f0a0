import ContentFeeding
import EngineHTTP
import JSONText

/// A batch that came to nothing before it was sent.
struct BatchTrouble: Error {
    let failure: BatchFailure

    /// Nothing was written, so a request that only reads is never ambiguous.
    init(reading trouble: EngineTrouble) {
        let failure = BatchFailure(trouble)
        self.failure =
            switch failure.kind {
            case .ambiguous, .split, .tooLarge: BatchFailure(.definite(isCharged: true), failure.failure)
            default: failure
            }
    }
}

extension OpenSearchCollection {
    /// Turns operations into actions; updates are read and merged for that.
    func plan(for operations: [ContentOperation]) async throws(BatchTrouble) -> BulkPlan {
        let updated = operations.filter { $0.kind == .update }.map(\.documentID)
        let found = try await documents(of: updated)
        var plan = BulkPlan(count: operations.count)
        var next = found.makeIterator()
        for (place, operation) in operations.enumerated() {
            switch operation {
            case .remove(let id): plan.send(.delete(id), for: place)
            case .add(let document): plan.send(.index(document.id, json: document.json, since: nil), for: place)
            case .update(let patch): plan.update(next.next() ?? nil, by: patch, for: place)
            }
        }
        return plan
    }

    private func documents(of ids: [DocumentID]) async throws(BatchTrouble) -> [RevisedDocument?] {
        guard !ids.isEmpty else { return [] }
        do throws(RequestTrouble) {
            return try await read(ids[...], upTo: .max)
        } catch {
            throw BatchTrouble(reading: error.trouble)
        }
    }
}

extension BulkPlan {
    fileprivate mutating func update(_ document: RevisedDocument?, by patch: Document, for place: Int) {
        guard let document else { return settle(place, .done(.missing)) }
        do throws(JSONError) {
            guard let merged = try JSONMerge.merged(base: document.json, patch: patch.json) else {
                return settle(place, .done(.noop))
            }
            send(.index(patch.id, json: merged, since: document.revision), for: place)
        } catch {
            settle(place, .failed(DocumentFailure(.rejectedByEngine, "the document is not one JSON object: \(error)")))
        }
    }
}
