import Testing

@testable import ArgumentParsing

/// A mistake in a declaration is the programmer's, so it stops the program at once.
struct DeclarationTests {
    private struct Twice: Command {
        static let configuration = CommandConfiguration("twice", summary: "")
        @Flag("--name", help: "") var one
        @Option("--name", value: "NAME", help: "") var other: String?
        func run() async throws -> ExitCode { .success }
    }

    private struct Undashed: Command {
        static let configuration = CommandConfiguration("undashed", summary: "")
        @Flag("name", help: "") var name
        func run() async throws -> ExitCode { .success }
    }

    private struct LongWithOneDash: Command {
        static let configuration = CommandConfiguration("single", summary: "")
        @Flag("-name", help: "") var name
        func run() async throws -> ExitCode { .success }
    }

    private struct Unknown: Command {
        static let configuration = CommandConfiguration("unknown", summary: "")
        static let exclusive = [["--name", "--nane"]]
        @Flag("--name", help: "") var name
        func run() async throws -> ExitCode { .success }
    }

    private struct Unreachable: Command {
        static let configuration = CommandConfiguration("unreachable", summary: "")
        @Argument("FILE", help: "") var files: [String]
        @Argument("TARGET", help: "") var target: String
        func run() async throws -> ExitCode { .success }
    }

    @Test func aNameIsDeclaredOnce() async {
        await #expect(processExitsWith: .failure) { _ = ArgumentTable(of: Twice(), hasVersion: false) }
    }

    @Test func aNameHasItsDashes() async {
        await #expect(processExitsWith: .failure) { _ = ArgumentTable(of: Undashed(), hasVersion: false) }
        await #expect(processExitsWith: .failure) { _ = ArgumentTable(of: LongWithOneDash(), hasVersion: false) }
    }

    @Test func whatIsExcludedExists() async {
        await #expect(processExitsWith: .failure) { _ = ArgumentTable(of: Unknown(), hasVersion: false) }
    }

    @Test func nothingFollowsWhatTakesAll() async {
        await #expect(processExitsWith: .failure) { _ = ArgumentTable(of: Unreachable(), hasVersion: false) }
    }
}
