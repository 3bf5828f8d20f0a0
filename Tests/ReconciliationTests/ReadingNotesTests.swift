import Files
import Foundation
import Reconciliation
import TestSupport
import Testing

/// The notes about the last complete reading of a source.
struct ReadingNotesTests {
    @Test func `A note is saved for its source and collection, and replaces the previous note`() throws {
        let folder = try TemporaryFolder()
        let notes = ReadingNotes(in: folder.path("state/readings"))
        #expect(notes.entries(of: ["a", "b"]) == nil)
        try notes.note(100, of: ["a", "b"])
        try notes.note(7, of: ["a", "c"])
        #expect(notes.entries(of: ["a", "b"]) == 100 && notes.entries(of: ["a", "c"]) == 7)
        #expect(notes.entries(of: ["ab"]) == nil && notes.entries(of: ["a", "b", ""]) == nil)
        try notes.note(0, of: ["a", "b"])
        #expect(notes.entries(of: ["a", "b"]) == 0)
    }

    @Test func `A note that is damaged or about a different reading is ignored`() throws {
        let folder = try TemporaryFolder()
        let notes = ReadingNotes(in: folder.path("readings"))
        try notes.note(100, of: ["a"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("readings"))
        let path = folder.path("readings/\(try #require(names.first))")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        for text in ["", "{", #"{"of":["b"],"entries":1}"#, #"{"of":["a"],"entries":-1}"#, #"{"of":["a"]}"#] {
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(notes.entries(of: ["a"]) == nil, "\(text)")
        }
    }

    @Test func `A note that can't be saved is an error`() throws {
        #expect(throws: FileError.self) { try ReadingNotes(in: "/dev/null/readings").note(1, of: ["a"]) }
    }
}
