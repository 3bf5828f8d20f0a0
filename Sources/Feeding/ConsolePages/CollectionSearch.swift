import HTTPService
import JSONText
import TextKit

/// A search of a collection's documents, as the page's address gives it: conditions, chosen values, order and facets.
///
/// Every choice is a link or a field of the form, so it works without the script and can be bookmarked.
struct CollectionSearch: Sendable {
    /// The fields of the form for conditions, which have the same names as items of the API's query.
    static let fields: [(name: String, text: ConsoleText)] = [
        ("words", .words), ("where", .field), ("query", .expression),
    ]
    /// The number of facets on a page.
    private static let mostFacets = 5

    let collection: String
    /// The conditions in the form that are not empty.
    private let conditions: [(name: String, value: String)]
    /// The values chosen in facets, as `NAME=VALUE`.
    private let filters: [String]
    /// The order, such as `year:desc,title`, and the keys whose values are counted, separated by commas.
    private let (order, facets): (String, String)

    init(_ context: PageContext, _ collection: String) {
        self.collection = collection
        conditions = Self.fields.map { (name: $0.name, value: context.query($0.name)) }.filter { !$0.value.isEmpty }
        filters = context.request.query.filter { $0.name == "filter" && !$0.value.isEmpty }.map(\.value)
        (order, facets) = (context.query("sort"), context.query("facets"))
    }

    private init(_ other: CollectionSearch, filters: [String], order: String) {
        (collection, conditions, facets) = (other.collection, other.conditions, other.facets)
        (self.filters, self.order) = (filters, order)
    }

    /// The items of the API's query.
    var query: [(name: String, value: String)] {
        let keys = facets.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
        return conditions + filters.map { (name: "where", value: $0) }
            + (order.isEmpty ? [] : [(name: "sort", value: order)])
            + keys.prefix(Self.mostFacets).map { (name: "facet", value: $0) }
    }

    /// The conditions for a plan to remove the documents; none if the form of a plan has no place for all of them.
    var planned: [(name: String, value: String)] {
        if filters.isEmpty { return conditions }
        let hasField = conditions.contains { $0.name == "where" }
        return filters.count == 1 && !hasField ? conditions + [(name: "where", value: filters[0])] : []
    }

    /// The address of the first page of the search.
    var path: String {
        var items = conditions + filters.map { (name: "filter", value: $0) }
        if !order.isEmpty { items.append((name: "sort", value: order)) }
        if !facets.isEmpty { items.append((name: "facets", value: facets)) }
        return ConsolePath.of("collections", collection, query: items)
    }

    // MARK: The form

    /// Returns the form of the search; keys are suggested from `keys`.
    ///
    /// Fields for an order and for facets are shown if the engine supports them, or if the address has them, so that
    /// the API's refusal can be understood.
    func form(_ context: PageContext, _ abilities: JSONValue, suggesting keys: [String]) -> HTML {
        var shown = Self.fields.map { ($0.name, $0.text, context.query($0.name), false) }
        if abilities["sorts"].bool == true || !order.isEmpty { shown.append(("sort", .sortBy, order, true)) }
        if abilities["counts"].bool == true || !facets.isEmpty { shown.append(("facets", .countValues, facets, true)) }
        let inputs = shown
        return HTML(
            "form",
            .class("search"),
            .init("role", "search"),
            .action(ConsolePath.of("collections", collection)),
            // The script fetches the same page while the user types, and replaces these results with the new ones.
            .init("data-live", "documents")
        ) {
            for (name, text, value, isOfKeys) in inputs {
                HTML("div") {
                    HTML("label", .init("for", name)) { context[text] }
                    HTML(
                        "input",
                        [
                            .id(name), .name(name), .type("search"), .value(value), .init("autocomplete", "off"),
                            .init("spellcheck", "false"),
                        ] + (isOfKeys ? [.init("list", "keys"), .init("data-whole")] : [])
                    )
                }
            }
            for filter in filters { HTML("input", .type("hidden"), .name("filter"), .value(filter)) }
            if inputs.count > Self.fields.count {
                HTML("datalist", .id("keys")) { for key in keys { HTML("option", .value(key)) } }
            }
            HTML("button") { context[.search] }
        }
    }

    // MARK: Chosen values

    /// Returns the chosen values, each with a link that removes it.
    func chosen(_ context: PageContext) -> HTML {
        guard !filters.isEmpty else { return HTML() }
        return HTML("ul", .class("choices")) {
            for (index, filter) in filters.enumerated() {
                let others = filters.enumerated().filter { $0.offset != index }.map(\.element)
                HTML("li") {
                    HTML("bdi") { filter }
                    " "
                    HTML(
                        "a",
                        .href(CollectionSearch(self, filters: others, order: order).path),
                        .init("aria-label", "\(context[.removeFilter]): \(filter)")
                    ) { context[.removeFilter] }
                }
            }
        }
    }

