import HTTPService
import JSONText

/// The pages for the permanently failed operations of a session, which can be read, corrected and repeated one by one,
/// and for the history of a document, as far as the API has it.
enum FailurePages {
    static let all = [
        ConsolePage(pattern) { context in try await list(context) },
        ConsolePage(pattern + "/{number}") { context in
            let message = context.request.queryValue("retried").map { _ in context[.retried] }
            return try await page(context, try await FailedOperation(context), message: message)
        },
        ConsolePage(pattern + "/{number}", .post) { context in try await retry(context) },
        ConsolePage("/console/collections/{collection}/documents/{document}/history", isForAdministrators: true) {
            context in try await history(context)
        },
    ]

    private static let pattern = "/console/jobs/{session}/failures"

    /// Returns the path of a session's failed operations.
    static func path(_ session: String) -> String { ConsolePath.of("jobs", session, "failures") }

    private static func path(_ session: String, _ number: Int, query: [(name: String, value: String)] = []) -> String {
        ConsolePath.of("jobs", session, "failures", "\(number)", query: query)
    }

    // MARK: The list

    private static func list(_ context: PageContext) async throws -> PageAnswer {
        let session = try context.parameter("session")
        let cursor = context.query("cursor")
        let collection = try await context.get(ConsolePath.api("sessions", session))["collection"].text ?? ""
        let place = cursor.isEmpty ? [] : [(name: "cursor", value: cursor)]
        let query = place + [(name: "limit", value: "50")]
        let page = try await context.get(ConsolePath.api("sessions", session, "failures", query: query))
        let failures = page["failures"].elements.map { FailedOperation($0, of: session, in: collection) }
        let next = page["next"].text
        return .page(context[.failures]) {
            HTML("p") { HTML("a", .href(JobPages.path(session))) { context[.jobTitle, session] } }
            HTML("p", .class("detail")) { context[.keptHint] }
            if failures.isEmpty {
                HTML("p", .init("role", "status")) {
                    context[next != nil ? .noFailuresHere : cursor.isEmpty ? .noFailures : .noMoreFailures]
                }
            } else {
                table(of: failures, context)
            }
            context.pager(path(session), "cursor", next, isFirst: cursor.isEmpty)
        }
    }

    private static func table(of failures: [FailedOperation], _ context: PageContext) -> HTML {
        context.table(.failures, [.operation, .document, .kind, .code, .message, .keptDocument]) {
            for failure in failures {
                HTML("tr") {
                    HTML("th", .init("scope", "row")) {
                        HTML("a", .href(path(failure.session, failure.number))) { failure.operation }
                    }
                    HTML("td") { HTML("a", .href(failure.place.page())) { HTML("bdi") { failure.place.id } } }
                    HTML("td") { failure.verb }
                    HTML("td") { failure.code }
                    HTML("td") { HTML("bdi") { failure.message } }
                    HTML("td") { context[failure.stateText] }
                }
            }
        }
    }

    /// An operation that failed permanently.
    private struct FailedOperation {
        let session: String
        let number: Int
        let operation: String
        let place: DocumentPages.Place
        let verb: String
        let outcome: String
        let code: String
        let message: String
        /// The document, or the keys to merge; `nil` for a removal, or if the document can't be shown.
        let document: JSONValue?
        private let documentState: String

        init(_ json: JSONValue, of session: String, in collection: String) {
            self.session = session
            number = json["number"].int ?? 0
            operation = json["operation"].int.map(String.init) ?? ""
            place = DocumentPages.Place(
                collection: collection,
                id: json["id"].text ?? "",
                routing: json["routing"].text
            )
            (verb, outcome) = (json["verb"].text ?? "", json["outcome"].text ?? "")
            (code, message) = (json["code"].text ?? "", json["message"].text ?? "")
            documentState = json["documentState"].text ?? ""
            document = documentState == "kept" ? json["document"] : nil
        }

        /// Reads the operation that is specified by a page's address.
        init(_ context: PageContext) async throws {
            let session = try context.parameter("session")
            let text = try context.parameter("number")
            let collection = try await context.get(ConsolePath.api("sessions", session))["collection"].text ?? ""
            if let number = Int(text), number > 0 {
                let query = [(name: "cursor", value: "\(number - 1)"), (name: "limit", value: "1")]
                let page = try await context.get(ConsolePath.api("sessions", session, "failures", query: query))
                if let found = page["failures"].elements.first, found["number"].int == number {
                    self.init(found, of: session, in: collection)
                    return
                }
            }
            throw ServiceProblem(
                .notFound,
                "noFailure",
                "the job has no failed operation '\(text)'",
                advice: "choose one from the job's list of failed operations"
            )
        }

