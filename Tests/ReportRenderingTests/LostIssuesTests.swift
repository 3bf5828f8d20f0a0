import ContentFeeding
import ReportRendering
import TestSupport
import Testing

struct LostIssuesTests {
    /// A report that holds fewer errors than it counts would be taken for a whole one.
    @Test(arguments: [OutputFormat.text, .json]) func aListThatCannotBeReadBackIsAFailure(
        format: OutputFormat
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let long = String(repeating: "x", count: 60_000)
        let operations = try (1...200).map { ContentOperation.remove(try DocumentID("FAKE\($0)\(long)")) }
        let result = await RenderedFeed(operations: operations, spillDirectory: folder.path("")).run()
        #expect(result.report.errorCount == 200)
        OpenFiles.makeUnreadable(below: folder.path(""))
        let circumstances = FeedCircumstances(kind: .remove, target: "sqlite:x", commandLine: CommandLineWords(["x"]))
        #expect(throws: SpillError.self) {
            var bytes: [UInt8] = []
            try FeedTranscript(format).append(result, circumstances, to: &bytes) { $0.removeAll() }
        }
    }
}
