import HTTPService
import JSONText

/// The pages for jobs: the sessions of clients, and the live events of each session.
enum JobPages {
    static let all = [
        ConsolePage("/console/jobs", in: .jobs) { context in
            let list = try await list(context)
            return .page(context[.jobs]) { list }
        },
        ConsolePage("/console/jobs/{session}") { context in
            let session = try await context.get(ConsolePath.api("sessions", context.parameter("session")))
            return .page(context[.jobTitle, session["session"].text ?? ""]) {
                facts(context, session)
                issues(context, session)
            }
        },
    ]

    /// Returns the path of a session's page.
    static func path(_ session: String) -> String { ConsolePath.of("jobs", session) }

    // MARK: The list

    private static func list(_ context: PageContext) async throws -> HTML {
        let cursor = context.query("cursor")
        let place = cursor.isEmpty ? [] : [(name: "cursor", value: cursor)]
        let page = try await context.get(ConsolePath.api("sessions", query: place + [(name: "limit", value: "50")]))
        let sessions = page["sessions"].elements
        return HTML("div", .id("jobs"), .init("data-refresh", "5")) {
            if sessions.isEmpty, cursor.isEmpty {
                HTML("p") { context[.noJobs] }
            } else {
                context.counters(of: sessions, filters, ConsolePath.of("jobs"), isPart: page["next"].text != nil)
                table(of: context.filtered(sessions, filters), context)
            }
            let filter = context.query("state").isEmpty ? [] : [(name: "state", value: context.query("state"))]
            context.pager(ConsolePath.of("jobs", query: filter), "cursor", page["next"].text, isFirst: cursor.isEmpty)
        }
    }

    private static let filters = [
        ListFilter("open", .openJobs) { $0["hasEnded"].bool != true },
        ListFilter("standing", .waits) { $0["hasEnded"].bool != true && reason(of: $0) != nil },
        ListFilter("errors", .jobsWithErrors) { $0["errors"].amount ?? 0 > 0 },
    ]

    /// Returns the job counts, and the first jobs that have not ended.
    static func panel(_ context: PageContext) async throws -> HTML {
        try await context.panel(context[.jobs], id: "open-jobs") {
            let page = try await context.get(ConsolePath.api("sessions", query: [(name: "limit", value: "50")]))
            let (sessions, isPart) = (page["sessions"].elements, page["next"].text != nil)
            let open = sessions.filter(filters[0].admits)
            return context.counters(of: sessions, filters, ConsolePath.of("jobs"), isPart: isPart)
                + (open.isEmpty
                    ? HTML("p") { context[.noOpenJobs] }
                    : table(of: Array(open.prefix(ListFilter.shownAtMost)), context))
        }
    }

