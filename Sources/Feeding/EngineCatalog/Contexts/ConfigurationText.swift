import ContentFeeding
import Glibc

/// The text of a settings file: bounded, and of a plain file that is nobody else's.
struct ConfigurationText {
    let text: String
    /// Whether somebody but its owner can change it, of its group at least.
    let isWritableForOthers: Bool
    /// Whether everybody can.
    let isWritableForAll: Bool
    /// Whether it belongs to this user, or to the system.
    let isOwn: Bool

    /// The largest settings file, in bytes.
    static let maximumByteCount = 1 << 20

    /// Reads a file; `nil` where there is none.
    static func read(_ path: String) throws(EngineError) -> ConfigurationText? {
        // A pipe of that name must not hold us up.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return nil }
            throw failure(path, code)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw EngineError(.rejected, "'\(path)' is no file of settings", advice: "move it out of the way")
        }
        let bytes = try bytes(of: file, path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw EngineError(.rejected, "\(path): not UTF-8", advice: "save it as UTF-8")
        }
        return ConfigurationText(
            text: text,
            isWritableForOthers: status.st_mode & 0o022 != 0,
            isWritableForAll: status.st_mode & 0o002 != 0,
            isOwn: status.st_uid == geteuid() || status.st_uid == 0
        )
    }

    private static func bytes(of file: Int32, _ path: String) throws(EngineError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
                repeat { count = Glibc.read(file, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
                initialized = max(count, 0)
            }
            guard count >= 0 else { throw failure(path, errno) }
            if count == 0 { return bytes }
            bytes += piece
            guard bytes.count <= maximumByteCount else {
                throw EngineError(.rejected, "\(path): larger than \(maximumByteCount) bytes")
            }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> EngineError {
        EngineError(
            code == EACCES || code == EPERM ? .permission : .inputOutput,
            "cannot read '\(path)': \(String(cString: strerror(code)))",
            advice: "make it readable for you, or name the target itself: --target ADDRESS"
        )
    }
}
