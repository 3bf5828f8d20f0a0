public import ArgumentParsing
import Files
import Glibc
public import LogDiagnosis
import ReportRendering

struct Suppress: CommandGroup {
    static let configuration = CommandConfiguration(
        "suppress",
        group: "Logs",
        summary: "Manage what diagnose does not tell, and why.",
        discussion: """
            Suppressions are in \(SuppressionFile.standardName) in the folder where 'fastctl diagnose' runs, or in the \
            file of '--suppress'. Each names a rule, or a kind of unexplained rows by its ID, a reason, an owner and \
            the last day, on which it still holds; from the day after, what it hid is told again. One that has expired \
            is a finding of 'diagnose', and so is one for a rule that finds nothing it could hide. A kind of rows may \
            stay away for weeks, so that nothing is said of its entry before the last day.
            """,
        examples: [
            .init(
                "fastctl suppress add FS1003 --reason 'ticket 4711' --until 2027-01-31 --owner Operations",
                "Not until February"
            ),
            .init("fastctl suppress list", "What is not told here"),
        ],
        subcommands: [AddSuppression.self, ListSuppressions.self]
    )
}

/// Options for the file of suppressions.
private struct SuppressionFileOptions: OptionSetting {
    @Option("--suppress", value: "FILE", completion: .files, help: "The file")
    var path = SuppressionFile.standardName
}

private struct AddSuppression: Command {
    static let configuration = CommandConfiguration(
        "add",
        summary: "Add a suppression.",
        discussion: """
            The rest of the file stays as it is. A file that is not there is created. Entries for the same rule or kind \
            add up: what one of them hides is hidden. An earlier entry that says the same is named, to be removed.
            """,
        examples: [
            .init("fastctl suppress add FS1003 --reason 'ticket 4711' --until 2027-01-31", "A rule"),
            .init("fastctl suppress add FS1003 --server WFE3 --reason 'is replaced'", "On one server only"),
            .init(
                "fastctl suppress add 59cf118ae9342bd9 --reason harmless",
                "A kind of unexplained rows, as in -o json"
            ),
        ]
    )

    @Option("--reason", value: "TEXT", completion: ArgumentCompletion.none, help: "Why it is not to be told")
    var reason: String

    @Option(
        "--until",
        value: "DAY",
        completion: ArgumentCompletion.none,
        help: "The last day on which it holds, such as 2027-01-31; without it, there is no end"
    )
    var until: CalendarDay?

    @Option("--owner", value: "NAME", completion: ArgumentCompletion.none, help: "Who has decided it")
    var owner: String?

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Only findings on this server; if repeated, on these"
    )
    var servers: [String]

    @Option(
        "--text",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only findings whose message has this text"
    )
    var text: String?

    @OptionGroup("File") var file: SuppressionFileOptions

    @Argument(
        "RULE|KIND",
        completion: ArgumentCompletion.none,
        help: "A rule's ID, or that of a kind of unexplained rows"
    )
    var subject: String

    private static let maximumBytes = 1 << 20

    func run() async throws -> ExitCode {
        if let until, let today = CalendarDay.today, until < today {
            throw ArgumentError(
                "--until \(until) is over: it would suppress nothing",
                advice: "Name today or a later day"
            )
        }
        let path = file.path
        let old = try text(of: path)
        var draft = SuppressionDraft(RuleID(subject).map { .rule($0) } ?? .cluster(subject), reason: reason)
        (draft.owner, draft.until, draft.servers, draft.text) = (owner, until, servers, text)
        let text = try SuppressionFile.adding(draft, to: old, path: path)
        try AtomicFile.write(Array(text.utf8), to: path)
        StandardError.say("\(path): \(subject) suppressed" + (until.map { " until \($0)" } ?? ""))
        for entry in try old.map({ try SuppressionFile($0, path: path).entries(like: draft) }) ?? [] {
            let end = entry.until.map { "until \($0)" } ?? "without a last day"
            StandardError.say("\(path):\(entry.place.line): an entry for the same is there, \(end): remove one of them")
        }
        return .success
    }

    /// Returns the file's text; `nil` if it does not exist.
    private func text(of path: String) throws -> String? {
        do throws(FileError) {
            let bytes = try SmallFile.read(path, maximum: Self.maximumBytes)
            if let text = String(validating: bytes, as: UTF8.self) { return text }
        } catch {
            if error.isMissing { return nil }
            throw CommandFailure(.configuration, "cannot read '\(path)': \(error.reason)", advice: "name another file")
        }
        throw CommandFailure(.configuration, "'\(path)' is not UTF-8", advice: "save it as UTF-8")
    }
}

extension CalendarDay: ArgumentValue {
    public init(argument word: String) throws(ArgumentExpectation) {
        guard let day = CalendarDay(word) else { throw ArgumentExpectation("a day, such as 2027-01-31") }
        self = day
    }

    public var argumentText: String { description }
}

private struct ListSuppressions: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the suppressions.",
        examples: [.init("fastctl suppress list -o json", "For a script")]
    )

    @OptionGroup("Output") var output: ListOptions
    @OptionGroup("File") var file: SuppressionFileOptions

    func run() async throws -> ExitCode {
        try output.check()
        guard access(file.path, F_OK) == 0 || file.path != SuppressionFile.standardName else {
            try output.print([] as [SuppressionObject])
            output.note("nothing is suppressed here; add something: fastctl suppress add RULE --reason TEXT")
            return .success
        }
        let suppressions = try SuppressionFile.read(file.path)
        let today = CalendarDay.today
        try output.print(suppressions.entries.map { SuppressionObject($0, on: today) })
        if suppressions.entries.isEmpty { output.note("'\(file.path)' suppresses nothing") }
        return .success
    }
}
