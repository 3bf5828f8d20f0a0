package import ArgumentParsing
import Files
package import ReportKit
import Synchronization
import TextKit

/// A form of a report, and its destination: `text`, `json=report.json`.
package struct ReportOutput: Hashable, Sendable {
    package var form: OutputForm
    /// The file's path; `nil` is standard output.
    package var path: String?

    package init(_ form: OutputForm, path: String? = nil) {
        self.form = form
        self.path = path
    }

    /// Reads a word of the command line: one of these forms, optionally with a file.
    package init(argument word: String, among forms: [OutputForm]) throws(ArgumentExpectation) {
        let name = word.prefix { $0 != "=" }
        let path = word.dropFirst(name.count + 1)
        guard let form = forms.first(where: { $0.rawValue == name }), name.count == word.count || !path.isEmpty else {
            let names = forms.map(\.rawValue).joined(separator: ", ")
            let usual = forms.contains(.sarif) ? "sarif=fastctl.sarif" : "json=report.json"
            let example = Self.example(for: word, among: forms) ?? usual
            throw ArgumentExpectation("one of \(names), or one of these with a file, such as \(example)")
        }
        self.init(form, path: name.count == word.count || path == "-" ? nil : String(path))
    }

    /// Returns the output that a name of a file alone probably means: `html=report.html`; `nil` for any other word.
    private static func example(for word: String, among forms: [OutputForm]) -> String? {
        guard word.utf8.allSatisfy({ $0.isLetterOrDigit || "-_./".utf8.contains($0) }) else { return nil }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last else { return nil }
        return forms.first { $0.rawValue == ending || $0 == .markdown && ending == "md" }
            .map { "\($0.rawValue)=\(word)" }
    }
}

/// Options for the forms of a report, and the destination of each.
///
/// ```swift
/// @OptionGroup("Output") var output = ReportOutputOptions(SummaryRenderer.forms)
/// …
/// let outputs = output.outputs(text)
/// try outputs.check(inputs: reader.files())
/// try outputs.write { output, bytes in Renderer.append(report, as: output.form, layout: output.layout, to: &bytes) }
/// ```
package struct ReportOutputOptions: ArgumentDeclarations {
    @Option package var requested: [ReportOutput]
    /// The options for tables, if one of the forms is a table.
    private let table: OptionGroup<CSVOptions>?
    @OptionGroup("Output") package var quiet: QuietOptions

    /// Creates options for some of these forms.
    package init(_ forms: [OutputForm]) {
        _requested = Option(
            "--output",
            "-o",
            value: "FORMAT[=FILE]",
            candidates: forms.map(\.rawValue),
            help: "The output format, and optionally a file to write to; may be repeated (default: text)"
        ) { word throws(ArgumentExpectation) in try ReportOutput(argument: word, among: forms) }
        table = forms.contains(.csv) ? OptionGroup("Output") : nil
    }

    package func validate() throws {
        let toStandardOutput = requested.filter { $0.path == nil }
        if toStandardOutput.count > 1 {
            throw ValidationError(
                "only one output can go to standard output: write the others to files, such as json=FILE"
            )
        }
        let paths = requested.compactMap(\.path)
        if Set(paths).count < paths.count { throw ValidationError("two outputs go to the same file") }
        try table?.wrappedValue.validate(isUsed: requested.contains { $0.form == .csv })
    }

    /// Returns the outputs, by default text on standard output; without options for text, there are neither colors nor
    /// a pager.
    package func outputs(_ text: TextOptions? = nil, isPaged: Bool = true) -> ReportOutputs {
        let all = requested.isEmpty ? [ReportOutput(.text)] : requested
        return ReportOutputs(all: all, text: text, isPaged: isPaged, csv: table?.wrappedValue.style ?? CSVStyle())
    }
}

/// Options for comma-separated values.
package struct CSVOptions: OptionSetting {
    package init() {}

    @Flag("--excel", help: "With -o csv: begin with a byte-order mark, which Excel needs for non-ASCII letters")
    package var isForExcel

    @Option(
        "--delimiter",
        value: "CHAR",
        completion: .values([",", ";", "tab"]),
        help: "With -o csv: the character between fields, such as ';' or tab (default: ,)"
    )
    package var delimiter: CSVDelimiter?

    /// Throws if an option is given although there is no table.
    package func validate(isUsed: Bool) throws {
        guard !isUsed, isForExcel || delimiter != nil else { return }
        throw ValidationError("\(isForExcel ? "--excel" : "--delimiter") needs -o csv")
    }

    package var style: CSVStyle {
        CSVStyle(delimiter: delimiter?.character ?? UInt8(ascii: ","), beginsWithMark: isForExcel)
    }
}

