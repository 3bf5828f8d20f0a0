import HTTPService
import JSONText

/// The pages for the plans, and for one plan, which is reviewed, approved by another person, applied, and undone.
enum PlanPages {
    static let all =
        [
            ConsolePage("/console/plans", in: .plans) { context in
                let list = try await list(context)
                return .page(context[.plans]) { list }
            },
            ConsolePage(pattern) { context in try await page(context) },
            ConsolePage(pattern + "/operations") { context in try await operations(context) },
            ConsolePage(pattern + "/approval", .post) { context in try await act(context, .post, "approval") },
            ConsolePage(pattern + "/application", .post) { context in
                try await act(context, .post, "application", body: application(context))
            },
            ConsolePage(pattern + "/undo", .post) { context in try await act(context, .post, "undo") },
            ConsolePage(pattern + "/removal", .post) { context in try await act(context, .delete) },
        ] + NewPlanPages.all

    private static let pattern = "/console/plans/{plan}"

    // MARK: The list

    private static func list(_ context: PageContext) async throws -> HTML {
        let cursor = context.query("cursor")
        let place = cursor.isEmpty ? [] : [(name: "cursor", value: cursor)]
        let page = try await context.get(ConsolePath.api("plans", query: place + [("limit", "50")]))
        let plans = page["plans"].elements
        return HTML("section", .id("plans"), .init("aria-label", context[.plans]), .init("data-refresh", "10")) {
            if plans.isEmpty, cursor.isEmpty {
                HTML("p") { context[.noPlans] }
            } else {
                context.counters(of: plans, filters, ConsolePath.of("plans"), isPart: page["next"].text != nil)
                table(of: context.filtered(plans, filters), context)
            }
            let filter = context.query("state").isEmpty ? [] : [(name: "state", value: context.query("state"))]
            context.pager(ConsolePath.of("plans", query: filter), "cursor", page["next"].text, isFirst: cursor.isEmpty)
        }
    }

    private static let filters = [
        ListFilter("open", .openPlans) {
            ["planned", "approved", "applying", "failed"].contains($0["state"].text ?? "")
        },
        ListFilter("approval", .waitingPlans) { $0["state"].text == "planned" && $0["approvalRequired"].bool == true },
        ListFilter("failed", .failedPlans) { $0["state"].text == "failed" },
    ]

    /// Returns the plan counts, and the first plans that await approval or application, or that have failed.
    static func panel(_ context: PageContext) async throws -> HTML {
        try await context.panel(context[.plans], id: "plans") {
            let page = try await context.get(ConsolePath.api("plans", query: [("limit", "50")]))
            let (plans, isPart) = (page["plans"].elements, page["next"].text != nil)
            let open = plans.filter(filters[0].admits)
            return context.counters(of: plans, filters, ConsolePath.of("plans"), isPart: isPart)
                + (open.isEmpty
                    ? HTML("p") { context[.noOpenPlans] }
                    : table(of: Array(open.prefix(ListFilter.shownAtMost)), context))
        }
    }

