import Foundation
import TestSupport
import Testing

/// The shared libraries that a command loads, as reported by the system's loader.
@Suite(.enabled(if: ChildProgram.fastctl != nil))
struct LoadedLibrariesTests {
    private func run(_ words: String...) throws -> ChildProgram.Result {
        let folder = try TemporaryFolder()
        let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path(""), "LD_DEBUG": "libs"]
        let binary = try #require(ChildProgram.fastctl).path
        return try ChildProgram.run(binary, words, in: folder.path(""), environment: environment)
    }

    @Test func `A command that needs neither network nor expressions loads no library for them`() throws {
        let run = try run("version")
        #expect(run.errors.contains("libsqlite3"))
        #expect(!run.errors.contains("libcurl") && !run.errors.contains("libhs"))
    }

    @Test func `A bug report names all libraries, even libraries that are not loaded yet`() throws {
        let output = try run("version", "-o", "json").output
        for name in ["libcurl", "libhs", "libsqlite3", "libarchive"] {
            #expect(output.contains("\"\(name)\":\""), "\(name)")
        }
    }

    @Test func `A preloaded library that changes the environment does not remove an argument`() throws {
        let folder = try TemporaryFolder()
        let source =
            "void setenv(const char *, const char *, int);\n"
            + "__attribute__((constructor)) static void begin(void) { setenv(\"A\", \"1\", 1); }\n"
        try Data(source.utf8).write(to: URL(filePath: folder.path("agent.c")))
        let search = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        let compiler = ["clang", "-shared", "-fPIC", "-o", "agent.so", "agent.c"]
        let compiled = try ChildProgram.run("/usr/bin/env", compiler, in: folder.path(""), environment: search)
        try #require(compiled.status == 0, "\(compiled.errors)")

        let environment = ["LD_PRELOAD": folder.path("agent.so"), "HOME": folder.path("")]
        let binary = try #require(ChildProgram.fastctl).path
        let words = ["remove", "-c", "Web", "A1"]
        let run = try ChildProgram.run(binary, words, in: folder.path(""), environment: environment)
        #expect(run.status == 78)
        #expect(run.errors.contains("there is no store"))
    }
}
