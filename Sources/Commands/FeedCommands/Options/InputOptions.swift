import ArgumentParsing
import CollectionSync
import CommandKit
import ContentFeeding
import DocumentSources
import EngineCatalog
package import FeedFormats
import FeedJobs
import Files
import Glibc
import TextKit

// MARK: Files and pipes

/// Options that describe how an input differs from the default form of its format.
struct DialectOptions: OptionSetting {
    @Flag("--comments", help: "Skip lines that begin with '#'")
    var hasComments

    @Option(
        "--encoding",
        value: "NAME",
        completion: .values(TextEncoding.wellKnownNames),
        help: "The encoding of text without a byte-order mark (default: UTF-8)"
    )
    var encodingName: String?

    func validate() throws { _ = try encoding() }

    /// Throws if an option is given: a source's address has parameters for this.
    func refuseForSource() throws {
        if hasComments { throw ValidationError.notForSource("--comments") }
        if encodingName != nil { throw ValidationError.notForSource("--encoding") }
    }

    private func encoding() throws -> TextEncoding? {
        do throws(UnknownEncoding) {
            return try encodingName.map { name throws(UnknownEncoding) in try TextEncoding(of: name) }
        } catch {
            throw ValidationError("--encoding: unknown encoding '\(error.name)'; \(error.advice)")
        }
    }

    /// Returns the dialect of an input whose cells are separated by `delimiter`.
    func dialect(_ delimiter: CSVDelimiter?, isTable: Bool, hasLines: Bool, isXML: Bool) throws -> InputDialect {
        if delimiter != nil, !isTable { throw ArgumentError("--delimiter needs a table as input, csv or tsv") }
        if hasComments, !hasLines { throw ArgumentError("--comments needs line-based input") }
        if encodingName != nil, isXML { throw ArgumentError("XML declares its own encoding: leave out --encoding") }
        var dialect = InputDialect()
        dialect.delimiter = delimiter?.character
        dialect.hasComments = hasComments
        dialect.encoding = try encoding()
        return dialect
    }
}

/// Options for the input of a run that writes.
struct FeedInputOptions: OptionSetting {
    @Option(
        "--delimiter",
        value: "CHAR",
        completion: .values([",", ";", "tab"]),
        help: "The character between table cells (default: the format's, or the one in a first line such as sep=;)"
    )
    var delimiter: CSVDelimiter?

    @Option("--skip-lines", value: "N", help: "Skip this many lines before a table's titles, whatever they contain")
    var skippedLines: Int?

    @Option(
        "--version-field",
        "--version-column",
        value: "NAME",
        help:
            "The key or column that holds the version, so that nothing newer is overwritten; NAME,NAME joins two keys with a colon; an empty cell means that the document must not exist"
    )
    var versionField: String?

    @Option(
        "--version-type",
        value: "TYPE",
        help:
            "unchanged: the engine's version that the document must still have (null: it must not exist); external: your own number, which must be higher than the stored one"
    )
    var versionType: VersionMember.Kind?

    @Option(
        "--failed",
        value: "FILE",
        completion: .files,
        help:
            "Write the records that fail or are rejected to this file, in the format of the input, to run them again"
    )
    var failedRecords: String?

    @Flag("--fail-if-none", formerly: "--fail-on-empty", help: "Exit with code 65 if the input contains nothing to do")
    var failsOnEmpty

    /// Throws if an option for files is given.
    func refuseForSource() throws {
        let given = [
            ("--delimiter", delimiter != nil), ("--skip-lines", skippedLines != nil),
            ("--version-field", versionField != nil), ("--failed", failedRecords != nil),
        ]
        for (name, isGiven) in given where isGiven { throw ValidationError.notForSource(name) }
    }

    func validate() throws {
        try ValidationError.requireFile(failedRecords, of: "--failed")
        if let skippedLines, skippedLines < 0 { throw ValidationError("--skip-lines cannot be negative") }
        if versionField == "" { throw ValidationError("--version-field needs the name of a key or column") }
        if versionField?.split(separator: ",", omittingEmptySubsequences: false).contains("") ?? false {
            throw ValidationError("--version-field needs a key name")
        }
    }

