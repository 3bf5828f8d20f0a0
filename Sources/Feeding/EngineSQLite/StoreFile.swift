import ContentFeeding
import Glibc
import SQLiteStore

/// The file of a store, looked at before SQLite opens it: SQLite's own messages don't tell what is wrong with it.
struct StoreFile {
    let path: String

    /// How the file can be opened, or an error that says why it can't be.
    func prepare(create: Bool) throws(EngineError) -> Configuration.Access {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw EngineError(.missingTarget, "the path of a store is empty or holds a NUL byte")
        }
        if create { try makeFolders() }
        var status = stat()
        guard lstat(path, &status) == 0 else { return try absent(errno, create: create) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw unusable("\(path) is a directory", "name the file in it, such as \(path)/store.sqlite")
        case S_IFLNK:
            throw unusable("\(path) is a symbolic link", "name the file that it points to")
        default: throw unusable("\(path) is not a regular file", "name the file of a store")
        }
        if status.st_size == 0, !create {
            throw unusable("\(path) is empty and no store", "make it one with: fastctl collections create NAME")
        }
        return try access(create: create)
    }

    private func absent(_ error: Int32, create: Bool) throws(EngineError) -> Configuration.Access {
        switch error {
        case ENOENT where create: return .create
        case ENOENT, ENOTDIR:
            throw EngineError(
                .missingTarget,
                "there is no store at \(path)",
                advice: "make it with: fastctl collections create NAME"
            )
        default: throw failure("can't open \(path)", error)
        }
    }

    private func access(create: Bool) throws(EngineError) -> Configuration.Access {
        if Glibc.access(path, R_OK) != 0 { throw failure("can't read \(path)", errno) }
        if Glibc.access(path, W_OK) == 0, Glibc.access(folder, W_OK) == 0 { return create ? .create : .readWrite }
        // Nobody writes to a read-only file system, so no locks are needed there, and none can be taken.
        var system = statvfs()
        guard statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0 else { return .readOnly }
        var log = stat()
        if stat(path + "-wal", &log) == 0, log.st_size > 0 {
            throw unusable(
                "\(path) has changes in \(path)-wal that can't be read on a read-only file system",
                "open the store once where it can be written"
            )
        }
        return .immutable
    }

    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the folders that are missing, for their owner only.
    private func makeFolders() throws(EngineError) {
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder.utf8[folder.utf8.index(after: end)...].firstIndex(of: UInt8(ascii: "/")) ?? folder.endIndex
            let part = String(folder[..<end])
            var status = stat()
            if stat(part, &status) == 0 { continue }
            guard mkdir(part, 0o700) == 0 || errno == EEXIST else {
                throw failure("can't make the folder \(part)", errno)
            }
        }
    }

    private func unusable(_ message: String, _ advice: String) -> EngineError {
        EngineError(.unusable, message, advice: advice)
    }

    private func failure(_ message: String, _ error: Int32) -> EngineError {
        EngineError(.init(systemError: error), "\(message): \(String(cString: strerror(error)))")
    }
}

extension EngineError.Code {
    /// What a failure of the system means.
    init(systemError: Int32) {
        self =
            switch systemError {
            case EACCES, EPERM, EROFS: .permission
            case ENOSPC, EDQUOT: .diskFull
            case EIO: .inputOutput
            case ENOENT: .missingTarget
            default: .unusable
            }
    }
}
