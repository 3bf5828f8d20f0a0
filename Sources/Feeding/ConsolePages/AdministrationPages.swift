import HTTPService
import JSONText
import TextKit

/// The schedules, the runs of each, and the button that makes one run now.
enum SchedulePages {
    static let all = [
        ConsolePage("/console/schedules", in: .schedules, isForAdministrators: true) { context in
            let schedules = try await context.get(ConsolePath.api("schedules"))["schedules"].elements
            return .page(context[.schedules]) { table(of: schedules, context) }
        },
        ConsolePage("/console/schedules/{schedule}", isForAdministrators: true) { context in
            let name = try context.parameter("schedule")
            let runs = try await context.get(ConsolePath.api("schedules", name, "runs"))["runs"].elements
            return .page(context[.schedule, name]) {
                context.form(ConsolePath.of("schedules", name)) {
                    HTML("button", .type("submit")) { context[.runNow] }
                }
                HTML("section", .id("runs"), .init("data-refresh", "5")) { history(runs, context) }
            }
        },
        ConsolePage("/console/schedules/{schedule}", .post, isForAdministrators: true) { context in
            let name = try context.parameter("schedule")
            _ = try await context.send(.post, ConsolePath.api("schedules", name, "runs"))
            return .seeOther(ConsolePath.of("schedules", name))
        },
    ]

    private static func table(of schedules: [JSONValue], _ context: PageContext) -> HTML {
        guard !schedules.isEmpty else { return HTML("p") { context[.noSchedules] } }
        return context.table(.schedules, [.name, .times, .nextRun, .lastRun]) {
            for schedule in schedules {
                let name = schedule["name"].text ?? ""
                HTML("tr") {
                    HTML("th", .init("scope", "row")) {
                        HTML("a", .href(ConsolePath.of("schedules", name))) { name }
                    }
                    HTML("td") { "\(schedule["cron"].text ?? "") (\(schedule["timeZone"].text ?? ""))" }
                    HTML("td") { schedule["next"].text ?? context[.onDemand] }
                    HTML("td") {
                        state(schedule["last"])
                        " "
                        PageContext.shown(time: schedule["last"]["ended"].text ?? "")
                    }
                }
            }
        }
    }

    private static func history(_ runs: [JSONValue], _ context: PageContext) -> HTML {
        guard !runs.isEmpty else { return HTML("p") { context[.noRuns] } }
        return context.table(.runs, [.run, .jobState, .began, .endedAt, .client, .exitCode, .output]) {
            for run in runs {
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { run["run"].int.map(String.init) ?? "" }
                    HTML("td") { state(run) }
                    HTML("td") { PageContext.shown(time: run["began"].text ?? "") }
                    HTML("td") { PageContext.shown(time: run["ended"].text ?? "") }
                    HTML("td") { run["client"].text ?? context[.timetable] }
                    HTML("td", .class("number")) { run["exitCode"].int.map(String.init) ?? "" }
                    HTML("td") {
                        if let output = run["output"].text, !output.isEmpty { HTML("pre") { output } }
                        if let report = run["report"].text { HTML("p", .class("detail")) { report } }
                    }
                }
            }
        }
    }

    /// Returns the state of a run, in the API's word, marked as good or bad.
    private static func state(_ run: JSONValue) -> HTML {
        let state = run["state"].text ?? ""
        let isBad = ["failed", "timed-out", "lost", "missed"].contains(state)
        return HTML("span", .class(isBad ? "bad" : state == "succeeded" ? "good" : "warn")) { state }
    }

    /// Returns the schedules whose last run failed; nothing for users who may not see them.
    static func panel(_ context: PageContext) async throws -> HTML {
        guard context.user.isAdmin else { return HTML() }
        return try await context.panel(context[.schedules], id: "schedules") {
            let schedules = try await context.get(ConsolePath.api("schedules"))["schedules"].elements
            let failed = schedules.filter {
                ["failed", "timed-out", "lost"].contains($0["last"]["state"].text ?? "")
            }
            return failed.isEmpty ? HTML("p") { context[.noFailedSchedules] } : table(of: failed, context)
        }
    }
}

