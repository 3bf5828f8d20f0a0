import ContentFeeding

extension BatchPlan {
    /// The results with those unclear that a look-up after the update does not confirm.
    func results(
        _ results: [OperationResult],
        confirmedBy after: [DocumentID: StoredDocument],
        before: [DocumentID: StoredDocument],
        of items: [ContentBatch.Item]
    ) -> [OperationResult] {
        let lost = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success, and the document is as it was before",
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

    /// The results with all unclear that were sent, because nobody can look at them.
    func results(_ results: [OperationResult], unconfirmedBecause reason: String) -> [OperationResult] {
        let unconfirmed = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success after a pause in which it may have lost some of it, and can't be asked: \(reason)",
            disposition: .retryable
        )
        var results = results
        for place in places {
            if case .done = results[place] { results[place] = .unknown(unconfirmed) }
        }
        return results
    }

    /// Whether it was written; where Solr shows no versions, it is enough that it is there.
    private static func isNewer(_ after: StoredDocument?, than before: StoredDocument?) -> Bool {
        guard let after else { return false }
        guard let new = after.version, let old = before?.version else { return true }
        return new != old
    }
}
