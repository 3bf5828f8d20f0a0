package import ArgumentParsing
import CommandKit
package import ContentFeeding
import EngineCatalog
import FeedJobs
import FeedReports
import Files
import Reconciliation
import ReportKit
import TextKit

struct Find: Command {
    static let configuration = CommandConfiguration(
        "find",
        foreignNames: ["search", "query"],
        group: "Content",
        summary: "Find documents by words, phrases and fields.",
        discussion: """
            All conditions must match. A word may occur anywhere in a document's strings; words in quotation marks are \
            a phrase. Without words or fields, every document is found.

            --query is passed to the engine unchanged, in its own language: a query string on OpenSearch and \
            Elasticsearch, the standard parser's syntax on Solr. The embedded store does not support it.

            --sort puts documents without a value last. --facet counts the values of a key in all matching \
            documents, not only in those listed; with --limit 0, it prints only the counts.

            -o csv prints each document as JSON in one column. --columns prints a column for each of the given keys, \
            as soon as a document is found; 'id' is the ID, and price.net is the key 'net' in the object 'price'. --flat \
            prints a column for each key: as the titles come first, it holds all documents until the last one is found, \
            and refuses (73) if they are larger than 256 MiB or have more than 16,384 keys. Lists are JSON; null and a \
            missing key are empty, and an empty string is "". A tab precedes a value that a spreadsheet would take for a \
            formula, such as +49 30; 'add' removes it.
            """,
        examples: [
            .init("fastctl find -c WebCollection privacy policy", "Both words, anywhere"),
            .init(#"fastctl find -c WebCollection "privacy policy""#, "The phrase"),
            .init(
                "fastctl find -c WebCollection --where language=de -o name | fastctl remove -c WebCollection",
                "Remove the documents found"
            ),
            .init(
                "fastctl find -c web --query 'date:[* TO 2019]' -o name | fastctl remove -c web",
                "Remove by query, on an engine that supports it"
            ),
            .init("fastctl find -c web --where language=de --plan german.plan", "Plan to remove the documents found"),
            .init("fastctl find -c web --sort year:desc,title --limit 10", "The newest ten, by title within a year"),
            .init("fastctl find -c web --facet language --limit 0", "The most frequent languages, without documents"),
            .init("fastctl find -c web -o csv --columns id,title,price.net", "A table of three keys"),
            .init(
                "fastctl find -c web --where status=broken --fail-if-none -o name",
                "Exit with code 1 if none is found"
            ),
        ],
        commonOptions: [
            "--collection", "--where", "--query", "--sort", "--facet", "--limit", "-o", "--columns", "--plan",
            "--target",
        ],
        optionAdvice: [
            "--order": order, "--order-by": order, "--sort-by": order, "--group-by": facets, "--aggregate": facets,
            "--regex": "Use --query with an engine that supports expressions, or pipe '-o ndjson' to grep",
            "--match": "Use --query with an engine that supports expressions, or pipe '-o ndjson' to grep",
            "--filter": "--where NAME=VALUE finds the documents whose field has this value",
            "--all": "Without words and conditions, every document is found",
            "--count": "The last line shows the number of documents found; 'fastctl collections show NAME' counts all",
        ]
    )

    private static let order = "Use --sort KEY or --sort KEY:desc; without it, documents are in the engine's own order"
    private static let facets = "Use --facet KEY to count the most frequent values of a key"

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Output") var output: DocumentOutputOptions

    @Option(
        "--where",
        formerly: "--field",
        value: "NAME=VALUE",
        help: "Only documents whose top-level field has exactly this value; may be repeated"
    )
    var fields: [FieldArgument]

    @Option(
        "--query",
        value: "EXPR",
        completion: ArgumentCompletion.none,
        help: "An additional query in the engine's own language, which must also match"
    )
    var expression: String?

    @Option(
        "--sort",
        value: "KEY[:asc|desc],…",
        completion: ArgumentCompletion.none,
        help: "Sort by the values of these keys; documents without a value come last"
    )
    var order: SortArgument?

    @Option(
        "--facet",
        value: "KEY[:N]",
        completion: ArgumentCompletion.none,
        help: "Count the N most frequent values of a key in all matching documents (default: 10); may be repeated"
    )
    var facets: [FacetArgument]

    @Flag("--ids", help: "Print only the IDs, not the documents; with -o text, json or ndjson; implied by -o name")
    var isWithoutDocuments

    @Option(
        "--columns",
        value: "KEY,…",
        completion: ArgumentCompletion.none,
        help: "With -o csv: a column for each of these keys, such as id,title,price.net"
    )
    var columns: ColumnsArgument?

    @Flag("--flat", help: "With -o csv: a column for each key of the documents, nested keys with dots")
    var isFlat

    @Option("--limit", value: "N", help: "Stop after this many documents")
    var limit: Int?

    @Option(
        "--plan",
        value: "FILE",
        completion: .files,
        help: "Instead of printing, write a plan to remove the documents found; 'fastctl apply FILE' carries it out"
    )
    var plan: String?

    @Flag("--fail-if-none", help: "Exit with code 1 if no document is found")
    var failsIfNone

    @Argument("WORD", completion: ArgumentCompletion.none, help: "Words, and phrases in quotes")
    var words: [String]

    static let exclusive = [["--columns", "--flat"]]

    func validate() throws {
        if keyColumns != nil {
            let name = isFlat ? "--flat" : "--columns"
            if output.form != .csv { throw ValidationError("\(name) needs -o csv") }
            if isWithoutDocuments { throw ValidationError("\(name) can't be used with --ids, which leaves out keys") }
        }
        // In these forms, an ID alone would be an empty document, which 'add' would feed.
        if isWithoutDocuments, ![.text, .name, .json, .ndjson].contains(output.form) {
            throw ValidationError(
                "--ids can't be used with -o \(output.form.rawValue), which consists of documents; use -o name, ndjson "
                    + "or json, or for a table -o csv --columns id without --ids"
            )
        }
        if let limit, limit < 0 { throw ValidationError("--limit cannot be negative") }
        if expression?.isEmpty ?? false { throw ValidationError("--query is empty") }
        try ValidationError.requireFile(plan, of: "--plan")
        if failsIfNone, plan != nil { throw ValidationError("--fail-if-none can't be used with --plan") }
        if failsIfNone, limit == 0 { throw ValidationError("--fail-if-none can't be used with --limit 0") }
        if order != nil, plan != nil { throw ValidationError("--sort can't be used with --plan") }
        if !facets.isEmpty, plan != nil { throw ValidationError("--facet can't be used with --plan") }
        if facets.count > FacetKey.mostKeys { throw ValidationError("--facet can be used \(FacetKey.mostKeys) times") }
        if !facets.isEmpty, ![.text, .json, .ndjson].contains(output.form) {
            throw ValidationError("--facet needs -o text, json or ndjson")
        }
        try output.check()
    }

    func run() async throws -> ExitCode {
        if let plan { return try await planned(plan).write(output.quiet) }
        let engine = try await collection.open(at: target)
        let printer = DocumentPrinter(
            output,
            in: engine.collection,
            columns: keyColumns,
            omittingDocuments: isWithoutDocuments,
            line: DocumentLine(width: ProcessEnvironment.width).append
        )
        var query = query
        query.includesDocuments = !isWithoutDocuments && output.form != .name
        if query.includesDocuments { engine.capabilities.remarkOnDocuments(output.quiet) }
        var unreadable = UnreadableDocuments(in: engine.collection)
        // If the engine refuses a key, this is reported before the first document is printed.
        let counts = facets.isEmpty ? nil : try await engine.facets(facets.map(\.key), of: query)
        query.order = order?.keys ?? []
        let extent = try await Search(engine: engine, query: query, limit: limit).forEachPage { page in
            try printer.print(page.documents)
            for document in page.unreadable { unreadable.name(document) }
        }
        if let counts {
            printer.print(FacetObjects(counts, in: engine.collection), width: ProcessEnvironment.width)
        }
        let none: ExitStatus = failsIfNone && extent.isNothing ? .documentsFailed : .done
        let status = ExitStatus.first(of: [try printer.finish(), unreadable.conclude(), none])
        let matches = counts.map { Quantity($0.documents, "document matches", "documents match") }
        let found = limit == 0 ? matches.map { "\($0)" } : nil
        output.quiet.say(["\(engine.collection): \(found ?? "\(extent)")"], status)
        if extent.isNothing, let hint = query.hint { StandardError.say(hint) }
        return ExitCode(status)
    }

    private var keyColumns: KeyTable.Columns? { isFlat ? .all : columns.map { .keys($0.keys) } }

    private var query: SearchQuery {
        var query = SearchQuery(text: words, fields: fields.map(\.field))
        query.expression = expression
        return query
    }

    private func planned(_ path: String) throws -> RemovalPlan {
        let target = try target.resolve(collection: collection.name)
        let collection = try collection.required(in: target)
        return RemovalPlan(target: target, collection: collection, query: query, limit: limit, path: path)
    }
}

extension SearchQuery {
    /// The hint if nothing was found and a condition looks like another query language; otherwise `nil`.
    package var hint: String? {
        if let text = (words + phrases).first(where: Self.looksLikeExpression) {
            return "'\(text)' was searched for as text; use --where NAME=VALUE for a field, or --query for an "
                + "expression in the engine's own language"
        }
        if let field = fields.first(where: { $0.value.hasPrefix("=") || $0.value.contains("*") }) {
            return "--where compares the whole value, here '\(field.value)'; use --query for an expression in the "
                + "engine's own language"
        }
        return nil
    }