    private static func table(of plans: [JSONValue], _ context: PageContext) -> HTML {
        let titles: [ConsoleText] = [
            .plan, .collection, .planState, .additions, .replacements, .removals, .author, .approver, .created,
            .expires,
        ]
        return context.table(.plans, titles) {
            for plan in plans {
                let id = plan["plan"].text ?? ""
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { HTML("a", .href(ConsolePath.of("plans", id))) { id } }
                    HTML("td") { HTML("bdi") { plan["collection"].text ?? "" } }
                    HTML("td") { state(of: plan, context) }
                    for name in ["add", "replace", "remove"] {
                        HTML("td", .class("number")) { "\(plan["counts"][name].int ?? 0)" }
                    }
                    HTML("td") { HTML("bdi") { plan["author"].text ?? "" } }
                    HTML("td") { HTML("bdi") { plan["approver"].text ?? context[.none] } }
                    HTML("td") { PageContext.shown(time: plan["created"].text ?? "") }
                    HTML("td") { PageContext.shown(time: plan["expires"].text ?? "") }
                }
            }
        }
    }

    private static let states: [String: ConsoleText] = [
        "planned": .planned, "approved": .approved, "applying": .applying, "applied": .applied, "failed": .planFailed,
        "undone": .undone, "expired": .expired,
    ]

    private static func state(of plan: JSONValue, _ context: PageContext) -> String {
        let name = plan["state"].text ?? ""
        let text = states[name].map { context[$0] } ?? name
        return plan["isBeingUndone"].bool == true ? "\(text), \(context[.isBeingUndone])" : text
    }

    // MARK: One plan

    private static func page(
        _ context: PageContext,
        typed: String = "",
        refusal: APIRefusal? = nil
    ) async throws -> PageAnswer {
        let id = try context.parameter("plan")
        let plan = try await context.get(ConsolePath.api("plans", id))
        let affected = try await affected(context, plan)
        // The plan's state differs from the one displayed before, so the page shows the plan in its present state.
        return .page(context[.planTitle, id], status: refusal.map { ResponseStatus($0.status) } ?? .ok) {
            if let refusal { refusal.html }
            main(context, plan, typed: typed)
            affected
        }
    }

    private static func main(_ context: PageContext, _ plan: JSONValue, typed: String) -> HTML {
        let isRunning = plan["state"].text == "applying" || plan["isBeingUndone"].bool == true
        let refresh: [HTML.Attribute] = isRunning ? [.init("data-refresh", "2")] : []
        return HTML("section", [.id("plan"), .init("aria-label", context[.plan])] + refresh) {
            summary(context, plan)
            run(context, plan["application"], .application, plan)
            run(context, plan["undo"], .undoing, plan)
            counts(context, plan)
            guards(context, plan)
            refusals(context, plan)
            samples(context, plan)
            actions(context, plan, typed: typed)
        }
    }

    private static func summary(_ context: PageContext, _ plan: JSONValue) -> HTML {
        let collection = plan["collection"].text ?? ""
        let approval =
            plan["approver"].text.map { "\($0), \(plan["approved"].text ?? "")" }
            ?? context[plan["approvalRequired"].bool == true ? .approvalNeeded : .none]
        return HTML("dl") {
            HTML("dt") { context[.planState] }
            HTML("dd") { HTML("strong", .init("role", "status")) { state(of: plan, context) } }
            HTML("dt") { context[.collection] }
            HTML("dd") { HTML("a", .href(ConsolePath.of("collections", collection))) { HTML("bdi") { collection } } }
            if let schedule = plan["schedule"].text {
                HTML("dt") { context[.comparedBy] }
                HTML("dd") { HTML("bdi") { schedule } }
            }
            HTML("dt") { context[.author] }
            HTML("dd") { HTML("bdi") { "\(plan["author"].text ?? ""), \(plan["created"].text ?? "")" } }
            HTML("dt") { context[.approver] }
            HTML("dd") { HTML("bdi") { approval } }
            HTML("dt") { context[.expires] }
            HTML("dd") { plan["expires"].text ?? "" }
            HTML("dt") { context[.digest] }
            HTML("dd") { HTML("code") { plan["digest"].text ?? "" } }
        }
    }

    private static let countTexts: [(name: String, text: ConsoleText)] = [
        ("add", .willBeAdded), ("replace", .willBeReplaced), ("remove", .willBeRemoved), ("unchanged", .unchanged),
        ("missing", .missing), ("refused", .refusedDocuments), ("unreadable", .unreadableDocuments),
    ]

    /// Returns the number of operations in a plan.
    private static func operationCount(_ plan: JSONValue) -> Int {
        ["add", "replace", "remove"].reduce(0) { $0 + (plan["counts"][$1].int ?? 0) }
    }

    /// Returns the planned effects on the named documents, each counted once, and their total.
    private static func counts(_ context: PageContext, _ plan: JSONValue) -> HTML {
        let rows = countTexts.map { (context[$0.text], plan["counts"][$0.name].int ?? 0) }
        return HTML("h2") { context[.whatWouldHappen] }
            + context.table(.whatWouldHappen, [.result, .documents]) {
                for (name, count) in rows {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) { name }
                        HTML("td", .class("number")) { "\(count)" }
                    }
                }
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { HTML("strong") { context[.sum] } }
                    HTML("td", .class("number")) { HTML("strong") { "\(rows.reduce(0) { $0 + $1.1 })" } }
                }
            }
    }

    private static func guards(_ context: PageContext, _ plan: JSONValue) -> HTML {
        let guards = plan["guards"].elements
        guard !guards.isEmpty else { return HTML() }
        return HTML("h2") { context[.guards] }
            + context.table(.guards, [.limit, .setting, .plannedNumber, .allowedNumber, .holds]) {
                for limit in guards {
                    let holds = limit["holds"].bool == true
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) { limit["name"].text ?? "" }
                        HTML("td") { limit["limit"].text ?? context[.usualLimit] }
                        HTML("td", .class("number")) { "\(limit["planned"].int ?? 0)" }
                        HTML("td", .class("number")) { limit["allowed"].int.map(String.init) ?? context[.notShown] }
                        HTML("td", .class(holds ? "good" : "bad")) { context[holds ? .isWithin : .isExceeded] }
                    }
                }
            }
    }

    private static func refusals(_ context: PageContext, _ plan: JSONValue) -> HTML {
        let refusals = plan["refusals"].elements
        guard !refusals.isEmpty else { return HTML() }
        return HTML("h2") { context[.refusals] }
            + HTML("p") {
                context[.shownOf, "\(refusals.count)", "\(plan["counts"]["refused"].int ?? refusals.count)"]
            }
            + context.table(.refusals, [.identifier, .planReason]) {
                for refusal in refusals {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) { HTML("bdi") { refusal["id"].text ?? "" } }
                        HTML("td") { HTML("bdi") { refusal["reason"].text ?? "" } }
                    }
                }
            }
    }

    // MARK: Operations

    private static func samples(_ context: PageContext, _ plan: JSONValue) -> HTML {
        let samples = plan["samples"].elements
        let all = ConsolePath.of("plans", plan["plan"].text ?? "", "operations")
        return HTML("h2") { context[.operations] }
            + HTML("p") { context[.shownOf, "\(samples.count)", "\(operationCount(plan))"] }
            + table(ofOperations: samples, in: plan["collection"].text ?? "", context)
            + HTML("p") {
                if samples.count < operationCount(plan) { HTML("a", .href(all)) { context[.allOperations] } }
            }
    }

    private static let operationTexts: [String: ConsoleText] = [
        "add": .adds, "replace": .replaces, "update": .updates, "remove": .removes,
    ]

    private static func table(
        ofOperations operations: [JSONValue],
        in collection: String,
        _ context: PageContext
    )
        -> HTML
    {
        guard !operations.isEmpty else { return HTML() }
        return context.table(.operations, [.identifier, .operation, .version, .contents]) {
            for operation in operations {
                let name = operation["operation"].text ?? ""
                let id = operation["id"].text ?? ""
                HTML("tr") {
                    HTML("th", .init("scope", "row")) { link(to: id, operation["routing"].text, in: collection) }
                    HTML("td") { operationTexts[name].map { context[$0] } ?? name }
                    HTML("td") { operation["version"].text ?? context[.none] }
                    HTML("td") { HTML("bdi") { JSONPreview.text(of: operation["document"]) } }
                }
            }
        }
    }

    private static func link(to id: String, _ routing: String?, in collection: String) -> HTML {
        HTML("a", .href(DocumentPages.path(collection, id, routing: routing))) { HTML("bdi") { id } }
    }

    /// All operations of a plan, page by page.
    private static func operations(_ context: PageContext) async throws -> PageAnswer {
        let id = try context.parameter("plan")
        let plan = try await context.get(ConsolePath.api("plans", id))
        let cursor = context.query("cursor")
        let place = cursor.isEmpty ? [] : [(name: "cursor", value: cursor)]
        let path = ConsolePath.api("plans", id, "operations", query: place + [("limit", "100")])
        let page = try await context.get(path)
        return .page(context[.operationsTitle, id]) {
            HTML("p") {
                HTML("a", .href(ConsolePath.of("plans", id))) { context[.planTitle, id] }
                ": \(state(of: plan, context)), \(context[.operationNumber, "\(operationCount(plan))"])"
            }
            table(ofOperations: page["operations"].elements, in: plan["collection"].text ?? "", context)
            context.pager(
                ConsolePath.of("plans", id, "operations"),
                "cursor",
                page["next"].text,
                isFirst: cursor.isEmpty
            )
        }
    }

    // MARK: Results

    /// Returns the part of the page about the job that applies or undoes a plan: its outcomes, which add up, and the
    /// documents that were left unchanged.
    private static func run(
        _ context: PageContext,
        _ run: JSONValue,
        _ title: ConsoleText,
        _ plan: JSONValue
    ) -> HTML {
        guard run["by"].text != nil else { return HTML() }
        let outcomes = run["outcomes"].members
        let issues = run["issues"].elements
        let settled = outcomes.reduce(0) { $0 + ($1.value.int ?? 0) }
        return HTML("h2") { context[title] }
            + HTML("dl") {
                HTML("dt") { context[.person] }
                HTML("dd") { HTML("bdi") { "\(run["by"].text ?? ""), \(run["began"].text ?? "")" } }
                HTML("dt") { context[.endedAt] }
                HTML("dd") { run["ended"].text ?? context[.isRunning] }
                if let job = run["job"].text {
                    HTML("dt") { context[.job] }
                    HTML("dd") { HTML("code") { job } }
                }
                if let failure = run["failure"].text {
                    HTML("dt") { context[.planFailure] }
                    HTML("dd", .class("bad")) { failure }
                }
                for outcome in outcomes {
                    HTML("dt") { outcome.key }
                    HTML("dd") { "\(outcome.value.int ?? 0)" }
                }
                HTML("dt") { context[.sum] }
                HTML("dd") { context[.ofOperations, "\(settled)", "\(operationCount(plan))"] }
                HTML("dt") { context[.errors] }
                HTML("dd") { run["errors"].int.map(String.init) ?? context[.notShown] }
            } + issueTable(context, issues, in: plan["collection"].text ?? "", errors: run["errors"].int)
    }

    private static func issueTable(
        _ context: PageContext,
        _ issues: [JSONValue],
        in collection: String,
        errors: Int?
    ) -> HTML {
        guard !issues.isEmpty else { return HTML() }
        return HTML("h3") { context[.leftDocuments] }
            + context.table(.leftDocuments, [.identifier, .outcome, .planReason]) {
                for issue in issues {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) {
                            link(to: issue["id"].text ?? "", issue["routing"].text, in: collection)
                        }
                        HTML("td") { issue["outcome"].text ?? "" }
                        HTML("td") {
                            HTML("bdi") {
                                [issue["code"].text, issue["message"].text].compactMap(\.self).joined(separator: ": ")
                            }
                        }
                    }
                }
            }
            + HTML("p") {
                if let errors, errors > issues.count { context[.moreIssues, "\(errors - issues.count)"] }
            }
    }

    // MARK: Other sessions and plans

    /// Returns the sessions and plans for the same collection that the user may see.
    private static func affected(_ context: PageContext, _ plan: JSONValue) async throws -> HTML {
        let collection = plan["collection"].text
        return try await context.panel(context[.affected], id: "affected") {
            let sessions = try await context.get(ConsolePath.api("sessions", query: [("limit", "100")]))
            let plans = try await context.get(ConsolePath.api("plans", query: [("limit", "100")]))
            let open = sessions["sessions"].elements
                .filter { $0["collection"].text == collection && $0["hasEnded"].bool == false }
            let others = plans["plans"].elements.filter { other in
                other["collection"].text == collection && other["plan"].text != plan["plan"].text
                    && (["planned", "approved", "applying"].contains(other["state"].text)
                        || other["isBeingUndone"].bool == true)
            }
            let isWhole = sessions["next"].text == nil && plans["next"].text == nil
            return HTML("p") {
                if open.isEmpty && others.isEmpty { context[.nothingAffected] + " " }
                context[context.user.isAdmin ? .affectedForAll : .affectedForUser]
                if !isWhole { " " + context[.affectedNewest] }
            }
                + HTML("ul") {
                    for session in open {
                        let id = session["session"].text ?? ""
                        HTML("li") {
                            "\(context[.openSession]) "
                            HTML("a", .href(ConsolePath.of("jobs", id))) { id }
                            ": \(context[.operationNumber, "\(session["operations"].int ?? 0)"])"
                        }
                    }
                    for other in others {
                        let id = other["plan"].text ?? ""
                        HTML("li") {
                            "\(context[.otherPlan]) "
                            HTML("a", .href(ConsolePath.of("plans", id))) { id }
                            ": \(state(of: other, context)), \(context[.operationNumber, "\(operationCount(other))"]), "
                            HTML("bdi") { other["author"].text ?? "" }
                        }
                    }
                }
        }
    }

    // MARK: Actions

    private static func actions(_ context: PageContext, _ plan: JSONValue, typed: String) -> HTML {
        let id = plan["plan"].text ?? ""
        let possible = Set(plan["possible"].elements.compactMap(\.text))
        let digest = plan["digest"].text ?? ""
        let collection = plan["collection"].text ?? ""
        return HTML("div", .class("actions")) {
            if possible.contains("approve") {
                context.form(ConsolePath.of("plans", id, "approval")) {
                    HTML("button", .class("main")) { context[.approve] }
                }
            }
            if possible.contains("apply") {
                context.form(ConsolePath.of("plans", id, "application"), .class("danger")) {
                    HTML("h2") { context[.apply] }
                    HTML("input", .type("hidden"), .name("digest"), .value(digest))
                    HTML("label", .init("for", "typed")) { "\(context[.typeCollection]): \(collection)" }
                    HTML(
                        "input",
                        .id("typed"),
                        .name("typed"),
                        .value(typed),
                        .init("autocomplete", "off"),
                        .init("spellcheck", "false"),
                        .init("required")
                    )
                    HTML("button") { context[.applyNumber, "\(operationCount(plan))"] }
                }
            }
            if possible.contains("undo") {
                context.form(ConsolePath.of("plans", id, "undo"), .class("danger")) {
                    HTML("h2") { context[.undo] }
                    HTML("p") { context[.undoHint] }
                    HTML("button") { context[.undo] }
                }
            }
            if possible.contains("delete") {
                context.form(ConsolePath.of("plans", id, "removal")) {
                    HTML("p", .class("detail")) { context[.deletePlanHint] }
                    HTML("button") { context[.deletePlan] }
                }
            }
        }
    }

    /// Returns the body of an application: the name typed by the user, and the digest from the displayed page.
    private static func application(_ context: PageContext) -> [UInt8] {
        JSONWriter.object { object in
            object.member("collection", context.form["typed"])
            object.member("digest", context.form["digest"])
        }
    }

    /// Performs an action on a plan, and shows the resulting plan, with the refusal if there was one.
    private static func act(
        _ context: PageContext,
        _ method: RequestMethod,
        _ name: String? = nil,
        body: [UInt8] = []
    ) async throws -> PageAnswer {
        let id = try context.parameter("plan")
        let path = name.map { ConsolePath.api("plans", id, $0) } ?? ConsolePath.api("plans", id)
        do {
            _ = try await context.send(method, path, body: body)
        } catch let refusal as APIRefusal where ![401, 404].contains(refusal.status) {
            return try await page(context, typed: context.form["typed"], refusal: refusal)
        }
        return .seeOther(name == nil ? ConsolePath.of("plans") : ConsolePath.of("plans", id))
    }
}

