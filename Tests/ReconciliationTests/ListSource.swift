import ContentFeeding
import DocumentSources

/// A source that is a list, and fails as required by the test.
struct ListSource: DocumentSource {
    enum Fault: Hashable {
        /// The page can't be read.
        case dies(page: Int)
        /// The page contains an item that is not an entry.
        case rejects(page: Int)
        /// Reading ends after the page, as if that were the end.
        case ends(page: Int)
    }

    var name = "a list"
    var traits = SourceTraits()
    var entries: [SourceEntry]
    var pageCount = 3
    var fault: Fault?
    /// The entries of the source when it is opened for documents.
    var later: [SourceEntry]?

    func reader(of contents: SourceContents, from place: SourcePlace) async throws(SourceError) -> any SourceReader {
        var source = self
        if contents == .documents, let later { source.entries = later }
        return ListReader(source, contents)
    }
}

private actor ListReader: SourceReader {
    private let source: ListSource
    private let contents: SourceContents
    private var page = 0

    init(_ source: ListSource, _ contents: SourceContents) { (self.source, self.contents) = (source, contents) }

    func next() async throws(SourceError) -> SourcePage? {
        let start = page * source.pageCount
        if source.fault == .dies(page: page) { throw SourceError(.unreachable, "no answer") }
        guard start < source.entries.count, source.fault != .ends(page: page) else { return nil }
        let entries = source.entries[start..<min(start + source.pageCount, source.entries.count)]
        var rejections: [InputRejection] = []
        if source.fault == .rejects(page: page) {
            rejections.append(InputRejection(source: source.name, line: start + 1, reason: "no ID"))
        }
        page += 1
        return SourcePage(
            entries: entries.map { entry in
                SourceEntry(id: entry.id, version: entry.version, json: contents == .documents ? entry.json : nil)
            },
            rejections: rejections,
            next: SourcePlace(rawValue: "\(page)")
        )
    }
}