    /// Returns the number of lines to skip before a table; throws if the option is given for another form.
    func linesToSkip(isTable: Bool) throws -> Int {
        if skippedLines != nil, !isTable { throw ArgumentError("--skip-lines needs a table as input, csv or tsv") }
        return skippedLines ?? 0
    }

    /// Throws if a kind of version is given without the key or column of versions, except for the _bulk form, which
    /// contains versions itself.
    func checkVersionType(hasVersions: Bool) throws {
        guard versionType != nil, versionField == nil, !hasVersions else { return }
        throw ValidationError("--version-type needs --version-field")
    }

    /// Returns the place of the version in records; throws if it could not be applied.
    func version(of format: InputFormat, _ side: DryRunSide?) throws -> VersionMember? {
        if case .bulk = format, versionType == .external, versionField == nil {
            if side == .server { throw ArgumentError("a dry run does not compare versions; leave out --version-type") }
            return VersionMember(["version"], .external)
        }
        guard let versionField else { return nil }
        let version = try version(versionField, of: format)
        if side == .server { throw ArgumentError("a dry run does not compare versions; leave out --version-field") }
        return version
    }

    private func version(_ versionField: String, of format: InputFormat) throws -> VersionMember? {
        let kind = versionType ?? .unchanged
        switch format {
        case .csv(let column, _), .tsv(let column, _):
            // The option for the ID column determines whether the first row contains titles.
            guard case .number(_, let hasHeader) = column else {
                return VersionMember(column: .named(versionField), kind)
            }
            return VersionMember(column: InputColumn(versionField, hasHeader: hasHeader), kind)
        case .jsonLines, .json:
            return VersionMember(versionField.split(separator: ",").map(String.init), kind)
        case .bulk, .elasticdump, .solrJSON:
            throw ArgumentError("--version-field is for JSONL and tables; actions of the _bulk form have their own")
        case .lines, .nul, .solrXML: throw ArgumentError("--version-field needs JSONL input or a table")
        }
    }
}

extension VersionMember.Kind: ArgumentValue {}

extension ValidationError {
    /// Returns the error for an option that applies only to files, if documents come from a source.
    static func notForSource(_ name: String) -> ValidationError {
        ValidationError("\(name) is for files and pipes; for a source, use a parameter in its address")
    }
}

/// The name of a format, and for dumps of an index, perhaps the name of that index: `bulk`, `bulk:pages`.
struct FormatChoice<Name: RawRepresentable & CaseIterable & Hashable & Sendable>: ArgumentValue
where Name.RawValue == String {
    let name: Name
    let index: String?

    init(_ name: Name) { (self.name, index) = (name, nil) }

    init(argument word: String) throws(ArgumentExpectation) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Name(rawValue: String(parts[0])) else {
            throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", "))
        }
        (self.name, index) = (name, parts.count > 1 ? String(parts[1]) : nil)
        guard let index else { return }
        guard ["bulk", "elasticdump"].contains(name.rawValue), !index.isEmpty else {
            throw ArgumentExpectation("\(name.rawValue) alone; only bulk:INDEX and elasticdump:INDEX name an index")
        }
    }

    static var candidates: [String] { Name.allCases.map(\.rawValue) }
    var argumentText: String { name.rawValue + (index.map { ":\($0)" } ?? "") }

    /// Returns the index that records may name, by default `usual`.
    func index(usually usual: DumpIndex) -> DumpIndex {
        switch index {
        case nil: usual
        case "*"?: .any
        case let name?: .named(name)
        }
    }
}

/// A routing value, in the form in which it is passed to the engine.
struct RoutingArgument: ArgumentValue {
    let routing: Routing

    init(argument word: String) throws(ArgumentExpectation) {
        guard let routing = Routing(word) else {
            throw ArgumentExpectation("a routing value of 1 to \(Routing.maximumByteCount) bytes")
        }
        self.routing = routing
    }

    var argumentText: String { routing.text }
}

