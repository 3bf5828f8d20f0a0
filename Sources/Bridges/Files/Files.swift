import CFileAttributes
import Glibc
import Synchronization
package import TextKit

/// A regular file, open for reading, that is small enough to be read at once.
///
/// Its properties describe the open file: later changes to its path do not affect them.
package struct SmallFile {
    package let path: String
    /// The permission bits of its mode.
    package let permissions: UInt32
    /// The user ID of the file's owner.
    package let owner: UInt32
    /// The state in which the file was opened.
    package let version: Version

    private let descriptor: Descriptor

    /// The version of a file: another file, or the same one after a change, has a different version.
    package struct Version: Hashable, Sendable {
        private let device, inode: UInt
        private let size: Int
        /// The time of the last change, of its contents or its attributes, since 1970.
        package let changed: Duration

        init(_ status: stat) {
            (device, inode, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
            changed = .seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec)
        }
    }

    /// Opens a file without blocking, because a named pipe might never have a writer; anything other than a regular
    /// file is refused.
    ///
    /// Without `followsLinks`, a path whose last name is a symbolic link is refused with `ELOOP`.
    package init(_ path: String, followsLinks: Bool = true) throws(FileError) {
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let number = unsafe open(path, flags)
        guard number >= 0 else { throw FileError(.open, path) }
        try self.init(Descriptor(owning: number), path)
    }

    /// Opens a file below a folder, as the other initializer does; `names` are the names of the folders on the path to
    /// the file, then the file's name.
    ///
    /// None of the names may be a symbolic link, which guarantees that the file really is in that folder; the folder
    /// itself may be a link.
    package init(_ names: [String], below folder: String) throws(FileError) {
        let path = "\(folder)/\(names.joined(separator: "/"))"
        let step = O_RDONLY | O_CLOEXEC | O_DIRECTORY
        var number = unsafe open(folder, step)
        guard number >= 0 else { throw FileError(.open, path) }
        var descriptor = Descriptor(owning: number)
        for (index, name) in names.enumerated() {
            guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
            else { throw FileError(.open, path, .system(ENOENT)) }
            let isLast = index == names.count - 1
            let flags = isLast ? O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY : step
            number = unsafe openat(descriptor.number, name, flags | O_NOFOLLOW)
            guard number >= 0 else { throw FileError(.open, path) }
            descriptor = Descriptor(owning: number)
        }
        try self.init(descriptor, path)
    }

    private init(_ descriptor: Descriptor, _ path: String) throws(FileError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw FileError(.open, path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileError(.open, path, .folder)
        default: throw FileError(.open, path, .special)
        }
        self.descriptor = descriptor
        self.path = path
        version = Version(status)
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
    }

    /// Reads a file of at most `maximum` bytes.
    package static func read(_ path: String, maximum: Int, followsLinks: Bool = true) throws(FileError) -> [UInt8] {
        try SmallFile(path, followsLinks: followsLinks).bytes(maximum: maximum)
    }

    /// Reads the rest of the file; throws ``FileError/Reason/tooLarge`` if it has more than `maximum` bytes.
    package func bytes(maximum: Int) throws(FileError) -> [UInt8] {
        let bytes = try prefix(maximum + 1)
        guard bytes.count <= maximum else { throw FileError(.read, path, .tooLarge) }
        return bytes
    }

    /// Reads the next `count` bytes, or fewer at the end of the file.
    package func prefix(_ count: Int) throws(FileError) -> [UInt8] {
        let bytes = unsafe Self.gathered(count) { piece in
            unsafe Glibc.read(descriptor.number, piece.baseAddress, piece.count)
        }
        guard let bytes else { throw FileError(.read, path) }
        return bytes
    }

    /// Returns whether the rest of the file contains one of these texts; the file may have any size, and is read in
    /// pieces.
    package func contains(anyOf texts: [[UInt8]]) throws(FileError) -> Bool {
        let texts = texts.filter { !$0.isEmpty }
        let overlap = texts.map { $0.count - 1 }.max() ?? 0
        var bytes: [UInt8] = []
        while true {
            let piece = try prefix(max(Self.pieceBytes, overlap))
            guard !piece.isEmpty else { return false }
            bytes = bytes.suffix(overlap) + piece
            for text in texts where bytes.firstRange(of: text) != nil { return true }
        }
    }

    /// The maximum number of bytes to read at once.
    private static let pieceBytes = 64 << 10

    /// Collects `count` bytes, or fewer at the end of the input, from a function such as `read`; returns `nil`, with
    /// `errno` set, if it fails.
    ///
    /// A call that is interrupted by a signal is repeated.
    package static func gathered(_ count: Int, reading: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(count, pieceBytes))
        while bytes.count < count {
            let room = min(piece.count, count - bytes.count)
            let got = unsafe piece.withUnsafeMutableBytes { unsafe reading(.init(rebasing: $0.prefix(room))) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            bytes += piece.prefix(got)
        }
        return bytes
    }
}