    private static func table(of sessions: [JSONValue], _ context: PageContext) -> HTML {
        let columns: [ConsoleText] = [
            .job, .collection, .jobState, .operations, .outcomes, .errors, .warnings, .began, .client,
        ]
        return context.table(.jobs, columns) {
            for session in sessions {
                let id = session["session"].text ?? ""
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { HTML("a", .href(path(id))) { id } }
                    HTML("td") { session["collection"].text ?? "" }
                    HTML("td") { state(context, session) }
                    HTML("td", .class("number")) { number(session["operations"]) }
                    HTML("td") { outcomes(session) }
                    HTML("td", .class("number")) {
                        if session["errors"].amount ?? 0 > 0 {
                            HTML("a", .href(FailurePages.path(id))) { number(session["errors"]) }
                        } else {
                            number(session["errors"])
                        }
                    }
                    HTML("td", .class("number")) { number(session["warnings"]) }
                    HTML("td") { time(context, session["began"]) }
                    HTML("td") { HTML("bdi") { session["owner"].text ?? "" } }
                }
            }
        }
    }

    // MARK: The state of a session

    /// Returns the state in words; for a session that makes no progress, it includes the reason and the time of the
    /// last progress.
    private static func state(_ context: PageContext, _ session: JSONValue) -> HTML {
        let (text, style): (ConsoleText, StaticString) =
            if session["hasEnded"].bool == true {
                session["errors"].amount ?? 0 > 0 ? (.endedWithErrors, "bad") : (.ended, "good")
            } else if reason(of: session) != nil {
                (.waits, "warn")
            } else if session["settledThrough"].amount ?? 0 < session["operations"].amount ?? 0 {
                (.running, "good")
            } else if session["operations"].amount ?? 0 == 0 {
                (.notBegun, "detail")
            } else {
                (.idle, "detail")
            }
        return HTML("span", .class("\(style)")) { context[text] }
            + HTML("span") {
                if session["hasEnded"].bool != true, let reason = reason(of: session) {
                    ": "
                    HTML("bdi") { reason }
                    if session["standstill"]["since"].text != nil {
                        " ("
                        context[.since]
                        " "
                        time(context, session["standstill"]["since"])
                        ")"
                    }
                }
            }
    }

    /// Returns the reason why the session makes no progress; `nil` if it makes progress, or if there is nothing to do.
    private static func reason(of session: JSONValue) -> String? {
        session["standstill"]["message"].text ?? session["failure"].text
    }

    private static func outcomes(_ session: JSONValue) -> String {
        session["outcomes"].members.map { "\($0.key) \(number($0.value))" }.joined(separator: ", ")
    }

    private static func number(_ value: JSONValue) -> String { value.int.map(String.init) ?? "" }

    /// Returns a time in human-readable form, to the second.
    private static func time(_ context: PageContext, _ value: JSONValue) -> HTML {
        guard let text = value.text else { return HTML(text: context[.unknownTime]) }
        return HTML("time", .init("datetime", text)) { PageContext.shown(time: text) }
    }

    // MARK: One session

    private static func facts(_ context: PageContext, _ session: JSONValue) -> HTML {
        let collection = session["collection"].text ?? ""
        // The state of an ended session no longer changes.
        let isLive = session["hasEnded"].bool != true
        let refresh: [HTML.Attribute] = isLive ? [.init("data-refresh", "3")] : []
        return HTML("section", [.id("state"), .init("aria-labelledby", "state-title")] + refresh) {
            HTML("h2", .id("state-title")) { context[.jobState] }
            HTML("dl") {
                HTML("dt") { context[.jobState] }
                HTML("dd") { state(context, session) }
                HTML("dt") { context[.collection] }
                HTML("dd") { HTML("a", .href(ConsolePath.of("collections", collection))) { collection } }
                HTML("dt") { context[.client] }
                HTML("dd") { HTML("bdi") { session["owner"].text ?? "" } }
                HTML("dt") { context[.began] }
                HTML("dd") { time(context, session["began"]) }
                if !isLive {
                    HTML("dt") { context[.endedAt] }
                    HTML("dd") { time(context, session["ended"]) }
                }
                HTML("dt") { context[.outcomes] }
                HTML("dd") { outcomes(session) }
            }
        }
    }

    /// The maximum number of rows on a page.
    private static let rows = 300

    /// Returns the errors and warnings, latest first, to which the script adds new ones as they occur.
    private static func issues(_ context: PageContext, _ session: JSONValue) -> HTML {
        let (id, collection) = (session["session"].text ?? "", session["collection"].text ?? "")
        // A session may have a million errors, which must not be sent only to be discarded.
        let known = (session["errors"].amount ?? 0) + (session["warnings"].amount ?? 0)
        let skipped = max(0, known - rows)
        let stream = ConsolePath.api("sessions", id, "outcomes", query: [(name: "after", value: "\(skipped)")])
        let counts: [(name: String, text: ConsoleText)] = [
            ("operations", .operations), ("settledThrough", .settledThrough), ("errors", .errors),
            ("warnings", .warnings),
        ]
        let attributes: [HTML.Attribute] = [
            .init("data-stream", stream),
            .init("data-events", "issue"),
            .init("data-kinds", "error warning"),
            .init("data-columns", "documentID kind code description operationID"),
            .init("data-link", ConsolePath.of("collections", collection, "documents") + "/{documentID}{?routing}"),
            .init("data-rows", "\(rows)"),
        ]
        return HTML("section", .id("issues"), .init("aria-labelledby", "issues-title")) {
            HTML("h2", .id("issues-title")) { context[.issues] }
            HTML("dl") {
                for count in counts {
                    HTML("dt") { context[count.text] }
                    HTML("dd", .init("data-progress", count.name)) { number(session[count.name]) }
                }
            }
            HTML("p") { HTML("a", .href(FailurePages.path(id))) { context[.failures] } }
            if skipped > 0 { HTML("p", .class("detail")) { context[.skippedIssues, "\(rows)", "\(skipped)"] } }
            HTML("noscript") { HTML("p", .class("note")) { context[.issuesNeedScript] } }
            context.table(.issues, [.document, .kind, .code, .message, .operation], attributes)
        }
    }
}