/// Options for the source and the format of IDs.
struct IDOptions: OptionSetting {
    enum Format: String, CaseIterable, ArgumentValue {
        case lines, jsonl, json, csv, tsv
        case solrXML = "solr-xml"
        case solrJSON = "solr-json"
        case bulk, elasticdump
    }

    @Option("--from", "-f", value: "FILE", completion: .files, help: "Read IDs from this file; may be repeated")
    var files: [String]

    @Flag("--null", "-0", help: "IDs end with a NUL byte, as find -print0 writes them")
    var isNullTerminated

    @Option("--format", value: "FORMAT", help: "The format of the IDs; it is never guessed")
    private var choice = FormatChoice(Format.lines)

    var format: Format { choice.name }

    @Option(
        "--id-field",
        formerly: "--field",
        value: "NAME",
        help: "The key that holds the ID in JSON objects; without it, a line is {\"remove\": \"ID\"} or a string"
    )
    var field: String?

    @Option(
        "--column",
        value: "COLUMN",
        completion: .columns,
        help: "The ID column of a table, by title, or by number, starting with 1"
    )
    var column: String?

    @Option(
        "--routing-field",
        "--routing-column",
        value: "NAME",
        completion: .columns,
        help: "The key or column that holds a document's routing"
    )
    var routingField: String?

    @Option(
        "--routing",
        value: "VALUE",
        completion: ArgumentCompletion.none,
        help: "The routing value for IDs that have none in the input"
    )
    var routing: RoutingArgument?

    @Flag("--header", help: "The first row of a table holds titles, even if --column is a number")
    var hasHeader

    @OptionGroup("Input") var dialect: DialectOptions

    @Flag("--trim", help: "Remove spaces and tabs from both ends of a line; otherwise they are part of the ID")
    var isTrimming

    @Option("--max-line", value: "SIZE", help: "Reject longer lines")
    var longestLine = ByteCount(bytes: 1 << 20)

    /// The advice for an option that names an ID.
    static let adviceForID = "An ID is an argument, and --from FILE reads many"

    static let exclusive = [["--null", "--format"]]

    func validate() throws {
        let hasKeys = format == .jsonl || format == .json
        if field != nil, !hasKeys { throw ValidationError("--id-field needs --format jsonl or --format json") }
        if routingField != nil, !hasKeys, !isTable {
            let needed = "--format jsonl, json, csv or tsv"
            throw ValidationError("--routing-field needs \(needed); --routing applies to all IDs")
        }
        if isTable, column == nil { throw ValidationError("--format \(format.rawValue) needs --column COLUMN") }
        if !isTable, column != nil || hasHeader {
            throw ValidationError("--column and --header need --format csv or --format tsv")
        }
        if isTrimming, format != .lines || isNullTerminated {
            throw ValidationError("--trim works with --format lines only")
        }
    }

    /// Throws if an option for files and pipes is given.
    func refuseForSource() throws {
        let given = [
            ("--from", !files.isEmpty), ("--null", isNullTerminated), ("--format", format != .lines),
            ("--id-field", field != nil), ("--column", column != nil), ("--routing-field", routingField != nil),
            ("--routing", routing != nil), ("--header", hasHeader), ("--trim", isTrimming),
        ]
        for (name, isGiven) in given where isGiven { throw ValidationError.notForSource(name) }
        try dialect.refuseForSource()
    }

    var isTable: Bool { format == .csv || format == .tsv }

    private func inputFormat(_ collection: String?) -> InputFormat {
        guard !isNullTerminated else { return .nul }
        let column = InputColumn(column ?? "1", hasHeader: hasHeader)
        let routing = routingField.map { InputColumn($0, hasHeader: hasHeader) }
        return switch format {
        case .lines: .lines(trimming: isTrimming)
        case .jsonl: .jsonLines(field: field, routing: routingField)
        case .csv: .csv(column: column, routing: routing)
        case .tsv: .tsv(column: column, routing: routing)
        case .solrXML: .solrXML()
        case .json: .json(field: field, routing: routingField)
        case .solrJSON: .solrJSON()
        case .bulk: .bulk(index: choice.index(usually: collection.map { .named($0) } ?? .any))
        case .elasticdump: .elasticdump(index: choice.index(usually: .first))
        }
    }