    /// Returns whether text contains an operator, a wildcard, or a field name before `:` or `=`; the scheme of an
    /// address does not count as a field.
    private static func looksLikeExpression(_ text: String) -> Bool {
        text.split(whereSeparator: \.isWhitespace).contains { piece in
            if ["AND", "OR", "NOT"].contains(piece) || piece.hasSuffix("*") || piece.hasPrefix("*") { return true }
            guard let sign = piece.firstIndex(where: { ":=".contains($0) }), sign > piece.startIndex else {
                return false
            }
            let rest = piece[piece.index(after: sign)...]
            return !rest.isEmpty && !rest.hasPrefix("//")
                && piece[..<sign].allSatisfy { $0.isLetter || $0.isNumber || "_.".contains($0) }
        }
    }
}

/// The results of a query, page by page.
package struct Search {
    let engine: any SearchableEngine
    let query: SearchQuery
    let limit: Int?

    package init(engine: any SearchableEngine, query: SearchQuery, limit: Int?) {
        (self.engine, self.query, self.limit) = (engine, query, limit)
    }

    /// The part of the matching documents that was visited.
    package enum Extent: CustomStringConvertible {
        case all(Int)
        /// The limit was reached; `isSure` is true if there are certainly more documents.
        case first(Int, isSure: Bool)

        var isNothing: Bool { if case .all(0) = self { true } else { false } }

        package var description: String {
            switch self {
            case .all(0): return "nothing found"
            case .all(let count): return "\(Quantity(count, "document", "documents")) found"
            case .first(0, _): return "nothing was searched for (--limit 0)"
            case .first(let count, let isSure):
                let first = count == 1 ? "the first document" : "the first \(Quantity(count, "document", "documents"))"
                return "\(first) found; there \(isSure ? "are" : "may be") more (--limit \(count))"
            }
        }
    }

    /// Calls `visit` for each page; documents that can't be read are not counted.
    package func forEachPage(_ visit: (SearchPage) throws -> Void) async throws -> Extent {
        guard limit != 0 else { return .first(0, isSure: false) }
        var count = 0
        var (isCut, hasNext) = (false, false)
        try await engine.forEachFoundPage(of: query) { found in
            var page = found
            let rest = limit.map { $0 - count } ?? page.documents.count
            (isCut, hasNext) = (page.documents.count > rest, page.next != nil)
            page.documents = Array(page.documents.prefix(rest))
            try visit(page)
            count += page.documents.count
            return limit.map { count < $0 } ?? true
        }
        return isCut || hasNext ? .first(count, isSure: isCut) : .all(count)
    }
}

extension SearchQuery {
    /// Creates a query in which text that contains a space, or is in quotes, is a phrase.
    package init(text: [String], fields: [Field]) {
        self.init(fields: fields)
        for item in text {
            let isQuoted = item.count > 1 && item.hasPrefix("\"") && item.hasSuffix("\"")
            let bare = isQuoted ? String(item.dropFirst().dropLast()) : item
            if isQuoted || bare.contains(where: \.isWhitespace) { phrases.append(bare) } else { words.append(bare) }
        }
    }
}

/// A field and its value, `NAME=VALUE`.
package struct FieldArgument: ArgumentValue {
    package let field: SearchQuery.Field

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw ArgumentExpectation("a field and its value, such as language=de")
        }
        guard !"!<>~".contains(word[word.index(before: equals)]) else {
            throw ArgumentExpectation("a field and its exact value, such as language=de; to compare, use --query")
        }
        field = SearchQuery.Field(name: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
    }

