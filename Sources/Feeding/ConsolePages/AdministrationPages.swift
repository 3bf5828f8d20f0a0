import HTTPService
import JSONText
import TextKit

/// The pages for schedules, with the runs of each schedule and a button that runs it immediately.
enum SchedulePages {
    static let all = [
        ConsolePage("/console/schedules", in: .schedules, isForAdministrators: true) { context in
            let schedules = try await schedules(context)
            return .page(context[.schedules]) {
                HTML(
                    "section",
                    .id("schedules"),
                    .init("aria-label", context[.schedules]),
                    .init("data-refresh", "10")
                ) {
                    context.counters(of: schedules, filters, ConsolePath.of("schedules"))
                    table(of: context.filtered(schedules, filters), context)
                }
            }
        },
        ConsolePage("/console/schedules/{schedule}", isForAdministrators: true) { context in
            try await page(context)
        },
        ConsolePage("/console/schedules/{schedule}", .post, isForAdministrators: true) { context in
            let name = try context.parameter("schedule")
            do {
                let answer = try await context.send(.post, ConsolePath.api("schedules", name, "runs"))
                let run = try JSONValue(answer.body)["run"].int.map(String.init) ?? ""
                return .seeOther(ConsolePath.of("schedules", name, query: [("started", run)]))
            } catch let refusal as APIRefusal where refusal.status == 409 {
                return try await page(context, refusal: refusal)
            }
        },
    ]

    private static func schedules(_ context: PageContext) async throws -> [JSONValue] {
        try await context.get(ConsolePath.api("schedules"))["schedules"].elements
    }

    private static let failures: Set<String> = ["failed", "timed-out", "lost", "missed"]

    private static let filters = [
        ListFilter("failed", .failedSchedules) { failures.contains($0["last"]["state"].text ?? "") }
    ]

    private static func table(of schedules: [JSONValue], _ context: PageContext) -> HTML {
        guard !schedules.isEmpty else { return HTML("p") { context[.noSchedules] } }
        return context.table(.schedules, [.name, .times, .nextRun, .lastRun]) {
            for schedule in schedules {
                let name = schedule["name"].text ?? ""
                HTML("tr") {
                    HTML("th", .init("scope", "row")) {
                        HTML("a", .href(ConsolePath.of("schedules", name))) { HTML("bdi") { name } }
                    }
                    HTML("td") { times(of: schedule) }
                    HTML("td") { schedule["next"].text ?? context[.noNextRun] }
                    HTML("td") { last(of: schedule, context) }
                }
            }
        }
    }

    private static func times(of schedule: JSONValue) -> String {
        "\(schedule["cron"].text ?? "") (\(schedule["timeZone"].text ?? ""))"
    }

    private static func last(of schedule: JSONValue, _ context: PageContext) -> HTML {
        let last = schedule["last"]
        guard last != .null else { return HTML(text: context[.noRuns]) }
        return state(last, context) + HTML(text: " " + PageContext.shown(time: last["ended"].text ?? ""))
    }

    // MARK: One schedule

    private static func page(_ context: PageContext, refusal: APIRefusal? = nil) async throws -> PageAnswer {
        let name = try context.parameter("schedule")
        let runs = try await context.get(ConsolePath.api("schedules", name, "runs"))["runs"].elements
        let schedule = try await schedules(context).first { $0["name"].text == name } ?? .null
        let started = context.query("started")
        return .page(context[.schedule, name], status: refusal.map { ResponseStatus($0.status) } ?? .ok) {
            if let refusal { refusal.html }
            if Int(started) != nil {
                HTML("p", .class("note"), .init("role", "status")) { context[.runBegins, started] }
            }
            HTML("section", .id("runs"), .init("aria-label", context[.runs]), .init("data-refresh", "5")) {
                HTML("dl") {
                    HTML("dt") { context[.times] }
                    HTML("dd") { times(of: schedule) }
                    HTML("dt") { context[.nextRun] }
                    HTML("dd") { schedule["next"].text ?? context[.noNextRun] }
                    HTML("dt") { context[.lastRun] }
                    HTML("dd") { last(of: schedule, context) }
                }
                history(runs, context)
            }
            context.form(ConsolePath.of("schedules", name)) { HTML("button") { context[.runNow] } }
        }
    }