// MARK: - Texts

extension ConsoleText {
    static let plans = ConsoleText("Plans", "Pläne")
    static let openPlans = ConsoleText("open", "offen")
    static let waitingPlans = ConsoleText("waiting for approval", "warten auf Freigabe")
    static let failedPlans = ConsoleText("failed", "gescheitert")
    static let noOpenPlans = ConsoleText(
        "No recent plan is waiting or has failed.",
        "Kein neuerer Plan wartet oder ist gescheitert."
    )
    static let plan = ConsoleText("Plan", "Plan")
    static let planTitle = ConsoleText("Plan {}", "Plan {}")
    static let noPlans = ConsoleText(
        "No plans are visible to you.",
        "Es gibt keinen Plan, den Sie sehen dürfen."
    )
    static let listPager = ConsoleText("Pages of the list", "Seiten der Liste")
    static let planState = ConsoleText("State", "Zustand")
    static let author = ConsoleText("Author", "Verfasst von")
    static let approver = ConsoleText("Approved by", "Freigegeben von")
    static let approvalNeeded = ConsoleText(
        "not yet approved; a person other than the author must approve it",
        "noch nicht freigegeben; das muss eine andere Person als die verfassende tun"
    )
    static let created = ConsoleText("Created", "Erstellt")
    static let expires = ConsoleText("Expires", "Läuft ab")
    static let digest = ConsoleText("Digest", "Prüfsumme")
    static let none = ConsoleText("none", "keine")
    static let notShown = ConsoleText("not shown", "nicht angegeben")
    static let additions = ConsoleText("Added", "Neu").asNumber
    static let replacements = ConsoleText("Replaced", "Ersetzt").asNumber
    static let removals = ConsoleText("Removed", "Entfernt").asNumber