        var stateText: ConsoleText {
            switch documentState {
            case "kept": .isKept
            case "none": .hasNoDocument
            case "hidden": .isHidden
            default: .isNotKept
            }
        }

        /// The rights required to perform the operation individually.
        var rights: [String] {
            switch verb {
            case "remove": ["delete"]
            case "update": ["update"]
            // The API replaces a document only for users who may also insert one.
            default: ["insert", "update"]
            }
        }
    }

    // MARK: One operation

    /// The present document on the server; the tag is empty if there is no document.
    private struct Current {
        var tag = ""
        var json: [UInt8]?

        init(_ context: PageContext, _ place: DocumentPages.Place) async throws {
            let answer = try await context.send(.get, place.api, allowing: [404])
            guard answer.status == 404 else {
                (tag, json) = (answer.headers["ETag"] ?? "", answer.body)
                return
            }
            let refusal = APIRefusal(status: answer.status, body: answer.body)
            guard refusal.code == "noDocument" else { throw refusal }
        }
    }

    /// Returns the page of an operation, including the user's text if it was not written.
    private static func page(
        _ context: PageContext,
        _ operation: FailedOperation,
        text: String? = nil,
        message: String? = nil,
        failure: String? = nil
    ) async throws -> PageAnswer {
        // The present document determines whether the operation can be repeated, and on which version.
        let action: HTML
        do {
            action = self.action(context, operation, try await Current(context, operation.place), text)
        } catch let refusal as APIRefusal where refusal.status != 401 {
            action = refusal.html + contents(operation, text)
        }
        return .page(context[.failure, operation.operation], status: failure == nil ? .ok : ResponseStatus(422)) {
            HTML("p") {
                HTML("a", .href(JobPages.path(operation.session))) { context[.jobTitle, operation.session] }
                " · "
                HTML("a", .href(path(operation.session))) { context[.failures] }
            }
            if let message { HTML("p", .class("note"), .init("role", "status")) { message } }
            if let failure { HTML("p", .class("refusal"), .init("role", "alert")) { failure } }
            HTML("dl") {
                HTML("dt") { context[.document] }
                HTML("dd") { HTML("a", .href(operation.place.page())) { HTML("bdi") { operation.place.id } } }
                HTML("dt") { context[.kind] }
                HTML("dd") { operation.verb }
                HTML("dt") { context[.outcome] }
                HTML("dd") { operation.outcome }
                HTML("dt") { context[.code] }
                HTML("dd") { operation.code }
                HTML("dt") { context[.message] }
                HTML("dd") { HTML("bdi") { operation.message } }
            }
            action
        }
    }

    /// Returns the part of the page for repeating the operation, or the reason why that is not possible.
    private static func action(
        _ context: PageContext,
        _ operation: FailedOperation,
        _ current: Current,
        _ text: String?
    ) -> HTML {
        let isAllowed =
            context.isWritable
            && operation.rights.allSatisfy { context.user.may($0, in: operation.place.collection) }
        if operation.verb == "remove" {
            guard current.json != nil else { return HTML("p") { context[.nothingToRemove] } }
            guard isAllowed else { return HTML("p") { context[.isStillThere] } }
            return DocumentPages.removal(
                context,
                operation.place,
                current.tag,
                action: path(operation.session, operation.number)
            )
        }
        guard let document = operation.document else {
            return HTML("p", .class("note")) {
                context[operation.stateText]
                ". "
                context[.sendAgain]
            }
        }
        let shown = text.flatMap { try? DocumentPages.object($0).get() } ?? document
        let comparison = comparison(context, operation, current, shown)
        if operation.verb == "update", current.json == nil {
            return HTML("p", .class("note")) { context[.nothingToMerge] } + contents(operation, text)
        }
        guard isAllowed else { return comparison + contents(operation, text) }
        return comparison
            + context.form(path(operation.session, operation.number), .class("editor")) {
                HTML("h2") { context[.retry] }
                HTML("p", .class("detail")) { context[operation.verb == "update" ? .mergeHint : .replaceHint] }
                HTML("input", .type("hidden"), .name("tag"), .value(current.tag))
                DocumentPages.field(context, text ?? JSONPreview.indented(document))
                HTML("button", .class("main")) { context[.retry] }
            }
    }

    private static func contents(_ operation: FailedOperation, _ text: String?) -> HTML {
        guard let shown = text ?? operation.document.map(JSONPreview.indented) else { return HTML() }
        return HTML("pre") { shown }
    }