    private static func history(_ runs: [JSONValue], _ context: PageContext) -> HTML {
        guard !runs.isEmpty else { return HTML() }
        return context.table(.runs, [.run, .jobState, .due, .began, .endedAt, .client, .exitCode, .output]) {
            for run in runs {
                HTML("tr") {
                    HTML("th", .init("scope", "row"), .class("number")) { run["run"].int.map(String.init) ?? "" }
                    HTML("td") { state(run, context) }
                    HTML("td") {
                        run["due"].text ?? context[.onDemand]
                        if let count = run["passedOver"].amount, count > 0 {
                            HTML("p", .class("detail")) { context[.passedOver, "\(count)"] }
                        }
                    }
                    for member in ["began", "ended"] {
                        HTML("td") { PageContext.shown(time: run[member].text ?? "") }
                    }
                    HTML("td") { HTML("bdi") { run["client"].text ?? context[.timetable] } }
                    HTML("td", .class("number")) { run["exitCode"].int.map(String.init) ?? "" }
                    HTML("td") {
                        if let output = run["output"].text, !output.isEmpty { HTML("pre") { output } }
                        if let report = run["report"].text {
                            HTML("p", .class("detail")) { context[.reportOnServer, report] }
                        }
                    }
                }
            }
        }
    }

    private static let states: [String: ConsoleText] = [
        "waiting": .runWaiting, "running": .runRunning, "succeeded": .runSucceeded, "failed": .runFailed,
        "timed-out": .runTimedOut, "stopped": .runStopped, "skipped": .runSkipped, "missed": .runMissed,
        "lost": .runLost,
    ]

    /// Returns the state of a run, marked as good or bad.
    private static func state(_ run: JSONValue, _ context: PageContext) -> HTML {
        let state = run["state"].text ?? ""
        return HTML("span", .class(failures.contains(state) ? "bad" : state == "succeeded" ? "good" : "warn")) {
            states[state].map { context[$0] } ?? state
        }
    }

    /// Returns the number of schedules whose last run failed, and a list of them; empty for users without permission to
    /// see them.
    static func panel(_ context: PageContext) async throws -> HTML {
        guard context.user.isAdmin else { return HTML() }
        return try await context.panel(context[.schedules], id: "schedules") {
            let schedules = try await schedules(context)
            let failed = schedules.filter(filters[0].admits)
            return context.counters(of: schedules, filters, ConsolePath.of("schedules"))
                + (failed.isEmpty
                    ? HTML("p") { context[.noFailedSchedules] }
                    : table(of: Array(failed.prefix(ListFilter.shownAtMost)), context))
        }
    }
}

// MARK: - Hooks

/// The pages for the operator's programs and endpoints, and the hooks of each collection.
enum HookPages {
    static let all = [
        ConsolePage("/console/hooks", in: .hooks, isForAdministrators: true) { context in
            let hooks = try await context.get(ConsolePath.api("hooks"))
            return .page(context[.hooks]) {
                HTML("h2") { context[.programs] }
                programs(hooks["programs"].elements, context)
                HTML("h2") { context[.endpoints] }
                list(hooks["endpoints"].elements, .endpoints, context)
                for collection in hooks["collections"].members {
                    HTML("h2") { HTML("bdi") { collection.key } }
                    list(collection.value.elements, .hooks, context)
                }
            }
        }
    ]