/// The character between fields of comma-separated values.
package struct CSVDelimiter: Hashable, ArgumentValue {
    package let character: UInt8

    package init(argument word: String) throws(ArgumentExpectation) {
        if word == "tab" || word == "\\t" {
            character = 0x09
            return
        }
        guard word.utf8.count == 1, let character = word.utf8.first, character == 0x09 || 0x20...0x7E ~= character,
            character != UInt8(ascii: "\""), !Self.isPartOfValues(character)
        else { throw ArgumentExpectation("one character such as ; or |, or tab") }
        self.character = character
    }

    /// Returns whether a character can occur in numbers and times, which are never quoted.
    private static func isPartOfValues(_ character: UInt8) -> Bool {
        character.isLetterOrDigit || "-.:+".utf8.contains(character)
    }

    package var argumentText: String { character == 0x09 ? "tab" : String(decoding: [character], as: UTF8.self) }
}

/// The outputs of a report, each of which is written completely to its file or to standard output.
package struct ReportOutputs: Sendable {
    /// One of the outputs, while it is being written.
    package struct Destination {
        package let form: OutputForm
        /// The file's path; `nil` is standard output.
        package let path: String?
        package let layout: TextLayout
        package let csv: CSVStyle
        package var isFile: Bool { path != nil }
        /// Receives the output rendered so far, so that a long report need not be kept in memory as a whole.
        package let drain: BufferDrain
    }

    package let all: [ReportOutput]
    /// The permissions of older files, which were removed when the outputs were checked.
    private let older = OlderFiles()
    package let text: TextOptions?
    /// Whether text on a terminal is shown by the pager.
    package let isPaged: Bool
    package let csv: CSVStyle

    package init(all: [ReportOutput], text: TextOptions?, isPaged: Bool, csv: CSVStyle) {
        (self.all, self.text, self.isPaged, self.csv) = (all, text, isPaged, csv)
    }

    package var layout: TextLayout { text?.layout ?? .standardOutput(.never) }

    /// Whether there are files to write.
    package var hasFiles: Bool { all.contains { $0.path != nil } }

    /// Whether nothing is written to standard output; if so, standard error is redacted like the files, and otherwise
    /// like standard output.
    package var areFiles: Bool { all.allSatisfy { $0.path != nil } }

    package func contains(_ form: OutputForm) -> Bool { all.contains { $0.form == form } }

    /// Whether human-readable text is written to standard output, so that standard error need not repeat it.
    package var showsText: Bool { all.contains { $0.form == .text && $0.path == nil } }

    /// Checks, before any work is done, that the files can be created and that none of them is an input; the same is
    /// checked for `others`, the other files that the command writes.
    ///
    /// Outputs of an earlier run are removed, because they must never be mistaken for those of this run.
    package func check(inputs: [String], others: [String] = []) throws {
        let paths = all.compactMap(\.path) + others
        guard !paths.isEmpty else { return }
        let identities = Set((inputs + ["/dev/stdin"]).compactMap { FileIdentity($0) })
        for path in paths {
            if let identity = FileIdentity(path), identities.contains(identity) {
                throw Failure(
                    .usage,
                    "'\(path)' is an input: the output would overwrite it",
                    advice: "write to another file"
                )
            }
            // The file is immediately deleted again, so that an interruption leaves nothing behind.
            _ = try AtomicFile(path)
        }
        for path in all.compactMap(\.path) {
            let file = try AtomicFile(path)
            older.note(file.older, of: path)
            try file.removeOlder()
        }
    }

    /// Writes each output as `render` appends it to the buffer; a file is created only when it is complete.
    ///
    /// If the reader of standard output has exited, the other outputs and the findings are not affected.
    package func write(_ render: (Destination, inout [UInt8]) throws -> Void) throws {
        for output in all {
            if let path = output.path {
                try write(output, to: AtomicFile(path, removed: older.rights(of: path)), render)
            } else {
                try writeToStandardOutput(output, render)
            }
        }
    }

    private func write(
        _ output: ReportOutput,
        to file: AtomicFile,
        _ render: (Destination, inout [UInt8]) throws -> Void
    ) throws {
        var bytes: [UInt8] = []
        let drain: BufferDrain = { try file.write(&$0) }
        // Lines in a file have any width, regardless of the terminal, and no color unless requested.
        var layout = layout
        layout.width = nil
        layout.isColored = text?.color == .always
        try render(Destination(form: output.form, path: output.path, layout: layout, csv: csv, drain: drain), &bytes)
        try file.write(&bytes)
        try file.finish()
    }

    private func writeToStandardOutput(
        _ output: ReportOutput,
        _ render: (Destination, inout [UInt8]) throws -> Void
    ) throws {
        var bytes: [UInt8] = []
        let standardOutput = StandardOutput(pager: text?.pager(for: isPaged && output.form == .text))
        let drain: BufferDrain = { standardOutput.drain(&$0) }
        try render(Destination(form: output.form, path: nil, layout: layout, csv: csv, drain: drain), &bytes)
        standardOutput.drain(&bytes)
        standardOutput.finish()
        try standardOutput.requireWhole()
    }
}

/// The permissions of removed files, for the files that replace them.
private final class OlderFiles: Sendable {
    private let rights = Mutex<[String: AtomicFile.Rights]>([:])

    func note(_ found: AtomicFile.Rights?, of path: String) { rights.withLock { $0[path] = found } }

    func rights(of path: String) -> AtomicFile.Rights? { rights.withLock { $0[path] } }
}
