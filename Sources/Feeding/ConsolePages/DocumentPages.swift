import HTTPService
import JSONText
import TextKit

/// The pages for reading, editing and deleting a document, and for merging two versions after a conflicting write.
package enum DocumentPages {
    static let all = [
        ConsolePage(pattern) { context in
            let place = try Place(context)
            let answer = try await context.send(.get, place.api)
            let document = try JSONValue(answer.body)
            let message = context.request.queryValue("saved").map { _ in context[.saved] }
            return page(context, place, document, tag: answer.headers["ETag"] ?? "", message: message)
        },
        ConsolePage(pattern, .post) { context in try await save(context) },
        ConsolePage(pattern + "/merge", .post) { context in try await merge(context) },
        ConsolePage(pattern + "/removal", .post) { context in try await remove(context) },
    ]

    private static let pattern = "/console/collections/{collection}/documents/{document}"

    /// Returns the path of a document's page.
    package static func path(_ collection: String, _ id: String, routing: String? = nil) -> String {
        Place(collection: collection, id: id, routing: routing).page()
    }

    /// The place of a document: its collection, its ID, and its routing value if it has one.
    struct Place {
        let collection: String
        let id: String
        let routing: String?

        init(collection: String, id: String, routing: String?) {
            (self.collection, self.id, self.routing) = (collection, id, routing)
        }

        init(_ context: PageContext) throws {
            collection = try context.parameter("collection")
            id = try context.parameter("document")
            routing = context.request.queryValue("routing")
        }

        private var query: [(name: String, value: String)] { routing.map { [("routing", $0)] } ?? [] }

        var api: String { ConsolePath.api("collections", collection, "documents", id, query: query) }

        func page(_ action: String? = nil, also more: [(name: String, value: String)] = []) -> String {
            let items = query + more
            guard let action else { return ConsolePath.of("collections", collection, "documents", id, query: items) }
            return ConsolePath.of("collections", collection, "documents", id, action, query: items)
        }
    }

    // MARK: Reading

    private static func page(
        _ context: PageContext,
        _ place: Place,
        _ document: JSONValue,
        tag: String,
        text: String? = nil,
        message: String? = nil,
        failure: String? = nil
    ) -> PageAnswer {
        .page(place.id, status: failure == nil ? .ok : ResponseStatus(422)) {
            HTML("p") { HTML("a", .href(ConsolePath.of("collections", place.collection))) { place.collection } }
            if let message { HTML("p", .class("note"), .init("role", "status")) { message } }
            if let failure { HTML("p", .class("refusal"), .init("role", "alert")) { failure } }
            HTML("div", .class("wide"), .init("tabindex", "0")) {
                HTML("table") {
                    HTML("caption", .class("hidden")) { context[.contents] }
                    HTML("thead") {
                        HTML("tr") {
                            HTML("th", .init("scope", "col")) { context[.key] }
                            HTML("th", .init("scope", "col")) { context[.value] }
                        }
                    }
                    HTML("tbody") {
                        for member in document.members {
                            HTML("tr") {
                                HTML("th", .init("scope", "row")) { HTML("bdi") { member.key } }
                                HTML("td") { value(member.value) }
                            }
                        }
                    }
                }
            }
            HTML("p", .class("detail")) { "\(context[.version]): \(tag)" }
            NewPlanPages.link(context, place.collection, document: place.id, routing: place.routing)
            if context.user.isAdmin { HTML("p") { HTML("a", .href(place.page("history"))) { context[.history] } } }
            // The API replaces a document only for users who may also insert one.
            if ["insert", "update"].allSatisfy({ context.user.may($0, in: place.collection) }) {
                editor(context, place, document, tag, text)
            }
            if context.user.may("delete", in: place.collection) { removal(context, place, tag) }
        }
    }

    /// Returns a value for display: text unchanged, and any other value as JSON.
    static func value(_ value: JSONValue) -> HTML {
        switch value {
        case .string(let text): HTML("div", .class("text"), .init("dir", "auto")) { text }
        case .object, .array: HTML("pre") { JSONPreview.indented(value) }
        case .number, .bool, .null: HTML("code") { JSONPreview.indented(value) }
        }
    }

    private static func editor(
        _ context: PageContext,
        _ place: Place,
        _ document: JSONValue,
        _ tag: String,
        _ text: String?
    ) -> HTML {
        context.form(place.page(), .class("editor")) {
            HTML("h2") { context[.edit] }
            HTML("input", .type("hidden"), .name("tag"), .value(tag))
            field(context, text ?? JSONPreview.indented(document))
            HTML("button", .class("main")) { context[.save] }
        }
    }

    /// Returns the form field for editing a document as JSON.
    static func field(_ context: PageContext, _ text: String) -> HTML {
        HTML("label", .init("for", "json")) { context[.documentAsJSON] }
            + HTML(
                "textarea",
                .id("json"),
                .name("json"),
                .init("rows", "20"),
                .init("spellcheck", "false"),
                .init("required")
            ) { HTML(verbatim: text) }
    }

    /// Returns the form that deletes a document after the user has typed its ID.
    static func removal(_ context: PageContext, _ place: Place, _ tag: String, action: String? = nil) -> HTML {
        context.form(action ?? place.page("removal"), .class("danger")) {
            HTML("h2") { context[.deleteDocument] }
            HTML("input", .type("hidden"), .name("tag"), .value(tag))
            HTML("label", .init("for", "typed")) { "\(context[.typeID]): \(place.id)" }
            HTML(
                "input",
                .id("typed"),
                .name("typed"),
                .init("autocomplete", "off"),
                .init("spellcheck", "false"),
                .init("required")
            )
            HTML("button") { context[.deleteDocument] }
        }
    }

    // MARK: Writing

    private static func save(_ context: PageContext) async throws -> PageAnswer {
        let place = try Place(context)
        // Browsers send the line breaks in forms as CR LF.
        let text = context.form["json"].replacingLineEnds
        let (document, tag) = (object(text), context.form["tag"])
        switch document {
        case .success: return try await put(context, place, Array(text.utf8), tag: tag)
        case .failure(let defect):
            let failure = context[.notJSON, defect.message]
            return try await page(context, place, tag: tag, text: text, failure: failure)
        }
    }

    /// Returns the page with the text that was not written, which must not be lost even if the document no longer
    /// exists.
    private static func page(
        _ context: PageContext,
        _ place: Place,
        tag: String,
        text: String,
        failure: String
    ) async throws -> PageAnswer {
        let answer = try await context.send(.get, place.api, allowing: [404])
        let document = answer.status == 200 ? try JSONValue(answer.body) : .object([])
        return page(context, place, document, tag: tag, text: text, failure: failure)
    }

    struct Defect: Error { let message: String }

    /// Returns text as a JSON object, or the reason why it is not one.
    static func object(_ text: String) -> Result<JSONValue, Defect> {
        do throws(JSONError) {
            let value = try JSONValue(Array(text.utf8))
            guard case .object = value else { return .failure(Defect(message: "{ … }")) }
            return .success(value)
        } catch {
            return .failure(Defect(message: "\(error)"))
        }
    }

    /// Writes a document in place of the version that the user has seen, or shows both versions if there is a newer
    /// one.
    private static func put(
        _ context: PageContext,
        _ place: Place,
        _ json: [UInt8],
        tag: String
    ) async throws -> PageAnswer {
        let headers: HeaderFields = ["If-Match": tag]
        do {
            let answer = try await context.send(.put, place.api, headers: headers, body: json, allowing: [412])
            guard answer.status == 412 else { return .seeOther(place.page(also: [(name: "saved", value: "true")])) }
        } catch let refusal as APIRefusal where refusal.status != 401 {
            let text = String(decoding: json, as: UTF8.self)
            let failure = [refusal.message, refusal.advice].compactMap(\.self).joined(separator: ": ")
            return try await page(context, place, tag: tag, text: text, failure: failure)
        }
        return try await conflict(context, place, mine: try JSONValue(json))
    }

    private static func remove(_ context: PageContext) async throws -> PageAnswer {
        let place = try Place(context)
        guard context.form["typed"] == place.id else {
            let answer = try await context.send(.get, place.api)
            return page(
                context,
                place,
                try JSONValue(answer.body),
                tag: answer.headers["ETag"] ?? "",
                failure: context[.wrongID]
            )
        }
        let answer = try await context.send(
            .delete,
            place.api,
            headers: ["If-Match": context.form["tag"]],
            allowing: [412]
        )
        guard answer.status == 412 else { return .seeOther(ConsolePath.of("collections", place.collection)) }
        let current = try await context.send(.get, place.api)
        return page(
            context,
            place,
            try JSONValue(current.body),
            tag: current.headers["ETag"] ?? "",
            failure: context[.conflict]
        )
    }

    // MARK: Two versions

    /// Shows the server's version and the user's version side by side, with a choice for each key that differs.
    static func conflict(_ context: PageContext, _ place: Place, mine: JSONValue) async throws -> PageAnswer {
        let answer = try await context.send(.get, place.api, allowing: [404])
        let text = JSONPreview.indented(mine)
        guard answer.status == 200 else {
            return .page(context[.conflict], status: .conflict) {
                HTML("p", .class("refusal"), .init("role", "alert")) { context[.conflictGone] }
                HTML("pre") { text }
            }
        }
        let theirs = try JSONValue(answer.body)
        let difference = try JSONDifference(from: answer.body, to: JSONPreview.json(mine, .compact))
        let keys = difference.changed + difference.added + difference.removed
        return .page(context[.conflict], status: .conflict) {
            HTML("p", .class("note"), .init("role", "alert")) { context[.conflictHint] }
            context.form(place.page("merge"), .class("editor")) {
                HTML("input", .type("hidden"), .name("tag"), .value(answer.headers["ETag"] ?? ""))
                HTML("textarea", .name("json"), .init("hidden"), .init("aria-label", context[.mine])) {
                    HTML(verbatim: text)
                }
                versions(context, keys, theirs, mine) { ChoiceOfVersions(name: "choice \($0)", takesMine: true) }
                HTML("button", .class("main")) { context[.saveChoice] }
            }
        }
    }

    /// The fields of a form in which a user chooses one of two versions.
    struct ChoiceOfVersions {
        let name: String
        /// Whether the user's version is chosen initially.
        let takesMine: Bool
    }

    /// Returns two versions of a document side by side, key by key, with a choice for each key if there is a form.
    static func versions(
        _ context: PageContext,
        _ keys: [String],
        _ theirs: JSONValue,
        _ mine: JSONValue,
        caption: ConsoleText = .conflict,
        choice: (String) -> ChoiceOfVersions?
    ) -> HTML {
        HTML("div", .class("wide"), .init("tabindex", "0")) {
            HTML("table", .class("versions")) {
                HTML("caption", .class("hidden")) { context[caption] }
                HTML("thead") {
                    HTML("tr") {
                        for title in [ConsoleText.key, .theirs, .mine] {
                            HTML("th", .init("scope", "col")) { context[title] }
                        }
                    }
                }
                HTML("tbody") {
                    for key in keys {
                        let choice = choice(key)
                        HTML("tr") {
                            HTML("th", .init("scope", "row")) { HTML("bdi") { key } }
                            version(context, key, "theirs", in: theirs, choice)
                            version(context, key, "mine", in: mine, choice)
                        }
                    }
                }
            }
        }
    }

    private static func version(
        _ context: PageContext,
        _ key: String,
        _ side: String,
        in document: JSONValue,
        _ choice: ChoiceOfVersions?
    ) -> HTML {
        let member = document.members.last { $0.key.utf8.elementsEqual(key.utf8) }
        let shown = member.map { value($0.value) } ?? HTML("em") { context[.absent] }
        guard let choice else { return HTML("td") { shown } }
        let isChosen = choice.takesMine == (side == "mine")
        return HTML("td") {
            HTML("label") {
                HTML(
                    "input",
                    [.type("radio"), .name(choice.name), .value(side)] + HTML.Attribute.flag("checked", isChosen)
                )
                " "
                HTML("span", .class("hidden")) { "\(key), \(context[side == "mine" ? .mine : .theirs])" }
                shown
            }
        }
    }

    /// Writes the version that the user has assembled from both.
    private static func merge(_ context: PageContext) async throws -> PageAnswer {
        let place = try Place(context)
        let tag = context.form["tag"]
        let mine = try JSONValue(Array(context.form["json"].replacingLineEnds.utf8))
        let answer = try await context.send(.get, place.api, allowing: [404])
        // The choices refer to the versions that were shown.
        guard answer.status == 200, answer.headers["ETag"] == tag else {
            return try await conflict(context, place, mine: mine)
        }
        let chosen = Set(
            context.form.all.filter { $0.name.hasPrefix("choice ") && $0.value == "theirs" }
                .map { Array($0.name.utf8.dropFirst("choice ".utf8.count)) }
        )
        let theirs = try JSONValue(answer.body)
        let merged = merged(mine, theirs) { chosen.contains(Array($0.utf8)) }
        return try await put(context, place, JSONPreview.json(merged, .indented), tag: tag)
    }

    /// Returns the user's document with the server's values for some keys.
    ///
    /// The keys are in the server's order, with new keys at the end.
    static func merged(_ mine: JSONValue, _ theirs: JSONValue, takesTheirs: (String) -> Bool) -> JSONValue {
        func same(_ key: String) -> (JSONValue.Member) -> Bool { { $0.key.utf8.elementsEqual(key.utf8) } }
        var members = theirs.members.compactMap { member in
            takesTheirs(member.key) ? member : mine.members.last(where: same(member.key))
        }
        for member in mine.members where !theirs.members.contains(where: same(member.key)) {
            if !takesTheirs(member.key) { members.append(member) }
        }
        return .object(members)
    }
}

extension String {
    /// The text with every CR LF replaced by a line feed.
    var replacingLineEnds: String { replacing("\r\n", with: "\n") }
}
