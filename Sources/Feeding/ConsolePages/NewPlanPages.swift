import HTTPService
import JSONText
import TextKit

/// The page for a new plan, created from IDs, a query, documents, or the comparison that a schedule runs.
enum NewPlanPages {
    static let all = [
        ConsolePage(pattern) { context in
            let collection = try context.parameter("collection")
            return page(context, collection, try await schedules(context, collection)) { context.query($0) }
        },
        ConsolePage(pattern, .post) { context in try await make(context) },
    ]

    private static let pattern = "/console/collections/{collection}/plan"

    /// Returns a link to a plan that removes the results of a query, if the user may remove them, or otherwise to any
    /// plan that the user may create.
    static func link(_ context: PageContext, _ collection: String, query: [(name: String, value: String)]) -> HTML {
        guard mayMakePlans(context, collection) else { return HTML() }
        let conditions = mayRemove(context, collection) ? query : []
        return HTML("p") {
            HTML("a", .href(ConsolePath.of("collections", collection, "plan", query: conditions))) {
                context[conditions.isEmpty ? .newPlan : .planRemovalOfThese]
            }
        }
    }

    /// Returns a link to a plan that removes a document; empty if the user may not create the plan.
    static func link(_ context: PageContext, _ collection: String, document id: String, routing: String?) -> HTML {
        guard context.isWritable, mayRemove(context, collection) else { return HTML() }
        let query = [(name: "ids", value: line(for: id, routing: routing))]
        return HTML("p") {
            HTML("a", .href(ConsolePath.of("collections", collection, "plan", query: query))) {
                context[.planRemovalOfThis]
            }
        }
    }

    private static func mayMakePlans(_ context: PageContext, _ collection: String) -> Bool {
        context.isWritable && (mayRemove(context, collection) || mayPut(context, collection))
    }

    private static func mayRemove(_ context: PageContext, _ collection: String) -> Bool {
        ["read", "delete"].allSatisfy { context.user.may($0, in: collection) }
    }

    private static func mayPut(_ context: PageContext, _ collection: String) -> Bool {
        ["read", "insert", "update"].allSatisfy { context.user.may($0, in: collection) }
    }

    private static func mayReconcile(_ context: PageContext, _ collection: String) -> Bool {
        context.user.isAdmin && mayRemove(context, collection) && mayPut(context, collection)
    }

    /// Returns the schedules whose commands compare a collection with its source and that the user may run.
    private static func schedules(_ context: PageContext, _ collection: String) async throws -> [String] {
        guard context.isWritable, mayReconcile(context, collection) else { return [] }
        return try await context.get(ConsolePath.api("schedules"))["schedules"].elements
            .filter { $0["reconciles"].text == collection }.compactMap { $0["name"].text }
    }

    // MARK: The page

    private static func page(
        _ context: PageContext,
        _ collection: String,
        _ schedules: [String],
        failure: HTML = HTML(),
        status: ResponseStatus = .ok,
        _ value: (String) -> String
    ) -> PageAnswer {
        .page(context[.newPlan], status: status) {
            HTML("p") { HTML("a", .href(ConsolePath.of("collections", collection))) { HTML("bdi") { collection } } }
            failure
            HTML("p") { context[.planHint] }
            if mayMakePlans(context, collection) {
                if mayRemove(context, collection) {
                    // The form for the documents in the link comes first.
                    let isOfQuery = CollectionSearch.fields.contains { !value($0.name).isEmpty }
                    let (byQuery, byID) = (queryForm(context, collection, value), idForm(context, collection, value))
                    isOfQuery ? byQuery + byID : byID + byQuery
                }
                if mayPut(context, collection) { documentForm(context, collection, value) }
                if !schedules.isEmpty { scheduleForm(context, collection, schedules, value) }
            } else {
                HTML("p", .class("note")) { context[context.isWritable ? .noPlanRights : .readOnlyPlans] }
            }
        }
    }

