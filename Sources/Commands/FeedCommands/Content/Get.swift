import ArgumentParsing
import CommandKit
import ContentFeeding
import FeedFormats
import FeedJobs
import FeedReports
import JSONText
import Reconciliation
import ReportKit
import TextKit

struct Get: Command {
    static let configuration = CommandConfiguration(
        "get",
        group: "Content",
        summary: "Print documents by ID.",
        discussion: """
            Text output is each document's own JSON, one per line; -o json and -o ndjson add its ID, its collection, \
            its version and its routing. Documents that do not exist are reported on standard error, and the exit code \
            is then 1.
            """,
        examples: [
            .init("fastctl get -c WebCollection https://example.com/", "Print one document"),
            .init(
                "fastctl get -c WebCollection --from ids.txt -o ndjson > saved.jsonl",
                "Save several documents; 'add' restores them"
            ),
        ],
        optionAdvice: [
            "--where": byContent, "--query": byContent, "--id": IDOptions.adviceForID, "--ids": IDOptions.adviceForID,
        ]
    )

    private static let byContent = "Use 'fastctl find', whose '-o ndjson' prints whole documents"

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Guards") var alias: AliasOptions
    @OptionGroup("Input") var input: IDOptions
    @OptionGroup("Output") var output: DocumentOutputOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to look up; '-' is standard input")
    var ids: [String]

    func validate() throws { try output.check(readsTable: input.isTable) }

    func run() async throws -> ExitCode {
        let delimiter = input.isTable ? output.delimiter : nil
        let input = try input.input(with: ids, delimiter, example: "fastctl get --collection WebCollection ID")
        let lookup = Lookup(engine: try await collection.open(at: target, alias), input: input)
        if output.form != .name { lookup.engine.capabilities.remarkOnDocuments(output.quiet) }
        return try await lookup.print(DocumentPrinter(output, in: lookup.engine.collection), output.quiet)
    }
}

