import ContentFeeding
import ReportRendering
import TextSafety

/// Prints what is known of collections in the form that was asked for.
struct CollectionPrinter {
    private let options: ResultOptions

    init(_ options: ResultOptions) { self.options = options }

    /// Prints a list of them: a table, an array, lines.
    func print(_ collections: [CollectionDescription]) throws {
        var bytes: [UInt8] = []
        switch options.format {
        case .json, .ndjson:
            var list = JSONList(options.format)
            for collection in collections { list.append(to: &bytes) { CollectionObject.append(collection, to: &$0) } }
            list.end(in: &bytes)
        case .name: for collection in collections { _ = options.nameEnd.append(collection.name.rawValue, to: &bytes) }
        case .text where collections.isEmpty: break
        case .text: table(of: collections).append(to: &bytes, width: ProcessEnvironment.width)
        }
        try StandardOutput().drainOrStop(&bytes)
    }

    /// Prints one: a list of what is known of it, or an object.
    func show(_ collection: CollectionDescription) throws {
        var bytes: [UInt8] = []
        switch options.format {
        case .json, .ndjson:
            CollectionObject.append(collection, to: &bytes)
            bytes.append(0x0A)
        case .name: _ = options.nameEnd.append(collection.name.rawValue, to: &bytes)
        case .text:
            for (title, value) in rows(of: collection) {
                let padding = String(repeating: " ", count: max(1, 11 - title.count))
                bytes.append(contentsOf: (title + padding + SafeText.escaping(value) + "\n").utf8)
            }
        }
        try StandardOutput().drainOrStop(&bytes)
    }

    private func table(of collections: [CollectionDescription]) -> TextTable {
        var table = TextTable(["NAME", "DOCUMENTS", "WAITING", "SIZE"], alignments: [.left, .right, .right, .right])
        for collection in collections {
            table.append([
                collection.name.rawValue, "\(collection.documents)", "\(collection.waiting)", size(of: collection),
            ])
        }
        return table
    }

    private func rows(of collection: CollectionDescription) -> [(String, String)] {
        [
            ("Name", collection.name.rawValue), ("Documents", "\(collection.documents)"),
            ("Waiting", "\(collection.waiting)"), ("Size", size(of: collection)),
        ] + collection.settings.map { ($0.name, $0.value) }
    }

    private func size(of collection: CollectionDescription) -> String {
        collection.bytes.map { "\(ShortByteCount($0))" } ?? "-"
    }
}