    private static func form(
        _ context: PageContext,
        _ collection: String,
        _ kind: String,
        _ title: ConsoleText,
        _ attributes: HTML.Attribute...,
        @HTMLBuilder content: () -> HTML
    ) -> HTML {
        let path = ConsolePath.of("collections", collection, "plan")
        let contents = content()
        return HTML("section", .init("aria-labelledby", "plan-\(kind)")) {
            HTML("h2", .id("plan-\(kind)")) { context[title] }
            if let attribute = attributes.first {
                context.form(path, .class("editor"), attribute) { fields(context, kind, contents) }
            } else {
                context.form(path, .class("editor")) { fields(context, kind, contents) }
            }
        }
    }

    private static func fields(_ context: PageContext, _ kind: String, _ contents: HTML) -> HTML {
        HTML("input", .type("hidden"), .name("kind"), .value(kind)) + contents
            + HTML("button", .class("main")) { context[.makePlan] }
    }

    private static func idForm(_ context: PageContext, _ collection: String, _ value: (String) -> String) -> HTML {
        form(context, collection, "ids", .removeByID, .init("data-upload", "ids")) {
            textArea("ids", context[.idsLabel], value("ids"))
            file("ids", context[.idsFile])
        }
    }

    private static func queryForm(_ context: PageContext, _ collection: String, _ value: (String) -> String) -> HTML {
        form(context, collection, "query", .removeByQuery) {
            for field in CollectionSearch.fields {
                HTML("label", .init("for", field.name)) { context[field.text] }
                HTML(
                    "input",
                    .id(field.name),
                    .name(field.name),
                    .value(value(field.name)),
                    .init("autocomplete", "off"),
                    .init("spellcheck", "false")
                )
            }
        }
    }

    private static func documentForm(
        _ context: PageContext,
        _ collection: String,
        _ value: (String) -> String
    ) -> HTML {
        form(context, collection, "put", .putDocuments, .init("data-upload", "documents")) {
            textArea("documents", context[.documentsLabel], value("documents"))
            file("documents", context[.documentsFile])
        }
    }

    private static func scheduleForm(
        _ context: PageContext,
        _ collection: String,
        _ schedules: [String],
        _ value: (String) -> String
    ) -> HTML {
        form(context, collection, "reconcile", .reconcileSource) {
            HTML("p", .class("detail")) { context[.reconcileHint] }
            HTML("label", .init("for", "schedule")) { context[.comparingSchedule] }
            HTML("select", .id("schedule"), .name("schedule")) {
                for name in schedules {
                    HTML("option", [.value(name)] + (value("schedule") == name ? [.init("selected")] : [])) { name }
                }
            }
        }
    }

    private static func textArea(_ name: String, _ label: String, _ text: String) -> HTML {
        HTML("label", .init("for", name)) { label }
            + HTML(
                "textarea",
                .id(name),
                .name(name),
                .init("rows", "8"),
                .init("spellcheck", "false"),
                .init("required")
            ) { HTML(verbatim: text) }
    }

    /// Returns a field for a file, whose text the script copies to a text field; without the script, the file is not
    /// sent.
    private static func file(_ name: String, _ label: String) -> HTML {
        HTML("label", .init("for", "\(name)-file")) { label } + HTML("input", .type("file"), .id("\(name)-file"))
    }

    // MARK: The request

