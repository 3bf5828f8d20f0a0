import Files
import Foundation
import Glibc
import TestSupport
import Testing

struct SmallFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bytes: [UInt8], to name: String = "file") throws -> String {
        let path = folder.path(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Returns the error of a closure that must fail.
    private func failure<T>(of body: () throws(FileError) -> T) -> FileError? {
        do throws(FileError) { _ = try body() } catch { return error }
        return nil
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `A file up to the limit is read completely`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }
        let path = try write(bytes)
        #expect(try SmallFile.read(path, maximum: count) == bytes)
        #expect(try SmallFile.read(path, maximum: count + 1) == bytes)
        #expect(try SmallFile(path).prefix(count / 2) == Array(bytes.prefix(count / 2)))
    }

    @Test(arguments: [0, 1, 65_530, 65_536, 65_540, 150_000])
    func `Text is found at any position in the file`(place: Int) throws {
        let text = Array("ann@example.org".utf8)
        let path = try write(Array(repeating: 0x61, count: place) + text + Array(repeating: 0x62, count: 70_000))
        #expect(try SmallFile(path).contains(anyOf: [Array("nobody".utf8), text]))
        #expect(try !SmallFile(path).contains(anyOf: [text + [0x63], []]))
    }

    @Test func `A file one byte over the limit is refused`() throws {
        let path = try write([1, 2, 3])
        #expect(
            failure { () throws(FileError) in try SmallFile.read(path, maximum: 2) } == .init(.read, path, .tooLarge)
        )
    }

    @Test func `A pipe is refused immediately, and so is a link to one`() throws {
        let (pipe, link) = (folder.path("pipe"), folder.path("link"))
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(symlink(pipe, link) == 0)
        for path in [pipe, link] {
            #expect(failure { () throws(FileError) in try SmallFile(path) } == .init(.open, path, .special))
        }
    }

    @Test func `Devices and folders are refused`() throws {
        #expect(failure { () throws(FileError) in try SmallFile("/dev/zero") } == .init(.open, "/dev/zero", .special))
        let path = folder.path("")
        #expect(failure { () throws(FileError) in try SmallFile(path) } == .init(.open, path, .folder))
    }

    @Test func `A link is followed unless this is disabled`() throws {
        let (path, link) = (try write([7]), folder.path("link"))
        #expect(symlink(path, link) == 0)
        #expect(try SmallFile.read(link, maximum: 9) == [7])
        let error = failure { () throws(FileError) in try SmallFile(link, followsLinks: false) }
        #expect(error == .init(.open, link, .system(ELOOP)))
        #expect(try SmallFile.read(path, maximum: 9, followsLinks: false) == [7])
    }

    @Test func `The error for a missing file includes the system's message`() throws {
        let path = folder.path("nothing")
        let error = try #require(failure { () throws(FileError) in try SmallFile(path) })
        #expect(error == .init(.open, path, .system(ENOENT)))
        #expect(error.isMissing)
        #expect("\(error.reason)" == "No such file or directory")
    }

    @Test func `The attributes are those of the open file, not of a file that has replaced it`() throws {
        let path = try write([7])
        #expect(chmod(path, 0o640) == 0)
        let file = try SmallFile(path)
        #expect(unlink(path) == 0)
        _ = try write([8])
        #expect(file.permissions == 0o640)
        #expect(file.owner == geteuid())
        #expect(try file.bytes(maximum: 1) == [7])
    }

    @Test func `An interrupted read is repeated, and short reads are joined`() {
        var replies: [(count: Int, code: CInt)] = [(-1, EINTR), (2, 0), (-1, EINTR), (-1, EINTR), (1, 0), (0, 0)]
        let bytes = SmallFile.gathered(100) { piece in
            let (count, code) = replies.removeFirst()
            for index in 0..<max(count, 0) { piece[index] = UInt8(count) }
            errno = code
            return count
        }
        #expect(bytes == [2, 2, 1])
        #expect(replies.isEmpty)
    }

    @Test func `A failed read returns nil, and leaves errno set`() {
        var replies = [2, -1]
        let bytes = SmallFile.gathered(100) { _ in
            errno = EIO
            return replies.removeFirst()
        }
        #expect(errno == EIO)
        #expect(bytes == nil)
    }

    @Test func `No more is read than requested`() {
        var wanted: [Int] = []
        let bytes = SmallFile.gathered(70_000) { piece in
            wanted.append(piece.count)
            return piece.count
        }
        #expect(bytes?.count == 70_000)
        #expect(wanted == [65_536, 4464])
    }
}

struct FolderTests {
    @Test func `Names are sorted, and their number is limited`() throws {
        let folder = try TemporaryFolder()
        for name in ["b", "a", ".hidden", "c"] { try Data().write(to: URL(filePath: folder.path(name))) }
        let path = folder.path("")
        #expect(try Folder.names(path, maximum: 4) == [".hidden", "a", "b", "c"])
        do throws(FileError) {
            _ = try Folder.names(path, maximum: 3)
            Issue.record("not refused")
        } catch { #expect(error == FileError(.list, path, .tooMany)) }
    }

    @Test func `Listing an empty folder returns no names`() throws {
        let folder = try TemporaryFolder()
        #expect(try Folder.names(folder.path(""), maximum: 0).isEmpty)
    }

    @Test(arguments: [("nothing", ENOENT), ("file", ENOTDIR)])
    func `Only a folder can be listed`(name: String, code: CInt) throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.path("file")))
        do throws(FileError) {
            _ = try Folder.names(folder.path(name), maximum: 9)
            Issue.record("listed")
        } catch { #expect(error == FileError(.list, folder.path(name), .system(code))) }
    }
}
