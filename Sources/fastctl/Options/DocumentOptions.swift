import ArgumentParsing
import ContentFeeding
import FeedFormats

/// Where documents come from.
struct DocumentOptions: OptionSetting {
    enum Format: String, CaseIterable, ArgumentValue {
        case jsonl
    }

    @Option("--format", value: "FORMAT", help: "How documents are written, for a file whose name does not say it")
    var format: Format?

    @Option("--field", value: "NAME", help: "The key that holds a document's ID (default: id)")
    var field: String?

    @Option("--max-document", value: "SIZE", help: "Reject larger documents")
    var largestDocument = ByteCount(bytes: Document.maximumByteCount)

    private static let extensions = [".jsonl", ".ndjson", ".json"]

    var inputFormat: InputFormat { .jsonLines(field: field) }

    var limits: InputLimits {
        var limits = InputLimits()
        limits.document = min(largestDocument.bytes, Document.maximumByteCount)
        return limits
    }

    func sources(of files: [String], example: String) throws -> [InputSource] {
        if files.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no documents: standard input is a terminal", advice: "For example: \(example)")
        }
        let files = files.isEmpty ? ["-"] : files
        return try files.map { file in
            if file == "-" { return .standardInput }
            guard format != nil || Self.extensions.contains(where: file.hasSuffix) || file.hasPrefix("/dev/") else {
                throw ArgumentError(
                    "'\(file)' does not say how its documents are written",
                    advice: "Give --format jsonl, or a file named .jsonl, .ndjson or .json"
                )
            }
            return .file(file)
        }
    }
}
