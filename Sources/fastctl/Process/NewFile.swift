import Glibc
import ReportRendering

/// A file that must not be there yet.
enum NewFile {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes the file, which the caller closes; a link of that name is there already, wherever it leads.
    static func create(_ path: String, mode: mode_t) throws(SystemError) -> FileDescriptor {
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last }
        return FileDescriptor(number: number)
    }

    /// Writes a short file, never over another one.
    static func write(_ text: String, to path: String) throws {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try create(path, mode: 0o666)
        } catch {
            throw CommandFailure(
                .outputNotCreated,
                "cannot create '\(path)': \(error)",
                advice: "name another ID with --id, or another folder with --dir"
            )
        }
        defer { close(file.number) }
        var bytes = Array(text.utf8)
        if let error = file.write(&bytes) {
            throw CommandFailure(
                .inputOutput,
                "cannot write '\(path)': \(error)",
                advice: "make room, or write elsewhere"
            )
        }
    }
}
