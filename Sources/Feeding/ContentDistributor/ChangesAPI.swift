import ContentFeeding
import FeedJobs
import HTTPService
import JSONText
import Schedules
import TextKit

// The requests for following the changes of a collection.

/// The changes that a follower may see, and the format in which it reads them.
struct ChangeView: Hashable, Sendable {
    /// The fields that a document must have, according to the rule and to the client's request.
    var filter: DocumentFilter
    var selection: KeySelection
    var isEventStream: Bool

    /// Returns the document to show in the event for a change; `nil` if the event does not show a document.
    func document(of change: DocumentChange?) -> [UInt8]? {
        guard let change, let kind = change.kind(for: filter), [.added, .updated].contains(kind) else { return nil }
        return change.after
    }

    /// Appends the event for a change, or for a gap if `nil`, if this view shows it, with the document or `form`.
    func append(
        _ change: DocumentChange?,
        showing form: [UInt8]? = nil,
        at place: ChangePlace,
        to bytes: inout [UInt8]
    ) {
        guard let change else { return append("reset", at: place, to: &bytes) }
        guard let kind = change.kind(for: filter) else { return }
        guard kind != .reset else { return append("reset", at: place, to: &bytes) }
        // A document that the client may no longer see is not included in the event for its removal.
        let document = kind == .removed ? nil : form ?? change.after
        do throws(JSONError) {
            let shown = try document.map { json throws(JSONError) in try selection.applied(to: json) }
            append(kind.rawValue, at: place, to: &bytes) { object in
                object.member("id", change.key.id.text)
                object.member("routing", change.key.routing?.text)
                object.member("version", document == nil || change.version == "" ? nil : change.version)
                guard let shown else { return object.member("document", nil as String?) }
                // A line break between the members of a document would end the line of the event.
                object.member("document", raw: shown.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
            }
        } catch {
            append("reset", at: place, to: &bytes)
        }
    }

    /// Appends the last event of a stream that ends because of a problem.
    func append(ending problem: ServiceProblem, to bytes: inout [UInt8]) {
        append("end", at: nil, to: &bytes) { object in
            object.object("problem") { object in
                object.member("status", problem.status.code)
                object.member("code", problem.code)
                object.member("message", problem.message)
                object.member("advice", problem.advice)
            }
        }
    }

    /// Appends an event with a kind and a place.
    func append(
        _ kind: String,
        at place: ChangePlace?,
        to bytes: inout [UInt8],
        _ members: (inout JSONWriter) -> Void = { _ in }
    ) {
        let json = JSONWriter.object { object in
            object.member("kind", kind)
            if let place { object.member("event", "\(place)") }
            members(&object)
        }
        if isEventStream {
            if let place { bytes += Array("id: \(place)\n".utf8) }
            bytes += Array("event: \(kind)\ndata: ".utf8)
        }
        bytes += json
        bytes.append(UInt8(ascii: "\n"))
        if isEventStream { bytes.append(UInt8(ascii: "\n")) }
    }
}

extension ContentDistributor {
    /// The longest time that one request waits for changes, in seconds.
    private static let longestWait = 60
    /// The time after which a follower's place is sent even if there are no changes.
    private static let heartbeat = Duration.seconds(15)
    /// The time after which a token is checked again, and other processes' tokens are recognized.
    private static let trust = Duration.seconds(1)

    /// Responds with the changes of a collection as they occur: as events, as lines, or as lines of a long poll.
    func follow(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        let isEventStream = request.headers["Accept"]?.contains("text/event-stream") ?? false
        let wait = try Self.wait(of: request)
        let view = try Self.view(of: request, grant, isEventStream: isEventStream && wait == nil)
        let start = try Self.start(of: request)
        let part = SharedCount.Part(of: sessions.streams)
        guard part.add(1, upTo: grant.limits.streams) else {
            throw ServiceProblem.tooMany("\(grant.limits.streams) clients are already following", limit: "streams")
        }
        // A collection that does not exist has no changes.
        let changes = live.changes(of: try await collections.engine(named: grant.collection).collection)
        let limits = (grant.limits.changes, grant.limits.changeBytes)
        let type = view.isEventStream ? "text/event-stream" : "application/x-ndjson"
        return .stream(contentType: type, isEndless: true) { [self] writer in
            defer { part.giveBack() }
            let first = changes.follow(from: start, isFiltered: !view.filter.isEmpty, limits: limits)
            var follower = Follower(
                view: changes.shared(view),
                hooks: grant.hooks,
                place: first.place,
                isContinued: start == nil || first.isContinued
            )
            defer { changes.leave(isFiltered: !follower.view.view.filter.isEmpty) }
            // A client without a place gets one immediately, because it needs the place before it reads its list.
            let end = wait.map { ContinuousClock.now + (start == nil ? .zero : $0) }
            try await send(changes, to: &follower, until: end, of: request, writer)
        }
    }

    /// The state of a client that follows a collection.
    private struct Follower: Sendable {
        var view: CollectionChanges.SharedView
        /// The hooks of the collection; `nil` if it has none.
        var hooks: CollectionHooks?
        var place: ChangePlace
        var isContinued: Bool
    }

    private struct RenewedAccess: Sendable {
        let view: ChangeView
        let hooks: CollectionHooks?
    }

    /// Returns the place after which a client continues; `nil` if the client does not have a place yet.
    private static func start(of request: ServedRequest) throws(ServiceProblem) -> ChangePlace? {
        guard let text = request.headers["Last-Event-ID"] ?? request.queryValue("after"), !text.isEmpty else {
            return nil
        }
        guard let place = ChangePlace(text) else {
            throw .invalid("after", "it is not a place", "use the 'event' of the last line received")
        }
        return place
    }