    /// Returns the keys that another attempt would change, side by side.
    private static func comparison(
        _ context: PageContext,
        _ operation: FailedOperation,
        _ current: Current,
        _ mine: JSONValue
    ) -> HTML {
        guard let json = current.json, let theirs = try? JSONValue(json),
            let difference = try? JSONDifference(from: json, to: JSONPreview.json(mine, .compact))
        else { return HTML("p", .class("detail")) { context[.isNotThere] } }
        // Keys that a patch does not contain remain unchanged.
        let keys = difference.changed + difference.added + (operation.verb == "update" ? [] : difference.removed)
        guard !keys.isEmpty else { return HTML("p", .class("note")) { context[.isThereAlready] } }
        return HTML("h2") { context[.whatChanges] }
            + DocumentPages.versions(context, keys, theirs, mine, caption: .whatChanges) { _ in nil }
    }

    // MARK: Another attempt

    private static func retry(_ context: PageContext) async throws -> PageAnswer {
        let operation = try await FailedOperation(context)
        let tag = context.form["tag"]
        let done = path(operation.session, operation.number, query: [(name: "retried", value: "true")])
        if operation.verb == "remove" {
            guard context.form["typed"] == operation.place.id else {
                return try await page(context, operation, failure: context[.wrongID])
            }
            return try await attempt(context, operation, text: nil) {
                let headers: HeaderFields = ["If-Match": tag]
                let answer = try await context.send(.delete, operation.place.api, headers: headers, allowing: [412])
                guard answer.status == 412 else { return .seeOther(done) }
                return try await page(context, operation, failure: context[.conflict])
            }
        }
        let text = context.form["json"].replacingLineEnds
        let document: JSONValue
        switch DocumentPages.object(text) {
        case .success(let value): document = value
        case .failure(let defect):
            return try await page(context, operation, text: text, failure: context[.notJSON, defect.message])
        }
        return try await attempt(context, operation, text: text) {
            // Without a version, there was no document, and a document that was created since must not be replaced.
            let headers: HeaderFields = tag.isEmpty ? ["If-None-Match": "*"] : ["If-Match": tag]
            let answer = try await context.send(
                operation.verb == "update" ? .patch : .put,
                operation.place.api,
                headers: headers,
                body: Array(text.utf8),
                allowing: [412]
            )
            guard answer.status == 412 else { return .seeOther(done) }
            // A patch, or a document that the user may not read, is compared key by key on its own page.
            guard operation.verb != "update", try await Current(context, operation.place).json != nil else {
                return try await page(context, operation, text: text, failure: context[.conflict])
            }
            return try await DocumentPages.conflict(context, operation.place, mine: document)
        }
    }

    /// Returns the response to an attempt; a refusal by the API is shown with the user's text, which must not be lost.
    private static func attempt(
        _ context: PageContext,
        _ operation: FailedOperation,
        text: String?,
        _ body: () async throws -> PageAnswer
    ) async throws -> PageAnswer {
        do {
            return try await body()
        } catch let refusal as APIRefusal where refusal.status != 401 {
            let failure = [refusal.message, refusal.advice].compactMap(\.self).joined(separator: ": ")
            return try await page(context, operation, text: text, failure: failure)
        }
    }

    // MARK: The history of a document

    /// Returns the lines of the audit log about a document.
    private static func history(_ context: PageContext) async throws -> PageAnswer {
        let place = try DocumentPages.Place(context)
        let before = context.query("before")
        let query =
            (before.isEmpty ? [] : [(name: "before", value: before)])
            + [(name: "text", value: place.id), (name: "limit", value: "100")]
        let page = try await context.get(ConsolePath.api("audit", query: query))
        // The API matches the text anywhere in any value.
        let lines = page["lines"].elements.filter { line in
            line["subject"].text?.utf8.elementsEqual(place.id.utf8) == true
                && line["collection"].text == place.collection
        }
        let next = page["next"].int.map(String.init)
        return .page(context[.historyOf, place.id]) {
            HTML("p") { HTML("a", .href(place.page())) { HTML("bdi") { place.id } } }
            HTML("p", .class("detail")) { "\(context[.historyHint]) \(context[.historyLimits])" }
            if lines.isEmpty {
                HTML("p", .init("role", "status")) { context[next == nil ? .noHistory : .noHistoryHere] }
            } else {
                context.table(.history, [.time, .client, .action, .status, .address, .requestID, .line]) {
                    for line in lines {
                        HTML("tr") {
                            HTML("th", .init("scope", "row")) { PageContext.shown(time: line["at"].text ?? "") }
                            HTML("td") { HTML("bdi") { line["principal"].text ?? "" } }
                            HTML("td") { line["action"].text ?? "" }
                            HTML("td", .class("number")) { line["status"].int.map(String.init) ?? "" }
                            HTML("td") { line["address"].text ?? "" }
                            HTML("td") { line["request"].text ?? "" }
                            HTML("td", .class("number")) { line["line"].int.map(String.init) ?? "" }
                        }
                    }
                }
            }
            context.pager(place.page("history"), "before", next, isFirst: before.isEmpty)
        }
    }
}

