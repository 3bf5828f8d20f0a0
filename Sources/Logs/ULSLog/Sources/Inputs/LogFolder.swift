import Glibc

/// What a folder holds, by the names in it.
struct LogFolder {
    /// The most names that a folder may hold.
    static let maximumNames = 1_000_000

    private let path: String
    /// Paths of the logs and archives, sorted.
    private(set) var logs: [String] = []
    /// Names of other files, sorted; hidden ones are left out.
    private(set) var others: [String] = []
    /// Names of the folders in it, sorted; hidden ones are left out.
    private(set) var folders: [String] = []

    init(_ path: String) throws(LogSourceError) {
        self.path = path
        for name in try FolderNames.list(path, limit: Self.maximumNames).sorted() where !name.hasPrefix(".") {
            let inside = path.hasSuffix("/") ? path + name : path + "/" + name
            let status = FileStatus(path: inside)
            switch (LogNameKind(name), status?.kind) {
            case (_, .folder): folders.append(name)
            // Nobody has named it, and reading it might wait for ever.
            case (_, .pipe), (_, .special), (.other, _): others.append(name)
            case (.log, _), (.packed, _): logs.append(inside)
            }
        }
    }

    var nothingFound: LogSourceError {
        let advice =
            folders.first.map { "give the folders in it that hold logs, such as '\($0)'" }
            ?? others.first.map { "give files such as '\($0)' by their names if they are logs" }
        return LogSourceError(.nothingFound, source: path, reason: "no log is in this folder", advice: advice)
    }
}
