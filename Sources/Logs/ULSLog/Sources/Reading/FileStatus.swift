import Glibc

/// What the system knows of a file.
struct FileStatus: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file
        case folder
        case pipe
        /// A device or a socket.
        case special
    }

    let kind: Kind
    /// In bytes.
    let size: Int64
    let identity: FileIdentity
    /// Whether a name still leads to it.
    let hasName: Bool

    /// The file that a path leads to; `nil` with `errno` set.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFIFO: .pipe
            default: .special
            }
        size = Int64(status.st_size)
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        hasName = status.st_nlink > 0
    }
}

/// Which file it is, by whatever name.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