    private static func programs(_ programs: [JSONValue], _ context: PageContext) -> HTML {
        guard !programs.isEmpty else { return HTML("p") { context[.none] } }
        return context.table(.programs, [.name, .file, .processes, .calls, .failedCalls]) {
            for program in programs {
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { program["name"].text ?? "" }
                    HTML("td") { program["file"].text ?? "" }
                    for member in ["processes", "calls", "failures"] {
                        HTML("td", .class("number")) { program[member].int.map(String.init) ?? "" }
                    }
                }
            }
        }
    }

    /// Returns the objects in the settings, each shown as a list of its members.
    private static func list(_ entries: [JSONValue], _ caption: ConsoleText, _ context: PageContext) -> HTML {
        guard !entries.isEmpty else { return HTML("p") { context[.none] } }
        return context.table(caption, [.number, .contents]) {
            for (index, entry) in entries.enumerated() {
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { "\(index + 1)" }
                    HTML("td") {
                        for member in entry.members where member.value != .null {
                            HTML("div") {
                                HTML("span", .class("detail")) { member.key }
                                " "
                                DocumentPages.value(member.value)
                            }
                        }
                    }
                }
            }
        }
    }
}

// MARK: - Tokens

/// The pages for tokens: a list, a form for a new token, whose secret is shown only once, and revocation.
enum TokenPages {
    static let all = [
        ConsolePage("/console/tokens", in: .tokens, isForAdministrators: true) { context in try await list(context) },
        ConsolePage("/console/tokens", .post, isForAdministrators: true) { context in
            do {
                let answer = try await context.send(.post, ConsolePath.api("tokens"), body: request(context.form))
                return created(try JSONValue(answer.body), context)
            } catch let refusal as APIRefusal where ![401, 403].contains(refusal.status) {
                return try await list(context, refusal: refusal)
            }
        },
        ConsolePage("/console/tokens/{token}", isForAdministrators: true) { context in try await page(context) },
        ConsolePage("/console/tokens/{token}", .post, isForAdministrators: true) { context in
            let token = try await token(context)
            let id = token["id"].text ?? ""
            // The name may contain characters that can't be typed.
            guard [token["name"].text, id].contains(context.form["typed"]) else {
                return try await page(context, failure: context[.wrongName])
            }
            _ = try await context.send(.delete, ConsolePath.api("tokens", id))
            return .seeOther(ConsolePath.of("tokens", id))
        },
    ]

    private static let shownAtMost = 100

    // MARK: The list

    private static func list(_ context: PageContext, refusal: APIRefusal? = nil) async throws -> PageAnswer {
        let newest = Array(try await context.get(ConsolePath.api("tokens"))["tokens"].elements.reversed())
        let first = max(0, Int(context.query("from")) ?? 0)
        let next = first < newest.count - shownAtMost ? first + shownAtMost : nil
        return .page(context[.tokens], status: refusal.map { ResponseStatus($0.status) } ?? .ok) {
            if let refusal { refusal.html }
            HTML("p") { context[.tokenNumber, "\(newest.count)"] }
            table(of: newest.dropFirst(first).prefix(shownAtMost), context)
            context.pager(ConsolePath.of("tokens"), "from", next.map(String.init), isFirst: first == 0)
            creation(context)
        }
    }

    private static func table(of tokens: ArraySlice<JSONValue>, _ context: PageContext) -> HTML {
        guard !tokens.isEmpty else { return HTML() }
        return context.table(.tokens, [.name, .role, .collections, .rights, .expires, .created, .jobState]) {
            for token in tokens {
                HTML("tr") {
                    HTML("th", .init("scope", "row")) {
                        HTML("a", .href(ConsolePath.of("tokens", token["id"].text ?? ""))) {
                            HTML("bdi") { token["name"].text ?? "" }
                        }
                    }
                    HTML("td") { token["role"].text ?? "" }
                    HTML("td") { names(token["collections"], context) }
                    HTML("td") { names(token["verbs"], context) }
                    HTML("td") { token["expires"].text.map(PageContext.shown) ?? context[.never] }
                    HTML("td") { PageContext.shown(time: token["created"].text ?? "") }
                    HTML("td") { state(of: token, context) }
                }
            }
        }
    }

    private static func names(_ list: JSONValue, _ context: PageContext) -> String {
        let names = list.elements.compactMap(\.text)
        return names.isEmpty ? context[.all] : names.joined(separator: ", ")
    }

