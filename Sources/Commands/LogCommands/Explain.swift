import ArgumentParsing
import CommandKit
import FailureExplanation
import Files
import Glibc
import LogDiagnosis
import LogReports
import Redaction
import ReportKit
import TextKit
import Threads
import ULSLog

struct Explain: Command {
    static let configuration = CommandConfiguration(
        "explain",
        group: "Logs",
        summary: "Explain a code, an error text or a pasted log row, and suggest checks.",
        discussion: """
            A code is a number from Windows, .NET, SQL Server, HTTP, Kerberos, LDAP, search, Entra ID or SharePoint: \
            0x800703FA, 1332, -2147024894, AADSTS90002; a prefix, as in sql:4060, win32:, hresult: or http:503.2, \
            specifies its namespace. Text is an error message or an exception in any form; '-' reads standard input, and \
            the name of a file that is not also a code reads that file in the same way.

            Standard input is a paste of up to 1 MiB: log rows, a ticket, an error page. If each line is only a code \
            or known text, each is explained, in order. In log rows, noise (as defined by rules) is left out, and \
            rows that show the same failure are combined; the first \(ExplainPaste.maximumFailures) failures are \
            shown, or all with '--all'.

            'decoded' is the meaning of the code, and is certain; 'by the sentence' means that the text contains a \
            known sentence, but no number. 'usually' is the most common cause; if there are several, each is only \
            'possible'. 'where' is the component: likely, or possible if only the process suggests it; a 'cause' is shown \
            only if it is known. 'failure' is one sentence derived from the names and words in the text; '--explain' \
            lists them. If the words name nothing, as in "Access denied", the causes are only 'possible'. Every check is \
            a command that changes nothing and has the names of the text; replace the words in capitals.

            If no cause is known, 'similar' lists up to three rules or known sentences that share rare words with the \
            text; each is only possible.

            'rule' is a finding that 'diagnose' would report on the same rows or text. A row of a short paste that shows no \
            failure by itself is described.

            Names and secrets in quoted text are masked unless the output is a terminal, as in reports on logs.

            The exit code is 1 if a code or text is unknown, or if a paste contains no known failure. JSON also lists \
            unknown codes and texts, with "known": false.
            """,
        examples: [
            .init("fastctl explain 0x800703FA 1332 sql:4060", "Codes, looked up in every namespace that defines them"),
            .init("fastctl explain 'Keyset does not exist'", "An error text"),
            .init("xclip -o | fastctl explain -", "Text copied from a ticket"),
            .init("fastctl explain error.txt", "The text of a file"),
            .init("cut -f2 codes.txt | fastctl explain -o ndjson -", "A list of codes"),
            .init(
                "fastctl logs show --level Monitorable -o uls /logs | fastctl explain -",
                "Everything in a log that looks like a problem"
            ),
        ]
    )

    @Option(output: FailureExplanationRenderer.forms)
    var form

    @Flag("--all", help: "Show all failures in a paste, not only the first \(ExplainPaste.maximumFailures)")
    var tellsAll

    @Flag("--explain", help: "Also list what was read from the text, the evidence, and the source of the advice")
    var explains

    @OptionGroup("Text") var text: TextOptions
    @OptionGroup("Rules") var rules: RuleFolderOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("CODE|TEXT|FILE", completion: .allRules, help: "Codes, text and files; '-' is a paste on standard input")
    var questions: [FailureWords]

