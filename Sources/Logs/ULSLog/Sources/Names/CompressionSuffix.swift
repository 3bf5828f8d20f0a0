/// What a compressor adds to a file's name.
enum CompressionSuffix {
    static let all = [".gz", ".zst", ".xz", ".bz2"]

    /// The name without its suffix; `nil` when it has none of these.
    static func removed(from name: Substring) -> Substring? {
        guard let suffix = all.first(where: { name.hasSuffix(ignoringCase: $0) }) else { return nil }
        return name.dropLast(suffix.count)
    }
}
