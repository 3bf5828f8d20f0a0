import ArgumentParsing
import Testing

struct CompletionTests {
    /// The words, the last of which is being typed, and the words that may stand there.
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
    func commands(line: Line) async { await expect(line) }

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
    func options(line: Line) async { await expect(line) }

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
    func values(line: Line) async { await expect(line) }

    @Test(arguments: [
        Line("add", "--shelf", "", offers: ["home:attic", "home:reading room", "any shelf"]),
        Line("add", "--kind", "poems", "-s", "p", offers: ["poems shelf"]),
        Line("add", "--kind=poems", "-s", "p", offers: ["poems shelf"]),
        Line("add", "--shelf=home:r", offers: ["--shelf=home:reading room"]),
        Line("remove", "E", offers: ["Emma", "Emil und die Detektive"]),
        Line("remove", "--", "E", offers: ["Emma", "Emil und die Detektive"]),
        Line("remove", "--", "--", offers: []),
        Line("remove", "urn:isbn:", offers: ["urn:isbn:1", "urn:isbn:2"]),
        Line("remove", "two", offers: []),
    ])
    func liveValues(line: Line) async { await expect(line) }

    @Test func theEnvironmentReachesLiveValues() async {
        let completion = await complete(["add", "-s", "mill"], environment: ["HOUSE": "mill"])
        #expect(completion.candidates == [.init("mill:attic"), .init("mill:reading room")])
    }

    @Test func candidatesSayWhatTheyMean() async {
        #expect(await complete(["re"]).candidates == [.init("remove", "Remove a book.")])
        #expect(await complete(["add", "--sh"]).candidates == [.init("--shelf", "where it stands")])
    }

    @Test(arguments: [
        (["add", "--kind", "p", "Emma"], 2, ["poems"]), (["add"], 1, []), (["re"], 9, []),
        ([], -1, ["add", "remove", "shelves", "help"]),
    ])
    func theCursorMayStandAnywhere(words: [String], index: Int, offered: [String]) async {
        #expect(await complete(words, index: index).candidates.map(\.word) == offered)
    }

    private func expect(_ line: Line) async {
        let completion = await complete(line.words)
        #expect(completion.candidates.map(\.word) == line.offered)
        #expect(completion.directive == line.directive)
    }

    @Test func theProgramAnswersItsScripts() async throws {
        let program = Program(Library.self)
        #expect(
            try await Run.of(program, ["__complete", "zsh", "1", "add", "--sh"]).output
                == ["words", "--shelf\twhere it stands"]
        )
        #expect(try await Run.of(program, ["__complete", "bash", "1", "add", "--sh"]).output == ["words", "--shelf"])
        #expect(
            try await Run.of(program, ["__complete", "bash", "1", "remove", #"Emil\ un"#]).output
                == ["words", "Emil und die Detektive"]
        )
        #expect(try await Run.of(program, ["__complete", "fish", "2", "add", "--cover", ""]).output == ["files"])
        #expect(try await Run.of(program, ["__complete"]).output == [])
    }

    @Test func aMeaningStaysOnItsLine() async throws {
        struct Wordy: Command {
            static let configuration = CommandConfiguration("wordy", summary: "")
            @Flag("--more", help: "say\tmore\nthan one line") var isMore
            func run() async throws -> ExitCode { .success }
        }
        let run = try await Run.of(Program(Wordy.self), ["__complete", "fish", "0", "--m"])
        #expect(run.output == ["words", "--more\tsay more than one line"])
    }
}
