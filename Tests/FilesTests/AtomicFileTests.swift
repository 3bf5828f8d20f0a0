import Files
import Foundation
import Glibc
import TestSupport
import Testing

struct AtomicFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("file")
    }

    private var names: [String] {
        get throws { try Folder.names(folder.path(""), maximum: 100) }
    }

    private var permissions: UInt32 {
        get throws { try SmallFile(path).permissions }
    }

    private func content() throws -> [UInt8] { try SmallFile.read(path, maximum: 100) }

    @Test func `The file does not exist at its path before it is finished`() throws {
        let file = try AtomicFile(path)
        var bytes: [UInt8] = [1, 2]
        try file.write(&bytes)
        #expect(bytes.isEmpty)
        #expect(try !names.contains("file"))
        bytes = [3]
        try file.write(&bytes)
        try file.finish()
        #expect(try content() == [1, 2, 3])
        #expect(try names == ["file"])
    }

    @Test func `An unfinished file leaves nothing behind, and the old file is unchanged`() throws {
        try AtomicFile.write([7], to: path)
        do {
            let file = try AtomicFile(path)
            var bytes: [UInt8] = [1, 2]
            try file.write(&bytes)
        }
        #expect(try names == ["file"])
        #expect(try content() == [7])
    }

    @Test func `If a file can't be renamed to its path, nothing is left behind`() throws {
        do {
            let file = try AtomicFile(path)
            #expect(mkdir(path, 0o700) == 0)
            do throws(FileError) {
                try file.finish()
                Issue.record("finished")
            } catch { #expect(error == FileError(.replace, path, .system(EISDIR))) }
        }
        #expect(try names == ["file"])
    }

    @Test(arguments: [0o600, 0o640, 0o644, 0o664] as [mode_t])
    func `A replaced file keeps its mode`(mode: mode_t) throws {
        try AtomicFile.write([1], to: path)
        #expect(chmod(path, mode) == 0)
        try AtomicFile.write([2], to: path)
        #expect(try permissions == mode)
        #expect(try content() == [2])
    }

    @Test func `A file that replaces a world-writable file is not writable by other users`() throws {
        try AtomicFile.write([1], to: path)
        #expect(chmod(path, 0o666) == 0)
        try AtomicFile.write([2], to: path)
        #expect(try permissions == 0o664)
    }

    @Test func `Only a regular file is replaced`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        for (place, code) in [(path, EEXIST), (folder.path(""), EISDIR), (folder.path("no/file"), ENOENT)] {
            do throws(FileError) {
                try AtomicFile.write([1], to: place)
                Issue.record("written")
            } catch { #expect(error == FileError(.create, place, .system(code))) }
        }
        #expect(try names == ["file"])
    }
}

struct NewFileTests {
    @Test func `A new file never overwrites an existing file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("file")
        #expect(!NewFile.exists(path))
        let file = try NewFile(path, permissions: 0o600)
        var bytes: [UInt8] = [1]
        try file.write(&bytes)
        try file.synchronize()
        #expect(NewFile.exists(path))
        #expect(try SmallFile(path).permissions == 0o600)
        do throws(FileError) {
            try NewFile.writeAll([(path, [2])])
            Issue.record("written")
        } catch { #expect(error == FileError(.create, path, .system(EEXIST))) }
        #expect(try SmallFile.read(path, maximum: 9) == [1])
    }

    @Test func `A dangling link counts as an existing file`() throws {
        let folder = try TemporaryFolder()
        let link = folder.path("link")
        #expect(symlink(folder.path("nothing"), link) == 0)
        do throws(FileError) {
            try NewFile.writeAll([(link, [2])])
            Issue.record("written")
        } catch { #expect(error == FileError(.create, link, .system(EEXIST))) }
        #expect(!NewFile.exists(folder.path("nothing")))
    }

    @Test func `A full disk is reported as a failure to write`() throws {
        var bytes: [UInt8] = [1, 2, 3]
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        #expect(bytes.drain(to: full) == ENOSPC)
        #expect(bytes.isEmpty)
    }
}

struct FileIdentityTests {
    @Test func `A file has the same identity under every name, even before it exists`() throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder.path("file"), folder.path("") + "/./file")
        let absent = try #require(FileIdentity(path))
        #expect(absent == FileIdentity(other))
        #expect(absent != FileIdentity(folder.path("another")))
        try AtomicFile.write([1], to: path)
        #expect(symlink(path, folder.path("link")) == 0)
        let there = FileIdentity(path)
        #expect(there == FileIdentity(folder.path("link")))
        #expect(there != absent)
        #expect(FileIdentity(folder.path("no/file")) == nil)
    }
}