    private static func wait(of request: ServedRequest) throws(ServiceProblem) -> Duration? {
        guard let text = request.queryValue("wait") else { return nil }
        guard let seconds = Int(text), (0...longestWait).contains(seconds) else {
            throw .invalid("wait", "it is not a number of seconds from 0 to \(longestWait)", "write wait=30")
        }
        return .seconds(seconds)
    }

    private static func view(
        of request: ServedRequest,
        _ grant: AccessGrant,
        isEventStream: Bool
    ) throws -> ChangeView {
        let query = try SearchQuery(request, DocumentsAPI.shown(to: request, grant))
        guard query.words.isEmpty, query.phrases.isEmpty, query.expression == nil else {
            throw ServiceProblem.invalid(
                "where",
                "changes can't be searched by words or engine queries",
                "use where=NAME=VALUE"
            )
        }
        return ChangeView(
            filter: DocumentFilter(fields: query.fields.map { ($0.name, $0.value) }),
            selection: try KeySelection(request),
            isEventStream: isEventStream
        )
    }

    /// Sends the changes after the follower's place while the client may read them; a long poll sends only once.
    private func send(
        _ changes: CollectionChanges,
        to follower: inout Follower,
        until end: ContinuousClock.Instant?,
        of request: ServedRequest,
        _ writer: ResponseWriter
    ) async throws {
        var bytes: [UInt8] = []
        if !follower.isContinued {
            follower.view.view.append("reset", at: follower.place, to: &bytes)
        } else if end == nil {
            follower.view.view.append("ready", at: follower.place, to: &bytes)
        }
        // The token is also checked immediately, because the rules may have changed since the request arrived.
        var (examined, generation) = (clock.uptime, nil as Int?)
        while true {
            let version = changes.signal.version
            if generation != live.generation || clock.uptime - examined >= Self.trust {
                (examined, generation) = (clock.uptime, live.generation)
                do {
                    let isEventStream = follower.view.view.isEventStream
                    // The check runs in a separate task, because this task would keep its memory until the stream ends.
                    let examination = Task { try await self.access(for: request, isEventStream: isEventStream) }
                    let access = try await examination.value
                    let (before, renewed) = (follower.view.view, access.view)
                    follower.hooks = access.hooks
                    if renewed != before {
                        // A different set of documents is visible now, although none of the documents has changed.
                        changes.change(isFiltered: !before.filter.isEmpty, to: !renewed.filter.isEmpty)
                        follower.view = changes.shared(renewed)
                        renewed.append("reset", at: follower.place, to: &bytes)
                    }
                } catch {
                    follower.view.view.append(ending: ServiceProblem(of: error), to: &bytes)
                    return try await writer.write(bytes)
                }
            }
            let page: CollectionChanges.Page
            do {
                page = try await self.page(of: changes, for: follower)
            } catch {
                follower.view.view.append(ending: ServiceProblem(of: error), to: &bytes)
                return try await writer.write(bytes)
            }
            if let next = page.place {
                follower.place = next
                // The bytes of the page are shared by all followers that read it.
                if bytes.isEmpty { bytes = page.bytes } else { bytes += page.bytes }
            } else {
                follower.place = changes.present()
                follower.view.view.append("reset", at: follower.place, to: &bytes)
            }
            let isAtEnd = end.map { !bytes.isEmpty || (page.isLast && ContinuousClock.now >= $0) } ?? false
            if isAtEnd {
                follower.place = changes.latest(from: follower.place)
                follower.view.view.append("place", at: follower.place, to: &bytes)
            }
            try await writer.write(bytes)
            if isAtEnd { return }
            bytes = []
            guard page.isLast else { continue }
            let rest = ContinuousClock.now + Self.heartbeat
            guard await !changes.signal.change(after: version, until: min(rest, end ?? rest)) else { continue }
            try Task.checkCancellation()
            guard end == nil else { continue }
            // This keeps proxies from closing the connection, and clients that see few changes from falling behind.
            follower.place = changes.latest(from: follower.place)
            follower.view.view.append("place", at: follower.place, to: &bytes)
        }
    }

    /// Returns the next changes for a follower, with the documents in the form that the hooks of the collection show.
    ///
    /// A document hidden by a hook results in a reset, because the follower may have the document in its list.
    private func page(of changes: CollectionChanges, for follower: Follower) async throws -> CollectionChanges.Page {
        guard let hooks = follower.hooks, hooks.applyToReading else {
            return changes.page(after: follower.place, follower.view)
        }
        guard let next = changes.entries(after: follower.place) else { return CollectionChanges.Page() }
        let view = follower.view.view
        var page = CollectionChanges.Page(place: follower.place, isLast: next.isLast)
        for entry in next.entries {
            let place = ChangePlace(epoch: follower.place.epoch, number: entry.number)
            page.place = place
            if let json = view.document(of: entry.change) {
                let shown = try await hooks.shown(json)
                view.append(shown == nil ? nil : entry.change, showing: shown, at: place, to: &page.bytes)
            } else {
                view.append(entry.change, at: place, to: &page.bytes)
            }
        }
        return page
    }

    /// Returns the access that the request would have if it arrived now.
    private func renewedGrant(for request: ServedRequest) async throws -> AccessGrant {
        try await Self.$admission.withValue(await admission(of: request)) {
            try await grant([.read], on: request.parameter("collection"), request)
        }
    }

    /// Returns the changes that a request would see now, and the hooks of its collection.
    private func access(for request: ServedRequest, isEventStream: Bool) async throws -> RenewedAccess {
        let grant = try await renewedGrant(for: request)
        let view = try Self.view(of: request, grant, isEventStream: isEventStream)
        return RenewedAccess(view: view, hooks: grant.hooks)
    }
}
