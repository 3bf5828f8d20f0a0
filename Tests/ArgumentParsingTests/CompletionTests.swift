import Foundation
import TestSupport
import Testing

@testable import ArgumentParsing

struct CompletionTests {
    /// The words, the last of which is incomplete, and its possible completions.
    struct Line: Sendable, CustomTestStringConvertible {
        var words: [String]
        var offered: [String]
        var directive = Completion.Directive.words
        var testDescription: String { words.joined(separator: " ") + "|" }

        init(_ words: String..., offers offered: [String], directive: Completion.Directive = .words) {
            self.words = words
            self.offered = offered
            self.directive = directive
        }
    }

    private func complete(
        _ words: [String],
        index: Int? = nil,
        environment: [String: String] = [:]
    ) async -> Completion {
        await Completion.candidates(
            root: Library.self,
            words: words,
            index: index ?? words.count - 1,
            environment: environment
        )
    }

    @Test(arguments: [
        Line("", offers: ["add", "remove", "shelves", "help"]),
        Line("re", offers: ["remove"]),
        Line("rm", offers: []),
        Line("x", offers: []),
        Line("shelves", "", offers: ["build"]),
        Line("help", "sh", offers: ["shelves"]),
        Line("help", "shelves", "", offers: ["build"]),
    ])
    func `Commands`(line: Line) async { await expect(line) }

    @Test(arguments: [
        Line("-", offers: ["--help"]),
        Line(
            "add",
            "--",
            offers: ["--shelf", "--kind", "--cover", "--dry-run", "--what-if", "--output", "--quiet", "--help"]
        ),
        Line("add", "--s", offers: ["--shelf"]),
        Line("add", "Emma", "--k", offers: ["--kind"]),
        Line("rm", "--f", offers: ["--force"]),
        Line("add", "-s", "A", "--s", offers: []),
        Line("add", "-q", "--q", offers: []),
        Line("add", "--nonsense", "--k", offers: ["--kind"]),
        Line("add", "--tr", offers: []),
    ])
    func `Options`(line: Line) async { await expect(line) }

    @Test(arguments: [
        Line("add", "--kind", "", offers: ["novel", "poems"]),
        Line("add", "--kind", "p", offers: ["poems"]),
        Line("add", "--kind=", offers: ["--kind=novel", "--kind=poems"]),
        Line("add", "--kind=p", offers: ["--kind=poems"]),
        Line("add", "-qo", "j", offers: ["json"]),
        Line("add", "--dry-run=s", offers: ["--dry-run=server"]),
        Line("add", "--dry-run", "s", offers: []),
        Line("add", "--cover", "", offers: [], directive: .files),
        Line("add", "--cover=pic", offers: [], directive: .files),
        Line("shelves", "build", "", offers: [], directive: .folders),
        Line("shelves", "build", "here", "", offers: []),
        Line("add", "--nonsense=", offers: []),
        Line("shelves", "build", "--length", "", offers: []),
    ])
    func `Values`(line: Line) async { await expect(line) }

    @Test(arguments: [
        Line("add", "--shelf", "", offers: ["home:attic", "home:reading-room", "any-shelf"]),
        Line("add", "--kind", "poems", "-s", "p", offers: ["poems-shelf"]),
        Line("add", "--kind=poems", "-s", "p", offers: ["poems-shelf"]),
        Line("add", "--shelf=home:r", offers: ["--shelf=home:reading-room"]),
        Line("remove", "E", offers: ["Emma"]),
        Line("remove", "--", "E", offers: ["Emma"]),
        Line("remove", "--", "--", offers: []),
        Line("remove", "urn:isbn:", offers: ["urn:isbn:1", "urn:isbn:2"]),
        Line("remove", "two", offers: []),
    ])
    func `Values are completed from the current state`(line: Line) async { await expect(line) }

    @Test(arguments: [
        "a b", "$(touch pwned)", "`touch pwned`", "a;b", "a&b", "a|b", "a<b", "a>b", "a'b", "a\"b", #"a\b"#, "a*", "a?",
        "[a]", "{a,b}", "~", "!!", "#a", "a=b", "a%b", "a^b", "(a)", "a,b", "", "-c", "--erase", "a\nb", "a\tb",
        "a\u{1B}[2J", "a\u{9B}2J", "a\u{202E}b", "a\u{2028}b", "a\u{A0}b", "a\u{200B}b", "a\u{301}",
    ])
    func `A name with shell metacharacters is never offered`(name: String) async {
        let completion = await complete(["remove", ""], environment: ["BOOK": name])
        #expect(!completion.candidates.contains { $0.word == name })
        #expect(!PlainName.isPlain(name))
    }

