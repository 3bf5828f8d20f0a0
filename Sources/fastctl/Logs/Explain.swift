import ArgumentParsing
import FailureExplanation
import Glibc
import ReportRendering
import Threads
import ULSLog

struct Explain: Command {
    static let configuration = CommandConfiguration(
        "explain",
        group: "Logs",
        summary: "Say what a code, an error text or a pasted log row means, and what to look at.",
        discussion: """
            A code is a number of Windows, .NET, SQL Server, HTTP, Kerberos, LDAP, search, Entra ID or SharePoint: \
            0x800703FA, 1332, -2147024894, AADSTS90002; sql:4060 names its space, and so do win32:, hresult:, http:503.2 and others. A text is an \
            error message or an exception in any form; '-' reads a paste from standard input: rows of a log, a ticket, \
            an error page, up to 1 MiB.

            What is 'decoded' is what the code says, and certain. 'usually' is what it mostly comes from, 'where' is the \
            likely component, and a 'cause' is given only where it is known. Every check is a command that changes \
            nothing; words in capitals are to be filled in.

            The exit code is 1 if any of what was asked is unknown.
            """,
        examples: [
            .init("fastctl explain 0x800703FA 1332 sql:4060", "Codes, each in every space that has it"),
            .init("fastctl explain 'Keyset does not exist'", "An error text"),
            .init("xclip -o | fastctl explain -", "What was copied from a ticket"),
            .init(
                "fastctl logs show --level Monitorable -o uls /logs | fastctl explain -",
                "All that a log complains of"
            ),
        ]
    )

    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = ExplanationFormat.text

    @OptionGroup("Text") var text: TextOptions

    @Argument(
        "CODE|TEXT",
        completion: ArgumentCompletion.none,
        help: "Codes and texts; '-' is a paste on standard input"
    )
    var questions: [FailureWords]

    func run() async throws -> ExitCode {
        if questions.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError(
                "nothing to explain: standard input is a terminal",
                advice: "For example: fastctl explain 0x80070005"
            )
        }
        let words = questions.isEmpty ? ["-"] : questions.map(\.text)
        var explained: [ExplainedFailure] = []
        var isComplete = true
        for word in words {
            guard let answers = word == "-" ? try await Self.paste() : Self.answers(to: word) else { continue }
            if answers.isEmpty { isComplete = false }
            explained += answers
        }
        var bytes: [UInt8] = []
        FailureExplanationRenderer.append(explained, as: format, text.layout, to: &bytes)
        try StandardOutput.print(&bytes, through: text.pager(for: format == .text))
        return isComplete ? .success : ExitCode(.documentsFailed)
    }

    /// Explains a word or a text of the command line, and says so if nothing is known of it.
    private static func answers(to words: String) -> [ExplainedFailure] {
        var failure = ExplainedFailure(asked: words, codes: words.contains(" ") ? [] : FailureCodes.lookUp(words))
        if failure.isEmpty { failure = ExplainedFailure(asked: words, explanation: Explanation(of: words)) }
        if failure.isEmpty { failure = ExplainedFailure(asked: words, codes: FailureCodes.lookUp(words)) }
        guard failure.isEmpty else { return [failure] }
        StandardError.say("'\(words)' is no code, name or text that is known")
        return []
    }

    /// Explains a paste: each failure of its rows once, or its text as a whole; `nil` if there is no text.
    private static func paste() async throws -> [ExplainedFailure]? {
        let paste = try Paste()
        if paste.bytes.allSatisfy({ $0 <= 0x20 }) {
            StandardError.say("standard input is empty: there is nothing to explain")
            return nil
        }
        let failures = try await onOwnThread { Result { try paste.failures() } }.get()
        if paste.isCut { StandardError.say("only the first 1 MiB of standard input was read") }
        if failures.leftOut > 0 {
            StandardError.say("\(Quantity(failures.leftOut, "more failure was", "more failures were")) left out")
        }
        if failures.explained.isEmpty {
            StandardError.say("nothing in it is a code, an exception or a text that is known")
        }
        return failures.explained
    }
}

/// A word of the command line; codes may be negative.
struct FailureWords: ArgumentValue {
    static let mayBeNegative = true

    let text: String

    init(argument word: String) { text = word }
}

/// What was pasted into standard input.
private struct Paste: Sendable {
    private(set) var bytes: [UInt8] = []
    /// True if there was more than is read.
    private(set) var isCut = false

    /// The failures that are shown; more of them are a log, and better diagnosed.
    private static let maximumFailures = 20

    init() throws {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = String(cString: strerror(errno))
                throw CommandFailure(.inputOutput, "cannot read standard input: \(reason)", advice: nil)
            }
            guard count > 0 else { return }
            bytes += piece[..<count]
            guard bytes.count <= ExceptionText.maximumBytes else { break }
        }
        bytes.removeLast(bytes.count - ExceptionText.maximumBytes)
        isCut = true
    }

    /// Returns each failure once, in the order of the text, and how many were left out.
    func failures() throws -> (explained: [ExplainedFailure], leftOut: Int) {
        var failures: [ExplainedFailure] = []
        var places: [String: Int] = [:]
        var leftOut: Set<String> = []
        var rows = 0
        let reader = LogReader(text: bytes, name: "standard input")
        _ = try? reader.forEachEvent(in: .files) { event in
            guard !event.text(.eventID).isEmpty else { return }
            rows += 1
            let failure = ExplainedFailure(copy event)
            guard failure.isFailure else { return }
            if let place = places[failure.identity] {
                failures[place].add(failure)
            } else if failures.count < Self.maximumFailures {
                places[failure.identity] = failures.count
                failures.append(failure)
            } else {
                leftOut.insert(failure.identity)
            }
        }
        guard failures.isEmpty else { return (failures, leftOut.count) }
        let text = String(decoding: bytes, as: UTF8.self)
        let whole = ExplainedFailure(asked: text, explanation: Explanation(of: text))
        return (whole.isEmpty || rows > 0 && !whole.isFailure ? [] : [whole], 0)
    }
}