    private static func make(_ context: PageContext) async throws -> PageAnswer {
        let collection = try context.parameter("collection")
        let value = { (name: String) in context.form[name] }
        let body: [UInt8]
        do throws(PlanText.Defect) {
            body =
                switch context.form["kind"] {
                case "query":
                    try PlanText.removal(of: CollectionSearch.fields.map { ($0.name, context.form[$0.name]) })
                case "reconcile": PlanText.reconciliation(by: context.form["schedule"])
                case "put": try PlanText.put(context.form["documents"].replacingLineEnds)
                default: try PlanText.removal(of: context.form["ids"].replacingLineEnds)
                }
        } catch {
            let words = HTML("p", .class("refusal"), .init("role", "alert")) { error.text(in: context) }
            let schedules = try await schedules(context, collection)
            return page(context, collection, schedules, failure: words, status: ResponseStatus(422), value)
        }
        do {
            let answer = try await context.send(.post, ConsolePath.api("collections", collection, "plans"), body: body)
            return .seeOther(ConsolePath.of("plans", try JSONValue(answer.body)["plan"].text ?? ""))
        } catch let refusal as APIRefusal where refusal.status != 401 {
            let status = ResponseStatus(refusal.status)
            let schedules = try await schedules(context, collection)
            return page(context, collection, schedules, failure: refusal.html, status: status, value)
        }
    }

    /// Returns a document as a line of the field for IDs.
    private static func line(for id: String, routing: String?) -> String {
        // An ID that contains line breaks, or begins or ends with a space, can't be written as a line.
        let isPlain = PlanText.key(ofLine: id) == nil && !id.utf8.contains { $0 < 0x20 } && !id.isEmpty
        guard routing != nil || !isPlain else { return id }
        var writer = JSONWriter()
        writer.object { object in
            object.member("id", id)
            if let routing { object.member("routing", routing) }
        }
        return writer.text
    }
}

// MARK: - From text to a plan

/// The conversion of text that a user has typed or dropped to the body of a request for a plan.
enum PlanText {
    /// A defect of the text.
    enum Defect: Error, Hashable {
        case empty
        case line(Int, String)
        case array(String)

        func text(in context: PageContext) -> String {
            switch self {
            case .empty: context[.emptyPlan]
            case .line(let number, let reason): context[.wrongLine, "\(number)", reason]
            case .array(let reason): context[.wrongArray, reason]
            }
        }
    }

    /// Returns the removal of the documents with these IDs: one on each line, or `{"id":"…","routing":"…"}`.
    static func removal(of ids: String) throws(Defect) -> [UInt8] {
        let lines = lines(of: ids)
        guard !lines.isEmpty else { throw .empty }
        return JSONWriter.object { object in
            object.object("remove") { remove in
                remove.array("ids") { array in
                    for line in lines {
                        if let key = key(ofLine: line.text) { array.raw(key) } else { array.value(line.text) }
                    }
                }
            }
        }
    }

    /// Returns a line as JSON if it specifies a document by an object; `nil` if the line is the ID itself.
    static func key(ofLine line: String) -> [UInt8]? {
        guard line.hasPrefix("{"), let value = try? JSONValue(Array(line.utf8)), value["id"].text != nil else {
            return nil
        }
        return JSONPreview.json(value, .compact)
    }

    /// Returns the removal of the documents that a query finds.
    static func removal(of query: [(name: String, value: String)]) throws(Defect) -> [UInt8] {
        let conditions = query.filter { !$0.value.isEmpty }
        guard !conditions.isEmpty else { throw .empty }
        return JSONWriter.object { object in
            object.object("remove") { remove in
                for condition in conditions { remove.member(condition.name, condition.value) }
            }
        }
    }

    /// Returns the request to compare a collection with its source, as a schedule's command does.
    static func reconciliation(by schedule: String) -> [UInt8] {
        JSONWriter.object { $0.member("reconcile", schedule) }
    }

