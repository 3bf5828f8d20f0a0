import Files
import HTTPService
import JSONText
import Notifications
import Schedules
import ServerSecurity
import TextKit

/// The requests about notifications, and the events of the server itself.
extension ContentDistributor {
    /// The time after which a browser must subscribe again; a page does so whenever it is opened.
    private static let subscriptionAge = Duration.seconds(30 * 86_400)
    /// The maximum size of a subscription, which is much more than any browser sends.
    private static let maximumSubscription = 8 << 10

    // MARK: Operators

    /// Responds with the notifications that are waiting or were set aside, for administrators.
    func listNotifications() async throws -> ServedResponse {
        guard try token?.role == .admin else { throw ServiceProblem.notAllowed }
        let totals = try await outbox.totals()
        let entries = try await outbox.list()
        return .json { object in
            object.member("waiting", totals.waiting)
            object.member("failed", totals.failed)
            object.member("delivered", totals.delivered)
            object.member("dropped", totals.dropped)
            object.member("subscriptions", totals.subscriptions)
            object.array("notifications") { list in
                for entry in entries { list.object { entry.write(to: &$0) } }
            }
        }
    }

    // MARK: Browsers

    /// Responds with the key that pages need to subscribe.
    func pushKey() throws -> ServedResponse {
        let (push, _) = try subscribing()
        return .json { $0.member("key", push.applicationServerKey) }
    }

    /// Stores the signed-in user's browser as a subscriber.
    func subscribe(_ request: ServedRequest) async throws -> ServedResponse {
        let (push, token) = try subscribing()
        let body = try await request.body.collect(upTo: Self.maximumSubscription)
        guard let json = try? JSONValue(body), json.isObject else {
            throw ServiceProblem.invalid("body", "it is not a JSON object", "send what subscription.toJSON() returns")
        }
        let subscription: PushSubscription
        do throws(PushSubscription.Defect) {
            subscription = try PushSubscription(json)
        } catch {
            throw ServiceProblem.invalid(error.field, error.message, "send what subscription.toJSON() returns")
        }
        guard subscription.endpoint.scheme == "https" || push.guardian.allowed.contains(subscription.endpoint.host)
        else {
            throw ServiceProblem.invalid(
                "endpoint",
                "it is not an https URL",
                "send what subscription.toJSON() returns"
            )
        }
        // The address is refused here, and is checked again whenever a notification is sent.
        if case .refused = await push.guardian.addresses(of: subscription.endpoint) {
            throw ServiceProblem.invalid(
                "endpoint",
                "its address is not public",
                "send what subscription.toJSON() returns"
            )
        }
        let now = ProcessFacts.now
        let age = now + Self.subscriptionAge
        let result = try await outbox.subscribe(
            subscription,
            for: Outbox.Subscriber(owner: token.principal, token: token.id),
            // A token from an identity provider is valid only for minutes, but its user remains a user.
            until: token.id.isEmpty ? age : min(age, token.expiresAt ?? age),
            at: now
        )
        switch result {
        case .added, .renewed: break
        case .taken:
            throw ServiceProblem(
                .conflict,
                "taken",
                "another user has subscribed with this endpoint",
                advice: "unsubscribe in the browser, and subscribe again"
            )
        case .tooMany:
            throw ServiceProblem.tooMany("there are too many subscriptions", limit: "push-subscriptions")
        }
        let status: ResponseStatus = result == .added ? .created : .noContent
        try await note(request, "push subscribe", token, subscription.endpoint, status)
        return ServedResponse(status: status)
    }

    /// Removes a browser of the signed-in user.
    func unsubscribe(_ request: ServedRequest) async throws -> ServedResponse {
        guard let token = try token else { throw ServiceProblem.notAllowed }
        guard let endpoint = request.queryValue("endpoint").flatMap({ TargetURL($0) }) else {
            throw ServiceProblem.invalid("endpoint", "it is not a URL", "send ?endpoint=URL, percent-encoded")
        }
        guard try await outbox.unsubscribe(endpoint.text, of: token.principal) else {
            throw ServiceProblem(
                .notFound,
                "noSubscription",
                "this user has not subscribed with this endpoint",
                advice: "there is nothing to do"
            )
        }
        try await note(request, "push unsubscribe", token, endpoint, .noContent)
        return ServedResponse(status: .noContent)
    }

    /// Returns the target for browsers, and the token of the user, who must be allowed to subscribe.
    private func subscribing() throws -> (WebPushTarget, AccessToken) {
        let notifications = settings.notifications
        guard let push = notifications.webPush, let access = notifications.pushAccess else {
            throw ServiceProblem(
                .notFound,
                "noWebPush",
                "this server does not notify browsers",
                advice: "add a target with 'web-push' to its settings"
            )
        }
        guard let token = try token else {
            throw ServiceProblem(
                .unauthorized,
                "noToken",
                "this request needs a token",
                advice: "send Authorization: Bearer TOKEN",
                headers: ["WWW-Authenticate": "Bearer"]
            )
        }
        guard case .allowed = access.decision(about: token) else { throw ServiceProblem.notAllowed }
        return (push, token)
    }

