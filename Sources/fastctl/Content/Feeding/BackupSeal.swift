import Digests
import Glibc
import JobJournal
import ReportRendering

extension BackupSeal {
    /// Reads a backup to its end.
    init(of path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.unreadable(path, errno) }
        defer { close(file) }
        var digest = RunningBLAKE2b()
        var lines = 0
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = read(file, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path, errno) }
            guard count > 0 else { break }
            digest.update(bytes.span.extracting(..<count))
            lines += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
        }
        self.init(lines: lines, digest: digest.digestSoFar().hexadecimal)
    }

    private static func unreadable(_ path: String, _ error: Int32) -> CommandFailure {
        CommandFailure(
            .inputNotOpened,
            "cannot read the backup '\(path)': \(String(cString: strerror(error)))",
            advice: nil
        )
    }
}
