import Glibc

/// A file that appears whole or not at all: it is written next to its place, and moved there once it is on disk.
public final class AtomicFile {
    private let path: String
    private let temporary: String
    private let descriptor: Descriptor
    private var isMoved = false
    /// The rights of the older file; `nil` if there is none.
    public let older: Rights?

    /// Who may read and write a file.
    public struct Rights: Sendable {
        fileprivate let mode: UInt32
        fileprivate let user: UInt32
        fileprivate let group: UInt32
    }

    /// Creates the file next to `path`, and so finds out whether that is possible.
    ///
    /// Readers of an older file may read the new one, as far as `kept` has their permissions; it belongs to the same
    /// user and group, if this one may give files away. `removed` are the rights of one that was there before.
    public init(_ path: String, keeping kept: UInt32 = 0o775, removed: Rights? = nil) throws(FileError) {
        self.path = path
        // Without a name, only the last step would fail: moving the finished file there.
        guard !path.isEmpty else { throw FileError(.create, path, .system(ENOENT)) }
        var status = stat()
        let isThere = unsafe stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            throw FileError(.create, path, .system(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST))
        }
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let base = folder.isEmpty ? (path.hasPrefix("/") ? "/" : "") : folder + "/"
        var template = Array((base + ".fastctl-XXXXXX").utf8CString)
        let number = unsafe mkstemp(&template)
        guard number >= 0 else { throw FileError(.create, path) }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        descriptor = Descriptor(owning: number)
        temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let mask = umask(0)
        umask(mask)
        older = isThere ? Rights(mode: status.st_mode & 0o775, user: status.st_uid, group: status.st_gid) : removed
        if let older { _ = fchown(number, older.user, older.group) }
        _ = fchmod(number, kept & (older?.mode ?? 0o666 & ~mask))
    }

    /// Removes the older file, so that it does not pass for the new one if that is never finished.
    public func removeOlder() throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileError(.replace, path) }
    }

    deinit { if !isMoved { unsafe unlink(temporary) } }

    /// Writes all of `bytes` and empties it.
    public func write(_ bytes: inout [UInt8]) throws(FileError) {
        if let code = bytes.drain(to: descriptor.number) { throw FileError(.write, path, .system(code)) }
    }

    /// Syncs the bytes to disk and moves the file to its place.
    public func finish() throws(FileError) {
        guard fsync(descriptor.number) == 0, unsafe rename(temporary, path) == 0 else {
            throw FileError(.replace, path)
        }
        isMoved = true
    }

    /// Writes a short file.
    public static func write(
        _ bytes: [UInt8],
        to path: String,
        keeping kept: UInt32 = 0o775
    ) throws(FileError) {
        let file = try AtomicFile(path, keeping: kept)
        var bytes = bytes
        try file.write(&bytes)
        try file.finish()
    }
}

/// A file that must not exist yet.
public final class NewFile: Sendable {
    private let path: String
    private let descriptor: Descriptor

    /// Creates the file; a link of that name counts as existing, wherever it leads.
    public init(_ path: String, permissions: UInt32 = 0o666) throws(FileError) {
        self.path = path
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, permissions)
        guard number >= 0 else { throw FileError(.create, path) }
        descriptor = Descriptor(owning: number)
    }

    public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Writes all of `bytes` and empties it.
    public func write(_ bytes: inout [UInt8]) throws(FileError) {
        if let code = bytes.drain(to: descriptor.number) { throw FileError(.write, path, .system(code)) }
    }

    /// Returns when everything written is on disk.
    public func synchronize() throws(FileError) {
        guard fdatasync(descriptor.number) == 0 else { throw FileError(.write, path) }
    }

    /// Writes short files: all of them or none, and never over another one.
    public static func writeAll(_ files: [(path: String, bytes: [UInt8])]) throws(FileError) {
        var created: [NewFile] = []
        do throws(FileError) {
            for file in files { created.append(try NewFile(file.path)) }
            for (file, new) in zip(files, created) {
                var bytes = file.bytes
                try new.write(&bytes)
            }
        } catch {
            for file in created { unsafe unlink(file.path) }
            throw error
        }
    }
}

/// The identity of the file a path leads to, by whatever name; also of one that does not exist yet.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt
    /// The name in the folder, for a file that does not exist.
    private let name: String

    /// Creates the identity of a file that is known by its device and its number there.
    package init(device: UInt, inode: UInt) { (self.device, self.inode, name) = (device, inode, "") }

    public init?(_ path: String) {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            (device, inode, name) = (UInt(status.st_dev), UInt(status.st_ino), "")
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
        guard unsafe stat(place, &status) == 0 else { return nil }
        (device, inode, name) = (UInt(status.st_dev), UInt(status.st_ino), String(parts.last ?? ""))
    }
}

extension [UInt8] {
    /// Writes all bytes to a descriptor of any kind, and removes them; returns the system's error, or `nil`.
    public mutating func drain(to descriptor: CInt) -> CInt? {
        defer { removeAll(keepingCapacity: true) }
        var done = 0
        while done < count {
            let written = unsafe withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return errno }
            done += written
        }
        return nil
    }
}
