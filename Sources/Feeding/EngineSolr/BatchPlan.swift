import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

/// The commands of a batch, and the result of each operation once Solr has accepted the commands.
///
/// A removal is sent even if the look-up did not find its document, because in a recovering cluster, the look-up may be
/// answered by a node that is out of date.
struct BatchPlan {
    /// The results, one for each operation of the batch, in order.
    private(set) var results: [OperationResult] = []
    /// The index in the batch of each command's operation, in order; empty if nothing needs to be sent.
    private(set) var places: [Int] = []
    /// The versions required of documents whose updates change a counter.
    private(set) var countedVersions: [DocumentID: DocumentVersion] = [:]
    private var body: UpdateBody

    /// The number of bytes around the ID of a removal: two quotes and a comma.
    private static let frameBytes = 3

    /// Creates the plan from the results of looking up ``lookUps(_:checksMissing:)``; operations on the documents in
    /// `refusals` fail and are not sent.
    ///
    /// If removals require the existence of their documents, these are not looked up.
    init(
        _ batch: ContentBatch,
        found: [DocumentID: StoredDocument],
        refusals: [DocumentID: DocumentFailure] = [:],
        checksMissing: Bool,
        uniqueKey: String,
        counted: CountedVersions = CountedVersions(),
        requiresExistence: Bool = false
    ) {
        // A span gives access to an operation without copying it, unlike an array.
        let items = batch.items.span
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
            case .remove where requiresExistence:
                let exists = VersionCondition(number: 1)
                send(place) { $0.remove(utf8: items[place].operation.documentID.utf8, only: exists) }
                results.append(.done(.removed))
            case .remove:
                send(place) { $0.remove(utf8: items[place].operation.documentID.utf8, only: condition) }
                guard checksMissing else {
                    results.append(.done(.gone))
                    continue
                }
                results.append(.done(found[items[place].operation.documentID] == nil ? .missing : .removed))
            case .add: add(items[place].operation.document, at: place, found, only: condition)
            case .update: update(items[place], at: place, found[items[place].operation.documentID], batch, counted)
            }
        }
    }

    /// Returns the body of the request; must be called only once.
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

    /// Returns the part of the documents to look up.
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

    private mutating func update(
        _ item: ContentBatch.Item,
        at place: Int,
        _ before: StoredDocument?,
        _ batch: ContentBatch,
        _ counted: CountedVersions
    ) {
        let operation = item.operation
        do throws(DocumentRefusal) {
            guard let before else {
                guard batch.addsMissing else {
                    _ = try UpdateDocument(operation, on: nil, uniqueKey: body.uniqueKey)
                    return results.append(.done(.missing))
                }
                let document = try UpdateDocument(operation, on: nil, uniqueKey: body.uniqueKey)
                send(place) { $0.add(document, only: VersionCondition(number: -1)) }
                return results.append(.done(.added))
            }
            let version = before.version.map { DocumentVersion(rawValue: String($0)) }
            guard counted.allows(item, at: version) else { return results.append(.failed(.perhapsCounted)) }
            let document = try UpdateDocument(operation, on: before, uniqueKey: body.uniqueKey)
            if operation.isCounting || JSONPatch.hasOperators(operation.json) {
                guard let version else {
                    throw DocumentRefusal(
                        .rejectedByEngine,
                        "Solr does not show the document's _version_, so a computed value could overwrite another change"
                    )
                }
                if operation.isCounting { countedVersions[operation.documentID] = version }
            }
            guard Self.changes(document, before) else { return results.append(.done(.noop)) }
            // The version 1 means that the document must exist; if Solr does not show versions, nothing more can be
            // required.
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
        let json = JSONWriter.object { writer in
            for field in patch.fields { writer.member(field.name, raw: field.json) }
        }
        do {
            return try JSONMerge.merged(base: before.json, patch: json) != nil
        } catch {
            // Both are objects that were already parsed once, so this should not fail; if it does, send the operation
            // to Solr.
            return true
        }
    }
}

extension BatchPlan {
    /// Returns the results after Solr reported success but skipped some operations; `nil` if it names documents that
    /// are not in the batch.
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

    /// Returns the index of the command whose document Solr's message rejects; `nil` if it names none of them, or one
    /// that several commands write.
    ///
    /// The message may quote fields and values, so the first document that it names counts.
    func place(rejectedBy message: String, of items: [ContentBatch.Item]) -> Int? {
        var first: (place: Int?, offset: Int, length: Int)?
        for (index, place) in places.enumerated() where items[place].operation.kind != .remove {
            let id = items[place].operation.documentID.text
            for name in ["ERROR: [doc=\(id)] ", "Exception writing document id \(id) to the index"] {
                guard let range = message.utf8.firstRange(of: name.utf8) else { continue }
                let offset = message.utf8.distance(from: message.utf8.startIndex, to: range.lowerBound)
                let isSame = first.map { ($0.offset, $0.length) == (offset, name.utf8.count) } ?? false
                if let first, (first.offset, -first.length) < (offset, -name.utf8.count) { continue }
                first = (isSame ? nil : index, offset, name.utf8.count)
            }
        }
        return first?.place
    }

