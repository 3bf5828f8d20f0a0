/// What a file among others is taken for, by its name: in a folder, and inside an archive.
///
/// Beside its logs, the service keeps `.usage` files, which hold no rows.
enum LogNameKind {
    case log
    /// It may hold logs, compressed ones or several.
    case packed
    case other

    init(_ path: some StringProtocol) {
        let name = path.lastPathComponent
        // Hidden files are nobody's logs; `._x.log` is what macOS adds to archives.
        if name.hasPrefix(".") {
            self = .other
        } else if Self.hasAny(Self.logSuffixes, name) {
            self = .log
        } else if Self.hasAny(Self.archiveSuffixes, name) {
            self = .packed
        } else if let inner = CompressionSuffix.removed(from: name), Self.hasAny(Self.logSuffixes, inner) {
            self = .packed
        } else {
            self = .other
        }
    }

    private static let logSuffixes = [".log", ".txt", ".csv", ".tsv"]
    private static let archiveSuffixes =
        [".zip", ".7z", ".tar", ".tgz", ".txz", ".tbz2", ".tzst"] + CompressionSuffix.all.map { ".tar" + $0 }

    private static func hasAny(_ suffixes: [String], _ name: Substring) -> Bool {
        suffixes.contains { name.hasSuffix(ignoringCase: $0) }
    }
}
