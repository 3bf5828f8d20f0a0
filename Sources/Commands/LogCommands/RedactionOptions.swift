import ArgumentParsing
import CommandKit
import Files
import LogReports
import Redaction
import ReportKit
import TextKit

/// Options for names and secrets in the output.
struct RedactionOptions: OptionSetting {
    @Flag("--redact", help: "Replace users, hosts and addresses with pseudonyms, and remove secrets")
    var isForced

    @Flag("--no-redact", help: "Write names and secrets as they are in the logs; the report states this")
    var isOff

    @Option(
        "--redact-key-file",
        value: "FILE",
        completion: .files,
        help: "A key of 32 bytes or more, which gives each name the same pseudonym in every run"
    )
    var keyPath: String?

    func validate() throws {
        if isForced, isOff { throw ValidationError("--redact and --no-redact cannot be used together") }
        if isOff, keyPath != nil { throw ValidationError("--redact-key-file and --no-redact cannot be used together") }
    }

    /// Returns how a report is redacted; by default, it is redacted unless it is written to a terminal.
    func ofReport() throws -> OutputRedaction { try OutputRedaction(self, isDefault: true) }

    /// Returns how rows are redacted; they are redacted only on request.
    func ofRows() throws -> OutputRedaction {
        if keyPath != nil, !isForced {
            throw ValidationError("--redact-key-file needs --redact: rows are not redacted by default")
        }
        return try OutputRedaction(self, isDefault: false)
    }

    fileprivate func key() throws -> [UInt8]? { try keyPath.map { try RedactionKey.read($0) } }
}

/// The redaction of a command's outputs.
struct OutputRedaction: Sendable {
    private let key: [UInt8]?
    private let isForced: Bool
    private let isOff: Bool
    private let isDefault: Bool

    fileprivate init(_ options: RedactionOptions, isDefault: Bool) throws {
        key = try options.key()
        isForced = options.isForced
        isOff = options.isOff
        self.isDefault = isDefault
    }

    /// A new redactor; each output has its own, so that the same input produces the same bytes.
    var redactor: Redactor { Redactor(key: key) }

    /// Returns whether an output is redacted, either a file or standard output.
    func applies(toFile: Bool) -> Bool {
        if isForced || isOff { return isForced }
        return isDefault && (toFile || !FileDescriptor.standardOutput.isTerminal)
    }

    /// Returns whether rows are written unredacted to a file or a pipe, although that was not requested.
    func showsNames(toFile: Bool) -> Bool {
        !isForced && !isOff && (toFile || !FileDescriptor.standardOutput.isTerminal)
    }

    /// The note in a report that is not redacted; `nil` unless that was requested.
    var noteIfOff: RedactionSummary? { isOff ? .off : nil }
}

/// A report as written to files, and as written to standard output.
struct RedactedForms<Report: Sendable & Maskable>: Sendable {
    private let redaction: OutputRedaction
    private let whole: Report
    private let redacted: (report: Report, note: RedactionSummary)?

    init(_ report: Report, _ redaction: OutputRedaction) {
        self.redaction = redaction
        whole = report
        guard redaction.applies(toFile: true) || redaction.applies(toFile: false) else {
            redacted = nil
            return
        }
        var redactor = redaction.redactor
        let masked = report.redacted(by: &redactor)
        redacted = (masked, redactor.summary)
    }

    func report(toFile: Bool) -> Report { form(toFile)?.report ?? whole }

    /// Returns the note on redaction for the report; `nil` if the report shows everything by default.
    func note(toFile: Bool) -> RedactionSummary? { form(toFile)?.note ?? redaction.noteIfOff }

    private func form(_ toFile: Bool) -> (report: Report, note: RedactionSummary)? {
        redaction.applies(toFile: toFile) ? redacted : nil
    }
}

/// A key for pseudonyms.
private enum RedactionKey {
    private static let minimumBytes = 32
    private static let maximumBytes = 4096
    private static let advice = "create one: (umask 077; head -c 32 /dev/urandom >KEY)"

    /// Reads a key that no other user can read.
    static func read(_ path: String) throws -> [UInt8] {
        let file: SmallFile
        let bytes: [UInt8]
        do throws(FileError) {
            file = try SmallFile(path)
            bytes = try file.bytes(maximum: maximumBytes)
        } catch {
            throw Failure(.inputNotOpened, "cannot read the key '\(path)': \(error.reason)", advice: advice)
        }
        guard file.permissions & 0o077 == 0 else {
            throw Failure(
                .configuration,
                "the key '\(path)' can be read by others, who could use it to identify pseudonyms",
                advice: "restrict it to yourself: chmod 600 '\(path)'"
            )
        }
        guard bytes.count >= minimumBytes else {
            throw Failure(
                .configuration,
                "the key '\(path)' has \(bytes.count) bytes, fewer than \(minimumBytes)",
                advice: advice
            )
        }
        return bytes
    }
}
