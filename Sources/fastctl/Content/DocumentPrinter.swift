import ArgumentParsing
import ContentFeeding
import JSONText
import ReportRendering
import TextSafety

/// Options for the format of documents.
struct DocumentOutputOptions: OptionSetting {
    @OptionGroup("Output") private var rows: RowOptions<DocumentFormat>
    @OptionGroup("Output") private var csvOptions: CSVOptions
    @OptionGroup("Output") var quiet: QuietOptions

    /// Throws if an option for tables is given where none is written, nor read.
    func check(readsTable: Bool = false) throws {
        try csvOptions.validate(isUsed: format == .csv || readsTable && !csvOptions.isForExcel)
    }

    /// The character between cells, written or read.
    var delimiter: CSVDelimiter? { csvOptions.delimiter }

    var format: DocumentFormat { rows.format }
    var nameEnd: NameEnd { rows.nameEnd }
    var csv: CSVStyle { csvOptions.style }
}

/// A printer of documents in the requested form.
///
/// A class, because what it has printed decides how it ends.
final class DocumentPrinter {
    private let options: DocumentOutputOptions
    private let collection: CollectionName
    private let output = StandardOutput()
    private var list: JSONList
    private var table: DocumentTable?
    private var bytes: [UInt8] = []
    private var unwritableNames = 0
    /// Documents whose routing the output leaves out.
    private var unnamedRoutings = 0

    private static let drainThreshold = 64 << 10

    /// Formatter of a document as text; without it, text is the document's own JSON.
    private let line: ((StoredDocument, inout [UInt8]) -> Void)?

    init(
        _ options: DocumentOutputOptions,
        in collection: CollectionName,
        line: ((StoredDocument, inout [UInt8]) -> Void)? = nil
    ) {
        self.options = options
        self.collection = collection
        self.line = line
        list = JSONList(isArray: options.format == .json)
        if options.format == .csv { table = DocumentTable(options.csv, to: &bytes) }
    }

    func print(_ documents: [StoredDocument]) throws {
        for document in documents {
            append(document)
            if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
        }
        try output.drainOrStop(&bytes)
    }

    /// Ends the output; IDs that could not be written on a line make it incomplete.
    func finish() throws -> ExitStatus {
        if options.format == .json { list.end(in: &bytes) }
        try output.drainOrStop(&bytes)
        if unnamedRoutings > 0 {
            let documents = Quantity(unnamedRoutings, "document has", "documents have")
            StandardError.say("\(documents) a routing besides the ID, which -o name leaves out; -o ndjson keeps it")
        }
        guard unwritableNames > 0 else { return .done }
        StandardError.say(NameEnd.refusal(of: unwritableNames))
        return .inputRejected
    }

    private func append(_ document: StoredDocument) {
        switch options.format {
        case .json, .ndjson:
            list.append(to: &bytes) { DocumentObject.append(printable: document, in: collection, to: &$0) }
        case .csv: table?.append(document, in: collection, to: &bytes)
        case .name:
            if document.routing != nil { unnamedRoutings += 1 }
            if !options.nameEnd.append(utf8: document.id.utf8, to: &bytes) { unwritableNames += 1 }
        case .text:
            if let line { return line(document, &bytes) }
            bytes.append(contentsOf: document.json)
            bytes.append(0x0A)
        }
    }
}

/// A printer of whether documents exist, in the requested form; as text, standard error tells.
///
/// A class, because what it has printed decides how it ends.
final class ExistencePrinter {
    private let options: DocumentOutputOptions
    private let output = StandardOutput()
    private var answers: ExistenceList
    private var bytes: [UInt8] = []
    private var unwritableNames = 0

    init(_ options: DocumentOutputOptions, in collection: CollectionName) {
        self.options = options
        answers = ExistenceList(options.format, options.csv, in: collection, to: &bytes)
    }

    func append(_ key: DocumentKey, exists: Bool) {
        if options.format == .name {
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

/// A found document on one line: its ID, and the first of its strings that is not the ID, as far as there is room.
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
        // Documents in the store were checked when added; even if not, a line without a title does no harm.
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
