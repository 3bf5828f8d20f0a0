import ArgumentParsing
import ContentFeeding
import EngineCatalog
import Glibc
import ReportRendering

/// The user's file of contexts, and how it is written: whole or not at all, and for nobody else to read.
struct UserSettings {
    let path: String
    let files: ContextFiles

    init() throws {
        let environment = CommandContext.current.environment
        guard let path = ContextFiles.userPath(environment) else {
            throw CommandFailure(
                .configuration,
                "without HOME there is no place for contexts",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        self.path = path
        files = try ContextFiles(environment: environment, directory: ContextFiles.workingDirectory)
    }

    func edit() throws -> ContextEdit { try ContextEdit(files.user, path: path) }

    func write(_ text: String) throws {
        // From here on everything that this command makes is for its user alone.
        umask(0o077)
        makeFolders()
        // A link stays one: some people keep their settings elsewhere.
        let place = realpath(path, nil)
        defer { free(place) }
        try WholeFile.write(Array(text.utf8), to: place.flatMap { String(validatingCString: $0) } ?? path)
    }

    /// What can't be made is found out by who writes the file.
    private func makeFolders() {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            _ = mkdir(folder, 0o700)
        }
    }
}