    private var limits: InputLimits {
        var limits = InputLimits()
        limits.line = longestLine.bytes
        return limits
    }

    /// Returns the input with IDs given as arguments first, then the files, then standard input if neither was given,
    /// or if `-` requests it.
    ///
    /// `collection` returns the name of the collection, which actions of the _bulk form must name.
    func input(
        with ids: [String],
        _ delimiter: CSVDelimiter?,
        failsOnEmpty: Bool = false,
        in collection: () throws -> String? = { nil },
        example: String
    ) throws -> PendingInput {
        var input = PendingInput(
            sources: try sources(with: ids, example: example),
            format: inputFormat(format == .bulk ? try collection() : nil),
            dialect: try dialect.dialect(
                delimiter,
                isTable: isTable,
                hasLines: !isNullTerminated && ![.solrXML, .json, .solrJSON].contains(format),
                isXML: format == .solrXML
            ),
            limits: limits,
            failsOnEmpty: failsOnEmpty
        )
        input.routing = routing?.routing
        return input
    }

    private func sources(with ids: [String], example: String) throws -> [InputSource] {
        var sources: [InputSource] = []
        let arguments = ids.filter { $0 != "-" }
        if !arguments.isEmpty { sources.append(.arguments(arguments)) }
        sources += files.filter { $0 != "-" }.map(InputSource.file)
        let isPipeNamed = ids.contains("-") || files.contains("-")
        if isPipeNamed || sources.isEmpty {
            guard isPipeNamed || !FileDescriptor.standardInput.isTerminal else {
                throw ArgumentError("no IDs: standard input is a terminal", advice: "For example: \(example)")
            }
            sources.append(.standardInput)
        }
        return sources
    }
}

/// Options for the input of documents.
struct DocumentOptions: OptionSetting {
    enum Format: String, CaseIterable, ArgumentValue {
        case jsonl, json, csv, tsv
        case solrXML = "solr-xml"
        case solrJSON = "solr-json"
        case bulk, elasticdump

        /// Creates the format that a file's extension indicates.
        init?(ofFile path: String) {
            let path = CompressionSuffix.removed(from: path[...]) ?? path[...]
            switch path.lastIndex(of: ".").map({ path[$0...] }) {
            case ".jsonl", ".ndjson", ".json": self = .jsonl
            case ".csv": self = .csv
            case ".tsv": self = .tsv
            case ".xml": self = .solrXML
            default: return nil
            }
        }
    }

    @Option(
        "--format",
        value: "FORMAT",
        help:
            "The format of the documents, if the file's name does not show it; bulk:INDEX and elasticdump:INDEX name the dump's index, '*' for any"
    )
    private var choice: FormatChoice<Format>?

    private var format: Format? { choice?.name }

    @Option(
        "--id-field",
        "--column",
        formerly: "--field",
        value: "NAME",
        completion: .columns,
        help: "The key, column or field that holds a document's ID (default: id)"
    )
    var field: String?

    @Option(
        "--routing-field",
        "--routing-column",
        value: "NAME",
        help: "The key or column that holds a document's routing"
    )
    var routingField: String?

    @Option(
        "--routing",
        value: "VALUE",
        completion: ArgumentCompletion.none,
        help: "The routing value for documents that have none in the input"
    )
    var routing: RoutingArgument?

    @Option(
        "--columns",
        value: "NAME[:TYPE],…",
        help:
            "The table columns that become keys, and their types: price:number,tags:list(;),at:date(dd.MM.yyyy); '*' means all others, as strings"
    )
    var columns: String?

    @OptionGroup("Input") var dialect: DialectOptions
    @OptionGroup("Input") var feed: FeedInputOptions
    @OptionGroup("Input") var idKey: IDKeyOptions

    @Option("--max-document", value: "SIZE", help: "Reject larger documents")
    var largestDocument = ByteCount(bytes: Document.maximumByteCount)

    func validate() throws {
        try feed.checkVersionType(hasVersions: format == .bulk)
        _ = try tableColumns()
    }