    private static func state(of token: JSONValue, _ context: PageContext) -> HTML {
        let isRevoked = token["isRevoked"].bool == true
        return HTML("span", .class(isRevoked ? "bad" : "good")) { context[isRevoked ? .revoked : .notRevoked] }
    }

    // MARK: One token

    private static func token(_ context: PageContext) async throws -> JSONValue {
        let id = try context.parameter("token")
        let tokens = try await context.get(ConsolePath.api("tokens"))["tokens"].elements
        guard let token = tokens.first(where: { $0["id"].text == id }) else {
            throw APIRefusal(status: 404, code: "noToken", message: context[.noToken])
        }
        return token
    }

    private static func page(_ context: PageContext, failure: String? = nil) async throws -> PageAnswer {
        let token = try await token(context)
        let id = token["id"].text ?? ""
        let claims = token["claims"].members.map { member in
            "\(member.key)=\(member.value.text ?? member.value.elements.compactMap(\.text).joined(separator: "|"))"
        }
        let facts: [(ConsoleText, String)] = [
            (.identifier, id), (.role, token["role"].text ?? ""), (.collections, names(token["collections"], context)),
            (.rights, names(token["verbs"], context)), (.claims, claims.joined(separator: ", ")),
            (.mayDerive, context[token["mayDerive"].bool == true ? .yes : .no]),
            (.created, PageContext.shown(time: token["created"].text ?? "")),
            (.expires, token["expires"].text.map(PageContext.shown) ?? context[.never]),
        ]
        return .page(context[.tokenTitle, token["name"].text ?? ""], status: failure == nil ? .ok : ResponseStatus(422))
        {
            HTML("p") { HTML("a", .href(ConsolePath.of("tokens"))) { context[.tokens] } }
            if let failure { HTML("p", .class("refusal"), .init("role", "alert")) { failure } }
            HTML("dl") {
                for (title, text) in facts where !text.isEmpty {
                    HTML("dt") { context[title] }
                    HTML("dd") { HTML("bdi") { text } }
                }
                HTML("dt") { context[.jobState] }
                HTML("dd") { state(of: token, context) }
            }
            if token["isRevoked"].bool != true { revocation(of: token, id, context) }
        }
    }

    private static func revocation(of token: JSONValue, _ id: String, _ context: PageContext) -> HTML {
        context.form(ConsolePath.of("tokens", id), .class("danger")) {
            HTML("h2") { context[.revokeToken] }
            HTML("p") { context[.revocationHint] }
            HTML("label", .init("for", "typed")) { context[.typeName, token["name"].text ?? "", id] }
            HTML(
                "input",
                .id("typed"),
                .name("typed"),
                .init("autocomplete", "off"),
                .init("spellcheck", "false"),
                .init("required")
            )
            HTML("button") { context[.revokeToken] }
        }
    }

    // MARK: A new token

    private static func created(_ token: JSONValue, _ context: PageContext) -> PageAnswer {
        .page(context[.newToken], status: .created) {
            HTML("div", .class("note"), .init("role", "status")) {
                HTML("p") { context[.secretOnce, token["name"].text ?? ""] }
                HTML("p") { HTML("code", .id("secret"), .init("data-copy")) { token["secret"].text ?? "" } }
            }
            HTML("p") { HTML("a", .href(ConsolePath.of("tokens"))) { context[.tokens] } }
        }
    }

    private static let roles = ["user", "application", "admin"]
    private static let verbs = ["read", "insert", "update", "delete"]

