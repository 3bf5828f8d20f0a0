import ContentFeeding
import DocumentSources

/// The result of reading a source in a test.
struct SourceReading: Sendable {
    var entries: [SourceEntry] = []
    var rejections: [InputRejection] = []
    /// The position after each page.
    var places: [SourcePlace] = []

    var ids: [String] { entries.map(\.id.text) }
    var texts: [String] { entries.map { String(decoding: $0.json ?? [], as: UTF8.self) } }

    /// Reads a source to its end.
    init(
        _ source: any DocumentSource,
        _ contents: SourceContents = .documents,
        from place: SourcePlace = .beginning
    ) async throws {
        let reader = try await source.reader(of: contents, from: place)
        while let page = try await reader.next() {
            entries += page.entries
            rejections += page.rejections
            places.append(page.next)
        }
    }

    /// For each position, the entries before it, followed by those read when reading resumes there.
    static func resumed(_ source: any DocumentSource, at place: SourcePlace) async throws -> [SourceEntry] {
        let reader = try await source.reader(of: .documents, from: .beginning)
        var entries: [SourceEntry] = []
        while let page = try await reader.next() {
            entries += page.entries
            if page.next == place { break }
        }
        return try await entries + SourceReading(source, from: place).entries
    }
}
