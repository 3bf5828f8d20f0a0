import Glibc
import ReportRendering

/// A file that must not be there yet.
enum NewFile {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Writes a short file, never over another one.
    static func write(_ text: String, to path: String) throws {
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard number >= 0 else {
            throw CommandFailure(
                .outputNotCreated,
                "cannot create '\(path)': \(SystemError.last)",
                advice: "name another ID with --id, or another folder with --dir"
            )
        }
        defer { close(number) }
        var bytes = Array(text.utf8)
        if let error = FileDescriptor(number: number).write(&bytes) {
            throw CommandFailure(
                .inputOutput,
                "cannot write '\(path)': \(error)",
                advice: "make room, or write elsewhere"
            )
        }
    }
}
