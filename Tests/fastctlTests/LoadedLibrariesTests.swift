import Foundation
import TestSupport
import Testing

/// Which shared libraries a command loads, as the system's loader tells it.
@Suite(.enabled(if: ChildProgram.fastctl != nil))
struct LoadedLibrariesTests {
    private func run(_ words: String...) throws -> ChildProgram.Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path(""), "LD_DEBUG": "libs"]
        let binary = try #require(ChildProgram.fastctl).path
        return try ChildProgram.run(binary, words, in: folder.path(""), environment: environment)
    }

    @Test func `A command that needs neither network nor expressions opens no library for them`() throws {
        let run = try run("version")
        #expect(run.errors.contains("libsqlite3"))
        #expect(!run.errors.contains("libcurl") && !run.errors.contains("libhs"))
    }

    @Test func `A report of a bug names all libraries, those too that nothing needed yet`() throws {
        let output = try run("version", "-o", "json").output
        for name in ["libcurl", "libhs", "libsqlite3", "libarchive"] {
            #expect(output.contains("\"\(name)\":\""), "\(name)")
        }
    }
}
