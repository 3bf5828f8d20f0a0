import ContentFeeding

extension BatchPlan {
    /// The results after a success that passes over some operations; `nil` when it speaks of others than ours.
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

    /// The results after Solr refused the batch because a document had another version than expected; `nil` when the
    /// reason names none of ours.
    ///
    /// One Solr does the commands one after the other, up to the one that it refuses. In a cluster the nodes work at
    /// the same time, so nobody knows how far the others came.
    func results(afterConflict reason: String, of items: [ContentBatch.Item], inOrder: Bool) -> [OperationResult]? {
        let conflicting = places.firstIndex { place in
            guard items[place].operation.kind == .update else { return false }
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
        results[places[conflicting]] = .outdated(conflict)
        return results
    }

    /// Whether Solr says of this document that it is not as a command expects it.
    private static func isConflict(_ reason: String, of id: String) -> Bool {
        reason.utf8.firstRange(of: "version conflict for \(id) expected=".utf8) != nil
            || reason.utf8.reversed().starts(with: "Document not found for update.  id=\(id)".utf8.reversed())
    }
}