    package var argumentText: String { "\(field.name)=\(field.value)" }
}

/// The keys to sort by, such as `year:desc,title`.
package struct SortArgument: ArgumentValue {
    package let keys: [SortKey]

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let keys = SortKey.order(word) else {
            throw ArgumentExpectation("up to \(SortKey.mostKeys) keys, such as year:desc,title")
        }
        self.keys = keys
    }

    package var argumentText: String { SortKey.text(of: keys) }
}

/// The keys that become columns of a table, such as `id,title,price.net`.
struct ColumnsArgument: ArgumentValue {
    let keys: [String]

    init(argument word: String) throws(ArgumentExpectation) {
        keys = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains(""), Set(keys.map { Array($0.utf8) }).count == keys.count else {
            throw ArgumentExpectation("different keys, such as id,title,price.net")
        }
        guard !keys.contains(where: Self.hasType) else {
            throw ArgumentExpectation("keys without types, such as id,price; only 'add' and 'update' read types")
        }
    }

    /// Returns whether a key ends with a type for the columns of an input, which would be taken for a part of the key.
    private static func hasType(_ key: String) -> Bool {
        guard let colon = key.lastIndex(of: ":"), colon > key.startIndex else { return false }
        let type = key[key.index(after: colon)...]
        return ["string", "number", "boolean", "json"].contains(type)
            || ["number(", "list(", "date("].contains { type.hasPrefix($0) }
    }