    /// Records a change with only the host of the endpoint, because the rest of its URL is a secret of the browser.
    private func note(
        _ request: ServedRequest,
        _ action: String,
        _ token: AccessToken,
        _ endpoint: TargetURL,
        _ status: ResponseStatus
    ) async throws {
        let proxies = settings.trustedProxies
        let entry = AuditLog.Entry(
            principal: token.principal,
            action: action,
            collection: "",
            subject: endpoint.origin,
            status: status.code,
            request: request.id,
            address: request.clientAddress { proxies.contains($0) }
        )
        do {
            try await audit.append(entry, at: ProcessFacts.now)
        } catch {
            await events.post(auditFailure: error)
            throw error
        }
    }
}

extension Outbox.Entry {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", Int(id))
        object.member("target", target)
        object.member("state", isFailed ? "failed" : "waiting")
        object.member("attempts", attempts)
        object.member(isFailed ? "failedAt" : "nextAttempt", UTCTimestamp(since1970: due).description)
        object.member("failure", failure)
        object.member("kind", event?.kind.rawValue)
        object.member("collection", event?.collection)
        object.member("subject", event?.subject)
        object.member("message", event?.message)
    }
}

extension Outbox.Totals {
    func write(to page: inout MetricsPage) {
        page.add("distributor_notifications_waiting", .gauge, "Notifications that are to be delivered.", waiting)
        page.add("distributor_notifications_failed", .gauge, "Notifications that were put aside.", failed)
        page.add("distributor_notifications_delivered_total", .counter, "Delivered notifications.", delivered)
        page.add("distributor_notifications_dropped_total", .counter, "Notifications that were dropped.", dropped)
        page.add("distributor_push_subscriptions", .gauge, "Subscribed browsers.", subscriptions)
    }
}

extension ServerEvent {
    /// Returns the event for the end of a session, once all of its operations have an outcome.
    static func end(of state: FeedSession.State, session: String, in collection: String) -> ServerEvent {
        let done = Quantity(Int(clamping: state.operations), "operation", "operations")
        let message =
            state.errors == 0 ? "\(done) ended without an error" : "\(state.errors) of \(done) failed"
        var details = ["session": session, "operations": "\(state.operations)", "errors": "\(state.errors)"]
        details["warnings"] = "\(state.warnings)"
        details["job"] = state.job
        return ServerEvent(
            state.errors == 0 ? .jobEnded : .jobFailed,
            at: ProcessFacts.now,
            collection: collection,
            subject: "session \(session)",
            message: message,
            details: details
        )
    }
}

extension ServerEvent {
    /// Creates the event for the end of a run; `nil` for a run that was skipped, missed, or stopped with the server.
    ///
    /// A comparison that finds differences and a diagnosis with findings exit with 1, which is not a failure.
    init?(of run: ScheduledRun, _ command: [String]) {
        let verb = command.dropFirst().first { !$0.hasPrefix("-") }
        let (kind, what): (Kind, String)
        switch (run.state, run.code, verb) {
        case (.failed, 1, "reconcile"), (.succeeded, 1, "reconcile"): (kind, what) = (.driftFound, "found differences")
        case (.failed, 1, "diagnose"), (.succeeded, 1, "diagnose"): (kind, what) = (.findings, "found something")
        case (.succeeded, _, _): (kind, what) = (.scheduleEnded, "ended")
        case (.failed, let code, _):
            (kind, what) = (.scheduleFailed, "failed" + (code.map { " with exit code \($0)" } ?? ""))
        case (.timedOut, _, _): (kind, what) = (.scheduleFailed, "took too long, and was stopped")
        case (.lost, _, _): (kind, what) = (.scheduleFailed, "was lost with the server that ran it")
        case (.waiting, _, _), (.running, _, _), (.stopped, _, _), (.skipped, _, _), (.missed, _, _): return nil
        }
        self.init(
            kind,
            at: .milliseconds(run.ended ?? 0),
            subject: "schedule \(run.schedule)",
            message: "run \(run.id) of the schedule '\(run.schedule)' \(what)",
            details: [
                "run": "\(run.id)", "exitCode": run.code.map { "\($0)" } ?? "", "output": run.output,
                "report": run.report ?? "",
            ]
        )
    }
}

extension Notifier {
    /// Reports that an action is not in the audit log.
    func post(auditFailure error: any Error) async {
        await post(
            ServerEvent(
                .auditFailed,
                at: ProcessFacts.now,
                subject: "audit log",
                message: "A change was not written to the audit log: \(error)"
            ),
            atMostOncePer: .seconds(600)
        )
    }
}