    private func tableColumns() throws -> TableColumns? {
        do throws(TableColumnsError) {
            return try columns.map { text throws(TableColumnsError) in try TableColumns(text) }
        } catch {
            throw ValidationError("--columns: \(error.reason)")
        }
    }

    /// Throws if an option for files and pipes is given.
    func refuseForSource() throws {
        let given = [
            ("--format", format != nil), ("--id-field", field != nil), ("--routing-field", routingField != nil),
            ("--routing", routing != nil), ("--columns", columns != nil),
            ("--max-document", largestDocument.bytes != Document.maximumByteCount),
        ]
        for (name, isGiven) in given where isGiven { throw ValidationError.notForSource(name) }
        try dialect.refuseForSource()
        try feed.refuseForSource()
    }

    private var limits: InputLimits {
        var limits = InputLimits()
        limits.document = min(largestDocument.bytes, Document.maximumByteCount)
        return limits
    }

    /// Returns the input in files, which must all have the same format.
    ///
    /// `collection` returns the name of the collection, which actions of the _bulk form must name.
    func input(in files: [String], of collection: () throws -> String?, example: String) throws -> PendingInput {
        if files.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no documents: standard input is a terminal", advice: "For example: \(example)")
        }
        let files = files.isEmpty ? ["-"] : files
        let formats = try files.map(format(of:))
        if let other = formats.indices.first(where: { formats[$0] != formats[0] }) {
            throw ArgumentError(
                "'\(files[0])' is \(formats[0].rawValue) and '\(files[other])' is \(formats[other].rawValue)",
                advice: "Use a separate command for each format"
            )
        }
        try checkRouting(formats[0])
        var input = PendingInput(
            sources: files.map { $0 == "-" ? .standardInput : .file($0) },
            format: inputFormat(formats[0], formats[0] == .bulk ? try collection() : nil),
            dialect: try dialect.dialect(
                feed.delimiter,
                isTable: formats[0] == .csv || formats[0] == .tsv,
                hasLines: ![.solrXML, .json, .solrJSON].contains(formats[0]),
                isXML: formats[0] == .solrXML
            ),
            limits: limits,
            failsOnEmpty: feed.failsOnEmpty
        )
        input.dialect.columns = try tableColumns()
        input.dialect.skippedLines = try feed.linesToSkip(isTable: formats[0] == .csv || formats[0] == .tsv)
        if columns != nil, formats[0] != .csv, formats[0] != .tsv {
            throw ArgumentError("--columns needs a table as input, csv or tsv")
        }
        input.routing = routing?.routing
        return input
    }

    private func checkRouting(_ format: Format) throws {
        guard routingField != nil, ![.jsonl, .json, .csv, .tsv].contains(format) else { return }
        throw ArgumentError("--routing-field needs documents in JSON or a table; --routing applies to all documents")
    }

    private func format(of file: String) throws -> Format {
        if let format { return format }
        if file == "-" || file.hasPrefix("/dev/") { return .jsonl }
        guard let format = Format(ofFile: file) else {
            var status = stat()
            if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                throw ArgumentError(
                    "'\(file)' is a folder",
                    advice: "Add the files in it: fastctl add --source \(CommandLineWords.quoted("dir:\(file)"))"
                )
            }
            if let form = DataForm(ofFile: file) {
                throw ArgumentError("'\(file)' can't be read: \(form.reason)")
            }
            throw ArgumentError(
                "the name of '\(file)' does not show the format of its documents",
                advice: "Use --format, or a file named .jsonl, .ndjson, .json, .csv, .tsv or .xml (Solr XML)"
            )
        }
        return format
    }

    private func inputFormat(_ format: Format, _ collection: String?) -> InputFormat {
        let column = InputColumn.named(field ?? "id")
        let routing = routingField.map { InputColumn.named($0) }
        return switch format {
        case .jsonl: .jsonLines(field: field, routing: routingField)
        case .csv: .csv(column: column, routing: routing)
        case .tsv: .tsv(column: column, routing: routing)
        case .solrXML: .solrXML(field: field)
        case .json: .json(field: field, routing: routingField)
        case .solrJSON: .solrJSON(field: field)
        case .bulk:
            .bulk(index: (choice?.index(usually: collection.map { .named($0) } ?? .any)) ?? .any, field: field)
        case .elasticdump: .elasticdump(index: choice?.index(usually: .first) ?? .first)
        }
    }
}

