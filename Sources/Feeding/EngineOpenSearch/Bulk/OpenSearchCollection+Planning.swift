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
    func plan(for items: [ContentBatch.Item]) async throws(BatchTrouble) -> BulkPlan {
        BulkPlan(items, updating: try await documents(of: Self.updated(items)))
    }

    private static func updated(_ items: [ContentBatch.Item]) -> [DocumentID] {
        let items = items.span
        var ids: [DocumentID] = []
        for place in items.indices where items[place].operation.kind == .update {
            ids.append(items[place].operation.documentID)
        }
        return ids
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
    /// Plans with what was found of the documents to update, in their order.
    fileprivate init(_ items: [ContentBatch.Item], updating found: [MultiGetReply.Entry]) {
        self.init(count: items.count)
        // A span lends an operation where an array would copy it.
        let items = items.span
        var next = found.makeIterator()
        for place in items.indices {
            switch items[place].operation.kind {
            case .remove: send(.delete(items[place].operation.documentID), for: place)
            case .add:
                let document = items[place].operation.document
                send(.index(document.id, json: document.json, since: nil), for: place)
            case .update: update(next.next() ?? .absent, by: items[place].operation.document, for: place)
            }
        }
    }

    private mutating func update(_ entry: MultiGetReply.Entry, by patch: Document, for place: Int) {
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
