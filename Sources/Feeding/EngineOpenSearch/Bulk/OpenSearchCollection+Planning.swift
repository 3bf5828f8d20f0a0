import ContentFeeding
import EngineHTTP
import JSONText

/// A batch that came to nothing before it was sent.
struct BatchTrouble: Error {
    let failure: BatchFailure

    init(_ failure: BatchFailure) { self.failure = failure }

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
    /// How much a batch's updates may read at a time, in bytes; the document that makes it so much comes on top.
    static let updateBytes = 16 << 20

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
            case .update(let patch): plan.update(next.next() ?? .absent, by: patch, for: place)
            }
        }
        return plan
    }

    private func documents(of ids: [DocumentID]) async throws(BatchTrouble) -> [MultiGetReply.Entry] {
        guard !ids.isEmpty else { return [] }
        let found: [MultiGetReply.Entry]
        do throws(RequestTrouble) {
            found = try await read(ids[...], upTo: Self.updateBytes)
        } catch {
            throw BatchTrouble(reading: error.trouble)
        }
        guard found.count == ids.count else { throw BatchTrouble(Self.tooMuchToRead) }
        return found
    }

    private static let tooMuchToRead = BatchFailure(
        .split(mayHaveApplied: false),
        DocumentFailure(
            .attemptsExhausted,
            "the documents to update have more than \(updateBytes >> 20) MiB together",
            disposition: .retryable
        )
    )
}

extension BulkPlan {
    fileprivate mutating func update(_ entry: MultiGetReply.Entry, by patch: Document, for place: Int) {
        let document: RevisedDocument
        switch entry {
        case .found(let found): document = found
        case .absent: return settle(place, .done(.missing))
        case .foundWithoutSource:
            return settle(place, .failed(DocumentFailure(.rejectedByEngine, MultiGetReply.withoutSource)))
        case .failed(let type, let reason):
            let words = "the document could not be read: \(type): \(reason)"
            return settle(place, .unknown(DocumentFailure(.attemptsExhausted, words, disposition: .retryable)))
        }
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
