import Foundation
import LogCommands
import TestSupport
import Testing

/// The text that `explain` reads from a file.
struct ExplainPasteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: folder.path(name)))
        return folder.path(name)
    }

    @Test func `The name of a regular file leads to its text`() throws {
        let path = try file("error.txt", "Keyset does not exist")
        let paste = try #require(try ExplainPaste(fileNamed: path))
        #expect(paste.bytes == Array("Keyset does not exist".utf8) && !paste.isCut && paste.name == path)
    }

    @Test func `Of a long file, only the beginning is read`() throws {
        let path = try file("long.txt", String(repeating: "a", count: 3 << 20))
        let paste = try #require(try ExplainPaste(fileNamed: path))
        #expect(paste.bytes.count == 1 << 20 && paste.isCut)
    }

    @Test func `A folder, a pipe and a name without a file are words`() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for word in [
            folder.path(""), pipe, folder.path("missing.txt"), "/dev/null", String(repeating: "a", count: 9000),
        ] {
            #expect(try ExplainPaste(fileNamed: word)?.name == nil)
        }
    }

    @Test func `A code is not the name of a file`() throws {
        #expect(try ExplainPaste(fileNamed: "0x80070005")?.name == nil)
    }
}