    var argumentText: String { keys.joined(separator: ",") }
}

/// A key whose values are counted, and the number of values to list, such as `language:20`.
package struct FacetArgument: ArgumentValue {
    package let key: FacetKey

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let key = FacetKey(notation: word) else {
            throw ArgumentExpectation("a key, and a number of values from 1 to 1,000, such as language:20")
        }
        self.key = key
    }

    package var argumentText: String { key.text }
}

/// A plan to remove the documents that a search finds, with the version of each, so that a document that was changed in
/// the meantime is kept.
struct RemovalPlan {
    let target: OpenableTarget
    let collection: CollectionChoice
    let query: SearchQuery
    let limit: Int?
    let path: String

    func write(_ quiet: QuietOptions) async throws -> ExitCode {
        try PlanWriter.removeOlder(path)
        let engine = try await target.open(collection).engine
        guard let versioned = engine.versions else {
            throw EngineError(.unsupported, "'\(collection.name)' does not report the versions of its documents")
        }
        // Recent writes must also be found.
        try await engine.raise(to: .live)
        let state = try await versioned.state()
        let writer = try PlanWriter(path)
        try writer.begin(header(of: state))
        let unreadable = try await append(all: versioned, to: writer)
        try await PlanGuard.requireUnmoved(versioned, since: state)
        try writer.finish()
        let status = unreadable.conclude()
        say(writer.tally.removals, quiet)
        return ExitCode(status)
    }

    /// Appends the removal of all documents found, and returns the documents that can't be read, which could not be
    /// backed up.
    private func append(all engine: any VersionedEngine, to writer: PlanWriter) async throws -> UnreadableDocuments {
        var unreadable = UnreadableDocuments(in: collection.engineName)
        try await engine.forEachFound(query, limit: limit ?? .max) { page in
            for (key, answer) in page {
                switch answer {
                case .found(let document):
                    let found = DocumentKey(key.id, routing: document.routing)
                    try writer.append(.remove(found, document.version, .found))
                case .unreadable(let document): unreadable.name(document)
                // A missing document means that the collection has changed, which ends the plan.
                case .absent: continue
                }
            }
        }
        return unreadable
    }

    private func header(of state: CollectionState) -> PlanHeader {
        var header = PlanHeader(
            command: "find",
            createdAt: "\(UTCTimestamp(since1970: ProcessFacts.now))",
            context: target.resolved.context?.name,
            target: "\(target.resolved.address)",
            collection: collection.engineName,
            state: state
        )
        let conditions =
            query.words + query.phrases.map { "\"\($0)\"" } + query.fields.map { "\($0.name)=\($0.value)" }
            + [query.expression].compactMap(\.self)
        header.query = conditions.joined(separator: " ")
        return header
    }

    private func say(_ removals: Int, _ quiet: QuietOptions) {
        let found = removals == 0 ? "nothing" : "\(Quantity(removals, "document", "documents"))"
        quiet.say(["\(collection.name): \(found) found"])
        guard removals > 0 else { return }
        let path = CommandLineWords.quoted(path)
        quiet.say(["planned: \(Quantity(removals, "removal", "removals")); carry it out with: fastctl apply \(path)"])
    }
}
