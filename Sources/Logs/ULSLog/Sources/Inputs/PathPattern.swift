import Glibc

/// A path with wildcards, which the shell has left as it was written.
struct PathPattern {
    private let text: String

    /// `nil` for a path without wildcards.
    init?(_ text: String) {
        guard text.utf8.contains(where: { Array("*?[".utf8).contains($0) }) else { return nil }
        self.text = text
    }

    /// The paths that match, sorted.
    func matches() -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(text, 0, nil, &found) == 0, let paths = unsafe found.gl_pathv else { return [] }
        return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
            unsafe paths[index].map { unsafe String(cString: $0) }
        }
    }
}
