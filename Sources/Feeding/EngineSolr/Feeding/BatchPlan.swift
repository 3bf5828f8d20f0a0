import ContentFeeding
import JSONText

/// What a batch asks of Solr, and what becomes of each operation once Solr has taken it.
///
/// A document that was looked up and not found is removed all the same: while a cluster heals, a look-up may ask a
/// node that is behind.
struct BatchPlan {
    /// One for each operation of the batch, in its order.
    private(set) var results: [OperationResult] = []
    /// Where in the batch the commands come from, in their order; empty when nothing is to be sent.
    private(set) var places: [Int] = []
    private var body: UpdateBody

    /// What stands round the ID of a removal: two quotes, a comma.
    private static let frameBytes = 3

    /// Plans with what ``lookUps(_:checksMissing:)`` found.
    init(
        _ items: [ContentBatch.Item],
        found: [DocumentID: StoredDocument],
        checksMissing: Bool,
        uniqueKey: String
    ) {
        // A span lends an operation where an array would copy it.
        let items = items.span
        var byteCount = 0
        for place in items.indices { byteCount += items[place].operation.byteCount + Self.frameBytes }
        body = UpdateBody(uniqueKey: uniqueKey, byteCount: byteCount)
        results.reserveCapacity(items.count)
        places.reserveCapacity(items.count)
        for place in items.indices {
            switch items[place].operation.kind {
            case .remove:
                send(place) { $0.remove(utf8: items[place].operation.documentID.utf8) }
                guard checksMissing else {
                    results.append(.done(.gone))
                    continue
                }
                results.append(.done(found[items[place].operation.documentID] == nil ? .missing : .removed))
            case .add: add(items[place].operation.document, at: place, found)
            case .update: update(items[place].operation.document, at: place, found)
            }
        }
    }

    /// Hands the request over; to be called once.
    mutating func takeBody() -> [UInt8] { body.finish() }

    /// The IDs that have to be looked up before the batch can be planned.
    static func lookUps(_ items: [ContentBatch.Item], checksMissing: Bool) -> [DocumentID] {
        let items = items.span
        var ids: [DocumentID] = []
        for place in items.indices where checksMissing || items[place].operation.kind != .remove {
            ids.append(items[place].operation.documentID)
        }
        return ids
    }

    /// How much of the documents has to be known.
    static func extent(_ items: [ContentBatch.Item]) -> LookUp.Extent {
        if items.contains(where: { $0.operation.kind == .update }) { return .documents }
        return items.contains { $0.operation.kind == .add } ? .versions : .presence
    }

    private mutating func add(_ document: Document, at place: Int, _ found: [DocumentID: StoredDocument]) {
        let wasThere = found[document.id] != nil
        do throws(DocumentRefusal) {
            let document = try FedDocument(document, uniqueKey: body.uniqueKey)
            send(place) { $0.add(document) }
            results.append(.done(wasThere ? .updated : .added))
        } catch {
            results.append(.failed(error.failure))
        }
    }

    private mutating func update(_ patch: Document, at place: Int, _ found: [DocumentID: StoredDocument]) {
        do throws(DocumentRefusal) {
            let document = try FedDocument(patch, uniqueKey: body.uniqueKey)
            guard let before = found[patch.id] else { return results.append(.done(.missing)) }
            guard Self.changes(document, before) else { return results.append(.done(.noop)) }
            // 1 means that it must be there; where Solr does not show versions, that is all that can be asked for.
            send(place) { $0.change(document, version: before.version ?? 1) }
            results.append(.done(.updated))
        } catch {
            results.append(.failed(error.failure))
        }
    }

    private mutating func send(_ place: Int, _ command: (inout UpdateBody) -> Void) {
        places.append(place)
        command(&body)
    }

    private static func changes(_ patch: FedDocument, _ before: StoredDocument) -> Bool {
        var writer = JSONWriter()
        writer.object { writer in
            for field in patch.fields { writer.member(field.name, raw: field.json) }
        }
        do {
            return try JSONMerge.merged(base: before.json, patch: writer.bytes) != nil
        } catch {
            // Both are objects that have been read before; if in doubt, Solr is asked.
            return true
        }
    }
}
