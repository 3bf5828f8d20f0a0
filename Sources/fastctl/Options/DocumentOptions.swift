import ArgumentParsing
import ContentFeeding
import FeedFormats

/// Options for where documents come from.
struct DocumentOptions: OptionSetting {
    enum Format: String, CaseIterable, ArgumentValue {
        case jsonl, csv, tsv
        case solrXML = "solr-xml"

        /// Creates the format that a file's extension indicates.
        init?(ofFile path: String) {
            let packed = [".gz", ".zst", ".xz", ".bz2"].first { path.hasSuffix($0) }
            let path = path.dropLast(packed?.count ?? 0)
            switch path.lastIndex(of: ".").map({ path[$0...] }) {
            case ".jsonl", ".ndjson", ".json": self = .jsonl
            case ".csv": self = .csv
            case ".tsv": self = .tsv
            case ".xml": self = .solrXML
            default: return nil
            }
        }
    }

    @Option("--format", value: "FORMAT", help: "The format of the documents, for a file whose name does not tell it")
    var format: Format?

    @Option(
        "--field",
        "--column",
        value: "NAME",
        help: "The key, column or field that holds a document's ID (default: id)"
    )
    var field: String?

    @Option("--routing-field", value: "NAME", help: "The key of JSON documents that holds their routing")
    var routingField: String?

    @Option("--routing-column", value: "COLUMN", help: "The column of a table that holds the documents' routing")
    var routingColumn: String?

    @OptionGroup("Input") var dialect: DialectOptions
    @OptionGroup("Input") var feed: FeedInputOptions
    @OptionGroup("Input") var idKey: IDKeyOptions

    @Option("--max-document", value: "SIZE", help: "Reject larger documents")
    var largestDocument = ByteCount(bytes: Document.maximumByteCount)

    /// Throws if an option is given that is for files and pipes.
    func refuseForSource() throws {
        let given = [
            ("--format", format != nil), ("--field", field != nil), ("--routing-field", routingField != nil),
            ("--routing-column", routingColumn != nil),
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
    func input(in files: [String], example: String) throws -> PendingInput {
        if files.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no documents: standard input is a terminal", advice: "For example: \(example)")
        }
        let files = files.isEmpty ? ["-"] : files
        let formats = try files.map(format(of:))
        if let other = formats.indices.first(where: { formats[$0] != formats[0] }) {
            throw ArgumentError(
                "'\(files[0])' is \(formats[0].rawValue) and '\(files[other])' is \(formats[other].rawValue)",
                advice: "Use a separate command for the files of each format"
            )
        }
        try checkRouting(formats[0])
        return PendingInput(
            sources: files.map { $0 == "-" ? .standardInput : .file($0) },
            format: inputFormat(formats[0]),
            dialect: try dialect.dialect(
                feed.delimiter,
                isTable: formats[0] == .csv || formats[0] == .tsv,
                hasLines: formats[0] != .solrXML,
                isXML: formats[0] == .solrXML
            ),
            limits: limits,
            failsOnEmpty: feed.failsOnEmpty
        )
    }

    private func checkRouting(_ format: Format) throws {
        let isTable = format == .csv || format == .tsv
        if routingField != nil, format != .jsonl { throw ArgumentError("--routing-field needs documents in JSONL") }
        if routingColumn != nil, !isTable { throw ArgumentError("--routing-column needs documents in a table") }
    }

    private func format(of file: String) throws -> Format {
        if let format { return format }
        if file == "-" || file.hasPrefix("/dev/") { return .jsonl }
        guard let format = Format(ofFile: file) else {
            throw ArgumentError(
                "the name of '\(file)' does not tell the format of its documents",
                advice: "Use --format, or a file named .jsonl, .ndjson, .json, .csv, .tsv or .xml (Solr XML)"
            )
        }
        return format
    }

    private func inputFormat(_ format: Format) -> InputFormat {
        let column = InputColumn.named(field ?? "id")
        let routing = routingColumn.map { InputColumn.named($0) }
        return switch format {
        case .jsonl: .jsonLines(field: field, routing: routingField)
        case .csv: .csv(column: column, routing: routing)
        case .tsv: .tsv(column: column, routing: routing)
        case .solrXML: .solrXML(field: field)
        }
    }
}
