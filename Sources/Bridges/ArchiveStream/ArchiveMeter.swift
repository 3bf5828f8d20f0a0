import CLibArchive

/// Counts what an archive produces, and refuses it beyond the limits.
struct ArchiveMeter {
    let limits: ArchiveLimits
    private(set) var entries = 0
    private var produced: Int64 = 0
    private var producedByEntry: Int64 = 0

    init(limits: ArchiveLimits) { self.limits = limits }

    /// Counts the entry that begins.
    mutating func begin(_ entry: ArchiveReader.Entry, in archive: OpaquePointer) throws(ArchiveError) {
        entries += 1
        producedByEntry = 0
        guard entries <= limits.entries else {
            throw ArchiveError(
                code: .tooManyEntries,
                message: "more than \(limits.entries) entries",
                entry: entry.name
            )
        }
        try add(0, in: archive, entry: entry.name)
    }

    /// Counts bytes that came out of the current entry.
    mutating func add(_ count: Int, in archive: OpaquePointer, entry: String?) throws(ArchiveError) {
        produced += Int64(count)
        producedByEntry += Int64(count)
        // Filter 0 is the last one: what it has put out holds the headers too. Filter -1 is the one next to the file:
        // what it has taken in.
        let unpacked = max(produced, archive_filter_bytes(archive, 0))
        let consumed = max(archive_filter_bytes(archive, -1), 1)
        guard unpacked <= limits.producedBytes else {
            throw refusal(.tooLarge, "it unpacks to more than \(limits.producedBytes) bytes", entry)
        }
        guard producedByEntry <= limits.entryBytes else {
            throw refusal(.tooLarge, "one entry unpacks to more than \(limits.entryBytes) bytes", entry)
        }
        guard unpacked <= limits.ratioGrace || unpacked / consumed <= limits.ratio else {
            throw refusal(.suspiciousRatio, "one byte unpacks to more than \(limits.ratio): it may be a bomb", entry)
        }
    }

    private func refusal(_ code: ArchiveError.Code, _ message: String, _ entry: String?) -> ArchiveError {
        ArchiveError(code: code, message: message, entry: entry)
    }
}
