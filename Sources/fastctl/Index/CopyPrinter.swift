import CollectionSync
import ContentFeeding
import JSONText
import ReportRendering

/// A copy and how it stands.
struct CopyDisplay: ListEntry {
    private let name: CollectionName
    private let status: CopyStatus

    init(_ name: CollectionName, _ status: CopyStatus) { (self.name, self.status) = (name, status) }

    static let titles = ["NAME", "ORIGIN", "DOCUMENTS", "QUEUED", "PULLED"]
    static let alignments: [TextTable.Alignment] = [.left, .left, .right, .right, .left]
    static let fieldTitles = ["name", "target", "collection", "documents", "known", "queued", "pulledAt", "isComplete"]

    var fields: [String?] {
        [
            name.rawValue, status.origin.target, status.origin.collection.rawValue, "\(status.documents)",
            "\(status.known)", "\(status.queued)", status.pulledAt.map { "\(UTCTimestamp(since1970: $0))" },
            "\(isComplete)",
        ]
    }

    var row: [String] {
        [
            name.rawValue, "\(status.origin.collection) at \(status.origin.target)", "\(status.documents)",
            "\(status.queued)", pulled,
        ]
    }

    var lines: [(String, String)] {
        let origin = status.origin
        var lines = [("Name", name.rawValue), ("Origin", origin.target), ("Collection", origin.collection.rawValue)]
        for field in origin.query.fields { lines.append(("Only", "\(field.name)=\(field.value)")) }
        if let expression = origin.query.expression { lines.append(("Query", expression)) }
        if !origin.isWhole { lines.append(("Keys", origin.keys.joined(separator: ", "))) }
        if let mark = origin.removedMark { lines.append(("Removed", "\(mark.name)=\(mark.value)")) }
        lines += [("Documents", "\(status.documents)"), ("Queued", "\(status.queued)"), ("Pulled", pulled)]
        return lines
    }

    var entryName: String? { name.rawValue }

    private var isComplete: Bool { status.bookmark?.isComplete ?? false }

    private var pulled: String {
        let time = status.pulledAt.map { "\(UTCTimestamp(since1970: $0))" }
        return isComplete ? time ?? "-" : time.map { "\($0), and in part since" } ?? "never"
    }

    /// Appends `fastctl.copy/1`, without a line end.
    func append(to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        let origin = status.origin
        writer.object { writer in
            writer.member("schema", "fastctl.copy/1")
            writer.member("name", name.rawValue)
            writer.object("origin") { writer in
                writer.member("target", origin.target)
                writer.member("collection", origin.collection.rawValue)
                writer.object("fields") { writer in
                    for field in origin.query.fields { writer.member(field.name, field.value) }
                }
                writer.member("query", origin.query.expression)
                writer.member("keys", origin.keys)
                writer.member("identity", status.bookmark?.identity)
            }
            writer.member("documents", status.documents)
            writer.member("known", status.known)
            writer.member("queued", status.queued)
            writer.member("pulledAt", status.pulledAt.map { "\(UTCTimestamp(since1970: $0))" })
            writer.member("isComplete", isComplete)
        }
        bytes += writer.takeBytes()
    }
}