    /// Marks the operations at `others` as unknown unless a look-up after the request proves what happened to them;
    /// returns the places of the operations that were not carried out.
    ///
    /// An addition or update was carried out if its document has another version and the values that were sent. A
    /// counting update is unknown, because another client may have counted as well, so it is sent again only to the same
    /// version. If the commands were executed `inOrder`, by a standalone Solr that has responded, an unchanged version
    /// proves that the update was not carried out; and if a later command was carried out, so was the update, because
    /// its document would otherwise have caused a version conflict.
    func unsettle(
        _ results: inout [OperationResult],
        at others: [Int],
        after: [DocumentID: StoredDocument],
        before: [DocumentID: StoredDocument],
        of items: [ContentBatch.Item],
        inOrder: Bool
    ) -> [Int] {
        var undone: [Int] = []
        let lastDone = others.last { place in
            let operation = items[place].operation
            guard operation.kind != .remove, !operation.isCounting, let new = after[operation.documentID] else {
                return false
            }
            let old = before[operation.documentID]
            return old?.version != new.version && holds(operation, in: new, before: old)
        }
        for place in others {
            let operation = items[place].operation
            let (old, new) = (before[operation.documentID], after[operation.documentID])
            if operation.kind == .remove, new == nil, old != nil { continue }
            // This includes a removal whose document was not found before either: a node that is out of date may have
            // answered both times, and a second removal does no harm.
            let isUnchanged = old == nil ? new == nil : old?.version != nil && old?.version == new?.version
            if operation.isCounting, !(inOrder && isUnchanged) {
                let isBeforeDone = lastDone.map { place < $0 } ?? false
                if inOrder, isBeforeDone, let new, holds(operation, in: new, before: old) { continue }
                results[place] = .unknown(Self.besides("it may still be counting"), answered: true)
            } else if isUnchanged {
                undone.append(place)
            } else if let new, holds(operation, in: new, before: old) {
                continue
            } else {
                results[place] = .unknown(Self.besides("another client may have changed the document"), answered: true)
            }
        }
        return undone
    }

    /// Returns whether a document with another version than before has the values that an addition or update sent.
    private func holds(_ operation: ContentOperation, in new: StoredDocument, before old: StoredDocument?) -> Bool {
        if let old, old.version == nil || new.version == nil { return false }
        do throws(DocumentRefusal) {
            switch operation.kind {
            case .remove: return false
            case .add: return try UpdateDocument(operation.document, uniqueKey: body.uniqueKey).isHeld(by: new)
            case .update: return try UpdateDocument(operation, on: old, uniqueKey: body.uniqueKey).isHeld(by: new)
            }
        } catch {
            return false
        }
    }

    /// The reason why an operation is sent again after Solr rejected another one in the same batch.
    static func besides(_ reason: String) -> DocumentFailure {
        DocumentFailure(
            .attemptsExhausted,
            "Solr rejected another document in the batch: \(reason)",
            disposition: .retryable
        )
    }

    /// Returns the results after Solr refused the batch because a document had an unexpected version; `nil` if the
    /// message names none of the batch's documents.
    ///
    /// A standalone Solr executes the commands one after another, up to the command that it refuses. In a cluster, the
    /// nodes work in parallel, so several may refuse one, and it is unknown which of the other commands were executed.
    func results(afterConflict message: String, of items: [ContentBatch.Item], inOrder: Bool) -> [OperationResult]? {
        let conditional = places.indices.filter { index in
            items[places[index]].operation.kind == .update || items[places[index]].operation.condition != nil
        }
        let commands = Dictionary(grouping: conditional) { items[places[$0]].operation.documentID }
        let named = UnmetCondition.documents(namedIn: message, of: Set(commands.keys))
        // Of several commands for a document, any may be the one that was refused.
        let conflicting =
            places.count == 1
            ? conditional : named.compactMap { id in commands[id]?.count == 1 ? commands[id]?.first : nil }
        guard let first = conflicting.first, !inOrder || conflicting.count == 1 else { return nil }
        let conflict = DocumentFailure(
            .rejectedByEngine,
            "the document was changed by another client at the same time",
            disposition: .retryable
        )
        let stopped = DocumentFailure(
            .attemptsExhausted,
            "Solr stopped at another document in the batch, which another client had changed",
            disposition: .retryable
        )
        var results = results
        for (index, place) in places.enumerated() {
            if conflicting.contains(index) {
                // A copy resolves conflicts itself; other operations are retried.
                results[place] =
                    items[place].operation.condition
                    .map { .failed(.conflict(with: $0, conflict.message)) } ?? .outdated(conflict)
            } else if !inOrder {
                results[place] = .unknown(stopped, answered: true)
            } else if index > first {
                results[place] = .notNow(stopped)
            }
        }
        return results
    }

