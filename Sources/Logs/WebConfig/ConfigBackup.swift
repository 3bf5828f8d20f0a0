import Digests
import Files
import Glibc

/// A file as it was before a repair, kept beside it.
///
/// Its name holds a digest of the repaired file: as long as that is what is there, the repair can be undone. It ends in
/// `.config`, which IIS gives to nobody.
public enum ConfigBackup {
    private static let suffix = ".config"

    /// Writes a repair in place of its file, and keeps the file as it was; returns the path of what was kept.
    ///
    /// Whatever interrupts it, the file is the old one or the new one. A file that has changed since the repair was
    /// planned is refused.
    public static func write(_ repair: ConfigRepair) throws(WebConfigError) -> String {
        let (source, path) = (repair.source, try resolved(repair.source))
        let kept = beginning(of: path, repaired: repair.repaired) + "-" + digest(of: repair.original, 8) + suffix
        try working(on: source) { () throws(FileError) in try keep(repair.original, at: kept) }
        guard try bytes(path, source) == repair.original else { throw changed(source, "it was changed meanwhile") }
        try working(on: source) { () throws(FileError) in try AtomicFile.write(repair.repaired, to: path) }
        return kept
    }

    /// Puts back a file as it was before its last repair; returns the path of what was kept, which is gone.
    ///
    /// A file that was changed since is refused.
    public static func undo(_ source: WebConfigSource) throws(WebConfigError) -> String {
        let path = try resolved(source)
        let all = kept(of: path)
        let beginning = beginning(of: path, repaired: try bytes(path, source))
        guard let last = all.last(where: { $0.hasPrefix(beginning) }) else {
            if !all.isEmpty { throw changed(source, "it was changed since it was repaired") }
            throw WebConfigError(
                code: .nothingToUndo,
                source: source,
                message: "there is nothing to undo: no repair of it was kept beside it"
            )
        }
        let before = try bytes(last, source)
        try working(on: source) { () throws(FileError) in try AtomicFile.write(before, to: path) }
        unlink(last)
        return last
    }

    /// The path behind links, so that no link is replaced by a file.
    private static func resolved(_ source: WebConfigSource) throws(WebConfigError) -> String {
        guard let resolved = realpath(source.path, nil) else {
            throw WebConfigError(FileError(.open, source.path, .system(errno)), source: source)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func stem(_ path: String) -> String {
        (path.lowercased().hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".before-fastctl-"
    }

    private static func beginning(of path: String, repaired: [UInt8]) -> String {
        stem(path) + digest(of: repaired, 16)
    }

    private static func digest(of bytes: [UInt8], _ digits: Int) -> String {
        var function = SHA256()
        return String(function.digest(of: bytes).hexadecimal.prefix(digits))
    }

    /// The files kept beside a file, the latest last.
    private static func kept(of path: String) -> [String] {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        let names = (try? Folder.names(folder.isEmpty ? "/" : folder, maximum: 100_000)) ?? []
        let stem = stem(path)
        return names.map { folder + "/" + $0 }.filter { $0.hasPrefix(stem) && $0.hasSuffix(suffix) }
            .map { (path: $0, at: changedAt($0)) }.sorted { $0.at < $1.at }.map(\.path)
    }

    private static func changedAt(_ path: String) -> Duration {
        var status = stat()
        guard stat(path, &status) == 0 else { return .zero }
        return .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
    }

    private static func bytes(_ path: String, _ source: WebConfigSource) throws(WebConfigError) -> [UInt8] {
        try working(on: source) { () throws(FileError) in
            try SmallFile.read(path, maximum: WebConfigFile.maximumBytes)
        }
    }

    private static func working<Result>(
        on source: WebConfigSource,
        _ body: () throws(FileError) -> Result
    ) throws(WebConfigError) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            throw failure(error, source)
        }
    }

    private static func keep(_ bytes: [UInt8], at path: String) throws(FileError) {
        // After an undo and the same repair again, it is there already.
        if let there = try? SmallFile.read(path, maximum: WebConfigFile.maximumBytes, followsLinks: false),
            there == bytes
        {
            return
        }
        let file = try NewFile(path, permissions: 0o600)
        var bytes = bytes
        try file.write(&bytes)
        try file.synchronize()
    }

    private static func changed(_ source: WebConfigSource, _ message: String) -> WebConfigError {
        WebConfigError(
            code: .changed,
            source: source,
            message: message + "; nothing was written",
            advice: "compare it with the file kept beside it (web.before-fastctl-….config)"
        )
    }

    private static func failure(_ error: FileError, _ source: WebConfigSource) -> WebConfigError {
        switch error.operation {
        case .open, .read, .list: WebConfigError(error, source: source)
        case .create, .write, .replace:
            WebConfigError(
                code: .cannotWrite,
                source: source,
                message: "it can't be replaced: \(error.reason)",
                advice: "run as a user who may write to its folder, or repair a copy"
            )
        }
    }
}