    func run() async throws -> ExitCode {
        if questions.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError(
                "nothing to explain: standard input is a terminal",
                advice: "For example: fastctl explain 0x80070005"
            )
        }
        let redaction = try redaction.ofReport()
        let words = questions.isEmpty ? ["-"] : questions.map(\.text)
        var failures: [ExplainedFailure] = []
        for word in words {
            if let paste = word == "-" ? try ExplainPaste() : try ExplainPaste(fileNamed: word) {
                failures += try await explanations(of: paste)
            } else {
                failures.append(try await answer(to: word))
            }
        }
        let isComplete = !failures.contains { $0.isEmpty || $0.isQuiet }
        // For pasted text without a failure, the text format has nothing to show but similar failures.
        if form == .text { failures.removeAll { $0.isUnknownPaste && $0.looksLike.isEmpty } }
        let forms = RedactedForms(failures, redaction)
        let shown = forms.report(toFile: false)
        for unknown in shown where unknown.isEmpty && !unknown.isUnknownPaste && !unknown.isQuiet {
            StandardError.say("'\(unknown.asked)' is not a known code, name or text, or the name of a file")
            if let id = RuleID(unknown.asked) { StandardError.say("if it is a rule: fastctl rules show \(id)") }
        }
        if let note = forms.note(toFile: false), !note.isApplied || note.values > 0 {
            StandardError.say(RedactionNote.line(about: note))
        }
        var bytes: [UInt8] = []
        FailureExplanationRenderer.append(shown, as: form, text.layout, isFull: explains, to: &bytes)
        try StandardOutput.print(&bytes, through: text.pager(for: form == .text))
        return isComplete ? .success : ExitCode(.documentsFailed)
    }

    /// Explains a word or a text; rules examine a text as they would examine a log.
    private func answer(to words: String) async throws -> ExplainedFailure {
        var answer = ExplainedFailure(answerTo: words)
        guard answer.explanation != nil || answer.isEmpty, words.contains(" ") else { return answer }
        answer.findings = try await onOwnThread { [rules] in
            Result { try PasteFindings(LogReader(text: Array(words.utf8), name: "text"), rules.library()).all }
        }.get()
        return answer
    }

    /// Explains a pasted text or the text of a file; returns nothing if there is none.
    private func explanations(of paste: ExplainPaste) async throws -> [ExplainedFailure] {
        if paste.bytes.allSatisfy({ $0 <= 0x20 }) {
            StandardError.say("\(paste.name) is empty: there is nothing to explain")
            return []
        }
        if paste.isCut { StandardError.say("only the first 1 MiB of \(paste.name) was read") }
        let maximum = tellsAll ? Int.max : ExplainPaste.maximumFailures
        let found = try await onOwnThread { [rules] in
            Result { try paste.failures(maximum: maximum) { try rules.library() } }
        }.get()
        if found.noise > 0 {
            let rows = Quantity(found.noise, "noise row was", "noise rows were")
            StandardError.say("\(rows) left out: \(DescribedRows.names(of: found.noiseRules))")
        }
        if found.failures.contains(where: { $0.isUnknownPaste || $0.isQuiet }) {
            let subject = found.noise > 0 ? "other rows contain" : "\(paste.noun) contains"
            StandardError.say("the \(subject) no known code, exception or text")
        }
        return found.failures
    }
}

/// A word on the command line, which may be a negative code.
struct FailureWords: ArgumentValue {
    static let mayBeNegative = true

    let text: String

    init(argument word: String) { text = word }
}

