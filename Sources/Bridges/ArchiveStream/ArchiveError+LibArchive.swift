import CLibArchive
import Glibc

extension ArchiveError {
    /// The last failure of `archive`.
    init(_ archive: OpaquePointer, entry: String?) {
        self.entry = entry
        let number = archive_errno(archive)
        switch number {
        case EIO, EISDIR, EBADF, EACCES, EPERM, ESTALE, EAGAIN, ENXIO:
            code = .cannotRead
            message = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        default:
            code = number == ENOMEM ? .tooLarge : .damaged
            message = archive_error_string(archive).map { String(cString: $0) } ?? "it cannot be understood"
        }
    }
}
