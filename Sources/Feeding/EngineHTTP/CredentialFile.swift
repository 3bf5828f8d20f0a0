import ContentFeeding
import Glibc

/// Reads a file of credentials, if nobody else can.
enum CredentialFile {
    /// Who may read besides the owner: the group, of a file that is the system's own.
    private static func allowedForOthers(_ status: stat) -> mode_t { status.st_uid == 0 ? 0o040 : 0 }

    static func read(_ path: String) throws(EngineError) -> [UInt8] {
        // A pipe would block here until somebody writes.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw EngineError(
                .permission,
                "'\(path)' can't hold credentials: it is not a regular file",
                advice: "name a file, or a command with --credentials-helper"
            )
        }
        let others = status.st_mode & 0o077 & ~allowedForOthers(status)
        guard others == 0 else {
            throw EngineError(
                .permission,
                "the file of credentials '\(path)' is open to others (mode 0\(String(status.st_mode & 0o777, radix: 8)))",
                advice: "make it yours alone: chmod 600 '\(path)'"
            )
        }
        return try contents(descriptor, path)
    }

    /// One byte more than is allowed shows that there is too much.
    private static func contents(_ descriptor: Int32, _ path: String) throws(EngineError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: CredentialText.maximumByteCount + 1)
        while bytes.count <= CredentialText.maximumByteCount {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw failure(path, code: errno) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    private static func failure(_ path: String, code: Int32) -> EngineError {
        EngineError(
            .permission,
            "the file of credentials '\(path)' can't be read: \(String(cString: strerror(code)))",
            advice: "check its path and its owner"
        )
    }
}