/// The names in a folder.
package enum Folder {
    /// Returns at most `maximum` names, sorted; throws ``FileError/Reason/tooMany`` if there are more.
    ///
    /// `.` and `..` are left out. A name that isn't valid UTF-8 is returned with U+FFFD characters, so the file can't
    /// be opened by that name.
    package static func names(_ path: String, maximum: Int) throws(FileError) -> [String] {
        guard let folder = unsafe opendir(path) else { throw FileError(.list, path) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                guard errno == 0 else { throw FileError(.list, path) }
                return names.sorted()
            }
            guard let name = unsafe name(of: entry), name != ".", name != ".." else { continue }
            guard names.count < maximum else { throw FileError(.list, path, .tooMany) }
            names.append(name)
        }
    }

    /// Returns the entry's name, a C field that ends with a NUL.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
        let text = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        return unsafe String(cString: text)
    }
}

/// An open file's descriptor, closed when the last reference is released.
final class Descriptor: Sendable {
    let number: CInt

    init(owning number: CInt) { self.number = number }

    deinit { close(number) }
}

/// A file that is replaced atomically: it is written to a temporary file in the same folder, which is renamed once it
/// is on disk.
package final class AtomicFile {
    private let path: String
    private let temporary: String
    private let descriptor: Descriptor
    private var isMoved = false
    /// The ownership and permissions of the older file; `nil` if there is none.
    package let older: Rights?

    /// The permissions to read and write a file.
    package struct Rights: Sendable {
        fileprivate let mode: UInt32
        fileprivate let user: UInt32
        fileprivate let group: UInt32
    }

    /// Creates the temporary file next to `path`, so that an unwritable folder is reported early.
    ///
    /// The new file keeps those permissions of the older one that are in `kept`, and its user and group if this process
    /// may change them. `removed` contains the permissions of an older file that was already removed.
    package init(_ path: String, keeping kept: UInt32 = 0o775, removed: Rights? = nil) throws(FileError) {
        self.path = path
        // With an empty path, only the last step would fail: renaming the finished file.
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
        temporary = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // The mask can be read only by setting it; if two threads did so at once, it would remain 0.
        let mask = Self.maskLock.withLock { _ in
            let mask = umask(0)
            umask(mask)
            return mask
        }
        older = isThere ? Rights(mode: status.st_mode & 0o775, user: status.st_uid, group: status.st_gid) : removed
        if let older { _ = fchown(number, older.user, older.group) }
        _ = fchmod(number, kept & (older?.mode ?? 0o666 & ~mask))
    }

    private static let maskLock = Mutex(())

    /// Removes the older file, so that it is not mistaken for the new one if the new one is never finished.
    package func removeOlder() throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileError(.replace, path) }
    }

    deinit { if !isMoved { unsafe unlink(temporary) } }

    /// Writes all of `bytes` and empties it.
    package func write(_ bytes: inout [UInt8]) throws(FileError) {
        if let code = bytes.drain(to: descriptor.number) { throw FileError(.write, path, .system(code)) }
    }

    /// Syncs the bytes to disk and renames the file to its final path.
    package func finish() throws(FileError) {
        guard fsync(descriptor.number) == 0, unsafe rename(temporary, path) == 0 else {
            throw FileError(.replace, path)
        }
        isMoved = true
    }

    /// Writes a short file; if the path is a symbolic link, the link is kept and its target is replaced.
    package static func write(_ bytes: [UInt8], to path: String, keeping kept: UInt32 = 0o775) throws(FileError) {
        let path = FileLink.isOne(path) ? FileLink.target(of: path) ?? path : path
        let file = try AtomicFile(path, keeping: kept)
        var bytes = bytes
        try file.write(&bytes)
        try file.finish()
    }
}