// MARK: - Hooks

/// The operator's programs, endpoints, and the hooks of each collection.
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

    /// Returns objects of the settings, each as its members.
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

/// The tokens: their list, a form for a new one, whose secret is shown once, and their revocation.
enum TokenPages {
    static let all = [
        ConsolePage("/console/tokens", in: .tokens, isForAdministrators: true) { context in
            let tokens = try await context.get(ConsolePath.api("tokens"))["tokens"].elements
            return .page(context[.tokens]) {
                table(of: tokens, context)
                creation(context)
            }
        },
        ConsolePage("/console/tokens", .post, isForAdministrators: true) { context in
            let answer = try await context.send(.post, ConsolePath.api("tokens"), body: request(context.form))
            let token = try JSONValue(answer.body)
            return .page(context[.newToken]) {
                HTML("div", .class("note"), .init("role", "status")) {
                    HTML("p") { context[.secretOnce, token["name"].text ?? ""] }
                    HTML("p") { HTML("code", .id("secret")) { token["secret"].text ?? "" } }
                }
                HTML("p") { HTML("a", .href(ConsolePath.of("tokens"))) { context[.tokens] } }
            }
        },
        ConsolePage("/console/tokens/{token}/revoke", .post, isForAdministrators: true) { context in
            let id = try context.parameter("token")
            guard context.form["typed"] == context.form["name"], !context.form["name"].isEmpty else {
                throw APIRefusal(status: 422, code: "wrongName", message: context[.wrongName])
            }
            _ = try await context.send(.delete, ConsolePath.api("tokens", id))
            return .seeOther(ConsolePath.of("tokens"))
        },
    ]

    private static func table(of tokens: [JSONValue], _ context: PageContext) -> HTML {
        let columns: [ConsoleText] = [.name, .role, .collections, .rights, .claims, .expires, .created, .jobState]
        return context.table(.tokens, columns) {
            for token in tokens {
                let isRevoked = token["isRevoked"].bool ?? false
                let name = token["name"].text ?? ""
                HTML("tr") {
                    HTML("th", .init("scope", "row")) {
                        HTML("bdi") { name }
                        HTML("div", .class("detail")) { token["id"].text ?? "" }
                    }
                    HTML("td") { token["role"].text ?? "" }
                    HTML("td") { names(token["collections"], context) }
                    HTML("td") { names(token["verbs"], context) }
                    HTML("td") {
                        token["claims"].members.map { "\($0.key)=\($0.value.text ?? "")" }.joined(separator: ", ")
                    }
                    HTML("td") { token["expires"].text.map(PageContext.shown) ?? context[.never] }
                    HTML("td") { PageContext.shown(time: token["created"].text ?? "") }
                    HTML("td") {
                        if isRevoked {
                            HTML("span", .class("bad")) { context[.revoked] }
                        } else {
                            revocation(of: token["id"].text ?? "", name, context)
                        }
                    }
                }
            }
        }
    }

    private static func names(_ list: JSONValue, _ context: PageContext) -> String {
        let names = list.elements.compactMap(\.text)
        return names.isEmpty ? context[.all] : names.joined(separator: ", ")
    }

    private static func revocation(of id: String, _ name: String, _ context: PageContext) -> HTML {
        context.form(ConsolePath.of("tokens", id, "revoke")) {
            HTML("input", .type("hidden"), .name("name"), .value(name))
            HTML("label", .init("for", "typed-\(id)")) { context[.typeName] }
            HTML("input", .id("typed-\(id)"), .name("typed"), .init("autocomplete", "off"), .init("required"))
            HTML("button", .type("submit"), .init("aria-label", context[.revokeToken, name])) { context[.revoke] }
        }
    }

    private static let roles = ["user", "application", "admin"]
    private static let verbs = ["read", "insert", "update", "delete"]