// MARK: - Texts

extension ConsoleText {
    static let failures = ConsoleText("Failed operations", "Fehlgeschlagene Operationen")
    static let failure = ConsoleText("Failed operation {}", "Fehlgeschlagene Operation {}")
    static let noFailures = ConsoleText(
        "No operation has failed permanently.",
        "Keine Operation ist endgültig gescheitert."
    )
    static let noMoreFailures = ConsoleText(
        "There are no more failed operations.",
        "Weitere Operationen sind nicht gescheitert."
    )
    static let noFailuresHere = ConsoleText(
        "None of the errors and warnings examined so far match; the next page continues.",
        "Keine ist unter den bisher durchgesehenen Fehlern und Warnungen; die nächste Seite geht weiter."
    )
    static let keptHint = ConsoleText(
        "The server keeps the documents of failed operations, within its limits, and keeps each job for a day after it ends.",
        "Der Server behält Dokumente gescheiterter Operationen bis zu seinen Grenzen, und einen Lauf einen Tag lang."
    )
    static let keptDocument = ConsoleText("Its document", "Ihr Dokument")
    static let isKept = ConsoleText("kept", "vorhanden")
    static let isNotKept = ConsoleText(
        "The server no longer keeps this document",
        "Der Server hat dieses Dokument nicht mehr"
    )
    static let isHidden = ConsoleText(
        "Only administrators may read this document: hooks may have added to it",
        "Dieses Dokument sehen nur Administratoren: Hooks können es ergänzt haben"
    )
    static let hasNoDocument = ConsoleText("none: a removal", "keines: eine Löschung")
    static let sendAgain = ConsoleText("Send it again from its source.", "Bitte aus der Quelle noch einmal senden.")
    static let nothingToRemove = ConsoleText(
        "This document does not exist, so there is nothing to remove.",
        "Dieses Dokument gibt es jetzt nicht, also ist nichts zu löschen."
    )
    static let isStillThere = ConsoleText("The document is still there.", "Das Dokument ist noch da.")
    static let nothingToMerge = ConsoleText(
        "This document does not exist, so these keys can't be merged into it.",
        "Dieses Dokument gibt es jetzt nicht, also nichts, worin diese Schlüssel aufgehen könnten."
    )
    static let isNotThere = ConsoleText("There is no such document now.", "Dieses Dokument gibt es jetzt nicht.")
    static let isThereAlready = ConsoleText(
        "The document on the server has these values already.",
        "Das Dokument auf dem Server hat diese Werte schon."
    )
    static let whatChanges = ConsoleText("Changes that another attempt would make", "Was ein neuer Versuch ändert")
    static let retry = ConsoleText("Try again", "Noch einmal versuchen")
    static let replaceHint = ConsoleText(
        "The document is written with your rights, in place of the version shown here.",
        "Das Dokument wird mit Ihren Rechten geschrieben, an die Stelle der Fassung, die hier gezeigt ist."
    )
    static let mergeHint = ConsoleText(
        "These keys are merged into the version shown here, with your rights; null removes a key.",
        "Diese Schlüssel gehen mit Ihren Rechten in die hier gezeigte Fassung ein; null entfernt einen Schlüssel."
    )
    static let retried = ConsoleText(
        "The operation was carried out. It stays in the job's list, which records what failed at that time.",
        "Die Operation ist ausgeführt. Sie bleibt in der Liste des Laufs, die festhält, was damals scheiterte."
    )

    static let history = ConsoleText("History", "Verlauf")
    static let historyOf = ConsoleText("History of {}", "Verlauf von {}")
    static let historyHint = ConsoleText(
        "Lines of the audit log about individual writes to, or refusals of, documents with this ID.",
        "Zeilen des Protokolls über einzelne Änderungen und Ablehnungen von Dokumenten mit dieser ID."
    )
    static let historyLimits = ConsoleText(
        "Jobs, plans, and documents added without an ID are recorded there without document IDs, and not listed here.",
        "Läufe, Pläne und ohne ID angelegte Dokumente stehen dort ohne Dokument-IDs und fehlen hier."
    )
    static let noHistory = ConsoleText("There is no such line.", "Es gibt keine solche Zeile.")
    static let noHistoryHere = ConsoleText(
        "None of the lines read so far match; the next page continues with older ones.",
        "Keine ist unter den bisher gelesenen Zeilen; die nächste Seite geht mit älteren weiter."
    )
    static let time = ConsoleText("Time", "Zeit")
    static let action = ConsoleText("Action", "Aktion")
    static let status = ConsoleText("Status", "Status").asNumber
    static let address = ConsoleText("Address", "Adresse")
    static let requestID = ConsoleText("Request", "Anfrage")
    static let line = ConsoleText("Line", "Zeile").asNumber
}
