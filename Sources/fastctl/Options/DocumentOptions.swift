import ArgumentParsing
import ContentFeeding
import FeedFormats

/// Where documents come from.
struct DocumentOptions: OptionSetting {
    enum Format: String, CaseIterable, ArgumentValue {
        case jsonl, csv, tsv
        case solrXML = "solr-xml"

        /// What a file's name says.
        init?(ofFile path: String) {
            switch path.lastIndex(of: ".").map({ path[$0...] }) {
            case ".jsonl", ".ndjson", ".json": self = .jsonl
            case ".csv": self = .csv
            case ".tsv": self = .tsv
            case ".xml": self = .solrXML
            default: return nil
            }
        }
    }

    @Option("--format", value: "FORMAT", help: "How documents are written, for a file whose name does not say it")
    var format: Format?

    @Option("--field", value: "NAME", help: "The key, column or field that holds a document's ID (default: id)")
    var field: String?

    @Option("--max-document", value: "SIZE", help: "Reject larger documents")
    var largestDocument = ByteCount(bytes: Document.maximumByteCount)

    var limits: InputLimits {
        var limits = InputLimits()
        limits.document = min(largestDocument.bytes, Document.maximumByteCount)
        return limits
    }

    /// What is read, of files that are all of one format.
    func plan(of files: [String], example: String) throws -> FeedInputPlan {
        if files.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no documents: standard input is a terminal", advice: "For example: \(example)")
        }
        let files = files.isEmpty ? ["-"] : files
        let formats = try files.map(format(of:))
        if let other = formats.indices.first(where: { formats[$0] != formats[0] }) {
            throw ArgumentError(
                "'\(files[0])' is \(formats[0].rawValue) and '\(files[other])' is \(formats[other].rawValue)",
                advice: "Give the files of each format to a command of their own"
            )
        }
        return FeedInputPlan(
            sources: files.map { $0 == "-" ? .standardInput : .file($0) },
            format: inputFormat(formats[0]),
            limits: limits
        )
    }

    private func format(of file: String) throws -> Format {
        if let format { return format }
        if file == "-" || file.hasPrefix("/dev/") { return .jsonl }
        guard let format = Format(ofFile: file) else {
            throw ArgumentError(
                "'\(file)' does not say how its documents are written",
                advice: "Give --format, or a file named .jsonl, .ndjson, .json, .csv, .tsv or .xml (Solr XML)"
            )
        }
        return format
    }

    private func inputFormat(_ format: Format) -> InputFormat {
        let column = InputColumn.named(field ?? "id")
        return switch format {
        case .jsonl: .jsonLines(field: field)
        case .csv: .csv(column: column)
        case .tsv: .tsv(column: column)
        case .solrXML: .solrXML(field: field)
        }
    }
}
