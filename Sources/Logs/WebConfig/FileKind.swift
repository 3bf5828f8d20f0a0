import Glibc

/// What a path leads to.
enum FileKind {
    case file
    case folder
    /// A pipe, a socket or a device: reading it might wait for ever.
    case special

    /// What is there; `nil`, with `errno` set, if that cannot be told.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What is there, be it a link; `nil` for a link.
    init?(unlinked path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .special
            }
    }
}
