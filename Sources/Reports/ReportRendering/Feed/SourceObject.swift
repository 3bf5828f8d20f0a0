import JSONText

/// `fastctl.source/1`: what a source of documents is, and how much it has.
public struct SourceObject: Sendable {
    /// The source's address, without secrets.
    public var source: String
    /// Whether entries come in ascending order of their IDs.
    public var isOrdered: Bool
    /// The key of the documents that holds their version; `nil` if they have none.
    public var versionKey: String?
    /// Whether entries have documents.
    public var hasDocuments: Bool
    /// The ID of the first entry, and the top-level keys of its document; `nil` if there is none, or if it was not asked
    /// for.
    public var first: (id: String, version: String?, keys: [String])?
    /// The number of entries, and of what is none; `nil` if they were not counted.
    public var count: (entries: Int, rejected: Int)?

    /// Creates the description of a source of which nothing was read.
    public init(_ source: String, isOrdered: Bool, versionKey: String?, hasDocuments: Bool) {
        (self.source, self.isOrdered) = (source, isOrdered)
        (self.versionKey, self.hasDocuments) = (versionKey, hasDocuments)
    }

    /// Appends the object on a line.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.source/1") { object in
            object.member("source", source)
            object.member("ordered", isOrdered)
            object.member("versionKey", versionKey)
            object.member("documents", hasDocuments)
            object.member("firstID", first?.id)
            object.member("firstVersion", first?.version)
            object.member("keys", first?.keys)
            object.member("entries", count?.entries)
            object.member("rejected", count?.rejected)
        }
        bytes.append(0x0A)
    }

    /// The description for people, as titles and values.
    public var lines: [(title: String, value: String)] {
        var lines = [("source", source), ("documents", hasDocuments ? "yes" : "no, only their IDs")]
        lines.append(
            (
                "version",
                versionKey.map { "in the key '\($0)'" } ?? first?.version.map { _ in "yes, but in no key" } ?? "none"
            )
        )
        lines.append(("order", isOrdered ? "by ID" : "any"))
        if let first {
            lines.append(("first", first.id))
            lines.append(("keys", first.keys.joined(separator: ", ")))
        }
        return lines.map { (title: $0.0, value: $0.1) }
    }
}
