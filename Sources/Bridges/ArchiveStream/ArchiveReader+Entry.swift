import CLibArchive

extension ArchiveReader {
    /// A file inside an archive.
    public struct Entry: Hashable, Sendable {
        /// What the archive calls it, for display only; `nil` for a compressed text, which has no name of its own.
        ///
        /// It may hold anything: `..`, a drive, control characters. No path may be made from it.
        public var name: String?
        /// The size it claims to have, if it claims one.
        public var claimedSize: Int64?
    }
}

extension ArchiveReader.Entry {
    init(_ header: OpaquePointer, limits: ArchiveLimits) {
        // A name that is no text in this locale comes as nil.
        let bytes = archive_entry_pathname_utf8(header) ?? archive_entry_pathname(header)
        name = bytes.map { Self.label(String(cString: $0), limit: limits.nameBytes) } ?? "unnamed"
        claimedSize = archive_entry_size_is_set(header) != 0 ? archive_entry_size(header) : nil
    }

    private static func label(_ name: String, limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        return String(decoding: name.utf8.prefix(limit), as: UTF8.self) + "…"
    }
}