// MARK: Sources and queries

/// Options for the credentials of a source.
struct SourceAccess: OptionSetting {
    @Option(
        "--source-credentials-file",
        value: "FILE",
        completion: .files,
        help:
            "A file with the source's credentials, readable only by you; for a collection, they come from its context"
    )
    var credentialsFile: String?

    @Option(
        "--source-ca-file",
        value: "FILE",
        completion: .files,
        help: "Trust only the authorities in this PEM file when reading the source"
    )
    var authorityFile: String?

    /// Whether an option was given.
    var isGiven: Bool { credentialsFile != nil || authorityFile != nil }

    func validate() throws {
        if authorityFile == "" { throw ValidationError("--source-ca-file needs a file name") }
        if credentialsFile == "" { throw ValidationError("--source-credentials-file needs a file name") }
    }
}

/// Options for the source of a command's documents.
struct SourceOptions: OptionSetting {
    @Option(
        "--source",
        value: "ADDRESS",
        help:
            "The source of the documents: dir:PATH, jsonl:PATH, csv:PATH, sqlite-query:PATH?query=SELECT…, sitemap+https://…, azure-table+https://…, azure-blob+https://… or [CONTEXT/]COLLECTION"
    )
    var source: SourceText?

    @OptionGroup("Source") var access: SourceAccess

    func validate() throws {
        if source == nil, access.isGiven {
            throw ValidationError("--source-credentials-file and --source-ca-file need --source")
        }
        _ = try source?.address(of: "--source")
    }

    /// Whether a source was given.
    var isGiven: Bool { source != nil }

    /// Returns the source that was given; `nil` if none was.
    ///
    /// `collection` is the command's own collection; a source that does not name a target is in the command's target.
    func source(at target: TargetOptions, besides collection: String?) throws -> OpenableSource? {
        guard let address = try source?.address(of: "--source") else { return nil }
        return try OpenableSource(address, access, at: target, besides: collection)
    }
}

/// A source's address as typed; it may contain secrets by mistake, so it is never repeated in messages.
struct SourceText: ArgumentValue {
    private let text: String

    init(argument word: String) { text = word }

    var argumentText: String { text }

    /// Parses the address; `option` names it in messages.
    func address(of option: String) throws(ValidationError) -> SourceAddress {
        do throws(SourceError) {
            return try SourceAddress(text)
        } catch {
            throw ValidationError("\(option): \(error)")
        }
    }
}

extension OpenableSource {
    /// Resolves the place of a collection; opens nothing yet.
    init(
        _ address: SourceAddress,
        _ access: SourceAccess,
        at target: TargetOptions,
        besides collection: String?
    ) throws {
        var place: (target: OpenableTarget, choice: CollectionChoice)?
        if case .collection(let name, let context) = address.location {
            guard !access.isGiven else {
                throw ArgumentError(
                    "--source-credentials-file and --source-ca-file can't be used with a collection; its context specifies these settings"
                )
            }
            let from = try target.source(SourceArgument(collection: name, of: context), besides: collection)
            place = (from, from.collection(name))
        }
        var catalog = SourceCatalog(environment: CommandContext.current.environment)
        catalog.credentialsFile = access.credentialsFile
        catalog.authorityFile = access.authorityFile
        catalog.remark = { StandardError.say($0) }
        self.init(address, in: catalog, collection: place)
    }
}

/// Options for selecting documents by their contents; all conditions must match.
struct QueryOptions: OptionSetting {
    @Option(
        "--query",
        value: "EXPR",
        completion: ArgumentCompletion.none,
        help: "Only documents that match a query in the engine's own language, as in 'fastctl find'"
    )
    var expression: String?

    @Option(
        "--where",
        value: "NAME=VALUE",
        help: "Only documents whose top-level field has exactly this value; may be repeated"
    )
    var fields: [FieldArgument]

