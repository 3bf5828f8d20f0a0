import ArgumentParsing
import ContentFeeding
import EngineCatalog
import Glibc
import ReportRendering

/// The user's file of contexts, and how it is written: whole or not at all, and for nobody else to read.
struct UserSettings {
    let path: String
    let files: ContextFiles
    /// Held from before reading until after writing, so that two commands don't undo each other's change.
    private let lock: SettingsLock?

    /// Reads the file; who is going to change it says so.
    init(forWriting isForWriting: Bool = false) throws {
        let environment = CommandContext.current.environment
        guard let path = ContextFiles.userPath(environment) else {
            throw CommandFailure(
                .configuration,
                "without HOME there is no place for contexts",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        self.path = path
        lock = isForWriting ? SettingsLock(beside: path) : nil
        files = try ContextFiles(environment: environment, directory: ContextFiles.workingDirectory)
    }

    /// Refuses a context that the project's file alone has: this command changes the user's own.
    func refuseOfProject(_ name: String, advice: String) throws {
        guard let project = files.project, project.names.contains(name), files.user?.names.contains(name) != true else {
            return
        }
        throw CommandFailure(
            .configuration,
            "the context '\(name)' is in '\(project.path)' alone, which is the project's file",
            advice: advice
        )
    }

    func edit() throws -> ContextEdit { try ContextEdit(files.user, path: path) }

    func write(_ text: String) throws {
        // A link stays one: some people keep their settings elsewhere.
        let place = realpath(path, nil)
        defer { free(place) }
        try WholeFile.write(Array(text.utf8), to: place.flatMap { String(validatingCString: $0) } ?? path)
    }
}

/// An advisory lock on the folder of the settings, which lasts as long as the value.
final class SettingsLock {
    private let folder: Int32

    /// Waits for the lock; where there can be none, as on some shared disks, there is none.
    init(beside path: String) {
        // From here on everything that this command makes is for its user alone.
        umask(0o077)
        var folder = ""
        // What can't be made is found out by who writes the file.
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            _ = mkdir(folder, 0o700)
        }
        self.folder = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if self.folder >= 0 { while flock(self.folder, LOCK_EX) != 0, errno == EINTR {} }
    }

    deinit {
        if folder >= 0 { close(folder) }
    }
}
