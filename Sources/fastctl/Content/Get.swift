import ArgumentParsing
import ContentFeeding
import FeedFormats
import ReportRendering

struct Get: Command {
    static let configuration = CommandConfiguration(
        "get",
        group: "Content",
        summary: "Print documents by ID.",
        discussion: """
            Text output is each document's own JSON, one per line; -o json and -o ndjson add its ID, its collection \
            and its version. A document that does not exist is named on standard error, and the exit code is 1.
            """,
        examples: [
            .init("fastctl get -c WebCollection https://example.com/", "Print one document"),
            .init(
                "fastctl get -c WebCollection --from ids.txt -o ndjson > saved.jsonl",
                "Save several; 'add' restores them"
            ),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Collection") var alias: AliasOptions
    @OptionGroup("Input") var input: IDOptions
    @OptionGroup("Output") var output: ResultOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to look up; '-' is standard input")
    var ids: [String]

    func run() async throws -> ExitCode {
        let input = try input.input(with: ids, example: "fastctl get --collection WebCollection ID")
        let lookup = Lookup(engine: try await collection.open(at: target, alias), input: input)
        if output.format != .name, let loss = lookup.engine.capabilities.readingLoss {
            StandardError.say("the documents are not as they were fed: \(loss)")
        }
        return try await lookup.print(DocumentPrinter(output, in: lookup.engine.collection))
    }
}

struct Exists: Command {
    static let configuration = CommandConfiguration(
        "exists",
        group: "Content",
        summary: "Check whether documents exist; the exit code is the answer.",
        discussion: "The exit code is 0 if all of them exist, and 1 if any does not.",
        examples: [.init("fastctl exists -c WebCollection https://example.com/ && echo yes", "Check one")]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Collection") var alias: AliasOptions
    @OptionGroup("Input") var input: IDOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to look up; '-' is standard input")
    var ids: [String]

    func run() async throws -> ExitCode {
        let input = try input.input(with: ids, example: "fastctl exists --collection WebCollection ID")
        let lookup = Lookup(engine: try await collection.open(at: target, alias), input: input)
        return try await lookup.check()
    }
}

/// A lookup of documents by ID, page by page.
struct Lookup {
    let engine: any CollectionEngine
    let input: PendingInput

    /// The number of IDs looked up at once.
    private static let pageSize = 50
    /// The bytes of documents read at once, because documents may be large.
    static let pageBytes = 1 << 20

    /// Prints the documents, and names those that do not exist.
    func print(_ printer: DocumentPrinter) async throws -> ExitCode {
        var tally = MissingDocuments(engine.collection)
        try await forEachPage(counting: &tally) { ids, tally in
            var rest = ids[...]
            while !rest.isEmpty {
                let page = try await engine.get(rest, maximumBytes: Self.pageBytes)
                try printer.print(page.documents)
                // Documents come in the order of the IDs; IDs without one are left out.
                var found = page.documents.makeIterator()
                var next = found.next()
                for id in rest.prefix(page.looked) {
                    if let document = next, document.id == id { next = found.next() } else { tally.miss(id) }
                }
                rest = rest.dropFirst(page.looked)
            }
        }
        let status = try printer.finish()
        return tally.conclude(status)
    }

    /// Names only the documents that do not exist.
    func check() async throws -> ExitCode {
        var tally = MissingDocuments(engine.collection)
        try await forEachPage(counting: &tally) { ids, tally in
            for (id, isThere) in zip(ids, try await engine.exists(ids)) where !isThere { tally.miss(id) }
        }
        return tally.conclude(.done)
    }

    private func forEachPage(
        counting tally: inout MissingDocuments,
        _ visit: ([DocumentID], inout MissingDocuments) async throws -> Void
    ) async throws {
        for try await chunk in try await input.open(for: .remove) {
            tally.reject(chunk.input.rejected, chunk.rejections)
            let ids = chunk.operations.map(\.documentID)
            tally.asked += ids.count
            for start in stride(from: 0, to: ids.count, by: Self.pageSize) {
                try await visit(Array(ids[start..<min(start + Self.pageSize, ids.count)]), &tally)
            }
        }
    }
}

/// A count of the requested documents, which names those that do not exist.
private struct MissingDocuments {
    var asked = 0
    private var missing = 0
    private var rejected = 0
    private let collection: CollectionName

    /// The most documents named; all are counted.
    private static let maximumNamed = 100

    init(_ collection: CollectionName) { self.collection = collection }

    mutating func miss(_ id: DocumentID) {
        missing += 1
        if missing <= Self.maximumNamed { StandardError.say("'\(id)' does not exist in \(collection)") }
    }

    mutating func reject(_ count: Int, _ rejections: [InputRejection]) {
        rejected += count
        for rejection in rejections { StandardError.say("\(rejection)") }
    }

    /// Reports in one sentence what was found, and returns the exit code.
    func conclude(_ status: ExitStatus) -> ExitCode {
        let rejection = rejected > 0 ? "; \(Quantity(rejected, "line", "lines")) rejected" : ""
        StandardError.say("\(collection): \(asked - missing) of \(Quantity(asked, "ID", "IDs")) found\(rejection)")
        let statuses: [ExitStatus] = [
            status, missing > 0 ? .documentsFailed : .done, rejected > 0 ? .inputRejected : .done,
        ]
        return ExitCode(.first(of: statuses))
    }
}