    @Test(arguments: ["web", "web-2024.01", "a_b", "team/web", "host:9200", "me@home", "a+b", "Büro", "索引", "-"])
    func `A plain name is offered`(name: String) async {
        #expect(await complete(["remove", ""], environment: ["BOOK": name]).candidates.map(\.word).contains(name))
    }

    @Test func `Dynamic completions can read the environment`() async {
        let completion = await complete(["add", "-s", "mill"], environment: ["HOUSE": "mill"])
        #expect(completion.candidates == [.init("mill:attic"), .init("mill:reading-room")])
    }

    @Test func `Candidates include their descriptions`() async {
        #expect(await complete(["re"]).candidates == [.init("remove", "Remove a book.")])
        #expect(await complete(["add", "--sh"]).candidates == [.init("--shelf", "where it stands")])
    }

    @Test(arguments: [
        (["add", "--kind", "p", "Emma"], 2, ["poems"]), (["add"], 1, []), (["re"], 9, []),
        ([], -1, ["add", "remove", "shelves", "help"]),
    ])
    func `Completion works at any cursor position, even outside the words`(
        words: [String],
        index: Int,
        offered: [String]
    ) async {
        #expect(await complete(words, index: index).candidates.map(\.word) == offered)
    }

    private func expect(_ line: Line) async {
        let completion = await complete(line.words)
        #expect(completion.candidates.map(\.word) == line.offered)
        #expect(completion.directive == line.directive)
    }

    @Test func `The program responds to its completion scripts`() async throws {
        let program = Program(Library.self)
        #expect(
            try await Run.of(program, ["__complete", "zsh", "1", "add", "--sh"]).output
                == ["words", "--shelf\twhere it stands"]
        )
        #expect(try await Run.of(program, ["__complete", "bash", "1", "add", "--sh"]).output == ["words", "--shelf"])
        #expect(try await Run.of(program, ["__complete", "bash", "1", "remove", #"E\m"#]).output == ["words", "Emma"])
        #expect(try await Run.of(program, ["__complete", "fish", "2", "add", "--cover", ""]).output == ["files"])
        #expect(try await Run.of(program, ["__complete"]).output == [])
    }

    @Test func `An empty last word can be omitted`() async throws {
        let run = try await Run.of(Program(Library.self), ["__complete", "powershell", "2", "add", "--kind"])
        #expect(run.output == ["words", "novel", "poems"])
    }

    @Test func `A label that was typed is kept in front of the values`() async throws {
        struct Clock: Command {
            static let configuration = CommandConfiguration("clock", summary: "")
            @Option("--zone", value: "[CITY=]ZONE", completion: .live { _ in ["UTC", "CET"] }.afterLabel, help: "")
            var zones: [String]
            func run() async throws -> ExitCode { .success }
        }
        for (typed, offered) in [("", ["UTC", "CET"]), ("Ulm=", ["Ulm=UTC", "Ulm=CET"]), ("Ulm=C", ["Ulm=CET"])] {
            let one = await Completion.candidates(root: Clock.self, words: ["--zone", typed], index: 1)
            #expect(one.candidates.map(\.word) == offered)
            let joined = await Completion.candidates(root: Clock.self, words: ["--zone=\(typed)"], index: 0)
            #expect(joined.candidates.map(\.word) == offered.map { "--zone=\($0)" })
        }
    }

    @Test func `Topics are offered for help`() async throws {
        struct Guide: CommandGroup {
            static let configuration = {
                var configuration = CommandConfiguration("guide", summary: "", subcommands: [HelpCommand.self])
                configuration.topics = [HelpTopic("times", "How times are written", "")]
                return configuration
            }()
        }
        let found = await Completion.candidates(root: Guide.self, words: ["help", ""], index: 1)
        #expect(found.candidates.map(\.word) == ["help", "times"])
        #expect(await Completion.candidates(root: Guide.self, words: [""], index: 0).candidates.map(\.word) == ["help"])
    }

    @Test func `The script for PowerShell calls the program`() {
        let script = CompletionScript.powershell("library")
        #expect(script.contains("-CommandName 'library'") && script.contains("& 'library' __complete powershell"))
        #expect(script.split(separator: "\n").count < 40)
    }

    @Test func `A description stays on one line`() async throws {
        struct Wordy: Command {
            static let configuration = CommandConfiguration("wordy", summary: "")
            @Flag("--more", help: "say\tmore\nthan one line") var isMore
            func run() async throws -> ExitCode { .success }
        }
        let run = try await Run.of(Program(Wordy.self), ["__complete", "fish", "0", "--m"])
        #expect(run.output == ["words", "--more\tsay more than one line"])
    }
}