    static let planned = ConsoleText("planned", "geplant")
    static let approved = ConsoleText("approved", "freigegeben")
    static let applying = ConsoleText("being applied", "wird angewendet")
    static let applied = ConsoleText("applied", "angewendet")
    static let planFailed = ConsoleText("failed", "gescheitert")
    static let undone = ConsoleText("undone", "rückgängig gemacht")
    static let expired = ConsoleText("expired", "abgelaufen")
    static let isBeingUndone = ConsoleText("is being undone", "wird rückgängig gemacht")

    static let whatWouldHappen = ConsoleText("Effects on the documents", "Was mit den Dokumenten geschieht")
    static let result = ConsoleText("Result", "Ergebnis")
    static let willBeAdded = ConsoleText("added", "neu angelegt")
    static let willBeReplaced = ConsoleText("replaced", "ersetzt")
    static let willBeRemoved = ConsoleText("removed", "entfernt")
    static let unchanged = ConsoleText("already as they should be", "schon wie gewünscht")
    static let missing = ConsoleText("does not exist, or you may not change it", "nicht da, oder nicht für Sie")
    static let refusedDocuments = ConsoleText(
        "refused by a rule or a hook",
        "von einer Regel oder einem Hook abgelehnt"
    )
    static let unreadableDocuments = ConsoleText("unreadable", "nicht lesbar")
    static let sum = ConsoleText("Sum", "Summe")

