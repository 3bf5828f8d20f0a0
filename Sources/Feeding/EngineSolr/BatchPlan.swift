import ContentFeeding
import JSONText

/// A batch's commands for Solr, and the result of each operation once Solr has accepted them.
///
/// A document that was looked up and not found is removed all the same: while a cluster heals, a look-up may ask a
/// node that is behind.
struct BatchPlan {
    /// One result for each operation of the batch, in order.
    private(set) var results: [OperationResult] = []
    /// Places in the batch that the commands come from, in order; empty if nothing is to be sent.
    private(set) var places: [Int] = []
    private var body: UpdateBody

    /// The bytes around the ID of a removal: two quotes, a comma.
    private static let frameBytes = 3

    /// Creates the plan from what a look-up of ``lookUps(_:checksMissing:)`` found; operations on the documents in
    /// `refusals` fail and are not sent.
    init(
        _ items: [ContentBatch.Item],
        found: [DocumentID: StoredDocument],
        refusals: [DocumentID: DocumentFailure] = [:],
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
            if !refusals.isEmpty, let failure = refusals[items[place].operation.documentID] {
                results.append(.failed(failure))
                continue
            }
            let condition: VersionCondition?
            do throws(DocumentRefusal) {
                condition = try items[place].operation.condition.map { wanted throws(DocumentRefusal) in
                    try VersionCondition(wanted, of: found[items[place].operation.documentID])
                }
            } catch {
                results.append(.failed(error.failure))
                continue
            }
            switch items[place].operation.kind {
            case .remove:
                send(place) { $0.remove(utf8: items[place].operation.documentID.utf8, only: condition) }
                guard checksMissing else {
                    results.append(.done(.gone))
                    continue
                }
                results.append(.done(found[items[place].operation.documentID] == nil ? .missing : .removed))
            case .add: add(items[place].operation.document, at: place, found, only: condition)
            case .update: update(items[place].operation.document, at: place, found)
            }
        }
    }

    /// Returns the request; call it once.
    mutating func takeBody() -> [UInt8] { body.finish() }

    /// Returns the IDs to look up before the batch can be planned.
    static func lookUps(_ items: [ContentBatch.Item], checksMissing: Bool) -> [DocumentID] {
        let items = items.span
        var ids: [DocumentID] = []
        for place in items.indices {
            let isNeeded = checksMissing || items[place].operation.kind != .remove
            guard isNeeded || items[place].operation.condition != nil else { continue }
            ids.append(items[place].operation.documentID)
        }
        return ids
    }

    /// Returns how much of the documents has to be known.
    static func extent(_ items: [ContentBatch.Item]) -> LookUp.Extent {
        if items.contains(where: { $0.operation.kind == .update }) { return .documents }
        return items.contains { $0.operation.kind == .add || $0.operation.condition != nil } ? .versions : .presence
    }

    private mutating func add(
        _ document: Document,
        at place: Int,
        _ found: [DocumentID: StoredDocument],
        only condition: VersionCondition?
    ) {
        let wasThere = found[document.id] != nil
        do throws(DocumentRefusal) {
            let document = try UpdateDocument(document, uniqueKey: body.uniqueKey)
            send(place) { $0.add(document, only: condition) }
            results.append(.done(wasThere ? .updated : .added))
        } catch {
            results.append(.failed(error.failure))
        }
    }

    private mutating func update(_ patch: Document, at place: Int, _ found: [DocumentID: StoredDocument]) {
        do throws(DocumentRefusal) {
            let document = try UpdateDocument(patch, uniqueKey: body.uniqueKey)
            guard let before = found[patch.id] else { return results.append(.done(.missing)) }
            guard Self.changes(document, before) else { return results.append(.done(.noop)) }
            // 1 means that the document must exist; if Solr does not show versions, that is all that can be required.
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

    private static func changes(_ patch: UpdateDocument, _ before: StoredDocument) -> Bool {
        var writer = JSONWriter()
        writer.object { writer in
            for field in patch.fields { writer.member(field.name, raw: field.json) }
        }
        do {
            return try JSONMerge.merged(base: before.json, patch: writer.bytes) != nil
        } catch {
            // Both are objects that have been read before; in doubt, Solr is asked.
            return true
        }
    }
}

extension BatchPlan {
    /// Returns the results after a success that skipped some operations; `nil` if it names others than ours.
    func results(
        after errors: [ReplyHeader.ItemError],
        of items: [ContentBatch.Item]
    ) -> [OperationResult]? {
        guard !errors.isEmpty else { return results }
        let places = Dictionary(places.map { (items[$0].operation.documentID, $0) }) { $1 }
        var results = results
        for error in errors {
            guard let id = try? DocumentID(error.id), let place = places[id] else { return nil }
            results[place] = .failed(DocumentFailure(.rejectedByEngine, error.message))
        }
        return results
    }

    /// Returns the results after Solr refused the batch because a document had another version than expected; `nil` if
    /// the reason names none of ours.
    ///
    /// A single Solr executes the commands one after the other, up to the one that it refuses. In a cluster, the nodes
    /// work at the same time, so nobody knows how far the others got.
    func results(afterConflict reason: String, of items: [ContentBatch.Item], inOrder: Bool) -> [OperationResult]? {
        let conflicting = places.firstIndex { place in
            guard items[place].operation.kind == .update || items[place].operation.condition != nil else {
                return false
            }
            return places.count == 1 || Self.isConflict(reason, of: items[place].operation.documentID.text)
        }
        guard let conflicting else { return nil }
        let conflict = DocumentFailure(
            .rejectedByEngine,
            "somebody else changed the document at the same time",
            disposition: .retryable
        )
        let stopped = DocumentFailure(
            .attemptsExhausted,
            "Solr stopped at another document of the batch, which somebody else had changed",
            disposition: .retryable
        )
        var results = results
        for (index, place) in places.enumerated() where index != conflicting {
            if !inOrder {
                results[place] = .unknown(stopped)
            } else if index > conflicting {
                results[place] = .notNow(stopped)
            }
        }
        // A copy decides about its conflicts; anybody else's are tried again.
        results[places[conflicting]] =
            items[places[conflicting]].operation.condition
            .map { .failed(.conflict(with: $0, conflict.message)) } ?? .outdated(conflict)
        return results
    }

    /// Whether Solr's reason is that this document is not as a command expects it.
    private static func isConflict(_ reason: String, of id: String) -> Bool {
        reason.utf8.firstRange(of: "version conflict for \(id) expected=".utf8) != nil
            || reason.utf8.reversed().starts(with: "Document not found for update.  id=\(id)".utf8.reversed())
    }

    /// Returns the results, with those unknown that a look-up after the update does not confirm.
    func results(
        _ results: [OperationResult],
        confirmedBy after: [DocumentID: StoredDocument],
        before: [DocumentID: StoredDocument],
        of items: [ContentBatch.Item]
    ) -> [OperationResult] {
        let lost = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success, but the document is as it was before",
            disposition: .retryable
        )
        var results = results
        for place in places {
            guard case .done = results[place] else { continue }
            let id = items[place].operation.documentID
            let isDone =
                switch items[place].operation.kind {
                case .remove: after[id] == nil
                case .add, .update: Self.isNewer(after[id], than: before[id])
                }
            if !isDone { results[place] = .unknown(lost) }
        }
        return results
    }

    /// Returns the results, with all unknown that were sent, because nobody can check them.
    func results(_ results: [OperationResult], unconfirmedBecause reason: String) -> [OperationResult] {
        let unconfirmed = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success after a pause in which operations may be lost, and this can't be checked: \(reason)",
            disposition: .retryable
        )
        var results = results
        for place in places {
            if case .done = results[place] { results[place] = .unknown(unconfirmed) }
        }
        return results
    }

    /// Whether the document was written; if Solr shows no versions, its existence is enough.
    private static func isNewer(_ after: StoredDocument?, than before: StoredDocument?) -> Bool {
        guard let after else { return false }
        guard let new = after.version, let old = before?.version else { return true }
        return new != old
    }
}