@Suite(.enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"))
struct BashCompletionTests {
    /// A line as split by bash, and the completions offered; `line` is the text that was typed.
    struct Line: Sendable, CustomTestStringConvertible {
        var words: [String]
        var line: String?
        var reply: [String]
        var testDescription: String { line ?? words.joined(separator: " ") }

        init(_ words: String..., line: String? = nil, replies reply: String...) {
            self.words = words
            self.line = line
            self.reply = reply
        }
    }

    @Test(arguments: [
        Line("re", replies: "remove"),
        Line("", replies: "add", "remove", "shelves", "help"),
        Line("add", "--ki", replies: "--kind"),
        Line("add", "--kind", "p", line: "library add --kind p", replies: "poems"),
        Line("add", "--kind", "=", "p", replies: "poems"),
        Line("add", "--kind", "=", replies: "novel", "poems"),
        Line("add", "--kind", "=", "", line: "library add --kind= ", replies: ""),
        Line("remove", "E", replies: "Emma"),
        Line("remove", #"E\m"#, replies: "Emma"),
        Line("remove", #""Em"#, replies: "Emma"),
        Line("remove", "'Em", replies: "Emma"),
        Line("remove", #"E"m"#, replies: ""),
        Line("remove", #""Em""#, replies: ""),
        Line("remove", "me", "@", "h", line: "library remove me@h", replies: "home"),
        Line("remove", "urn", ":", "isbn", ":", replies: "1", "2"),
        Line("remove", "urn", ":", "is", line: "library remove urn:is", replies: "isbn:1", "isbn:2"),
        Line("remove", "x", ":", "E", line: "library remove x : E", replies: ""),
        Line("add", "--shelf", "=", "home", ":", "r", replies: "reading-room"),
        Line("add", "--shelf", "home", ":", "r", line: "library add  --shelf home:r", replies: "reading-room"),
    ])
    func `The line is completed`(line: Line) async throws {
        #expect(try await Shell(name: .bash).output(of: session(line)) == line.reply.filter { !$0.isEmpty })
    }

    @Test(arguments: ["", "'", "\""])
    func `The shell reads every offered candidate as one word, in any quotes`(quote: String) async throws {
        let hostile = #"it's $(touch pwned) `touch pwned` "; touch pwned; ' !x \ & $HOME"#
        let script = """
            \(session(Line("remove", quote + "i", replies: "")))
            quote=\(quoted(quote))
            eval "printf '<%s>' $quote${COMPREPLY[0]}$quote"
            ls pwned 2>/dev/null
            """
        let output = try await Shell(name: .bash, answer: "words\n\(hostile)\n").output(of: script)
        #expect(output.last == "<\(hostile)>")
    }

    private func session(_ line: Line) -> String {
        """
        COMP_WORDS=(\((["library"] + line.words).map(quoted).joined(separator: " "))) COMP_CWORD=\(line.words.count)
        \(line.line.map { "COMP_LINE=\(quoted($0)) COMP_POINT=\($0.count)" } ?? "")
        _library
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    }

    @Test(arguments: [(["add", "--cover", ""], "-o default"), (["shelves", "build", "h"], "-o dirnames")])
    func `The shell completes file names`(words: [String], option: String) async throws {
        let output = try await Shell(name: .bash).output(
            of: """
                compopt() { echo "$@"; }
                COMP_WORDS=(library \(words.map(quoted).joined(separator: " "))) COMP_CWORD=\(words.count)
                _library
                echo ${#COMPREPLY[@]}
                """
        )
        #expect(output == [option, "0"])
    }

    @Test func `The completion is registered`() async throws {
        #expect(CompletionScript.bash("library").hasSuffix("\ncomplete -F _library library"))
        #expect(CompletionScript.bash("my-tool").contains("complete -F _my_tool my-tool"))
    }

    private func quoted(_ word: String) -> String { "'" + word.replacing("'", with: #"'\''"#) + "'" }
}

@Suite(.enabled(if: Shell.path(of: "zsh") != nil, "zsh is not installed"))
struct ZshCompletionTests {
    @Test(arguments: [
        ("library re", ["remove:Remove a book."]),
        ("library remove E\\m", ["Emma"]),
        ("library remove urn:", [#"urn\:isbn\:1"#, #"urn\:isbn\:2"#]),
        ("library add --kind=p", ["--kind=poems"]),
        ("library add --kind ''", ["novel", "poems"]),
        ("library nonsense ''", []),
    ])
    func `The line is completed`(line: String, values: [String]) async throws {
        let output = try await Shell(name: .zsh).output(of: session(line))
        #expect(output == ["described"] + values)
    }

    @Test(arguments: [("library add --cover ''", "files"), ("library shelves build h", "files -/")])
    func `The shell completes file names`(line: String, output: String) async throws {
        #expect(try await Shell(name: .zsh).output(of: session(line)) == [output])
    }

    /// zsh's own widgets need a terminal; these replacements print their arguments.
    private func session(_ line: String) -> String {
        """
        _describe() { print described; (( ${#values} )) && print -rl -- "${(@)values}"; :; }
        _files() { print files "$@"; }
        compset() { :; }
        words=(${(z):-\(quoted(line))})
        [[ $words[-1] == "''" ]] && words[-1]=''
        CURRENT=${#words} PREFIX=$words[-1]
        _library
        """
    }

    private func quoted(_ word: String) -> String { "\"" + word.replacing("\\", with: "\\\\") + "\"" }
}

@Suite(.enabled(if: Shell.path(of: "fish") != nil, "fish is not installed"))
struct FishCompletionTests {
    @Test(arguments: [
        ("library re", ["remove\tRemove a book."]),
        ("library add --sh", ["--shelf\twhere it stands"]),
        ("library add --kind ", ["novel", "poems"]),
        ("library add --kind=p", ["--kind=poems"]),
        (#"library remove E\m"#, ["Emma"]),
        ("library remove urn:", ["urn:isbn:1", "urn:isbn:2"]),
        ("library add --cover p", ["picture one.png"]),
        ("library add --cover=p", ["--cover=picture one.png"]),
        (
            "library ",
            [
                "add\tAdd a book.", "help\tShow help for a command.", "remove\tRemove a book.",
                "shelves\tArrange the shelves.",
            ]
        ),
        ("library nonsense ", []),
    ])
    func `The line is completed`(line: String, offered: [String]) async throws {
        let output = try await Shell(name: .fish).output(of: "complete -C '\(line.replacing("\\", with: "\\\\"))'")
        #expect(output == offered)
    }
}

struct ShellWordTests {
    @Test(arguments: [
        ("plain", "plain"), (#"a\ b"#, "a b"), ("'a b'", "a b"), ("'a b", "a b"), (#""a b"#, "a b"),
        (#"a"b c"d"#, "ab cd"),
        (#"'a\b'"#, #"a\b"#), (#""a\b""#, #"a\b"#), (#""a\"b\$""#, #"a"b$"#), (#"a\\b"#, #"a\b"#), (#"it\'s"#, "it's"),
        (#""it's""#, "it's"), (#"a\"#, "a"), ("$(date)", "$(date)"), ("", ""),
    ])
    func `Quotes are removed, and variables and commands are not expanded`(typed: String, value: String) {
        #expect(ShellWord(typed: typed).value == value)
    }
}

/// A shell with a completion script, whose program responds as the library does.
struct Shell {
    enum Name: String { case bash, zsh, fish }

    var name: Name
    /// The program's response, if it differs from the library's.
    var answer: String?

    /// Returns the path of the shell, if it is installed.
    static func path(of program: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + program }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the output of `script`, run after the completion script of the program `library`.
    ///
    /// The script runs twice: the first run records the request to the program, and the second provides the real
    /// program's response.
    func output(of script: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "library-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let question = folder.appending(path: "question")
        try Data("".utf8).write(to: folder.appending(path: "picture one.png"))

        let whole = program + "\n" + completionScript + "\n" + script
        if let answer { return try lines(run(whole, in: folder, answer: answer)) }
        let unanswered = try run(whole, in: folder, answer: "")
        // The shell does not even request completions for a word that is not the beginning of a name.
        guard FileManager.default.fileExists(atPath: question.path) else { return lines(unanswered) }
        let words = try String(contentsOf: question, encoding: .utf8).split(
            separator: "\0",
            omittingEmptySubsequences: false
        )
        let answer = try await Run.of(Program(Library.self), words.dropLast().map(String.init)).output
        return try lines(run(whole, in: folder, answer: answer.map { $0 + "\n" }.joined()))
    }

    private func lines(_ output: String) -> [String] { output.split(separator: "\n").map(String.init) }

    /// A function instead of a script, because a file that is open elsewhere while it is run is "busy".
    private var program: String {
        name == .fish
            ? "function library; printf '%s\\0' $argv >$QUESTION; printf %s $ANSWER; end"
            : "library() { printf '%s\\0' \"$@\" >\"$QUESTION\"; printf %s \"$ANSWER\"; }"
    }

    private var completionScript: String {
        switch name {
        case .bash: CompletionScript.bash("library")
        case .zsh: "compdef() { :; }\n" + CompletionScript.zsh("library")
        case .fish: CompletionScript.fish("library")
        }
    }

    private func run(_ script: String, in folder: URL, answer: String) throws -> String {
        let quiet = [Name.bash: ["--norc", "--noprofile"], .zsh: ["-f"], .fish: ["--no-config"]][name] ?? []
        let end = try ChildProgram.run(
            Self.path(of: name.rawValue) ?? "/nonexistent",
            quiet + ["-c", script],
            in: folder.path,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8",
                "QUESTION": folder.appending(path: "question").path, "ANSWER": answer,
            ]
        )
        return end.output + end.errors
    }
}
