import Glibc

/// Reads files that are small, whole.
enum RegularFile {
    /// How much is read at once, in bytes.
    private static let pieceBytes = 64 << 10

    /// Returns the bytes of a file that has at most `maximum`.
    static func bytes(of source: WebConfigSource, maximum: Int) throws(WebConfigError) -> [UInt8] {
        // Without waiting: the other end of a named pipe might never come.
        let descriptor = open(source.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw WebConfigError(errno: errno, source: source) }
        defer { close(descriptor) }
        try check(descriptor, source)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while bytes.count <= maximum {
            let count = read(descriptor, &piece, min(piece.count, maximum + 1 - bytes.count))
            if count == 0 { return bytes }
            if count > 0 {
                bytes += piece.prefix(count)
            } else if errno != EINTR {
                throw WebConfigError(errno: errno, source: source)
            }
        }
        throw WebConfigError(
            code: .tooLarge,
            source: source,
            message: "it has more than \(maximum) bytes",
            advice: "check that this is a web.config: real ones are far smaller"
        )
    }

    private static func check(_ descriptor: CInt, _ source: WebConfigSource) throws(WebConfigError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw WebConfigError(errno: errno, source: source) }
        let message: String
        switch FileKind(status) {
        case .file: return
        case .folder: message = "it is a folder"
        case .special: message = "it is a pipe or a device, and no file"
        }
        throw WebConfigError(code: .cannotOpen, source: source, message: message, advice: "give a file")
    }
}