    func validate() throws {
        if expression?.isEmpty ?? false { throw ValidationError("--query is empty") }
    }

    /// Whether any condition was given.
    var isGiven: Bool { expression != nil || !fields.isEmpty }

    var query: SearchQuery {
        var query = SearchQuery(fields: fields.map(\.field))
        query.expression = expression
        return query
    }
}

/// The first line of a file that may be a table, read without knowing its dialect.
package struct TableTitles {
    /// The line, cut at a length that no line of titles reaches.
    private let line: String
    /// The separator that the preceding line declares for Excel (`sep=;`); `nil` without such a line.
    private let namedSeparator: Character?

    private static let maximumBytes = 4_096

    /// Reads the first line of a file; `nil` if the file can't be read again, like a pipe, or can't be read at all.
    ///
    /// `hasComments` is whether lines that begin with `#` are comments, which are skipped.
    init?(of path: String, hasComments: Bool = false) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let start = try? SmallFile(path).prefix(Self.maximumBytes)
        else { return nil }
        self.init(in: start, hasComments: hasComments)
    }

    /// Creates the titles from the beginning of a file.
    package init(in start: [UInt8], hasComments: Bool = false) {
        let lines = start.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { String(decoding: $0, as: UTF8.self) }
            .drop { hasComments && $0.drop { $0 == "\u{FEFF}" }.hasPrefix("#") }
        let first = lines.first ?? ""
        let bare = first.drop { $0 == "\u{FEFF}" }
        namedSeparator = bare.count == 5 && bare.lowercased().hasPrefix("sep=") ? bare.last : nil
        line = namedSeparator == nil ? first : lines.dropFirst().first ?? ""
    }

    /// The titles for each separator that occurs in the line.
    private var divisions: [(separator: Character, titles: [String])] {
        (namedSeparator.map { [$0] } ?? [",", ";", "\t"])
            .map { ($0, line.split(separator: $0).map { $0.filter { $0 != "\"" && $0 != "\u{FEFF}" } }) }
            .filter { $0.1.count > 1 }
    }

    /// The titles, split at the separator that yields the most; empty if the line has only one cell.
    package var titles: [String] { divisions.map(\.titles).max { $0.count < $1.count } ?? [] }

    /// The usual title of an ID column, if the line contains such a title among others, and the separator between the
    /// titles.
    private var place: (separator: Character, column: String)? {
        for (separator, titles) in divisions {
            let column = titles.first {
                ["id", "_id", "url", "uri", "key", "documentid", "path"].contains($0.lowercased())
            }
            if let column { return (separator, column) }
        }
        return nil
    }

    /// The usual title of an ID column, if the line contains such a title among others.
    package var columnOfIDs: String? { place?.column }

    /// The options for reading the IDs of the table; `nil` if the line does not look like the first line of a table.
    package var options: String? {
        guard let (separator, column) = place else {
            return namedSeparator == nil ? nil : "--format csv --column COLUMN"
        }
        let format =
            switch (separator, namedSeparator) {
            case ("\t", nil): "tsv"
            case (";", nil): "csv --delimiter ';'"
            default: "csv"
            }
        return "--format \(format) --column \(CommandLineWords.quoted(column))"
    }

    /// Whether the line looks like a comment.
    package var isComment: Bool { line.drop { $0 == "\u{FEFF}" }.hasPrefix("#") && !isOfPowerShell }

    /// Whether the line begins a JSON array whose first element is not an object.
    package var isArray: Bool {
        let text = line.drop { $0 == " " || $0 == "\u{FEFF}" }
        return text.hasPrefix("[") && !text.hasPrefix("[{")
    }

    /// Whether this is the line that PowerShell's Export-Csv writes before the titles.
    package var isOfPowerShell: Bool { line.drop { $0 == "\u{FEFF}" }.hasPrefix("#TYPE ") }

    /// Whether the line is a single quoted string, as written by programs that write tables.
    package var isOneQuotedText: Bool {
        let text = line.drop { $0 == "\u{FEFF}" }
        return text.count > 2 && text.first == "\"" && text.last == "\"" && text.count { $0 == "\"" } == 2
    }
}
