import HTTPService
package import JSONText
import TextKit

/// The start page, with the user's rights, and the collections with their document counts.
enum OverviewPages {
    /// The panels, in order; if one fails, the others are still shown.
    private static let panels: [@Sendable (PageContext) async throws -> HTML] = [
        CollectionPages.table, JobPages.panel, PlanPages.panel, SchedulePages.panel,
    ]

    static let all = [
        ConsolePage("/console/", in: .overview) { context in
            var shown = HTML()
            for panel in panels { shown = shown + (try await panel(context)) }
            let parts = shown
            return .page(context[.overview]) {
                HTML("p") {
                    context[.signedInAs, context.user.name]
                    if context.user.isAdmin { " (\(context[.administrator]))" }
                }
                parts
            }
        }
    ]
}

/// The pages for the collections, and for the documents of a collection, which are found page by page as the user
/// types.
enum CollectionPages {
    static let all = [
        ConsolePage("/console/collections", in: .collections) { context in
            let table = try await table(context)
            return .page(context[.collections]) { table }
        },
        ConsolePage("/console/collections/{collection}") { context in
            let collection = try context.parameter("collection")
            let search = CollectionSearch(context, collection)
            let abilities = try? await context.get(ConsolePath.api("collections", collection))["capabilities"]
            var keys: [String] = []
            let results = try await results(context, search, &keys)
            let form = search.form(context, abilities ?? .null, suggesting: keys)
            return .page(collection) {
                form
                results
            }
        },
    ]

    // MARK: Collections

    private static let verbs: [(name: String, text: ConsoleText)] = [
        ("read", .read), ("insert", .insert), ("update", .update), ("delete", .delete),
    ]

    /// Returns a table of the collections that the user may use, with the number of documents and the user's rights.
    static func table(_ context: PageContext) async throws -> HTML {
        try await context.panel(context[.collections], id: "collections") {
            let names = try await context.get(ConsolePath.api("collections"))["collections"].elements.compactMap(\.text)
            guard !names.isEmpty else { return HTML("p") { context[.noCollections] } }
            var counts: [String: String] = [:]
            for name in names { counts[name] = try await count(context, name) }
            return context.table(.collections, [.collection, .documentCount, .rights]) {
                for name in names {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) {
                            HTML("a", .href(ConsolePath.of("collections", name))) { name }
                        }
                        HTML("td", .class("number")) { counts[name] ?? context[.notCounted] }
                        HTML("td") {
                            verbs.filter { context.user.may($0.name, in: name) }.map { context[$0.text] }
                                .joined(separator: ", ")
                        }
                    }
                }
            }
        }
    }

    /// Returns the number of documents, if the user has permission to see it, or the API's message if it can't be
    /// determined.
    private static func count(_ context: PageContext, _ name: String) async throws -> String? {
        do {
            let path = ConsolePath.api("collections", name, query: [("count", "true")])
            return try await context.get(path)["documents"].int.map(String.init)
        } catch let refusal as APIRefusal where refusal.status != 401 {
            return refusal.message
        }
    }

    // MARK: Documents

    /// Returns the documents that a search finds, with facets; `keys` become those of the documents shown.
    private static func results(
        _ context: PageContext,
        _ search: CollectionSearch,
        _ keys: inout [String]
    ) async throws -> HTML {
        let cursor = context.query("cursor")
        return try await context.panel(context[.documents], id: "documents") {
            let place = cursor.isEmpty ? [] : [(name: "cursor", value: cursor)]
            let query = search.query + place + [(name: "limit", value: "50")]
            let chosen = search.chosen(context)
            let path = ConsolePath.api("collections", search.collection, "documents", query: query)
            let page: JSONValue
            do {
                page = try await context.get(path)
            } catch let refusal as APIRefusal where refusal.status != 401 {
                return chosen + refusal.html
            }
            let documents = page["documents"].elements
            keys = Set(documents.flatMap { $0["document"].members.map(\.key) }).sorted()
            return NewPlanPages.link(context, search.collection, query: search.planned)
                + HTML("p", .init("role", "status")) {
                    documents.isEmpty ? context[.noDocuments] : context[.documentsShown, "\(documents.count)"]
                    if let count = page["unreadable"].amount, count > 0 { " \(context[.unreadable, "\(count)"])" }
                }
                + chosen
                + search.facets(context, page)
                + table(of: documents, search, context)
                + context.pager(search.path, "cursor", page["next"].text, isFirst: cursor.isEmpty)
        }
    }

    private static func table(of documents: [JSONValue], _ search: CollectionSearch, _ context: PageContext) -> HTML {
        guard !documents.isEmpty else { return HTML() }
        return HTML("div", .class("wide"), .init("tabindex", "0")) {
            HTML("table") {
                HTML("caption", .class("hidden")) { context[.documents] }
                HTML("thead") {
                    HTML("tr") {
                        HTML("th", .init("scope", "col")) { context[.identifier] }
                        search.titles(context)
                        HTML("th", .init("scope", "col")) { context[.contents] }
                    }
                }
                HTML("tbody") { for document in documents { row(of: document, search) } }
            }
        }
    }

    private static func row(of document: JSONValue, _ search: CollectionSearch) -> HTML {
        let id = document["id"].text ?? ""
        let path = DocumentPages.path(search.collection, id, routing: document["routing"].text)
        return HTML("tr") {
            HTML("th", .init("scope", "row")) { HTML("a", .href(path)) { HTML("bdi") { id } } }
            for key in search.sortedKeys {
                let value = document["document"].members.last { $0.key == key }?.value
                HTML("td") { HTML("bdi") { value.map(JSONPreview.start) ?? "" } }
            }
            HTML("td") { HTML("bdi") { JSONPreview.text(of: document["document"]) } }
        }
    }
}

// MARK: - JSON for people

/// JSON as human-readable text.
package enum JSONPreview {
    private static let maximum = 240

    /// Returns the beginning of a document: its title, if it has one, and its first values.
    static func text(of document: JSONValue) -> String {
        let titles = ["title", "name", "subject"]
        let members =
            document.members.filter { titles.contains($0.key.lowercased()) }
            + document.members.filter { !titles.contains($0.key.lowercased()) }
        var text = ""
        for member in members where text.count < maximum {
            if !text.isEmpty { text += " · " }
            text += "\(member.key): \(start(of: member.value))"
        }
        return text.count > maximum ? text.prefix(maximum) + "…" : text
    }

    /// Returns the beginning of a value.
    static func start(of value: JSONValue) -> String {
        String((value.text ?? String(decoding: compact(value), as: UTF8.self)).prefix(maximum))
    }

    private static func compact(_ value: JSONValue) -> [UInt8] { json(value, .compact) }

    /// Returns a value as JSON on several lines, with numbers in their original notation.
    static func indented(_ value: JSONValue) -> String {
        String(decoding: json(value, .indented), as: UTF8.self)
    }

    /// Returns a value as JSON.
    package static func json(_ value: JSONValue, _ layout: JSONWriter.Layout) -> [UInt8] {
        var writer = JSONWriter(layout)
        append(value, to: &writer)
        return writer.takeBytes()
    }

    private static func append(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value {
        case .object(let members):
            writer.object { object in
                for member in members {
                    object.key(member.key)
                    append(member.value, to: &object)
                }
            }
        case .array(let elements):
            writer.array { array in
                for element in elements { append(element, to: &array) }
            }
        case .string(let text): writer.value(text)
        case .number(let text): writer.raw(Array(text.utf8))
        case .bool(let value): writer.value(value)
        case .null: writer.null()
        }
    }
}