/// Text pasted into the standard input of `explain`, or the beginning of a file.
package struct ExplainPaste: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// True if the text was longer than the part that is read.
    package private(set) var isCut = false
    /// The name of the file, or of standard input.
    package private(set) var name = "standard input"
    /// The kind of source in words.
    private(set) var noun = "paste"

    /// The maximum number of failures shown without `--all`; text with more failures is a log, for which a diagnosis is
    /// more suitable.
    static let maximumFailures = 20
    /// The maximum number of lines that are explained individually, and the maximum length of such a line.
    private static let (maximumLines, longestLine) = (1000, 160)

    init() throws {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = String(cString: strerror(errno))
                throw Failure(.inputOutput, "cannot read standard input: \(reason)", advice: nil)
            }
            guard count > 0 else { return }
            bytes += piece[..<count]
            guard bytes.count <= ExceptionText.maximumBytes else { break }
        }
        cut()
    }

    /// Reads a regular file with the name that a word is; `nil` if there is none, or if the word is a known code.
    package init?(fileNamed word: String) throws {
        guard FailureCodes.lookUp(word).isEmpty else { return nil }
        do throws(FileError) {
            bytes = try SmallFile(word).prefix(ExceptionText.maximumBytes + 1)
        } catch {
            // The name of no regular file is a text.
            guard error.operation == .read || error.code == EACCES else { return nil }
            throw error.failure
        }
        (name, noun) = (word, "file")
        cut()
    }

    /// Removes the text beyond the part that is read.
    private mutating func cut() {
        guard bytes.count > ExceptionText.maximumBytes else { return }
        bytes.removeLast(bytes.count - ExceptionText.maximumBytes)
        isCut = true
    }

    /// Explains each line if all lines are codes or known texts, otherwise each distinct failure in the rows, otherwise
    /// the text as a whole.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of row failures to show; the last of them contains the number of failures not
    ///     shown.
    ///   - rules: Returns the rules; called if the text is not only a list of codes.
    /// - Returns: The explanations; for a text in which nothing was recognized, an empty explanation, or the descriptions
    ///   of a few rows.
    /// - Throws: Any error that `rules` throws.
    func failures(maximum: Int, rules: () throws -> RuleLibrary) throws -> PastedRows.Found {
        let reader = LogReader(text: bytes, name: name)
        if var answers = answersByLine() {
            // A single sentence may be all that a row reported.
            if answers.count == 1, answers[0].asked.contains(" ") {
                answers[0].findings = try PasteFindings(reader, rules()).all
            }
            return PastedRows.Found(failures: answers)
        }
        var rows = PastedRows(maximum: maximum)
        let library = try rules()
        let findings = try PasteFindings(reader, library)
        let noise = try RowRules(library)
        // A text that can't be read as rows is explained as a whole.
        try? rows.read(reader, noise: noise, needsID: true, findings.of)
        guard rows.found.failures.isEmpty else { return rows.finished }
        var found = rows.found
        let text = String(decoding: bytes, as: UTF8.self)
        var whole = ExplainedFailure(asked: text, explanation: Explanation(of: text))
        if rows.count == 0 { whole.findings = findings.all }
        // If no single row shows a failure, the rows together do not show one either; a component alone is not a
        // failure.
        let isKnown =
            found.noise == 0 && !whole.isEmpty
            && (rows.count == 0 || whole.isFailure || rows.count <= PastedRows.maximumDescribed && whole.saysHow)
        found.failures = isKnown ? [whole] : rows.quiet.isEmpty ? [.unknownPaste(text)] : rows.quiet
        return found
    }

    /// Returns the explanations of the lines, if each line could also be an argument and at least one is known; `nil`
    /// for other text.
    private func answersByLine() -> [ExplainedFailure]? {
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }.map(\.withoutBlanks).filter { !$0.isEmpty }
        guard lines.count <= Self.maximumLines, lines.allSatisfy({ $0.count <= Self.longestLine }),
            !lines.contains(where: Self.isRow)
        else { return nil }
        let questions = lines.map { String(decoding: $0, as: UTF8.self) }
        guard questions.allSatisfy(FailureCodes.isQuestion) else { return nil }
        let answers = questions.map { ExplainedFailure(answerTo: $0) }
        return answers.count == 1 || answers.contains { !$0.isEmpty } ? answers : nil
    }

    /// Returns whether a line is a row with its columns, although its message is a known text.
    private static func isRow(_ line: ArraySlice<UInt8>) -> Bool {
        line.count { $0 == 0x09 } >= 6 && line.first.map { $0.isDigit } == true
    }
}

extension ArraySlice<UInt8> {
    /// The text without surrounding white space.
    fileprivate var withoutBlanks: ArraySlice<UInt8> {
        let rest = drop { $0 <= 0x20 }
        return rest[..<(rest.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? rest.startIndex)]
    }
}

/// The findings of a diagnosis in pasted text.
private struct PasteFindings {
    private let found: [Finding]
    /// The rules of findings that have more rows than they name, to recognize the others.
    private let rules: [RowRules?]

    init(_ reader: LogReader, _ library: RuleLibrary) throws {
        let all = try Diagnosis(rules: library.ruleSet()).report(on: reader).findings
        found = all.filter { !$0.evidence.isEmpty }
        rules = try found.map { finding in
            // If a rule has several findings, a match alone does not show which of them a row belongs to.
            let isOnly = all.count { $0.rule.id == finding.rule.id } == 1
            guard isOnly, finding.occurrences > finding.evidence.count(where: { $0.role == .match }) else { return nil }
            return try RowRules(library) { $0.id == finding.rule.id }
        }
    }

    /// The findings that rest on rows of the text, in the order of a diagnosis.
    var all: [Finding] { found.map(Self.withoutRows) }

    /// Returns the findings that rest on a row.
    func of(_ event: borrowing ULSEvent) -> [Finding] {
        let line = event.place.line
        var findings: [Finding] = []
        for (finding, rules) in zip(found, rules) {
            let isNamed = finding.evidence.contains { $0.role == .match && $0.place.line == line }
            if isNamed || rules?.rule(for: event) != nil { findings.append(Self.withoutRows(finding)) }
        }
        return findings
    }

    /// Returns a finding without the texts of rows, which an explanation does not repeat.
    private static func withoutRows(_ finding: Finding) -> Finding {
        var finding = finding
        (finding.evidence, finding.reading, finding.symptoms) = ([], nil, [])
        return finding
    }
}
