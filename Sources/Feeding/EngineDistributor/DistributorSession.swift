import ContentFeeding
import EngineHTTP
import FeedFormats
import JSONText
import TextKit

/// A session with a content distributor, in which batches are sent in order, each with a number by which the server
/// recognizes it.
///
/// A batch whose reply was lost is sent again with the same number, before any later batch, so it takes effect only
/// once. The server accepts a batch once it is on the server's disk; the outcomes are requested until they are
/// available.
///
/// This is an actor, because several batches are in flight at the same time, and their numbers must not have gaps.
actor DistributorSession {
    private let client: DistributorConnection
    private let collection: CollectionName
    /// Whether the server supports conditions on the versions of documents.
    private let takesVersions: Bool
    private var id: String?
    /// The treatment of missing documents in the server's reports about the session; the outcomes do not depend on it.
    private var missing = MissingPolicy.error
    private var nextNumber: UInt64 = 1
    /// A batch that may have been accepted, so its number must not be used for another batch.
    private var unaccepted: NumberedBatch?
    /// The operations whose outcome must still be requested, although results for their batch have been returned.
    private var unresolved: [OperationID: (batch: NumberedBatch, place: Int)] = [:]
    private var isSending = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The number of attempts to send a batch before its result is considered unknown.
    private static let attempts = 4
    /// The pause before a request is repeated.
    private static let pause = Duration.milliseconds(250)

    init(_ client: DistributorConnection, _ collection: CollectionName, takesVersions: Bool) {
        (self.client, self.collection, self.takesVersions) = (client, collection, takesVersions)
    }

    // MARK: Batches

    /// Applies a batch, and returns the results once the server's engine has reported them.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        let items = batch.items
        if items.contains(where: { unresolved[$0.id] != nil }) {
            do throws(FailedBatch) {
                try await sendUnaccepted()
            } catch {
                return .failed(error.failure)
            }
        }
        var results = [OperationResult?](repeating: nil, count: items.count)
        var held: [(batch: NumberedBatch, places: [(index: Int, place: Int)])] = []
        var (new, refused): ([Int], Int) = ([], 0)
        for (index, item) in items.enumerated() {
            if let entry = unresolved[item.id], item.mayHaveApplied,
                entry.batch.items[entry.place].operation == item.operation
            {
                if let known = held.firstIndex(where: { $0.batch == entry.batch }) {
                    held[known].places.append((index, entry.place))
                } else {
                    held.append((entry.batch, [(index, entry.place)]))
                }
            } else if let failure = BatchPart.refusal(of: item.operation, takesVersions: takesVersions) {
                results[index] = .failed(failure)
                refused += 1
            } else {
                unresolved[item.id] = nil
                new.append(index)
            }
        }
        var failure: BatchFailure?
        for (batch, places) in held {
            do throws(FailedBatch) {
                let found = try await self.results(of: batch)
                for (index, place) in places {
                    results[index] = found[place]
                    unresolved[items[index].id] = nil
                }
            } catch {
                failure = error.failure
                for (index, _) in places { results[index] = error.failure.result }
            }
        }
        let parts = BatchPart.parts(of: items, new)
        for part in parts {
            do throws(FailedBatch) {
                let sent = try await send(part.kind, part.places.map { items[$0] }, missing: batch.missing)
                for (index, result) in zip(part.places, try await self.results(of: sent)) { results[index] = result }
            } catch {
                failure = error.failure
                for index in part.places { results[index] = error.failure.result }
            }
        }
        if let failure, held.count + parts.count == 1, refused == 0 { return .failed(failure) }
        return .results(results.map { $0 ?? .unknown(.noOutcome) })
    }

    /// Sends operations as the next batch, and returns once the batch is on the server's disk.
    private func send(
        _ kind: ContentOperation.Kind,
        _ items: [ContentBatch.Item],
        missing: MissingPolicy
    ) async throws(FailedBatch) -> NumberedBatch {
        let body = OperationText.bytes(of: items.map(\.operation))
        await beginSending()
        defer { endSending() }
        do throws(FailedBatch) {
            try await settleUnaccepted()
        } catch {
            // These operations were never sent.
            guard error.failure.kind == .ambiguous else { throw error }
            throw FailedBatch(BatchFailure(.definite(isCharged: false), error.failure.failure))
        }
        // A feed with a different treatment of missing documents begins a separate session.
        if missing != self.missing { (self.missing, id) = (missing, nil) }
        // If the server has closed the session because of inactivity, another one is begun.
        for _ in 0..<2 {
            let session = try await session()
            let batch = NumberedBatch(session: session, number: nextNumber, kind: kind, items: items, body: body)
            if try await put(batch, mayBeAccepted: false) { return batch }
        }
        throw FailedBatch(.definite(isCharged: true), "the distributor does not accept any batch of this session")
    }

    private func sendUnaccepted() async throws(FailedBatch) {
        guard unaccepted != nil else { return }
        await beginSending()
        defer { endSending() }
        try await settleUnaccepted()
    }

    private func settleUnaccepted() async throws(FailedBatch) {
        guard let batch = unaccepted else { return }
        guard try await !put(batch, mayBeAccepted: true) else { return }
        // The batch was not accepted, and can no longer be accepted.
        forget(batch)
    }

    /// Returns the ID of the session, which is begun if necessary.
    private func session() async throws(FailedBatch) -> String {
        if let id { return id }
        let path = EnginePath("v1", "collections", collection.rawValue, "sessions")
            .with("missing", missing.rawValue).with("outcomes", "all")
        let answer: JSONValue
        do throws(RequestFailure) {
            answer = try await client.tree(EngineRequest(.post, path))
        } catch {
            let failure = BatchFailure(error)
            // An attempt to begin another session would fail in the same way.
            if error.problem == EngineError.Code.unsupported.description {
                throw FailedBatch(BatchFailure(.stop(.unsupported), failure.failure))
            }
            // A session without a batch has no effect.
            guard failure.kind == .ambiguous else { throw FailedBatch(failure) }
            throw FailedBatch(BatchFailure(.definite(isCharged: false), failure.failure))
        }
        guard let session = answer["session"].text, answer["nextBatch"].int == 1 else {
            throw FailedBatch(.definite(isCharged: true), "\(client.target) responded, but did not start a session")
        }
        (id, nextNumber) = (session, 1)
        return session
    }

    /// Sends a batch until it is accepted, each time with the same number.
    ///
    /// Returns `false` if the session no longer accepts batches, and has not accepted this one.
    private func put(_ batch: NumberedBatch, mayBeAccepted: Bool) async throws(FailedBatch) -> Bool {
        var mayBeAccepted = mayBeAccepted
        var attempt = 1
        while true {
            do throws(RequestFailure) {
                let reply = try await client.sendOnce(batch.request)
                guard (try? JSONValue(reply.body))?["operations"].int == batch.items.count else {
                    throw .unreadable(reply, "it does not confirm \(batch.items.count) operations")
                }
                unaccepted = nil
                nextNumber = batch.number + 1
                return true
            } catch {
                switch error.problem {
                case "sessionClosed":
                    (unaccepted, id) = (nil, nil)
                    return false
                case "noSession" where !mayBeAccepted:
                    id = nil
                    return false
                case "noSession", "batchesMissing", "differentBatch":
                    (unaccepted, id) = (nil, nil)
                    forget(batch)
                    throw FailedBatch(
                        .ambiguous,
                        "\(client.target) does not recognize this session, or has only part of it (\(error.problem ?? "")): "
                            + "operations that it had accepted may still take effect"
                    )
                default: break
                }
                if error.isUnclear { mayBeAccepted = true }
                let isSame = mayBeAccepted || error.isNotSent && client.count > 1
                guard isSame, attempt < max(Self.attempts, 2 * client.count), !Task.isCancelled else {
                    throw failure(of: batch, error, mayBeAccepted: mayBeAccepted)
                }
                try? await Task.sleep(for: Self.pause * attempt)
                attempt += 1
            }
        }
    }

    private func failure(of batch: NumberedBatch, _ error: RequestFailure, mayBeAccepted: Bool) -> FailedBatch {
        let failure = BatchFailure(error)
        guard mayBeAccepted else {
            // If the server refuses a batch, it accepts no part of it.
            if case .split = failure.kind {
                return FailedBatch(BatchFailure(.split(mayHaveApplied: false), failure.failure))
            }
            return FailedBatch(failure)
        }
        unaccepted = batch
        remember(batch)
        if case .stop = failure.kind { return FailedBatch(failure) }
        return FailedBatch(BatchFailure(.ambiguous, failure.failure))
    }

    // MARK: Outcomes

    /// Returns the results of an accepted batch once all of them are available.
    ///
    /// This method waits as long as the server keeps settling operations, but if the server settles none, only for the
    /// time limit of a request.
    private func results(of batch: NumberedBatch) async throws(FailedBatch) -> [OperationResult] {
        var progress = SessionProgress(limit: client.requestTimeout)
        while true {
            do throws(RequestFailure) {
                let request = EngineRequest(.get, batch.path).waiting(client.wait, client.requestTimeout)
                let answer = try await client.tree(request)
                if case .array(let outcomes) = answer["outcomes"], outcomes.count == batch.items.count {
                    return outcomes.map(OperationResult.init(outcome:))
                }
                progress.take(answer)
            } catch {
                if ["noSession", "noBatch"].contains(error.problem) {
                    if id == batch.session { id = nil }
                    forget(batch)
                    throw FailedBatch(
                        .ambiguous,
                        "\(client.target) no longer has the session of an accepted batch, which may still take effect"
                    )
                }
                progress.take(error)
            }
            if let stop = progress.stop {
                remember(batch)
                throw FailedBatch(stop)
            }
            guard !progress.isOver, !Task.isCancelled else {
                remember(batch)
                throw FailedBatch(
                    .ambiguous,
                    "\(client.target) has accepted the batch, but reports no outcome yet: \(progress.last)"
                )
            }
            if progress.isWaiting { try? await Task.sleep(for: Self.pause) }
        }
    }

    /// Raises the operations that were applied so far to `live`.
    func raiseToLive() async throws(EngineError) {
        var progress = SessionProgress(limit: client.requestTimeout)
        while true {
            // Without a session, no operations are pending; a new session raises the collection.
            let session: String
            do throws(FailedBatch) {
                session = try await self.session()
            } catch {
                throw error.engineError
            }
            do throws(RequestFailure) {
                let path = EnginePath("v1", "sessions", session).with("wait", CompletionLevel.live.rawValue)
                let answer = try await client.tree(
                    EngineRequest(.get, path).waiting(client.wait, client.requestTimeout)
                )
                if answer["reached"].text == CompletionLevel.live.rawValue { return }
                progress.take(answer)
            } catch {
                if error.problem == "noSession", id == session { id = nil }
                progress.take(error)
            }
            if let stop = progress.stop { throw FailedBatch(stop).engineError }
            guard !progress.isOver, !Task.isCancelled else {
                throw EngineError(
                    .unreachable,
                    "\(client.target) has not reported that the documents are live: \(progress.last)"
                )
            }
            if progress.isWaiting { try? await Task.sleep(for: Self.pause) }
        }
    }

    /// Remembers a batch, so that its outcomes are requested instead of sending its operations again.
    private func remember(_ batch: NumberedBatch) {
        for (place, item) in batch.items.enumerated() { unresolved[item.id] = (batch, place) }
    }

    /// Removes a batch that the server has not accepted.
    private func forget(_ batch: NumberedBatch) {
        for item in batch.items where unresolved[item.id]?.batch == batch { unresolved[item.id] = nil }
    }

    // MARK: Order

    /// Waits until no other batch is being sent.
    private func beginSending() async {
        guard isSending else {
            isSending = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endSending() {
        if waiting.isEmpty { isSending = false } else { waiting.removeFirst().resume() }
    }
}

/// The server's reports about a session that is not making progress.
private struct SessionProgress {
    private let limit: Duration
    private var end: ContinuousClock.Instant
    private var settled = -1
    /// The most recent reason for waiting.
    private(set) var last = "its engine has not applied it"
    /// Whether the last reply arrived immediately, so a pause is due.
    private(set) var isWaiting = false
    /// The failure that ends the feed; `nil` if there is none.
    private(set) var stop: BatchFailure?

    init(limit: Duration) { (self.limit, end) = (limit, .now + limit) }

    var isOver: Bool { .now >= end }

    /// Processes a reply about the session or one of its batches.
    mutating func take(_ answer: JSONValue) {
        if let through = answer["settledThrough"].int, through > settled {
            (end, settled) = (.now + limit, through)
        }
        isWaiting = false
        guard let failure = answer["failure"].text else { return }
        (last, isWaiting) = (failure, true)
        guard let code = EngineError.Code.final(named: answer["failureCode"].text) else { return }
        stop = BatchFailure(.stop(code), DocumentFailure(.rejectedByEngine, failure, disposition: .operatorAction))
    }

    /// Processes the failure of a request, which is repeated unless it would fail in the same way again.
    mutating func take(_ error: RequestFailure) {
        let failure = BatchFailure(error)
        (last, isWaiting) = (failure.failure.message, true)
        if case .stop = failure.kind { stop = failure }
    }
}

/// A numbered batch in the form in which it is sent, possibly more than once.
private final class NumberedBatch: Equatable, Sendable {
    let session: String
    let number: UInt64
    let items: [ContentBatch.Item]
    private let kind: ContentOperation.Kind
    private let body: [UInt8]

    init(session: String, number: UInt64, kind: ContentOperation.Kind, items: [ContentBatch.Item], body: [UInt8]) {
        (self.session, self.number, self.kind, self.items, self.body) = (session, number, kind, items, body)
    }

    static func == (one: NumberedBatch, other: NumberedBatch) -> Bool { one === other }

    var path: EnginePath { EnginePath("v1", "sessions", session, "batches", "\(number)") }
    var request: EngineRequest { .lines(.put, path.with("operation", kind.rawValue), body) }
}

/// The operations of a batch that can be sent together, because the server accepts additions and updates only in
/// separate batches.
struct BatchPart {
    let kind: ContentOperation.Kind
    /// The indices of the operations in the batch.
    let places: [Int]

    /// Returns the parts into which some operations of a batch are divided; removals are sent together with other
    /// operations.
    static func parts(of items: [ContentBatch.Item], _ places: [Int]) -> [BatchPart] {
        var byKind = Dictionary(grouping: places) { items[$0].operation.kind }
        if let removals = byKind[.remove], let other = [.add, .update].first(where: { byKind[$0] != nil }) {
            byKind[other, default: []] += removals
            byKind[.remove] = nil
        }
        return ContentOperation.Kind.allCases.compactMap { kind in
            byKind[kind].map { BatchPart(kind: kind, places: $0) }
        }
    }

    /// Returns the reason why an operation can't be sent; `nil` if it can be sent.
    static func refusal(of operation: ContentOperation, takesVersions: Bool) -> DocumentFailure? {
        switch operation.condition {
        case nil: break
        case .absent?, .unchanged?:
            guard !takesVersions else { break }
            return DocumentFailure(
                .rejectedByEngine,
                "this content distributor does not support conditions on documents"
            )
        case .olderThan?, .contents?:
            return DocumentFailure(
                .rejectedByEngine,
                "a content distributor supports conditions only on the engine's own versions"
            )
        }
        guard operation.kind != .remove else { return nil }
        // Invalid JSON could end the line, or the envelope around it, prematurely.
        do throws(JSONError) {
            _ = try JSONMembers(of: operation.json.span)
            return nil
        } catch {
            return DocumentFailure(.rejectedByEngine, "the document is not a JSON object: \(error.message)")
        }
    }
}

/// A batch without results.
private struct FailedBatch: Error {
    let failure: BatchFailure

    init(_ failure: BatchFailure) { self.failure = failure }

    init(_ kind: BatchFailure.Kind, _ message: String) {
        failure = BatchFailure(kind, DocumentFailure(.attemptsExhausted, message, disposition: .retryable))
    }

    /// The equivalent error for requests other than batches.
    var engineError: EngineError {
        if case .stop(let code) = failure.kind { return EngineError(code, failure.failure.message) }
        return EngineError(.unreachable, failure.failure.message)
    }
}

extension BatchFailure {
    /// The result for each operation in a part of the batch that failed.
    fileprivate var result: OperationResult {
        switch kind {
        case .permanent: .failed(failure)
        case .definite(isCharged: false), .slowDown, .stop: .notNow(failure)
        case .definite, .ambiguous, .split, .tooLarge: .unknown(failure)
        }
    }
}

extension DocumentFailure {
    fileprivate static let noOutcome = DocumentFailure(
        .attemptsExhausted,
        "the distributor no longer has the outcome: it was restarted after the operation was settled",
        disposition: .retryable
    )
}

extension OperationResult {
    /// Parses an outcome as reported by the server: a word, an object with a failure, or `null`.
    init(outcome: JSONValue) {
        let name = outcome.text ?? outcome["outcome"].text
        guard let name, let outcomeOfEngine = Outcome.allCases.first(where: { $0.name == name }) else {
            self = .unknown(.noOutcome)
            return
        }
        switch outcomeOfEngine {
        case .removed, .missing, .gone, .added, .updated, .noop, .stale, .dropped: self = .done(outcomeOfEngine)
        case .superseded, .failed, .expired, .cancelled:
            let code = outcome["code"].text ?? DocumentFailure.Code.rejectedByEngine.rawValue
            let disposition = outcome["disposition"].text.flatMap(DocumentFailure.Disposition.init(rawValue:))
            self = .failed(
                DocumentFailure(
                    DocumentFailure.Code(rawValue: code),
                    outcome["message"].text ?? "the distributor reports '\(name)'",
                    disposition: disposition ?? .permanent
                )
            )
        }
    }
}

extension RequestFailure {
    /// Whether no part of the request was sent.
    fileprivate var isNotSent: Bool {
        if case .noReply(let failure) = self { failure.isNotSent } else { false }
    }
}