    /// Returns the request to write documents, which are given as a JSON array or one per line.
    static func put(_ documents: String) throws(Defect) -> [UInt8] {
        let lines = lines(of: documents)
        guard let first = lines.first else { throw .empty }
        if first.text.first(where: { $0 != " " && $0 != "\t" }) == "[" {
            let elements: [JSONValue]
            do throws(JSONError) {
                elements = try JSONValue(Array(documents.utf8)).elements
            } catch {
                throw .array("\(error)")
            }
            guard !elements.isEmpty else { throw .empty }
            return Array("{\"put\":".utf8) + Array(documents.utf8) + Array("\n}".utf8)
        }
        var body = Array("{\"put\":[".utf8)
        for (index, line) in lines.enumerated() {
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONValue(Array(line.text.utf8))
            } catch {
                throw .line(line.number, "\(error)")
            }
            guard case .object = value else { throw .line(line.number, "{ … }") }
            if index > 0 { body.append(contentsOf: "\n,".utf8) }
            body += Array(line.text.utf8)
        }
        return body + Array("\n]}".utf8)
    }

    /// Returns the lines that are not empty, with their numbers.
    private static func lines(of text: String) -> [(number: Int, text: String)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { (number: $0.offset + 1, text: String($0.element)) }
            .filter { line in line.text.utf8.contains { $0 != 0x20 && $0 != 0x09 } }
    }
}

// MARK: - Texts

extension ConsoleText {
    static let newPlan = ConsoleText("Plan a change", "Eine Änderung planen")
    static let planRemovalOfThese = ConsoleText("Plan a removal of these", "Diese zum Entfernen vormerken")
    static let planRemovalOfThis = ConsoleText(
        "Plan a removal of this document",
        "Dieses Dokument zum Entfernen vormerken"
    )
    static let planHint = ConsoleText(
        "A plan changes nothing: it shows what would happen, and can then be approved and applied.",
        "Ein Plan ändert nichts: Er zeigt, was geschehen würde, und kann dann freigegeben und angewendet werden."
    )
    static let noPlanRights = ConsoleText(
        "You have no rights to change this collection.",
        "Sie haben keine Rechte, diese Sammlung zu ändern."
    )
    static let readOnlyPlans = ConsoleText(
        "This console is read-only: start the server with --writable to make plans here.",
        "Diese Konsole ist nur lesend: Zum Planen den Server mit --writable starten."
    )
    static let removeByID = ConsoleText("Remove documents by ID", "Dokumente nach ID entfernen")
    static let removeByQuery = ConsoleText("Remove what a query finds", "Entfernen, was eine Abfrage findet")
    static let putDocuments = ConsoleText("Add or replace documents", "Dokumente anlegen oder ersetzen")
    static let reconcileSource = ConsoleText("Bring it into sync with its source", "Mit der Quelle abgleichen")
    static let reconcileHint = ConsoleText(
        "The schedule's command compares the collection with its source now, which can take as long as a scheduled run.",
        "Der Befehl des Zeitplans vergleicht die Sammlung jetzt mit ihrer Quelle; das kann so lange dauern wie seine Läufe."
    )
    static let comparingSchedule = ConsoleText("Schedule that compares", "Vergleichender Zeitplan")
    static let idsLabel = ConsoleText("IDs, one per line", "IDs, eine je Zeile")
    static let idsFile = ConsoleText("File of IDs", "Datei mit IDs")
    static let documentsLabel = ConsoleText(
        "Documents with an 'id': one per line, or a JSON array",
        "Dokumente mit 'id': eines je Zeile, oder ein JSON-Array"
    )
    static let documentsFile = ConsoleText("File of documents", "Datei mit Dokumenten")
    static let makePlan = ConsoleText("Make a plan", "Plan erstellen")
    static let emptyPlan = ConsoleText(
        "No document was specified: nothing was planned.",
        "Kein Dokument ist genannt: Nichts wurde geplant."
    )
    static let wrongLine = ConsoleText(
        "Line {} is not a JSON object, so nothing was planned: {}",
        "Zeile {} ist kein JSON-Objekt, also wurde nichts geplant: {}"
    )
    static let wrongArray = ConsoleText(
        "This is not a JSON array of documents, so nothing was planned: {}",
        "Das ist kein JSON-Array mit Dokumenten, also wurde nichts geplant: {}"
    )
}