    // MARK: The columns of the order

    /// A key of the order.
    private struct Column {
        let name: String
        let isDescending: Bool

        init(_ text: Substring) {
            isDescending = text.hasSuffix(":desc")
            name = String(isDescending ? text.dropLast(5) : text.hasSuffix(":asc") ? text.dropLast(4) : text)
        }
    }

    private var columns: [Column] { order.split(separator: ",").map(Column.init) }

    /// The names of the keys that the documents are sorted by; each has a column.
    var sortedKeys: [String] { columns.map(\.name) }

    /// Returns the titles of the columns; the link in each makes its key the first one of the order, or turns it around.
    func titles(_ context: PageContext) -> HTML {
        let columns = columns
        return columns.enumerated().reduce(HTML()) { titles, item in
            let column = item.element
            let isFirst = item.offset == 0
            let turned = isFirst && !column.isDescending ? column.name + ":desc" : column.name
            let rest = columns.enumerated().filter { $0.offset != item.offset }.map { $0.element }
            let others = rest.map { $0.name + ($0.isDescending ? ":desc" : "") }
            let path = CollectionSearch(self, filters: filters, order: ([turned] + others).joined(separator: ",")).path
            let direction = column.isDescending ? "descending" : "ascending"
            return titles
                + HTML("th", [.init("scope", "col")] + (isFirst ? [.init("aria-sort", direction)] : [])) {
                    HTML("a", .href(path)) { HTML("bdi") { column.name } }
                    column.isDescending ? " ↓" : " ↑"
                }
        }
    }

    // MARK: Facets

    /// Returns the facets in the API's answer: values with their counts, each with a link that chooses the value.
    func facets(_ context: PageContext, _ answer: JSONValue) -> HTML {
        guard let found = answer["found"].amount else { return HTML() }
        return HTML("p") { context[.found, "\(found)"] }
            + HTML("div", .class("facets")) {
                for facet in answer["facets"].elements {
                    let key = facet["key"].text ?? ""
                    HTML("section") {
                        HTML("h3") { HTML("bdi") { key } }
                        HTML("ul") {
                            for value in facet["values"].elements { HTML("li") { choice(of: value, key) } }
                        }
                        HTML("p", .class("detail")) { Self.summary(of: facet, context) }
                    }
                }
            }
    }

    private func choice(of value: JSONValue, _ key: String) -> HTML {
        let text = value["value"].text ?? JSONPreview.indented(value["value"])
        let shown = HTML("bdi") { text.isEmpty ? "\"\"" : text }
        let filter = "\(key)=\(text)"
        let count = " \(value["documents"].amount ?? 0)"
        // A condition ends its name at the first equals sign.
        guard !filters.contains(filter), !key.contains("=") else { return shown + HTML(text: count) }
        let path = CollectionSearch(self, filters: filters + [filter], order: order).path
        return HTML("a", .href(path)) { shown } + HTML(text: count)
    }

    /// Returns the documents that the values of a facet leave out, and the accuracy of its counts.
    private static func summary(of facet: JSONValue, _ context: PageContext) -> String {
        var parts: [String] = []
        if let other = facet["other"].amount, other > 0 { parts.append(context[.otherValues, "\(other)"]) }
        if let missing = facet["missing"].amount, missing > 0 { parts.append(context[.withoutValue, "\(missing)"]) }
        if facet["approximate"].bool == false {
            parts.append(context[.exactCounts])
        } else if let error = facet["error"].amount {
            parts.append(context[.countsWithin, "\(error)"])
        } else {
            parts.append(context[.countsUncertain, facet["reason"].text ?? ""])
        }
        return parts.joined(separator: "; ")
    }
}

// MARK: - The table

extension ConsoleText {
    fileprivate static let sortBy = ConsoleText("Sort by (KEY or KEY:desc)", "Sortieren nach (NAME oder NAME:desc)")
    fileprivate static let countValues = ConsoleText("Count the values of (KEY, …)", "Werte zählen von (NAME, …)")
    fileprivate static let removeFilter = ConsoleText("Remove the filter", "Filter entfernen")
    fileprivate static let found = ConsoleText("Documents found: {}", "Gefundene Dokumente: {}")
    fileprivate static let otherValues = ConsoleText("other values: {}", "andere Werte: {}")
    fileprivate static let withoutValue = ConsoleText("without a value: {}", "ohne Wert: {}")
    fileprivate static let exactCounts = ConsoleText("exact", "genau")
    fileprivate static let countsWithin = ConsoleText(
        "approximate: counts may be wrong by {}",
        "ungefähr: Zahlen können um {} abweichen"
    )
    fileprivate static let countsUncertain = ConsoleText("approximate: {}", "ungefähr: {}")
}