    /// Returns the results; a result that the lookup after the update does not confirm becomes unknown.
    func results(
        _ results: [OperationResult],
        confirmedBy after: [DocumentID: StoredDocument],
        before: [DocumentID: StoredDocument],
        of items: [ContentBatch.Item]
    ) -> [OperationResult] {
        let lost = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success, but the document is unchanged",
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
            // In a SolrCloud, another node's copy may still be carried out.
            if !isDone { results[place] = .unknown(lost) }
        }
        return results
    }

    /// Returns the results, with those of all sent operations replaced by unknown ones, because they can't be checked.
    func results(_ results: [OperationResult], unconfirmedBecause reason: String) -> [OperationResult] {
        let unconfirmed = DocumentFailure(
            .attemptsExhausted,
            "Solr reports success after a pause in which operations may have been lost, and this can't be checked: \(reason)",
            disposition: .retryable
        )
        var results = results
        for place in places {
            if case .done = results[place] { results[place] = .unknown(unconfirmed) }
        }
        return results
    }

    /// Returns whether the document was written; if Solr shows no versions, it is sufficient that the document exists.
    private static func isNewer(_ after: StoredDocument?, than before: StoredDocument?) -> Bool {
        guard let after else { return false }
        guard let new = after.version, let old = before?.version else { return true }
        return new != old
    }
}

/// A document that did not meet the condition of its command, according to the message with which Solr refused it.
///
/// The ID is all of the text between Solr's own words, so it is exact even if it contains the same words. A message that
/// joins those of several nodes is not one condition.
struct UnmetCondition: Hashable {
    let id: DocumentID
    /// Whether the document does not exist, although the condition was only that it does.
    let isMissing: Bool

    init(id: DocumentID, isMissing: Bool) { (self.id, self.isMissing) = (id, isMissing) }

    /// Reads a message as Solr sent it, or as another node quotes it; `nil` for any other message.
    init?(_ message: String) {
        guard
            let condition = Self(words: message[...])
                ?? ErrorReply.quoted(in: message[...]).flatMap({ Self(words: $0) })
        else { return nil }
        self = condition
    }

    /// Returns the documents of a batch that a message names.
    ///
    /// In a cluster, one message quotes those of several nodes. An ID may contain the words that separate them, so a
    /// document that the message as a whole names is the only one.
    static func documents(namedIn message: String, of batch: Set<DocumentID>) -> Set<DocumentID> {
        if let id = Self(message)?.id, batch.contains(id) { return [id] }
        var found: Set<DocumentID> = []
        var rest = message[...]
        while let quoted = ErrorReply.quoted(in: rest) {
            let end = quoted.firstRange(of: "\nError from server at ")?.lowerBound ?? quoted.endIndex
            if let id = Self(words: quoted[..<end])?.id, batch.contains(id) { found.insert(id) }
            rest = quoted
        }
        return found
    }

    /// Reads `version conflict for ID expected=VERSION actual=VERSION` or `Document not found for update.  id=ID`.
    private init?(words: Substring) {
        if let id = Self.rest(of: words, after: "Document not found for update.  id=") {
            self.init(text: id, isMissing: true)
            return
        }
        guard let (start, actual) = Self.version(endingIn: words, name: "actual="),
            let (front, expected) = Self.version(endingIn: start, name: "expected="),
            let id = Self.rest(of: front, after: "version conflict for ")
        else { return nil }
        self.init(text: id, isMissing: expected == 1 && actual < 0)
    }

    private init?(text: Substring, isMissing: Bool) {
        guard let id = try? DocumentID(String(text)) else { return nil }
        self.init(id: id, isMissing: isMissing)
    }

    /// Returns the version that follows the last blank and a name, and the text before the blank.
    private static func version(endingIn text: Substring, name: String) -> (before: Substring, version: Int64)? {
        guard let blank = text.utf8.lastIndex(of: UInt8(ascii: " ")),
            let version = rest(of: text[text.utf8.index(after: blank)...], after: name).flatMap({ Int64($0) })
        else { return nil }
        return (text[..<blank], version)
    }

    private static func rest(of text: Substring, after prefix: String) -> Substring? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return Substring(text.utf8.dropFirst(prefix.utf8.count))
    }
}