    static let guards = ConsoleText("Limits", "Grenzen")
    static let limit = ConsoleText("Limit", "Grenze")
    static let setting = ConsoleText("Setting", "Einstellung")
    static let usualLimit = ConsoleText("as usual", "wie üblich")
    static let plannedNumber = ConsoleText("Planned", "Geplant").asNumber
    static let allowedNumber = ConsoleText("Allowed", "Erlaubt").asNumber
    static let holds = ConsoleText("Within the limit", "Eingehalten")
    static let isWithin = ConsoleText("yes", "ja")
    static let isExceeded = ConsoleText("no: the plan can't be applied", "nein: Der Plan kann nicht angewendet werden")
    static let refusals = ConsoleText("Refused documents", "Abgelehnte Dokumente")
    static let planReason = ConsoleText("Reason", "Grund")
    static let shownOf = ConsoleText("{} of {} shown", "{} von {} gezeigt")

    static let operationsTitle = ConsoleText("Operations of plan {}", "Operationen des Plans {}")
    static let operationNumber = ConsoleText("{} operations", "{} Operationen")
    static let allOperations = ConsoleText("All operations", "Alle Operationen")
    static let comparedBy = ConsoleText("Compared by the schedule", "Verglichen vom Zeitplan")
    static let updates = ConsoleText("updates some keys", "ändert einige Schlüssel")
    static let adds = ConsoleText("add", "anlegen")
    static let replaces = ConsoleText("replace", "ersetzen")
    static let removes = ConsoleText("remove", "entfernen")