    private static func creation(_ context: PageContext) -> HTML {
        context.form(ConsolePath.of("tokens"), .class("editor")) {
            HTML("h2") { context[.newToken] }
            field(.name, "name", isRequired: true, context)
            HTML("label", .init("for", "role")) { context[.role] }
            HTML("select", .id("role"), .name("role")) {
                for role in roles { HTML("option", .value(role)) { role } }
            }
            field(.collectionsOfToken, "collections", context)
            field(.claimsOfToken, "claims", context)
            field(.expiresIn, "expiresIn", context)
            HTML("fieldset") {
                HTML("legend") { context[.rightsOfToken] }
                for verb in verbs {
                    HTML("label") {
                        HTML("input", .type("checkbox"), .name("verb"), .value(verb))
                        " \(verb)"
                    }
                }
            }
            HTML("button", .type("submit"), .class("main")) { context[.createToken] }
        }
    }

    private static func field(
        _ text: ConsoleText,
        _ name: String,
        isRequired: Bool = false,
        _ context: PageContext
    ) -> HTML {
        HTML("label", .init("for", name)) { context[text] }
            + HTML("input", [.id(name), .name(name)] + HTML.Attribute.flag("required", isRequired))
    }

    /// Returns the body of the API's request for the fields of the form.
    private static func request(_ form: FormFields) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.member("name", form["name"])
            object.member("role", form["role"])
            let verbs = form.all.filter { $0.name == "verb" }.map(\.value)
            for (name, values) in [("collections", words(form["collections"])), ("verbs", verbs)] where !values.isEmpty
            {
                object.array(name) { array in for value in values { array.value(value) } }
            }
            let claims = words(form["claims"]).map { $0.split(separator: "=", maxSplits: 1) }
            if !claims.isEmpty {
                object.object("claims") { object in
                    for claim in claims { object.member(String(claim[0]), claim.count > 1 ? String(claim[1]) : "") }
                }
            }
            if !form["expiresIn"].isEmpty { object.member("expiresIn", form["expiresIn"]) }
        }
        return writer.takeBytes()
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0 == "," || $0 == " " }.map(String.init).filter { !$0.isEmpty }
    }
}

// MARK: - The audit log

/// The lines of the audit log, newest first.
enum AuditPages {
    static let all = [
        ConsolePage("/console/audit", in: .audit, isForAdministrators: true) { context in
            let search = context.query("text")
            let query = [("text", search), ("before", context.query("before"))].filter { !$0.1.isEmpty }
            let page = try await context.get(ConsolePath.api("audit", query: [("limit", "100")] + query))
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
                        HTML("input", .id("text"), .type("search"), .name("text"), .value(search))
                    }
                    HTML("button", .type("submit")) { context[.search] }
                }
                HTML("section", .id("lines")) {
                    table(of: lines, context)
                    context.pager(
                        ConsolePath.of("audit", query: search.isEmpty ? [] : [("text", search)]),
                        "before",
                        next.map(String.init),
                        isFirst: context.query("before").isEmpty
                    )
                }
            }
        }
    ]

    private static func table(of lines: [JSONValue], _ context: PageContext) -> HTML {
        guard !lines.isEmpty else { return HTML("p") { context[.noLines] } }
        return context.table(.audit, [.line, .when, .person, .act, .collection, .about, .status]) {
            for line in lines {
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { line["line"].int.map(String.init) ?? "" }
                    HTML("td") { PageContext.shown(time: line["at"].text ?? "") }
                    HTML("td") { HTML("bdi") { line["principal"].text ?? "" } }
                    HTML("td") { line["action"].text ?? "" }
                    HTML("td") { HTML("bdi") { line["collection"].text ?? "" } }
                    HTML("td") { HTML("bdi") { line["subject"].text ?? "" } }
                    HTML("td", .class("number")) { line["status"].int.map(String.init) ?? "" }
                }
            }
        }
    }
}

