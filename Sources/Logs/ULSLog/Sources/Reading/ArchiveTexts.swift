import ArchiveStream

/// Gives the logs of an archive in its own order, or the text of a compressed file.
final class ArchiveTexts: TextSupply {
    private let source: LogSource
    /// The archive reads from it without keeping it open.
    private let file: OpenFile
    private var archive: ArchiveReader
    private var otherNames = 0
    /// An example of what was passed over.
    private var otherName: String?
    private var hasText = false

    var passedOver: Int { archive.passedOver + otherNames }

    init(_ source: LogSource, file: OpenFile, head: [UInt8], limits: ArchiveLimits) throws(LogSourceError) {
        self.source = source
        self.file = file
        do throws(ArchiveError) {
            archive = try ArchiveReader(descriptor: file.number, startingWith: head, limits: limits)
        } catch {
            throw LogSourceError(error, source: source.name)
        }
    }

    /// Moves to the next log.
    ///
    /// - Throws: A ``LogSourceError`` also at the end of an archive that held no log.
    func nextText() throws(LogSourceError) -> LogTextName? {
        do throws(ArchiveError) {
            while let entry = try archive.nextEntry() {
                guard let name = entry.name else {
                    hasText = true
                    return LogTextName(source)
                }
                if case .log = LogNameKind(name) {
                    hasText = true
                    return LogTextName(entry: name, in: source)
                }
                otherNames += 1
                otherName = otherName ?? name
            }
        } catch {
            hasText = true  // The failure has been told, and says more than that nothing was found.
            throw LogSourceError(error, source: source.name)
        }
        guard !hasText else { return nil }
        hasText = true
        throw nothingFound
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        do throws(ArchiveError) {
            return try archive.read(into: &buffer, from: start) ?? 0
        } catch {
            throw LogSourceError(error, source: source.name)
        }
    }

    private var nothingFound: LogSourceError {
        guard let otherName else {
            return LogSourceError(.nothingFound, source: source.name, reason: "nothing is inside")
        }
        var reason =
            "no log is inside, but \(otherNames) other file\(otherNames == 1 ? "" : "s"), such as '\(otherName)'"
        if case .packed = LogNameKind(otherName) { reason += "; archives inside archives are not read" }
        return LogSourceError(.nothingFound, source: source.name, reason: reason, advice: "unpack it and give the logs")
    }
}
