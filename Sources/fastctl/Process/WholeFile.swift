import Glibc
import ReportRendering

/// A file that appears whole or not at all: it is written next to its place, and moved there once it is on disk.
final class WholeFile {
    private let path: String
    private let temporary: String
    private let file: FileDescriptor
    private var isMoved = false

    /// Creates the file next to `path`, and so finds out whether that is possible.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            throw Self.failure(path, SystemError(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST))
        }
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let base = folder.isEmpty ? (path.hasPrefix("/") ? "/" : "") : folder + "/"
        var template = Array((base + ".fastctl-XXXXXX").utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw Self.failure(path, .last) }
        let mask = umask(0)
        umask(mask)
        // Readers of the old file may read the new one; nobody else gets to write it.
        _ = fchmod(number, isThere ? status.st_mode & 0o775 : 0o666 & ~mask)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        file = FileDescriptor(number: number)
        temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(file.number)
        if !isMoved { unlink(temporary) }
    }

    func write(_ bytes: inout [UInt8]) throws {
        if let error = file.write(&bytes) {
            throw CommandFailure(
                .inputOutput,
                "cannot write '\(path)': \(error)",
                advice: "make room, or write elsewhere"
            )
        }
    }

    /// Syncs the bytes to disk and moves the file to its place.
    func finish() throws {
        guard fsync(file.number) == 0, rename(temporary, path) == 0 else { throw Self.failure(path, .last) }
        isMoved = true
    }

    /// Writes a short file.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try WholeFile(path)
        var bytes = bytes
        try file.write(&bytes)
        try file.finish()
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
        CommandFailure(
            .outputNotCreated,
            "cannot create '\(path)': \(error)",
            advice: "name a file in a folder you can write to"
        )
    }
}

/// A file that must not exist yet.
enum NewFile {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Creates the file, which the caller closes; a link of that name counts as existing, wherever it leads.
    static func create(_ path: String, mode: mode_t) throws(SystemError) -> FileDescriptor {
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last }
        return FileDescriptor(number: number)
    }

    /// Writes a short file, but never over another one.
    static func write(_ text: String, to path: String) throws {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try create(path, mode: 0o666)
        } catch {
            throw CommandFailure(
                .outputNotCreated,
                "cannot create '\(path)': \(error)",
                advice: "name another ID with --id, or another folder with --dir"
            )
        }
        defer { close(file.number) }
        var bytes = Array(text.utf8)
        if let error = file.write(&bytes) {
            throw CommandFailure(
                .inputOutput,
                "cannot write '\(path)': \(error)",
                advice: "make room, or write elsewhere"
            )
        }
    }
}

/// The identity of the file a path leads to, by whatever name; also of one that does not exist yet.
struct FileIdentity: Hashable {
    private let device: UInt
    private let inode: UInt
    /// The name in the folder, for a file that does not exist.
    private let name: String

    init?(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            (device, inode, name) = (UInt(status.st_dev), UInt(status.st_ino), "")
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        guard stat(folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, &status) == 0 else { return nil }
        (device, inode, name) = (UInt(status.st_dev), UInt(status.st_ino), String(parts.last ?? ""))
    }
}