struct Exists: Command {
    static let configuration = CommandConfiguration(
        "exists",
        group: "Content",
        summary: "Check whether documents exist, and report the result as the exit code.",
        discussion: """
            The exit code is 0 if all of them exist, 1 if any does not, and 65 if no ID was given. '-o name' prints the IDs that exist; '-o \
            json', '-o ndjson' and '-o csv' print the result for each.
            """,
        examples: [
            .init("fastctl exists -c WebCollection https://example.com/ && echo yes", "Check one document"),
            .init("fastctl exists -c WebCollection --from ids.txt -q -o name", "Print only the IDs that exist"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Guards") var alias: AliasOptions
    @OptionGroup("Input") var input: IDOptions
    @OptionGroup("Output") var output: DocumentOutputOptions

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to look up; '-' is standard input")
    var ids: [String]

    func validate() throws {
        try output.check(readsTable: input.isTable)
        if OutputForm.documents.contains(output.form) {
            throw ValidationError("-o \(output.form.rawValue) needs documents: use 'fastctl get' or 'fastctl find'")
        }
    }

    func run() async throws -> ExitCode {
        let delimiter = input.isTable ? output.delimiter : nil
        let input = try input.input(with: ids, delimiter, example: "fastctl exists --collection WebCollection ID")
        let lookup = Lookup(engine: try await collection.open(at: target, alias), input: input)
        let printer = ExistencePrinter(output, in: lookup.engine.collection)
        return try await lookup.check(printer, output.quiet)
    }
}

extension EngineCapabilities {
    /// Remarks on documents that are incomplete, or differ from the documents as they were fed.
    func remarkOnDocuments(_ quiet: QuietOptions) {
        if let readingLoss { quiet.say(["the documents differ from what was fed: \(readingLoss)"]) }
        guard !onlyKeys.isEmpty else { return }
        let keys = onlyKeys.joined(separator: ", ")
        quiet.say([
            "the documents have only some of the keys that they have at the origin (\(keys)), so they must not replace "
                + "the documents there"
        ])
    }
}

/// A lookup of documents by ID, page by page.
struct Lookup {
    let engine: any CollectionEngine
    let input: PendingInput

    /// The number of IDs in one request that reads documents, and in one that only checks their existence; every engine
    /// can handle these numbers.
    private static let (readCount, checkCount) = (50, 1_000)
    /// The maximum number of bytes of documents that are read at once, because documents may be large.
    static let pageBytes = 1 << 20

    /// Prints the documents, and names the missing ones.
    func print(_ printer: DocumentPrinter, _ quiet: QuietOptions) async throws -> ExitCode {
        var tally = MissingDocuments(engine.collection, quiet)
        try await forEachPage(of: Self.readCount, counting: &tally) { keys, tally in
            var rest = keys[...]
            while !rest.isEmpty {
                let page = try await engine.get(at: rest, maximumBytes: Self.pageBytes)
                try printer.print(page.documents)
                for document in page.unreadable { tally.reject(document) }
                for (key, isThere) in zip(rest, page.answers) where !isThere { tally.miss(key) }
                rest = rest.dropFirst(page.answers.count)
            }
        }
        let status = try printer.finish()
        return tally.conclude(status)
    }

    /// Prints for each document whether it exists and, unless disabled, names the missing documents.
    func check(_ printer: ExistencePrinter, _ quiet: QuietOptions) async throws -> ExitCode {
        var tally = MissingDocuments(engine.collection, quiet, namesMissing: !quiet.isQuiet, requiresIDs: true)
        try await forEachPage(of: Self.checkCount, counting: &tally) { keys, tally in
            for (key, isThere) in zip(keys, try await engine.exists(at: keys)) {
                printer.append(key, exists: isThere)
                if !isThere { tally.miss(key) }
            }
            try printer.drain()
        }
        return tally.conclude(try printer.finish())
    }

    private func forEachPage(
        of count: Int,
        counting tally: inout MissingDocuments,
        _ visit: ([DocumentKey], inout MissingDocuments) async throws -> Void
    ) async throws {
        for try await chunk in try await input.open(for: .remove, CommandObserver()) {
            tally.reject(chunk.input.rejected, chunk.rejections)
            let keys = chunk.operations.map(\.key)
            tally.asked += keys.count
            for start in stride(from: 0, to: keys.count, by: count) {
                try await visit(Array(keys[start..<min(start + count, keys.count)]), &tally)
            }
        }
        if let reservation = await engine.lookupReservation() {
            StandardError.say("looked up \(reservation)")
        }
    }
}

/// A count of the requested documents, which also names the missing ones.
package struct MissingDocuments {
    var asked = 0
    private var missing = 0
    private var rejected = 0
    private var unreadable: UnreadableDocuments
    private let collection: CollectionName
    private let quiet: QuietOptions
    private let namesMissing: Bool
    private let requiresIDs: Bool

    /// The maximum number of documents named; all are counted.
    private static let maximumNamed = 100

    /// Begins a count.
    ///
    /// `namesMissing` determines whether to name documents that do not exist; it is false if only the exit code is of
    /// interest. `requiresIDs` determines whether an input without IDs is a failure.
    init(
        _ collection: CollectionName,
        _ quiet: QuietOptions,
        namesMissing: Bool = true,
        requiresIDs: Bool = false
    ) {
        self.collection = collection
        self.requiresIDs = requiresIDs
        unreadable = UnreadableDocuments(in: collection)
        self.quiet = quiet
        self.namesMissing = namesMissing
    }

    mutating func miss(_ key: DocumentKey) {
        missing += 1
        guard missing <= Self.maximumNamed, namesMissing else { return }
        let routing = key.routing.map { " with the routing value '\($0)'" } ?? ""
        StandardError.say("'\(key.id)' does not exist in \(collection)\(routing)")
    }

    mutating func reject(_ document: UnreadableDocument) { unreadable.name(document) }

    /// Returns the sentence about the documents found; those that exist but can't be read are counted separately.
    package static func sentence(of asked: Int, missing: Int, unreadable: Int) -> String {
        let ids = Quantity(asked, "ID", "IDs")
        guard unreadable > 0 else { return "\(asked - missing) of \(ids) found" }
        let printed = "\(asked - missing - unreadable) of \(ids) printed, \(unreadable) can't be read"
        return missing > 0 ? "\(printed), \(missing) not found" : printed
    }

    mutating func reject(_ count: Int, _ rejections: [InputRejection]) {
        rejected += count
        for rejection in rejections { StandardError.say("\(rejection)") }
    }

    /// Reports the result in one sentence, and returns the exit code.
    func conclude(_ status: ExitStatus) -> ExitCode {
        let rejection = rejected > 0 ? "; \(Quantity(rejected, "line", "lines")) rejected" : ""
        let statuses: [ExitStatus] = [
            status, missing > 0 ? .documentsFailed : .done, rejected > 0 ? .inputRejected : .done,
            unreadable.conclude(),
        ]
        let conclusion = ExitStatus.first(of: statuses)
        // If no documents were given, none is missing, but nothing was checked.
        if asked == 0, rejected == 0, requiresIDs {
            StandardError.say("\(collection): the input contains no IDs, so nothing was checked")
            return ExitCode(.first(of: [status, .inputRejected]))
        }
        let sentence = Self.sentence(of: asked, missing: missing, unreadable: unreadable.count)
        let total = "\(collection): \(sentence)\(rejection)"
        quiet.say([total], namesMissing ? conclusion : .done)
        return ExitCode(conclusion)
    }
}

/// Names documents that can't be read, and counts them.
struct UnreadableDocuments {
    private let collection: CollectionName
    private(set) var count = 0

    /// The maximum number of documents named; all are counted.
    private static let maximumNamed = 100

    init(in collection: CollectionName) { self.collection = collection }

    mutating func name(_ document: UnreadableDocument) {
        count += 1
        guard count <= Self.maximumNamed else { return }
        StandardError.say("'\(document.key.id)' in \(collection) can't be read: \(document.failure.message)")
    }

    /// Reports the number of such documents, and returns the resulting exit status.
    func conclude() -> ExitStatus {
        guard count > 0 else { return .done }
        let advice = "add \(count == 1 ? "it" : "them") again as JSON, or remove \(count == 1 ? "it" : "them")"
        StandardError.say("\(collection): \(Quantity(count, "document", "documents")) can't be read; \(advice)")
        return .inputRejected
    }
}

/// Options for the format of documents.
struct DocumentOutputOptions: OptionSetting {
    @OptionGroup("Output") private var rows = RowOptions(OutputForm.items + [.csv] + OutputForm.documents)
    @OptionGroup("Output") private var csvOptions: CSVOptions
    @OptionGroup("Output") var quiet: QuietOptions

    /// Throws if an option for tables is given although no table is written or read.
    func check(readsTable: Bool = false) throws {
        try csvOptions.validate(isUsed: form == .csv || readsTable && !csvOptions.isForExcel)
    }

    /// The character between cells, written or read.
    var delimiter: CSVDelimiter? { csvOptions.delimiter }

    var form: OutputForm { rows.form }
    var nameEnd: NameEnd { rows.nameEnd }
    var csv: CSVStyle { csvOptions.style }
}

/// A printer of documents in the requested form.
///
/// This is a class because printing changes state that is needed at the end.
final class DocumentPrinter {
    private let options: DocumentOutputOptions
    private let collection: CollectionName
    private let output = StandardOutput()
    private var list: JSONList
    private var table: DocumentTable?
    private var keyTable: KeyTable?
    private var dump: DocumentDump?
    private var bytes: [UInt8] = []
    private var unwritableNames = 0
    private var hasDocuments = false
    /// Documents that the form can't represent.
    private var unwritable = 0
    /// Documents whose routing values are missing from the output.
    private var unnamedRoutings = 0

    private static let drainThreshold = 64 << 10
    /// The maximum number of documents named; all are counted.
    private static let maximumNamed = 100

    /// Whether objects have no document, but only what identifies it.
    private let omitsDocuments: Bool

    /// The formatter of a document as text; without it, the text is the document's own JSON.
    private let line: ((StoredDocument, inout [UInt8]) -> Void)?

    init(
        _ options: DocumentOutputOptions,
        in collection: CollectionName,
        columns: KeyTable.Columns? = nil,
        omittingDocuments omitsDocuments: Bool = false,
        line: ((StoredDocument, inout [UInt8]) -> Void)? = nil
    ) {
        self.options = options
        self.collection = collection
        self.omitsDocuments = omitsDocuments
        self.line = line
        list = JSONList(isArray: options.form == .json)
        if options.form == .csv {
            if let columns {
                keyTable = KeyTable(columns, options.csv, to: &bytes)
            } else {
                table = DocumentTable(options.csv, to: &bytes)
            }
        }
        dump = DocumentDump(options.form, of: collection, to: &bytes)
    }

    func print(_ documents: [StoredDocument]) throws {
        if !documents.isEmpty { hasDocuments = true }
        for document in documents {
            try append(document)
            if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
        }
        try output.drainOrStop(&bytes)
    }

    /// Prints facets after the documents: as paragraphs, or as objects of the same list.
    func print(_ facets: FacetObjects, width: Int) {
        if options.form == .text {
            facets.append(textTo: &bytes, width: width, isFirst: !hasDocuments)
        } else {
            facets.append(to: &list, in: &bytes)
        }
    }

    /// Ends the output; IDs that could not be written on a line make it incomplete.
    func finish() throws -> ExitStatus {
        if options.form == .json { list.end(in: &bytes) }
        dump?.end(in: &bytes)
        try endKeyTable()
        try output.drainOrStop(&bytes)
        if unnamedRoutings > 0 {
            let documents = Quantity(unnamedRoutings, "document has", "documents have")
            StandardError.say(
                "\(documents) a routing value, which -o \(options.form.rawValue) leaves out; use -o ndjson to keep it"
            )
        }
        if unwritable > 0 {
            let documents = Quantity(unwritable, "document is", "documents are")
            StandardError.say("\(documents) not in the output, because -o \(options.form.rawValue) can't express them")
            return .inputRejected
        }
        guard unwritableNames > 0 else { return .done }
        StandardError.say(NameEnd.refusal(of: unwritableNames))
        return .inputRejected
    }

    /// Prints the rows of documents that were held until all columns were known.
    private func endKeyTable() throws {
        keyTable?.end(in: &bytes)
        while keyTable?.appendNext(to: &bytes) ?? false {
            if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
        }
        for key in keyTable?.unused ?? [] { StandardError.say("none of the documents has a value of '\(key)'") }
    }

    private func leaveOut(_ document: StoredDocument, _ reason: String) {
        unwritable += 1
        if unwritable <= Self.maximumNamed { StandardError.say("'\(document.id)' is left out: \(reason)") }
    }

    private func append(_ document: StoredDocument) throws {
        switch options.form {
        case .json, .ndjson:
            list.append(to: &bytes) { bytes in
                guard omitsDocuments else {
                    return DocumentObject.append(printable: document, in: collection, to: &bytes)
                }
                DocumentObject.append(document, in: collection, to: &bytes) { _ in }
            }
        case .csv where keyTable != nil:
            if document.routing != nil { unnamedRoutings += 1 }
            do throws(KeyTable.TooLarge) {
                if let reason = try keyTable?.append(document, to: &bytes) { leaveOut(document, reason) }
            } catch {
                throw Failure(
                    .outputNotCreated,
                    "\(error.reason), and --flat needs all of them to find the columns; nothing was printed",
                    advice: "name the columns with --columns, or find fewer documents"
                )
            }
        case .csv: table?.append(document, in: collection, to: &bytes)
        case _ where OutputForm.documents.contains(options.form):
            if options.form == .solrXML, document.routing != nil { unnamedRoutings += 1 }
            guard let reason = dump?.append(document, to: &bytes) else { return }
            leaveOut(document, reason)
        case .name:
            if document.routing != nil { unnamedRoutings += 1 }
            if !options.nameEnd.append(utf8: document.id.utf8, to: &bytes) { unwritableNames += 1 }
        case .text:
            if let line { return line(document, &bytes) }
            bytes.append(contentsOf: document.json.onOneLine)
            bytes.append(0x0A)
        default: options.form.failAsUndeclared()
        }
    }
}

/// A printer that reports whether documents exist, in the requested form; text is written to standard error.
///
/// This is a class because printing changes state that is needed at the end.
final class ExistencePrinter {
    private let options: DocumentOutputOptions
    private let output = StandardOutput()
    private var answers: ExistenceList
    private var bytes: [UInt8] = []
    private var unwritableNames = 0

    init(_ options: DocumentOutputOptions, in collection: CollectionName) {
        self.options = options
        answers = ExistenceList(options.form, options.csv, in: collection, to: &bytes)
    }

    func append(_ key: DocumentKey, exists: Bool) {
        if options.form == .name {
            if exists, !options.nameEnd.append(utf8: key.id.utf8, to: &bytes) { unwritableNames += 1 }
        } else {
            answers.append(key, exists: exists, to: &bytes)
        }
    }

    func drain() throws { try output.drainOrStop(&bytes) }

    /// Ends the output; IDs that could not be written on a line make it incomplete.
    func finish() throws -> ExitStatus {
        answers.end(in: &bytes)
        try drain()
        guard unwritableNames > 0 else { return .done }
        StandardError.say(NameEnd.refusal(of: unwritableNames))
        return .inputRejected
    }
}

/// A found document on one line: its ID, and as much of the first string other than the ID as fits.
struct DocumentLine {
    let width: Int

    func append(_ document: StoredDocument, to bytes: inout [UInt8]) {
        SafeText.append(document.id.utf8, to: &bytes)
        let room = width - SafeText.width(document.id.text) - 2
        if room >= 8, let title = Self.title(of: document) {
            bytes.append(contentsOf: "  ".utf8)
            SafeText.append(title, maximum: room, to: &bytes)
        }
        bytes.append(0x0A)
    }
}

extension DocumentLine {
    /// Returns the first top-level string that is not the document's ID; `nil` if there is none.
    private static func title(of document: StoredDocument) -> String? {
        var scanner = JSONScanner(document.json.span)
        // Documents in the store were checked when they were added; even if one was not, a line without a title does no
        // harm.
        return try? title(in: &scanner, besides: document.id.text)
    }

    private static func title(in scanner: inout JSONScanner, besides id: String) throws -> String? {
        try scanner.enterObject()
        while try scanner.nextKey() != nil {
            guard try scanner.kind() == .string else {
                _ = try scanner.skipValue()
                continue
            }
            let text = try scanner.stringText()
            if text != id, !text.isEmpty { return text }
        }
        return nil
    }
}