// MARK: - Texts

extension ConsoleText {
    static let schedules = ConsoleText("Schedules", "Zeitpläne")
    static let schedule = ConsoleText("Schedule {}", "Zeitplan {}")
    static let noSchedules = ConsoleText("The settings have no schedules.", "Die Einstellungen haben keine Zeitpläne.")
    static let noFailedSchedules = ConsoleText(
        "The last run of no schedule failed.",
        "Bei keinem Zeitplan ist der letzte Lauf gescheitert."
    )
    static let name = ConsoleText("Name", "Name")
    static let times = ConsoleText("Times", "Zeiten")
    static let nextRun = ConsoleText("Next run", "Nächster Lauf")
    static let lastRun = ConsoleText("Last run", "Letzter Lauf")
    static let onDemand = ConsoleText("on demand", "auf Verlangen")
    static let runNow = ConsoleText("Run now", "Jetzt ausführen")
    static let runs = ConsoleText("Runs", "Läufe des Zeitplans")
    static let run = ConsoleText("Run", "Nummer")
    static let noRuns = ConsoleText("It has not run yet.", "Er lief noch nie.")
    static let timetable = ConsoleText("timetable", "Zeitplan")
    static let exitCode = ConsoleText("Exit code", "Exit-Code")
    static let output = ConsoleText("Output", "Ausgabe")

    static let hooks = ConsoleText("Hooks", "Hooks")
    static let programs = ConsoleText("Programs", "Programme")
    static let endpoints = ConsoleText("Endpoints", "Endpunkte")
    static let file = ConsoleText("File", "Datei")
    static let processes = ConsoleText("Processes", "Prozesse")
    static let calls = ConsoleText("Calls", "Aufrufe")
    static let failedCalls = ConsoleText("Failed calls", "Gescheiterte Aufrufe")
    static let number = ConsoleText("Number", "Nummer")

    static let tokens = ConsoleText("Tokens", "Token")
    static let newToken = ConsoleText("New token", "Neues Token")
    static let role = ConsoleText("Role", "Rolle")
    static let claims = ConsoleText("Claims", "Merkmale")
    static let never = ConsoleText("never", "unbegrenzt")
    static let all = ConsoleText("all", "alle")
    static let revoked = ConsoleText("revoked", "widerrufen")
    static let revoke = ConsoleText("Revoke", "Widerrufen")
    static let revokeToken = ConsoleText("Revoke {}", "{} widerrufen")
    static let typeName = ConsoleText("To confirm, type the name", "Zur Bestätigung den Namen eintippen")
    static let wrongName = ConsoleText(
        "The name that was typed is not the name of the token: nothing was revoked.",
        "Der eingetippte Name ist nicht der des Tokens: Es wurde nichts widerrufen."
    )
    static let secretOnce = ConsoleText(
        "This is the secret of the token {}. It is not shown again: copy it now.",
        "Das ist das Geheimnis des Tokens {}. Es wird nicht noch einmal gezeigt: Kopieren Sie es jetzt."
    )
    static let createToken = ConsoleText("Create the token", "Token anlegen")
    static let collectionsOfToken = ConsoleText(
        "Collections, separated by commas; empty for all",
        "Sammlungen, durch Kommas getrennt; leer für alle"
    )
    static let claimsOfToken = ConsoleText(
        "Claims (NAME=VALUE), separated by commas",
        "Merkmale (NAME=WERT), durch Kommas getrennt"
    )
    static let rightsOfToken = ConsoleText("Rights; none for all", "Rechte; keines für alle")
    static let expiresIn = ConsoleText(
        "Expires in, such as 30d; empty for never",
        "Gültig für, etwa 30d; leer für immer"
    )

    static let audit = ConsoleText("Audit log", "Prüfprotokoll")
    static let auditText = ConsoleText("Text", "Text")
    static let noLines = ConsoleText("No line matches.", "Keine Zeile passt.")
    static let act = ConsoleText("Action", "Handlung")
}