/// The page for the server's notifications to operators: the number delivered, and those that are waiting or were set
/// aside.
enum NotificationPages {
    static let all = [
        ConsolePage("/console/notifications", in: .notifications, isForAdministrators: true) { context in
            let found = try await context.get(ConsolePath.api("notifications"))
            return .page(context[.notifications]) {
                HTML("div", .id("notifications"), .init("data-refresh", "10")) {
                    HTML("dl") {
                        for count in counts {
                            HTML("dt") { context[count.text] }
                            HTML("dd") { found[count.name].int.map(String.init) ?? "" }
                        }
                    }
                    table(of: found["notifications"].elements, context)
                }
            }
        }
    ]

    private static let counts: [(name: String, text: ConsoleText)] = [
        ("waiting", .waitingNotifications), ("failed", .failedNotifications), ("delivered", .deliveredNotifications),
        ("dropped", .droppedNotifications), ("subscriptions", .subscriptions),
    ]

    private static func table(of entries: [JSONValue], _ context: PageContext) -> HTML {
        guard !entries.isEmpty else { return HTML("p") { context[.noNotifications] } }
        let columns: [ConsoleText] = [.notification, .target, .jobState, .attempts, .when, .about, .message, .reason]
        return HTML("p") { context[.retryNotifications] }
            + context.table(.notifications, columns) {
                for entry in entries {
                    let isFailed = entry["state"].text == "failed"
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) { entry["id"].int.map(String.init) ?? "" }
                        HTML("td") { entry["target"].text ?? "" }
                        HTML("td") {
                            HTML("span", .class(isFailed ? "bad" : "warn")) {
                                context[isFailed ? .putAside : .waitsForDelivery]
                            }
                        }
                        HTML("td", .class("number")) { entry["attempts"].int.map(String.init) ?? "" }
                        HTML("td") { PageContext.shown(time: entry[isFailed ? "failedAt" : "nextAttempt"].text ?? "") }
                        HTML("td") {
                            [entry["kind"].text, entry["collection"].text, entry["subject"].text]
                                .compactMap(\.self).joined(separator: " · ")
                        }
                        HTML("td") { HTML("bdi") { entry["message"].text ?? "" } }
                        HTML("td") { HTML("bdi") { entry["failure"].text ?? "" } }
                    }
                }
            }
    }
}

// MARK: - Texts