    static let application = ConsoleText("Application", "Anwendung")
    static let undoing = ConsoleText("Undo", "Rückgängig gemacht")
    static let person = ConsoleText("Started by", "Ausgelöst von")
    static let isRunning = ConsoleText("still running", "läuft noch")
    static let job = ConsoleText("Job", "Lauf")
    static let planFailure = ConsoleText("Failure", "Fehler")
    static let ofOperations = ConsoleText("{} of {} operations", "{} von {} Operationen")
    static let leftDocuments = ConsoleText("Documents left as they are", "Dokumente, die blieben, wie sie sind")
    static let moreIssues = ConsoleText("{} more are not shown.", "{} weitere werden nicht gezeigt.")
    static let outcome = ConsoleText("Outcome", "Ergebnis")

    static let affected = ConsoleText("Who else is working on this collection", "Wer sonst an dieser Sammlung arbeitet")
    static let nothingAffected = ConsoleText(
        "There are no open sessions and no other open plans.",
        "Es gibt keine offenen Sitzungen und keine anderen offenen Pläne."
    )
    static let affectedForAll = ConsoleText(
        "Individual requests and readers are not known.",
        "Einzelne Anfragen und Leser sind nicht bekannt."
    )
    static let affectedForUser = ConsoleText(
        "Sessions of other clients are shown only to administrators; individual requests and readers are not known.",
        "Sitzungen anderer sehen nur Administratoren; einzelne Anfragen und Leser sind nicht bekannt."
    )
    static let affectedNewest = ConsoleText(
        "Only the newest 100 sessions and 100 plans were examined.",
        "Nur die neuesten 100 Sitzungen und 100 Pläne wurden betrachtet."
    )
    static let openSession = ConsoleText("Session", "Sitzung")
    static let otherPlan = ConsoleText("Plan", "Plan")

    static let approve = ConsoleText("Approve the plan", "Plan freigeben")
    static let apply = ConsoleText("Apply the plan", "Plan anwenden")
    static let applyNumber = ConsoleText("Apply {} operations", "{} Operationen anwenden")
    static let typeCollection = ConsoleText(
        "To confirm, type the name of the collection",
        "Zur Bestätigung den Namen der Sammlung eintippen"
    )
    static let undo = ConsoleText("Undo the plan", "Plan rückgängig machen")
    static let undoHint = ConsoleText(
        "Documents that have changed since then stay as they are, and are listed.",
        "Dokumente, die sich seitdem geändert haben, bleiben, wie sie sind, und werden aufgelistet."
    )
    static let deletePlan = ConsoleText("Delete the plan", "Plan löschen")
    static let deletePlanHint = ConsoleText(
        "The plan and its backup are deleted; an applied plan can then no longer be undone.",
        "Der Plan und seine Sicherung werden gelöscht; rückgängig machen lässt er sich dann nicht mehr."
    )
}