    /// Returns the form, filled with the values that the user typed if the API has refused them.
    private static func creation(_ context: PageContext) -> HTML {
        let chosen = context.form.all.filter { $0.name == "verb" }.map(\.value)
        return context.form(ConsolePath.of("tokens"), .class("editor")) {
            HTML("h2") { context[.newToken] }
            field(.name, "name", isRequired: true, context)
            HTML("label", .init("for", "role")) { context[.role] }
            HTML("select", .id("role"), .name("role")) {
                for role in roles {
                    HTML("option", [.value(role)] + HTML.Attribute.flag("selected", role == context.form["role"])) {
                        role
                    }
                }
            }
            lines(.collectionsOfToken, "collections", context)
            HTML("fieldset") {
                HTML("legend") { context[.rightsOfToken] }
                for verb in verbs { box("verb", verb, verb, isChecked: chosen.contains(verb)) }
            }
            lines(.claimsOfToken, "claims", context)
            field(.expiresIn, "expiresIn", context)
            box("mayDerive", "true", context[.mayDeriveHint], isChecked: context.form["mayDerive"] == "true")
            HTML("button", .class("main")) { context[.createToken] }
        }
    }

    private static func field(
        _ text: ConsoleText,
        _ name: String,
        isRequired: Bool = false,
        _ context: PageContext
    ) -> HTML {
        let attributes: [HTML.Attribute] = [
            .id(name), .name(name), .value(context.form[name]), .init("autocomplete", "off"),
        ]
        return HTML("label", .init("for", name)) { context[text] }
            + HTML("input", attributes + HTML.Attribute.flag("required", isRequired))
    }

    private static func lines(_ text: ConsoleText, _ name: String, _ context: PageContext) -> HTML {
        HTML("label", .init("for", name)) { context[text] }
            + HTML("textarea", .id(name), .name(name), .init("rows", "2"), .init("spellcheck", "false")) {
                HTML(verbatim: context.form[name])
            }
    }

    private static func box(_ name: String, _ value: String, _ title: String, isChecked: Bool) -> HTML {
        let id = "\(name)-\(value)"
        let attributes: [HTML.Attribute] = [.id(id), .type("checkbox"), .name(name), .value(value)]
        return HTML("label", .init("for", id)) {
            HTML("input", attributes + HTML.Attribute.flag("checked", isChecked))
            " \(title)"
        }
    }

