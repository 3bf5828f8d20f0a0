import ContentFeeding
import Digests
import FeedFormats
import FeedJobs
import Files
import HTTPService
import JSONText
import Notifications
import Schedules
import TextKit

/// The sessions of a server, and the requests about them.
actor SessionsAPI {
    private let store: BatchStore
    private let target: OpenableTarget
    private let collections: OpenCollections
    private let fedStore: FedStore
    private let jobFolder: String
    private let stops = StopBroadcast()
    private let totals: OperationTotals
    private let keeping: @Sendable (CollectionName) -> DocumentKeeping
    private let limits: @Sendable () -> DistributorLimits
    private let notifier: Notifier
    private let clock: any ScheduleClock
    private let log: @Sendable (String) -> Void
    private var sessions: [String: FeedSession] = [:]
    private var isDraining = false
    private var closing: Task<Void, Never>?
    /// The clients that follow a session or a collection.
    let streams = SharedCount()

    /// The time for which an ended session can still be queried.
    private static let retention = Duration.seconds(86_400)
    /// The time without a request after which a session that keeps outcomes is closed, if it has no open operations.
    private static let silence = Duration.seconds(60)
    /// The longest time that one request waits for outcomes.
    private static let longestWait = Duration.seconds(60)
    /// The number of bytes at which pending events are sent.
    private static let longestWrite = 32 << 10

    init(
        _ store: BatchStore,
        at target: OpenableTarget,
        _ collections: OpenCollections,
        jobFolder: String,
        totals: OperationTotals,
        keeping: @escaping @Sendable (CollectionName) -> DocumentKeeping,
        limits: @escaping @Sendable () -> DistributorLimits,
        notifier: Notifier,
        clock: any ScheduleClock,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.store, self.target, self.collections) = (store, target, collections)
        (fedStore, self.limits) = (FedStore(target), limits)
        (self.jobFolder, self.totals, self.keeping) = (jobFolder, totals, keeping)
        (self.notifier, self.clock, self.log) = (notifier, clock, log)
    }

    /// Resumes the sessions that an earlier server left unfinished.
    func resume() async throws {
        for kept in try await store.sessions() {
            let session = await makeSession(kept)
            sessions[kept.id] = session
            do {
                try await session.resume()
            } catch {
                // The session tries again on its own, and reports the reason why it is waiting.
                log("session \(kept.id) could not be read: \(error)")
                await session.start()
            }
        }
        closing = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.silence / 4)
                await self?.closeSilentSessions()
            }
        }
    }

    /// Closes the sessions whose clients are no longer active, which also makes their end known.
    private func closeSilentSessions() async {
        for session in sessions.values {
            do {
                try await session.close(ifSilentFor: Self.silence)
            } catch {
                log("session \(session.id) could not be closed: \(error)")
            }
        }
    }

    /// Stops accepting batches, and returns once the replies to the batches in flight have arrived.
    func drain() async {
        isDraining = true
        closing?.cancel()
        stops.stop(.terminated)
        await withDiscardingTaskGroup { group in
            for session in sessions.values { group.addTask { await session.stopped() } }
        }
    }

    /// Returns the number of open sessions, and of operations without an outcome.
    func load() async -> (sessions: Int, open: Int) {
        var (open, operations) = (0, 0)
        for session in sessions.values {
            let state = await session.state
            if !state.hasEnded { open += 1 }
            operations += Int(clamping: state.operations - min(state.operations, state.settledThrough))
        }
        return (open, operations)
    }

    /// Creates the object for a session; a session that keeps outcomes is fed after the client's earlier sessions.
    ///
    /// A client that was killed sends its unconfirmed operations again in a new session, and older operations must not
    /// be applied after them.
    private func makeSession(_ kept: BatchStore.Session) async -> FeedSession {
        var earlier: [FeedSession] = []
        if kept.keepsOutcomes {
            for session in sessions.values where session.owner == kept.owner && session.collection == kept.collection {
                let state = await session.state
                if !state.hasEnded, state.settledThrough < state.operations { earlier.append(session) }
            }
        }
        return FeedSession(
            kept,
            in: store,
            at: target,
            collections,
            feeding: fedStore,
            jobFolder: jobFolder,
            after: earlier,
            stops: stops,
            totals: totals,
            keeping: keeping,
            limits: limits,
            notifier: notifier,
            clock: clock,
            log: log
        )
    }

    // MARK: Requests

    /// Begins a session.
    func create(
        _ request: ServedRequest,
        _ grant: AccessGrant,
        _ limits: DistributorLimits
    ) async throws -> ServedResponse {
        guard !isDraining else { throw ServiceProblem.unavailable("the server is shutting down") }
        for id in try await store.forget(endedBefore: ProcessFacts.now - Self.retention) { sessions[id] = nil }
        await closeSilentSessions()
        let open = await load().sessions
        guard open < limits.sessions else {
            throw ServiceProblem.tooMany("there are already \(open) open sessions, the maximum", limit: "sessions")
        }
        let policy = request.queryValue("missing") ?? MissingPolicy.error.rawValue
        guard let missing = MissingPolicy(rawValue: policy) else {
            throw ServiceProblem.invalid("missing", "'\(policy)' is not a policy", "use error, warn or ignore")
        }
        let reported = request.queryValue("outcomes") ?? "issues"
        guard ["issues", "all"].contains(reported) else {
            throw ServiceProblem.invalid("outcomes", "'\(reported)' is not a valid choice", "use issues or all")
        }
        // A missing collection or an engine that can't meet the settings is reported now, not with the first batch.
        let engine = try await target.open(target.collection(grant.collection.rawValue)).engine
        guard grant.keeping.names.isEmpty || engine.versions != nil else {
            throw EngineError.cannotKeepFields(in: grant.collection)
        }
        var system = SystemRandomNumberGenerator()
        let kept = BatchStore.Session(
            id: JobID.random(using: &system).rawValue,
            collection: grant.collection,
            owner: grant.principal,
            missing: missing,
            job: nil,
            lastBatch: 0,
            operations: 0,
            isClosed: false,
            keepsOutcomes: reported == "all",
            began: ProcessFacts.now
        )
        try await store.create(kept)
        let session = await makeSession(kept)
        sessions[kept.id] = session
        var response = ServedResponse.json(await object(of: session), status: .created)
        response.headers["Location"] = "/v1/sessions/\(kept.id)"
        return response
    }

    /// Returns the session of a request; another client's session counts as missing.
    func session(of request: ServedRequest, for token: AccessToken?) async throws -> FeedSession {
        let id = try request.parameter("session")
        guard let session = sessions[id], token?.role == .admin || session.owner == token?.principal ?? "everyone"
        else {
            throw ServiceProblem(
                .notFound,
                "noSession",
                "there is no session \(id)",
                advice: "start one: POST /v1/collections/COLLECTION/sessions"
            )
        }
        await session.noteRequest()
        return session
    }

    /// Returns the owner's sessions, newest first, each with its number; sessions of all clients if `owner` is `nil`.
    func list(of owner: String?, before number: Int, limit: Int) async throws -> [(number: Int, session: FeedSession)] {
        // A session that is just beginning may exist only in the store.
        try await store.sessions(of: owner, before: number, limit: limit).compactMap { number, id in
            sessions[id].map { (number, $0) }
        }
    }

    /// Accepts a batch, and responds once it has been stored.
    nonisolated func accept(
        _ request: ServedRequest,
        _ session: FeedSession,
        as kind: ContentOperation.Kind,
        _ grant: AccessGrant,
        _ listing: ListingAPI
    ) async throws -> ServedResponse {
        let (keeping, limits) = (grant.keeping, grant.limits)
        guard let number = UInt64(try request.parameter("batch")), number > 0, number < UInt64(Int64.max) else {
            throw ServiceProblem.invalid("batch", "it is not a number of 1 or more", "number batches 1, 2, 3 …")
        }
        let waiting = await store.waitingBytes
        guard waiting < limits.waitingBytes else {
            throw ServiceProblem.tooMany(
                "\(waiting) bytes of batches are waiting for the engine",
                limit: "waiting-bytes"
            )
        }
        let own = try await store.waitingBytes(of: session.owner)
        guard own < limits.clientWaitingBytes else {
            throw ServiceProblem.tooMany(
                "\(own) bytes of this client's batches are waiting for the engine",
                limit: "client-waiting-bytes"
            )
        }
        let body = try await request.body.collect(upTo: limits.body)
        var input = InputLimits()
        input.id = limits.idBytes
        let text = OperationText(body.span, for: kind, source: "batch", limits: input) { operation in
            // A hook may remove the key or add another one, so if there are hooks, their result is checked instead.
            if let hooks = grant.hooks, hooks.apply(to: operation) { return nil }
            return keeping.unknownKey(in: operation).map { "the collection does not accept the key '\($0)'" }
        }
        guard text.rejected == 0 else { throw ServiceProblem.rejected(text.rejections, count: text.rejected) }
        if let deep = text.operations.first(where: { !$0.json.isNested(upTo: limits.depth) }) {
            throw ServiceProblem.invalid(
                "batch",
                "the document '\(deep.documentID.text)' is nested deeper than \(limits.depth) levels",
                "no operation of the batch was accepted; send documents with fewer levels"
            )
        }
        let count = text.operations.count
        guard count > 0 else {
            throw ServiceProblem.invalid("batch", "it has no operations", "send a JSON value on each line")
        }
        guard count <= limits.batchOperations else {
            throw ServiceProblem(
                .contentTooLarge,
                "batchTooLarge",
                "the batch has \(count) operations, more than \(limits.batchOperations)",
                advice: "send smaller batches"
            )
        }
        var function = SHA256()
        let digest = function.digest(of: Array(kind.rawValue.utf8) + body).bytes
        let operations = try await listing.examined(text, grant)
        let examined = operations == text.operations ? body : OperationText.bytes(of: operations)
        // Hooks turn patches into whole documents.
        let kindOfExamined = operations.contains { $0.kind == .add } ? .add : kind
        let batch = BatchStore.Batch(number: number, kind: kindOfExamined, first: 0, count: count, body: examined)
        switch try await session.accept(batch, digest: digest) {
        case .accepted(let first, let count, let isRepeated):
            return .json(status: .accepted) { object in
                object.member("session", session.id)
                object.member("batch", number)
                object.member("firstOperation", first)
                object.member("operations", count)
                object.member("isRepeated", isRepeated)
            }
        case .different:
            throw ServiceProblem(
                .conflict,
                "differentBatch",
                "batch \(number) was accepted with other contents",
                advice: "give a new batch the next number"
            )
        case .ahead(let expected):
            throw ServiceProblem(
                .conflict,
                "batchesMissing",
                "batch \(number) comes after batch \(expected), which has not been received",
                advice: "send batch \(expected) first"
            )
        case .closed: throw ServiceProblem(.conflict, "sessionClosed", "the session is closed", advice: "begin another")
        case .unknown: throw ServiceProblem(.notFound, "noSession", "the session is gone", advice: "begin another")
        }
    }

    /// Responds with the session's state, immediately or once all operations so far have reached a level.
    nonisolated func show(_ request: ServedRequest, _ session: FeedSession) async throws -> ServedResponse {
        let limit = try patience(of: request)
        guard let wanted = request.queryValue("wait") else { return .json(await object(of: session)) }
        guard let level = CompletionLevel(rawValue: wanted), level >= .secured else {
            throw ServiceProblem.invalid("wait", "'\(wanted)' is not a level", "use secured or live")
        }
        let reached = try await session.wait(for: await session.state.operations, to: level, within: limit)
        return .json(await object(of: session, reached: reached ? level : nil))
    }

    private nonisolated func patience(of request: ServedRequest) throws -> Duration {
        let seconds = Int(request.queryValue("timeout") ?? "30") ?? 0
        guard seconds > 0, .seconds(seconds) <= Self.longestWait else {
            throw ServiceProblem.invalid("timeout", "it is not a number of seconds from 1 to 60", "write timeout=30")
        }
        return .seconds(seconds)
    }

    /// Responds with the outcome of each operation in a batch, in the order of the batch, once all operations have one.
    ///
    /// An outcome is `null` if this server no longer has it, or never had it because the operation was settled by an
    /// earlier server process.
    nonisolated func showBatch(
        _ request: ServedRequest,
        _ session: FeedSession,
        hidesVersions: Bool
    ) async throws -> ServedResponse {
        guard session.keepsOutcomes else {
            throw ServiceProblem.invalid("session", "it reports only issues", "begin it with outcomes=all")
        }
        guard let number = Int64(try request.parameter("batch")), number > 0,
            let operations = try await store.operations(of: UInt64(number), of: session.id)
        else { throw ServiceProblem(.notFound, "noBatch", "there is no such batch", advice: "send it") }
        let outcomes = await session.outcomes(of: operations, within: try patience(of: request))
        let state = await session.state
        return .json { object in
            object.member("kind", "batch")
            object.member("session", session.id)
            object.member("batch", number)
            object.member("firstOperation", operations.lowerBound)
            object.member("operations", operations.count)
            object.member("settledThrough", state.settledThrough)
            object.member("failure", state.failure)
            object.member("failureCode", state.failureCode?.description)
            object.key("outcomes")
            guard let outcomes else { return object.null() }
            object.array { array in
                for outcome in outcomes { Self.append(outcome, hidesVersions, to: &array) }
            }
        }
    }

    private static func append(_ entry: RecentOutcomes.Entry?, _ hidesVersions: Bool, to array: inout JSONWriter) {
        guard let entry else { return array.null() }
        guard let failure = entry.failure?.shown(hidesVersions) else { return array.value(entry.outcome.name) }
        array.object { object in
            object.member("outcome", entry.outcome.name)
            object.member("errorCode", failure.code.number)
            object.member("code", failure.code.rawValue)
            object.member("message", failure.message)
            object.member("disposition", failure.disposition.rawValue)
        }
    }

    /// Responds with the errors, warnings and progress of a session as they occur, until the end of the session.
    ///
    /// Each error or warning has a number, from which another request can continue.
    nonisolated func follow(
        _ request: ServedRequest,
        _ session: FeedSession,
        hidesVersions: Bool,
        _ limits: DistributorLimits
    ) async throws -> ServedResponse {
        let part = SharedCount.Part(of: streams)
        guard part.add(1, upTo: limits.streams) else {
            throw ServiceProblem.tooMany("\(limits.streams) clients are already following a session", limit: "streams")
        }
        let last = request.headers["Last-Event-ID"] ?? request.queryValue("after") ?? "0"
        guard let start = Int(last), start >= 0 else {
            throw ServiceProblem.invalid("after", "it is not a number", "use the number of the last error received")
        }
        let isEvents = request.headers["Accept"]?.contains("text/event-stream") ?? false
        let type = isEvents ? "text/event-stream" : "application/x-ndjson"
        return .stream(contentType: type, isEndless: true) { writer in
            session.events.begin()
            defer {
                session.events.end()
                withExtendedLifetime(part) {}
            }
            var place = FollowedEvents.Place(done: start, isEventStream: isEvents, hidesVersions: hidesVersions)
            while true {
                let version = session.changed.version
                let page = try await session.events.page(after: place, at: version) { [place] in
                    try await Self.page(of: session, after: place)
                }
                for bytes in page.parts { try await writer.write(bytes) }
                place.done = page.done
                if page.hasEnded { return }
                guard page.isLast else { continue }
                let end = ContinuousClock.now.advanced(by: .seconds(15))
                if await !session.changed.change(after: version, until: end) {
                    try Task.checkCancellation()
                    // This keeps proxies from closing the connection.
                    if isEvents { try await writer.write(Array(":\n\n".utf8)) }
                } else {
                    // Many simultaneous outcomes result in one progress event.
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }

    /// Returns the errors and warnings of a session after a place, and its progress if there are no more of them.
    private static func page(
        of session: FeedSession,
        after place: FollowedEvents.Place
    ) async throws -> FollowedEvents.Page {
        // The state is read first, so that the progress does not include operations whose events are sent later.
        let state = await session.state
        var page = FollowedEvents.Page(done: place.done)
        // Pending events are sent together.
        var bytes: [UInt8] = []
        while page.parts.isEmpty, case let outcomes = try await session.issues(after: page.done), !outcomes.isEmpty {
            for outcome in outcomes {
                page.done += 1
                let object = object(of: outcome, number: page.done, in: session.collection, place.hidesVersions)
                bytes += event("issue", id: page.done, object, place.isEventStream)
                guard bytes.count >= longestWrite else { continue }
                page.parts.append(bytes)
                bytes = []
            }
        }
        if page.parts.isEmpty {
            bytes += event("progress", id: nil, object(of: session, state), place.isEventStream)
            (page.isLast, page.hasEnded) = (true, state.hasEnded)
        }
        page.parts.append(bytes)
        return page
    }

    /// Closes a session.
    nonisolated func close(_ session: FeedSession) async throws -> ServedResponse {
        try await session.close()
        return .json(await object(of: session))
    }

    // MARK: Objects

    private static func event(_ name: String, id: Int?, _ object: [UInt8], _ isEvent: Bool) -> [UInt8] {
        guard isEvent else { return object + [UInt8(ascii: "\n")] }
        return ServerSentEvent(id: id.map { "\($0)" }, name: name, data: String(decoding: object, as: UTF8.self)).bytes
    }

    nonisolated func object(of session: FeedSession, reached: CompletionLevel? = nil) async -> [UInt8] {
        Self.object(of: session, await session.state, reached: reached)
    }

    private static func object(
        of session: FeedSession,
        _ state: FeedSession.State,
        reached: CompletionLevel? = nil
    ) -> [UInt8] {
        JSONWriter.object { object in
            object.member("kind", "progress")
            object.member("session", session.id)
            object.member("collection", session.collection.rawValue)
            object.member("owner", session.owner)
            object.member("began", state.began.map { UTCTimestamp(since1970: $0).description })
            object.member("ended", state.ended.map { UTCTimestamp(since1970: $0).description })
            object.member("job", state.job)
            object.member("nextBatch", state.lastBatch + 1)
            object.member("operations", state.operations)
            object.member("settledThrough", state.settledThrough)
            object.object("outcomes") { outcomes in
                for outcome in Outcome.allCases where state.counts[outcome] > 0 {
                    outcomes.member(outcome.name, state.counts[outcome])
                }
            }
            object.member("errors", state.errors)
            object.member("warnings", state.warnings)
            object.member("reached", reached?.rawValue)
            object.member("failure", state.failure)
            object.member("failureCode", state.failureCode?.description)
            if let standstill = state.standstill {
                object.object("standstill") { object in
                    object.member("since", UTCTimestamp(since1970: standstill.since).description)
                    object.member("message", standstill.message)
                }
            } else {
                object.member("standstill", nil as String?)
            }
            object.member("isClosed", state.isClosed)
            object.member("hasEnded", state.hasEnded)
        }
    }

    /// Returns an error or warning as JSON, in FAST's terms.
    private static func object(
        of outcome: OperationOutcome,
        number: Int,
        in collection: CollectionName,
        _ hidesVersions: Bool
    ) -> [UInt8] {
        let failure = outcome.issue?.failure.shown(hidesVersions)
        return JSONWriter.object { object in
            object.member("kind", outcome.issue?.isError ?? true ? "error" : "warning")
            object.member("number", number)
            object.member("operationID", outcome.operationID.rawValue)
            object.member("documentID", outcome.documentID.text)
            object.member("routing", outcome.routing?.text)
            object.member("outcome", outcome.outcome.name)
            object.member("errorCode", failure?.code.number)
            object.member("code", failure?.code.rawValue)
            object.member("description", failure?.description(of: outcome.documentID, in: collection))
        }
    }
}

extension DocumentFailure {
    /// Returns the failure for a client that may not see versions, which an engine's message may mention.
    func shown(_ hidesVersions: Bool) -> DocumentFailure {
        guard hidesVersions, code == .versionConflict else { return self }
        return .versionConflict("the document is not in the state that the operation expects")
    }
}

extension ServiceProblem {
    /// Returns the response to a client that must wait.
    static func tooMany(_ message: String, limit: String) -> ServiceProblem {
        ServiceProblem(
            .tooManyRequests,
            "tooMany",
            message,
            advice: "wait, and send the request again; the limit is '\(limit)'",
            headers: ["Retry-After": "1"]
        )
    }

    /// Returns the response to a batch that was not accepted because some of its lines are not operations.
    static func rejected(_ rejections: [InputRejection], count: Int) -> ServiceProblem {
        let lines = rejections.prefix(5).map { "line \($0.line): \($0.reason)" }.joined(separator: "; ")
        let rest = count > 5 ? " and \(count - 5) more" : ""
        return ServiceProblem(
            .unprocessable,
            "invalidOperations",
            "\(lines)\(rest)",
            advice: "correct the lines, and send the whole batch again; no operation of it was accepted"
        )
    }
}
