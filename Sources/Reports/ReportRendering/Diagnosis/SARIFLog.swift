import JSONText
import LogDiagnosis
import Redaction
import ULSLog
import WebConfig

/// A diagnosis for code scanning and editors: SARIF 2.1.0, within GitHub's limits, with a note about what was cut.
struct SARIFLog {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let rules = SARIFRules(report)
        let (results, cut) = SARIFResults(report, rules, options.requests, options.gate).json
        var buffer: [UInt8] = []
        swap(&buffer, &bytes)
        var writer = JSONWriter(onto: buffer)
        writer.object { log in
            log.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
            log.member("version", "2.1.0")
            log.array("runs") { runs in
                runs.object { run in
                    run.object("tool") { tool in
                        tool.object("driver") { driver in
                            driver.member("name", "fastctl")
                            driver.member("version", options.version)
                            driver.key("rules")
                            rules.write(to: &driver)
                        }
                    }
                    // Other tools use other categories: uploads of the same category replace each other.
                    run.object("automationDetails") { details in
                        details.member("id", report.isOfConfigsAlone ? "fastctl/webconfig/" : "fastctl/uls/")
                    }
                    run.member("columnKind", "unicodeCodePoints")
                    run.array("invocations") { invocations in
                        SARIFInvocation(report, options, rules, cut: cut).write(to: &invocations)
                    }
                    run.member("results", raw: results)
                }
            }
        }
        bytes = writer.takeBytes()
        bytes.append(0x0A)
    }
}

/// Limits of GitHub for one file.
///
/// Source: "SARIF support for code scanning" (docs.github.com): 10 MB compressed; 25,000 results, of which 5,000 are
/// kept; 25,000 rules; 1,000 locations, of which 100 are kept; 20 tags, of which 10 are kept; descriptions of 1,024
/// characters.
enum SARIFLimits {
    static let results = 5000
    static let rules = 25_000
    static let locations = 100
    static let tags = 10
    static let description = 1024
    /// Bytes of uncompressed results; compressed, they take less.
    static let resultBytes = 8_000_000
    /// Length of a rule's help.
    static let help = 8000
}

/// The run as a SARIF invocation: how it ended, and what a reader of the results should know.
private struct SARIFInvocation {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let rules: SARIFRules
    /// Number of findings that are not among the results.
    private let cut: Int

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions, _ rules: SARIFRules, cut: Int) {
        self.report = report
        self.options = options
        self.rules = rules
        self.cut = cut
    }

    func write(to writer: inout JSONWriter) {
        writer.object { invocation in
            // Findings and rules that could not be evaluated do not make the run a failure.
            let isSuccess = [.done, .documentsFailed, .notEvaluated].contains(options.status)
            invocation.member("executionSuccessful", isSuccess)
            invocation.member("exitCode", Int(options.status.rawValue))
            if let start = options.startedAt {
                invocation.member("startTimeUtc", UTCTimestamp(since1970: start).description)
                invocation.member("endTimeUtc", UTCTimestamp(since1970: start + options.duration).description)
            }
            invocation.array("toolExecutionNotifications") { writeNotifications(to: &$0) }
        }
    }

    private func writeNotifications(to array: inout JSONWriter) {
        for entry in report.notEvaluated {
            write(
                "not-evaluated",
                "note",
                "\(entry.rule.id) was not evaluated: \(entry.reason)",
                entry.rule,
                to: &array
            )
        }
        for finding in report.findings + report.known where !finding.undecided.isEmpty {
            let verdicts = finding.undecided.joined(separator: ", ")
            write("undecided", "note", "\(finding.rule.id) is undecided: \(verdicts)", finding.rule, to: &array)
        }
        for refused in report.refusedConfigs {
            write("input-refused", "error", "\(refused)", to: &array)
        }
        for note in DiagnosisNotes.warnings(of: report) {
            write("note", "warning", note.text(TextLayout()), to: &array)
        }
        if let redaction = report.redaction {
            write("redaction", "note", RedactionNote.line(about: redaction), to: &array)
        }
        for omission in omissions { write("cut", "warning", omission, to: &array) }
    }

    /// Sentences about what was cut to stay within the limits.
    private var omissions: [String] {
        var words: [String] = []
        if cut > 0 {
            let findings = Quantity(grouped: cut, "finding is", "findings are")
            let results = Quantity(grouped: SARIFLimits.results)
            words.append(
                """
                \(findings) not in this file, which holds at most \(results) results and \
                \(Quantity(grouped: SARIFLimits.resultBytes)) bytes of them: -o json has them all
                """
            )
        }
        if rules.omitted > 0 {
            words.append(
                "\(Quantity(grouped: rules.omitted, "rule is", "rules are")) not in this file: there are too many"
            )
        }
        let long = report.findings.count { $0.evidence.count + $0.config.count > SARIFLimits.locations }
        if long > 0 {
            let findings = Quantity(grouped: long, "finding has", "findings have")
            words.append(
                "\(findings) more than \(SARIFLimits.locations) places, of which only the first are in this file"
            )
        }
        return words
    }

    private func write(
        _ id: String,
        _ level: String,
        _ text: String,
        _ rule: Rule? = nil,
        to array: inout JSONWriter
    ) {
        array.object { object in
            object.object("descriptor") { $0.member("id", id) }
            object.member("level", level)
            object.object("message") { $0.member("text", SARIFText.message([text])) }
            guard let rule else { return }
            object.object("associatedRule") { associated in
                associated.member("id", rule.id.text)
                if let index = rules.index(of: rule) { associated.member("index", index) }
            }
        }
    }
}

/// A place as a SARIF location.
enum SARIFLocation {
    static func writeMembers(of place: FindingPlace, to object: inout JSONWriter) {
        object.object("physicalLocation") { physical in
            physical.object("artifactLocation") { $0.member("uri", relativeURI(of: place.file)) }
            physical.object("region") { region in
                region.member("startLine", place.line)
                region.member("startColumn", place.column)
                region.member("endLine", place.lineEnd)
                // One past the last column.
                region.member("endColumn", place.columnEnd == .max ? .max : place.columnEnd + 1)
            }
        }
    }

    /// Converts a path to a relative URI: forward slashes, everything but letters, digits and `-._~` escaped.
    static func relativeURI(of path: String) -> String {
        var bytes: [UInt8] = []
        for segment in path.utf8.split(omittingEmptySubsequences: true, whereSeparator: isSeparator)
        where !segment.elementsEqual(".".utf8) {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
            for byte in segment {
                if isPlain(byte) {
                    bytes.append(byte)
                } else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    bytes.append(text: byte < 0x10 ? "%0\(digits)" : "%\(digits)")
                }
            }
        }
        return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}

/// Text for SARIF's messages.
enum SARIFText {
    private static let layout = TextLayout(neutralizesRunnerCommands: true)

    /// Joins lines of text, escaped so that nothing counts as a link to another place in the file.
    static func message(_ lines: [String]) -> String {
        let text = lines.map { lineText($0, layout) }.joined(separator: "\n")
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Returns plain text of at most `maximum` UTF-16 code units.
    static func plain(_ text: String, maximum: Int) -> String {
        let line = lineText(text, layout)
        // Swift counts a character of several code points once; readers count its code units.
        guard line.utf16.count > maximum else { return line }
        var cut = ""
        var length = 1
        for character in line {
            length += character.utf16.count
            if length > maximum { break }
            cut.append(character)
        }
        return cut + "…"
    }
}

extension Severity {
    /// SARIF's level for the severity.
    var sarifLevel: String {
        switch self {
        case .critical, .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }
}
