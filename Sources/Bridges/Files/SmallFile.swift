import Glibc

/// A regular file, open for reading, that is small enough to be read whole.
///
/// The facts about it are those of the open file: whatever its path leads to later does not change them.
public struct SmallFile {
    public let path: String
    /// The permission bits of its mode.
    public let permissions: UInt32
    /// The ID of the user that it belongs to.
    public let owner: UInt32

    private let descriptor: Descriptor

    /// Opens a file without waiting, as the other end of a named pipe might never come; anything but a file is refused.
    ///
    /// Without `followsLinks`, a path whose last name is a symbolic link is refused with `ELOOP`.
    public init(_ path: String, followsLinks: Bool = true) throws(FileError) {
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let number = unsafe open(path, flags)
        guard number >= 0 else { throw FileError(.open, path) }
        descriptor = Descriptor(owning: number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw FileError(.open, path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileError(.open, path, .folder)
        default: throw FileError(.open, path, .special)
        }
        self.path = path
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
    }

    /// Reads a file of at most `maximum` bytes.
    public static func read(_ path: String, maximum: Int, followsLinks: Bool = true) throws(FileError) -> [UInt8] {
        try SmallFile(path, followsLinks: followsLinks).bytes(maximum: maximum)
    }

    /// Reads the rest of the file; throws ``FileError/Reason/tooLarge`` if that has more than `maximum` bytes.
    public func bytes(maximum: Int) throws(FileError) -> [UInt8] {
        let bytes = try prefix(maximum + 1)
        guard bytes.count <= maximum else { throw FileError(.read, path, .tooLarge) }
        return bytes
    }

    /// Reads the next `count` bytes, or fewer at the end of the file.
    public func prefix(_ count: Int) throws(FileError) -> [UInt8] {
        let bytes = unsafe Self.gathered(count) { piece in
            unsafe Glibc.read(descriptor.number, piece.baseAddress, piece.count)
        }
        guard let bytes else { throw FileError(.read, path) }
        return bytes
    }

    /// The most bytes to read at once.
    private static let pieceBytes = 64 << 10

    /// Gathers `count` bytes, or fewer at the end, from a function like `read`; `nil`, with `errno` set, if it fails.
    ///
    /// A call that a signal interrupts is repeated.
    static func gathered(_ count: Int, reading: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8]? {
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
public enum Folder {
    /// Returns at most `maximum` names, sorted; throws ``FileError/Reason/tooMany`` if there are more.
    ///
    /// `.` and `..` are left out. A name that isn't UTF-8 is returned with U+FFFD in it, and can't be found by it.
    public static func names(_ path: String, maximum: Int) throws(FileError) -> [String] {
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

/// An open file's descriptor, closed when the last reference goes away.
final class Descriptor: Sendable {
    let number: CInt

    init(owning number: CInt) { self.number = number }

    deinit { close(number) }
}
