public import ContentFeeding
import JSONText

/// `fastctl.preview/1`: a dry run, written while it goes on: its items come first, its counts at the end.
public struct PreviewObject: Sendable {
    private let conclusion: PreviewConclusion
    private var isEmpty = true

    /// Appends what precedes the first item; `conclusion` knows by now where the run went.
    public init(_ conclusion: PreviewConclusion, to bytes: inout [UInt8]) {
        self.conclusion = conclusion
        bytes.append(object: "fastctl.preview/1") { object in
            object.member("command", conclusion.command.rawValue)
            object.member("target", conclusion.target)
            object.member("collection", conclusion.collection?.rawValue)
            object.member("lookedUp", conclusion.isLookedUp)
        }
        // The object goes on.
        bytes.removeLast()
        bytes.append(text: ",\"items\":[")
    }

    public mutating func append(_ item: PreviewedOperation, to bytes: inout [UInt8]) {
        bytes.append(text: isEmpty ? "\n " : ",\n ")
        isEmpty = false
        var writer = JSONWriter()
        writer.object { PreviewItemObject.append(item, in: conclusion.collection, to: &$0) }
        bytes += writer.takeBytes()
    }

    /// Appends the object that ends a stream of items, which take the place of its list.
    public static func append(withoutItems conclusion: PreviewConclusion, to bytes: inout [UInt8]) {
        PreviewObject(conclusion, to: &bytes).end(conclusion, in: &bytes)
    }

    /// Appends what follows the last item, and a line end.
    public func end(_ conclusion: PreviewConclusion, in bytes: inout [UInt8]) {
        bytes.append(text: isEmpty ? "]," : "\n],")
        var writer = JSONWriter()
        writer.object { object in
            object.object("counts") { counts in
                conclusion.counts.append(to: &counts)
                counts.member("rejectedInput", conclusion.rejected)
            }
            object.key("limit")
            if let limit = conclusion.limit {
                object.object { object in
                    object.member("allowed", limit.allowed)
                    object.member("removals", limit.removals)
                    object.member("exceeded", limit.isExceeded)
                }
            } else {
                object.null()
            }
            object.member("refusal", conclusion.refused)
            object.member("confirmation", conclusion.confirmation)
            object.member("exitCode", Int(conclusion.status.rawValue))
            object.member("startedAt", "\(UTCTimestamp(since1970: conclusion.startedAt))")
            object.member("seconds", raw: Array(conclusion.duration.secondsText.utf8))
        }
        bytes += writer.takeBytes().dropFirst()
        bytes.append(0x0A)
    }
}

/// `fastctl.previewItem/1`: what one operation would do.
public enum PreviewItemObject {
    /// The most keys named of a kind; all are counted.
    private static let mostKeys = 100

    /// Appends the object on a line of its own.
    public static func append(_ item: PreviewedOperation, in collection: CollectionName?, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.previewItem/1") { append(item, in: collection, to: &$0) }
        bytes.append(0x0A)
    }

    static func append(_ item: PreviewedOperation, in collection: CollectionName?, to object: inout JSONWriter) {
        object.member("operation", item.operation.kind.rawValue)
        object.member("documentID", item.operation.documentID)
        object.member("routing", item.operation.routing?.text)
        object.member("effect", item.name)
        object.key("keys")
        switch item.effect {
        case .replaced(let difference), .updated(let difference): append(difference, to: &object)
        default: object.null()
        }
        var failure: DocumentFailure?
        if case .failed(let reason) = item.effect { failure = reason }
        let name = collection ?? CollectionName("")
        object.member("code", failure?.code.rawValue)
        object.member("description", failure?.description(of: item.operation.documentID, in: name))
    }

    private static func append(_ difference: JSONDifference, to object: inout JSONWriter) {
        let kinds = [
            ("added", difference.added), ("changed", difference.changed), ("removed", difference.removed),
        ]
        object.object { object in
            for (name, keys) in kinds { object.member(name, Array(keys.prefix(mostKeys))) }
            object.member("more", kinds.reduce(0) { $0 + max(0, $1.1.count - mostKeys) })
        }
    }
}