/// Symbolic links.
package enum FileLink {
    /// Returns whether the last name of a path is a link.
    package static func isOne(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns the path of the file to which links lead; `nil` if there is none.
    package static func target(of link: String) -> String? {
        guard let resolved = unsafe realpath(link, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

/// A file that must not exist yet.
package final class NewFile: Sendable {
    private let path: String
    private let descriptor: Descriptor

    /// Creates the file; a link with that name counts as an existing file, regardless of its target.
    package init(_ path: String, permissions: UInt32 = 0o666) throws(FileError) {
        self.path = path
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, permissions)
        guard number >= 0 else { throw FileError(.create, path) }
        descriptor = Descriptor(owning: number)
    }

    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Writes all of `bytes` and empties it.
    package func write(_ bytes: inout [UInt8]) throws(FileError) {
        if let code = bytes.drain(to: descriptor.number) { throw FileError(.write, path, .system(code)) }
    }

    /// Waits until everything written is on disk.
    package func synchronize() throws(FileError) {
        guard fdatasync(descriptor.number) == 0 else { throw FileError(.write, path) }
    }

    /// Writes several short files, either all or none, without overwriting existing files.
    package static func writeAll(_ files: [(path: String, bytes: [UInt8])]) throws(FileError) {
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

/// The identity of the file at a path, regardless of the name used for it; the file need not exist yet.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt
    /// The name in the folder, for a file that does not exist.
    private let name: String

    /// Creates the identity of a file with a known device and inode number.
    package init(device: UInt, inode: UInt) { (self.device, self.inode, name) = (device, inode, "") }

    package init?(_ path: String) {
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
    package mutating func drain(to descriptor: CInt) -> CInt? {
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

/// A failure on a file or folder: the attempt, the path, and the cause.
///
/// Callers write the message for their users, usually with advice that depends on the caller.
package struct FileError: Error, Hashable, Sendable {
    /// The step that failed.
    package enum Operation: Hashable, Sendable {
        case open, read, list, create, write
        /// Renaming a finished file to its final path.
        case replace
    }

    /// The cause of a failure.
    package enum Reason: Hashable, Sendable {
        /// A system error, with its `errno`.
        case system(CInt)
        /// The path is a folder, and a file was expected.
        case folder
        /// The path is a pipe, a socket or a device, and reading from it might block forever.
        case special
        /// A file has more bytes than allowed.
        case tooLarge
        /// A folder has more names than allowed.
        case tooMany
    }

    package var operation: Operation
    package var path: String
    package var reason: Reason

    package init(_ operation: Operation, _ path: String, _ reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    /// Creates an error from the system's last error on this thread.
    init(_ operation: Operation, _ path: String) { self.init(operation, path, .system(errno)) }

    /// The system's error, if it was the cause.
    package var code: CInt? { if case .system(let code) = reason { code } else { nil } }

    /// Whether the system has no more memory or open files, which is unrelated to the file.
    package var isShortage: Bool { code == EMFILE || code == ENFILE || code == ENOMEM }

    /// Whether the path does not exist.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }
}

extension FileError.Reason: CustomStringConvertible {
    /// The cause in words: the system's own text, if there is one.
    package var description: String {
        switch self {
        case .system(let code): unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        case .folder: "it is a folder"
        case .special: "it is a pipe or a device, not a file"
        case .tooLarge: "it is too large"
        case .tooMany: "it contains too many files"
        }
    }
}

// MARK: - For people

extension FileError: AdvisedError {
    package var failure: Failure {
        switch operation {
        case _ where isShortage:
            Failure(
                .exhausted,
                "cannot use '\(path)': \(reason)",
                advice: "raise the limit on open files (ulimit -n), then run it again"
            )
        case .create, .replace:
            Failure(
                .outputNotCreated,
                "cannot create '\(path)': \(reason)",
                advice: "use a file in a folder that you can write to"
            )
        default:
            Failure(.inputOutput, "cannot write '\(path)': \(reason)", advice: Failure.adviceOnWriting(code))
        }
    }
}

extension Failure {
    /// Returns advice about a write error, whose cause is not always a full disk.
    package static func adviceOnWriting(_ code: CInt?) -> String {
        switch code {
        case ENOSPC, EDQUOT: "free some disk space, or write elsewhere"
        case EFBIG: "raise the file size limit (ulimit -f), or write elsewhere"
        case EBADF: "leave it open, or redirect it to a file"
        case EPIPE: "its reader has stopped: let it read to the end, or write to a file"
        case EIO: "check the disk, or write elsewhere"
        default: "write elsewhere"
        }
    }
}

// MARK: This process

/// The current folder and the current time of this process.
package enum ProcessFacts {
    /// The folder to which relative paths refer.
    package static var currentFolder: String {
        guard let path = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    package static func absolutePath(of path: String) -> String {
        path.hasPrefix("/") ? path : currentFolder + "/" + path
    }

    /// The current time, counted from 1970.
    package static var now: Duration { time(of: CLOCK_REALTIME) }

    /// The time on the system's monotonic clock, which systemd compares with its own.
    package static var uptime: Duration { time(of: CLOCK_MONOTONIC) }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// An extended attribute that identifies files of this program, if the file system supports such attributes.
package enum FileAttribute {
    /// Returns whether a file has the attribute; `nil` if that can't be determined.
    package static func isSet(_ name: String, of path: String) -> Bool? {
        if unsafe getxattr(path, name, nil, 0) >= 0 { return true }
        return errno == ENODATA ? false : nil
    }

    /// Sets the attribute, if the file system supports attributes.
    package static func set(_ name: String, of path: String) { _ = unsafe setxattr(path, name, "1", 1, 0) }
}
