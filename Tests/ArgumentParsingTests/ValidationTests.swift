import ArgumentParsing
import Testing

struct ValidationTests {
    private struct Range: OptionSetting {
        @Option("--from", value: "N", help: "") var first = 1
        @Option("--to", value: "N", help: "") var last = 9

        func validate() throws {
            guard first <= last else { throw ValidationError("--from \(first) is after --to \(last)") }
        }
    }

    private struct Pages: Command {
        static let configuration = CommandConfiguration("pages", summary: "")
        @OptionGroup("Range") var range: Range
        @Argument("FILE", isRequired: true, help: "what to read") var files: [String]

        func validate() throws {
            if files.contains("") { throw ValidationError("a file has a name") }
        }

        func run() async throws -> ExitCode { ExitCode(rawValue: Int32(range.last - range.first)) }
    }

    @Test(arguments: [
        (["--from", "8", "--to", "7", "a"], "pages: --from 8 is after --to 7"),
        (["a", ""], "pages: a file has a name"),
        (["--from", "8", "--to", "7", ""], "pages: --from 8 is after --to 7"),
        ([], "pages: missing FILE: what to read"),
    ])
    func whatDoesNotGoTogetherIsRefused(words: [String], message: String) async throws {
        let run = try await Run.of(Program(Pages.self), words)
        #expect(run == Run(code: .usage, errors: [message, "Try 'pages --help'."]))
    }

    @Test func whatGoesTogetherRuns() async throws {
        #expect(try await Run.of(Program(Pages.self), ["a", "--from=2"]) == Run(code: ExitCode(rawValue: 7)))
    }

    @Test func otherErrorsAreTheCallers() async {
        struct Failing: Command {
            struct Broken: Error {}
            static let configuration = CommandConfiguration("failing", summary: "")
            func run() async throws -> ExitCode { throw Broken() }
        }
        await #expect(throws: Failing.Broken.self) { try await Run.of(Program(Failing.self), []) }
    }

    @Test func aCommandMayFindAMistakeWhileItRuns() async throws {
        struct Reading: Command {
            static let configuration = CommandConfiguration("reading", summary: "")
            func run() async throws -> ExitCode { throw ArgumentError("nothing to read", advice: "Name a file") }
        }
        let run = try await Run.of(Program(Reading.self), [])
        #expect(run == Run(code: .usage, errors: ["reading: nothing to read. Name a file", "Try 'reading --help'."]))
    }
}