extension ConsoleText {
    static let jobs = ConsoleText("Jobs", "Läufe")
    static let openJobs = ConsoleText("open", "offen")
    static let jobsWithErrors = ConsoleText("with errors", "mit Fehlern")
    static let noOpenJobs = ConsoleText("No recent job is open.", "Kein neuerer Lauf ist offen.")
    static let jobTitle = ConsoleText("Job {}", "Lauf {}")
    static let noJobs = ConsoleText(
        "There are no jobs: no client has started a session recently.",
        "Es gibt keine Läufe: In letzter Zeit hat kein Client eine Sitzung begonnen."
    )
    static let jobState = ConsoleText("State", "Zustand")
    static let running = ConsoleText("running", "läuft")
    static let waits = ConsoleText("stalled", "kommt nicht voran")
    static let idle = ConsoleText("open, everything received is done", "offen, alles Empfangene ist erledigt")
    static let notBegun = ConsoleText("open, nothing received yet", "offen, noch nichts empfangen")
    static let ended = ConsoleText("ended", "beendet")
    static let endedWithErrors = ConsoleText("ended with errors", "mit Fehlern beendet")
    static let since = ConsoleText("since", "seit")
    static let operations = ConsoleText("Operations", "Operationen").asNumber
    static let settledThrough = ConsoleText("All done up to operation", "Alles erledigt bis Operation")
    static let outcomes = ConsoleText("Outcomes", "Ergebnisse")
    static let errors = ConsoleText("Errors", "Fehler").asNumber
    static let warnings = ConsoleText("Warnings", "Warnungen").asNumber
    static let began = ConsoleText("Began", "Beginn")
    static let endedAt = ConsoleText("Ended", "Ende")
    static let unknownTime = ConsoleText("not recorded", "nicht aufgezeichnet")
    static let client = ConsoleText("Client", "Client")
    static let issues = ConsoleText("Errors and warnings", "Fehler und Warnungen")
    static let skippedIssues = ConsoleText(
        "The last {} are loaded, and those that follow; {} earlier ones are not. All errors are in the list above.",
        "Geladen werden die letzten {} und alle weiteren; {} frühere nicht. Fehler stehen alle in der Liste oben."
    )
    static let issuesNeedScript = ConsoleText(
        "Without JavaScript, errors and warnings do not appear here; the errors are in the list above.",
        "Ohne JavaScript erscheinen Fehler und Warnungen hier nicht; die Fehler stehen in der Liste oben."
    )
    static let document = ConsoleText("Document", "Dokument")
    static let kind = ConsoleText("Kind", "Art")
    static let code = ConsoleText("Code", "Code")
    static let message = ConsoleText("Message", "Meldung")
    static let operation = ConsoleText("Operation", "Operation")

    static let notifications = ConsoleText("Notifications", "Benachrichtigungen")
    static let notification = ConsoleText("Number", "Nummer")
    static let noNotifications = ConsoleText(
        "None are waiting, and none were put aside.",
        "Keine wartet oder ist zurückgelegt."
    )
    static let retryNotifications = ConsoleText(
        "To deliver those put aside again, run on the server: content-distributor notifications retry.",
        "Zurückgelegte stellt der Server erneut zu mit: content-distributor notifications retry."
    )
    static let waitingNotifications = ConsoleText("Waiting", "Wartend")
    static let failedNotifications = ConsoleText("Put aside after all attempts", "Nach allen Versuchen zurückgelegt")
    static let deliveredNotifications = ConsoleText("Delivered", "Zugestellt")
    static let droppedNotifications = ConsoleText("Dropped", "Verworfen")
    static let subscriptions = ConsoleText("Subscribed browsers", "Angemeldete Browser")
    static let target = ConsoleText("Target", "Ziel")
    static let putAside = ConsoleText("put aside", "zurückgelegt")
    static let waitsForDelivery = ConsoleText("waiting", "wartet")
    static let attempts = ConsoleText("Attempts", "Versuche").asNumber
    static let when = ConsoleText("Put aside, or next attempt", "Zurückgelegt oder nächster Versuch")
    static let about = ConsoleText("About", "Worüber")
    static let reason = ConsoleText("Last failure", "Letzter Fehlschlag")
}
