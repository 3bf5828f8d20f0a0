import Glibc
import Spelling

extension LogSourceError {
    /// The most names that are compared with the one that is missing.
    private static let comparedNames = 10_000

    /// A path that the system has just said nothing of, with the nearest name in its folder.
    init(missing path: String) {
        self.init(errno: errno, source: path)
        guard code == .missing else { return }
        let name = String(path.lastPathComponent)
        let folder = String(path.dropLast(name.count))
        let names = try? FolderNames.list(folder.isEmpty ? "." : folder, limit: Self.comparedNames)
        guard let names else {
            advice = "check the path: its folder is not there either"
            return
        }
        advice = name.nearest(in: names.filter { !$0.hasPrefix(".") }).map { "did you mean '\(folder + $0)'?" }
    }
}