    /// Returns the body of the API request for the nonempty fields of the form.
    private static func request(_ form: FormFields) -> [UInt8] {
        let claims = lines(form["claims"]).map { line in
            line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        let verbs = form.all.filter { $0.name == "verb" }.map(\.value)
        return JSONWriter.object { object in
            object.member("name", form["name"])
            object.member("role", form["role"])
            for (name, values) in [("collections", lines(form["collections"])), ("verbs", verbs)] where !values.isEmpty
            {
                object.member(name, values)
            }
            if !claims.isEmpty {
                object.object("claims") { object in
                    // The API refuses claims without values, and duplicate claims.
                    for claim in claims { object.member(claim[0], claim.count > 1 ? claim[1] : "") }
                }
            }
            if !form["expiresIn"].isEmpty { object.member("expiresIn", form["expiresIn"]) }
            if form["mayDerive"] == "true" { object.member("mayDerive", true) }
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
    }
}

// MARK: - The audit log

/// The page with the lines of the audit log, newest first.
enum AuditPages {
    static let all = [
        ConsolePage("/console/audit", in: .audit, isForAdministrators: true) { context in
            let (text, before) = (context.query("text"), context.query("before"))
            let query = [("text", text), ("before", before)].filter { !$0.1.isEmpty }
            let page = try await context.get(ConsolePath.api("audit", query: query))
            let (lines, next) = (page["lines"].elements, page["next"].int)
            return .page(context[.audit]) {
                HTML(
                    "form",
                    .class("search"),
                    .init("role", "search"),
                    .action(ConsolePath.of("audit")),
                    .init("data-live", "lines")
                ) {
                    HTML("div") {
                        HTML("label", .init("for", "text")) { context[.auditText] }
                        HTML(
                            "input",
                            .id("text"),
                            .type("search"),
                            .name("text"),
                            .value(text),
                            .init("autocomplete", "off"),
                            .init("spellcheck", "false")
                        )
                    }
                    HTML("button") { context[.search] }
                }
                HTML("section", .id("lines"), .init("aria-label", context[.audit])) {
                    table(of: lines, isLast: next == nil, context)
                    context.pager(
                        ConsolePath.of("audit", query: text.isEmpty ? [] : [("text", text)]),
                        "before",
                        next.map(String.init),
                        isFirst: before.isEmpty
                    )
                }
            }
        }
    ]

    private static func table(of lines: [JSONValue], isLast: Bool, _ context: PageContext) -> HTML {
        // The API reads one part of the log at a time: even if this part has no match, an older one may.
        guard !lines.isEmpty else {
            return HTML("p", .init("role", "status")) { context[isLast ? .noLines : .noLinesYet] }
        }
        let columns: [ConsoleText] = [
            .line, .rowTime, .client, .act, .collection, .subject, .status, .address, .requestID,
        ]
        return context.table(.audit, columns) {
            for line in lines {
                HTML("tr") {
                    HTML("th", .init("scope", "row"), .class("number")) { line["line"].int.map(String.init) ?? "" }
                    HTML("td") { PageContext.shown(time: line["at"].text ?? "") }
                    for member in ["principal", "action", "collection", "subject"] {
                        HTML("td") { HTML("bdi") { line[member].text ?? "" } }
                    }
                    HTML("td", .class("number")) {
                        HTML("span", .class((line["status"].int ?? 0) < 400 ? "good" : "bad")) {
                            line["status"].int.map(String.init) ?? ""
                        }
                    }
                    for member in ["address", "request"] { HTML("td") { HTML("bdi") { line[member].text ?? "" } } }
                }
            }
        }
    }
}

// MARK: - Texts

extension ConsoleText {
    static let schedules = ConsoleText("Schedules", "Zeitpläne")
    static let schedule = ConsoleText("Schedule {}", "Zeitplan {}")
    static let noSchedules = ConsoleText("There are none here.", "Hier ist keiner.")
    static let noFailedSchedules = ConsoleText(
        "No schedule's last run failed.",
        "Bei keinem Zeitplan ist der letzte Lauf gescheitert."
    )
    static let name = ConsoleText("Name", "Name")
    static let times = ConsoleText("Times", "Zeiten")
    static let nextRun = ConsoleText("Next run", "Nächster Lauf")
    static let lastRun = ConsoleText("Last run", "Letzter Lauf")
    static let onDemand = ConsoleText("on demand", "auf Verlangen")
    static let noNextRun = ConsoleText("none", "keiner")
    static let due = ConsoleText("Due", "Fällig")
    static let passedOver = ConsoleText("Earlier times without a run: {}", "Frühere Zeiten ohne Lauf: {}")
    static let failedSchedules = ConsoleText("last run failed", "letzter Lauf gescheitert")
    static let runBegins = ConsoleText("Run {} starts within a second.", "Lauf {} beginnt in einer Sekunde.")
    static let reportOnServer = ConsoleText("Report, on the server: {}", "Bericht, auf dem Server: {}")
    static let runWaiting = ConsoleText("waits", "wartet")
    static let runRunning = ConsoleText("runs", "läuft")
    static let runSucceeded = ConsoleText("succeeded", "gelungen")
    static let runFailed = ConsoleText("failed", "gescheitert")
    static let runTimedOut = ConsoleText("took too long", "dauerte zu lange")
    static let runStopped = ConsoleText("stopped", "angehalten")
    static let runSkipped = ConsoleText("skipped", "ausgelassen")
    static let runMissed = ConsoleText("missed", "versäumt")
    static let runLost = ConsoleText("lost with its server", "mit dem Server verloren")
    static let runNow = ConsoleText("Run now", "Jetzt ausführen")
    static let runs = ConsoleText("Runs", "Läufe des Zeitplans")
    static let run = ConsoleText("Run", "Nummer").asNumber
    static let noRuns = ConsoleText("It has not run yet.", "Er lief noch nie.")
    static let timetable = ConsoleText("timetable", "Zeitplan")
    static let exitCode = ConsoleText("Exit code", "Exit-Code").asNumber
    static let output = ConsoleText("Output", "Ausgabe")

    static let hooks = ConsoleText("Hooks", "Hooks")
    static let programs = ConsoleText("Programs", "Programme")
    static let endpoints = ConsoleText("Endpoints", "Endpunkte")
    static let file = ConsoleText("File", "Datei")
    static let processes = ConsoleText("Processes", "Prozesse").asNumber
    static let calls = ConsoleText("Calls", "Aufrufe").asNumber
    static let failedCalls = ConsoleText("Failed calls", "Gescheiterte Aufrufe").asNumber
    static let number = ConsoleText("Number", "Nummer")

    static let tokens = ConsoleText("Tokens", "Token")
    static let newToken = ConsoleText("New token", "Neues Token")
    static let role = ConsoleText("Role", "Rolle")
    static let claims = ConsoleText("Claims", "Merkmale")
    static let never = ConsoleText("never", "unbegrenzt")
    static let all = ConsoleText("all", "alle")
    static let revoked = ConsoleText("revoked", "widerrufen")
    static let notRevoked = ConsoleText("not revoked", "nicht widerrufen")
    static let revokeToken = ConsoleText("Revoke the token", "Token widerrufen")
    static let revocationHint = ConsoleText(
        "Its clients are refused from then on, and so are the tokens that were derived from it. This can't be undone.",
        "Seine Clients werden fortan abgewiesen, ebenso die davon abgeleiteten Token. Das lässt sich nicht rückgängig machen."
    )
    static let typeName = ConsoleText(
        "To confirm, type the name {} (or the ID {})",
        "Zur Bestätigung den Namen {} (oder die ID {}) eintippen"
    )
    static let tokenTitle = ConsoleText("Token {}", "Token {}")
    static let tokenNumber = ConsoleText("Tokens: {}", "Token: {}")
    static let noToken = ConsoleText("There is no token with this ID.", "Es gibt kein Token mit dieser ID.")
    static let yes = ConsoleText("yes", "ja")
    static let no = ConsoleText("no", "nein")
    static let mayDerive = ConsoleText("May derive others", "Darf andere ableiten")
    static let mayDeriveHint = ConsoleText(
        "It may derive tokens for users (only for the role application)",
        "Es darf Token für Benutzer ableiten (nur mit der Rolle application)"
    )
    static let wrongName = ConsoleText(
        "Nothing was revoked: the name that you typed is not the token's name.",
        "Der eingetippte Name ist nicht der des Tokens: Es wurde nichts widerrufen."
    )
    static let secretOnce = ConsoleText(
        "This is the secret of the token {}. It is not shown again: copy it now.",
        "Das ist das Geheimnis des Tokens {}. Es wird nicht noch einmal gezeigt: Kopieren Sie es jetzt."
    )
    static let createToken = ConsoleText("Create the token", "Token anlegen")
    static let collectionsOfToken = ConsoleText(
        "Collections, one per line; empty for all",
        "Sammlungen, je Zeile eine; leer für alle"
    )
    static let claimsOfToken = ConsoleText("Claims, one NAME=VALUE per line", "Merkmale, je Zeile NAME=WERT")
    static let rightsOfToken = ConsoleText("Rights; none for all", "Rechte; keines für alle")
    static let expiresIn = ConsoleText(
        "Expires in, such as 30d; empty for never",
        "Gültig für, etwa 30d; leer für immer"
    )

    static let audit = ConsoleText("Audit log", "Prüfprotokoll")
    static let auditText = ConsoleText("Text", "Text")
    static let noLines = ConsoleText("No line matches.", "Keine Zeile passt.")
    static let noLinesYet = ConsoleText(
        "None of the lines read so far matches; older ones may, on the next page.",
        "Keine der bisher gelesenen Zeilen passt; ältere auf der nächsten Seite vielleicht."
    )
    static let subject = ConsoleText("About", "Worüber")
    static let act = ConsoleText("Action", "Handlung")
}
