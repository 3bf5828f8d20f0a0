package import ContentFeeding
package import FeedJobs
import JSONText
import ReportKit
package import TextKit

extension PreviewedOperation {
    /// The name in machine formats.
    var name: String { PreviewCounts.names[PreviewCounts.place(of: effect)] }
}

/// The numbers of operations by their effect.
package struct PreviewCounts: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: PreviewCounts.names.count)

    package init() {}

    /// The names of effects in machine formats, in the order of their counts.
    static let names = [
        "unknown", "removed", "added", "replaced", "updated", "unchanged", "missing", "failed", "repeated",
    ]

    static func place(of effect: PreviewedOperation.Effect) -> Int {
        switch effect {
        case .unknown: 0
        case .removed: 1
        case .added: 2
        case .replaced: 3
        case .updated: 4
        case .unchanged: 5
        case .missing: 6
        case .failed: 7
        case .repeated: 8
        }
    }

    package mutating func note(_ effect: PreviewedOperation.Effect) { counts[Self.place(of: effect)] += 1 }

    package var operations: Int { counts.reduce(0, +) }

    subscript(name: String) -> Int { Self.names.firstIndex(of: name).map { counts[$0] } ?? 0 }

    /// Returns `3 added, 1 unchanged`: the counts that are not 0, in order; `nothing` if there are none.
    var words: String {
        let parts = zip(Self.names, counts).filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    func append(to object: inout JSONWriter) {
        object.member("operations", operations)
        for (name, count) in zip(Self.names, counts) { object.member(name, count) }
    }
}

/// The conclusion of a dry run: its exit code and its last lines.
package struct PreviewConclusion: Sendable {
    /// A limit on removals, and whether the real run would be refused because of it.
    package struct Limit: Hashable, Sendable {
        package let allowed: Int
        package let removals: Int
        fileprivate var isExceeded: Bool { removals > allowed }

        package init(allowed: Int, removals: Int) { (self.allowed, self.removals) = (allowed, removals) }
    }

    package var kind: ContentOperation.Kind
    package var command: FeedCommand
    /// The address of the target; `nil` if it was not contacted.
    package var target: String?
    package var collection: CollectionName?
    /// Whether the documents were looked up.
    package var isLookedUp = false
    package var counts = PreviewCounts()
    package var rejected = 0
    /// Whether an input without any operations is a failure.
    package var failsOnEmpty = false
    /// Whether the input was found in the collection.
    package var findsItsInput = false
    package var limit: Limit?
    /// The reasons the real run would be refused, with advice, one line each; empty if only the limit may prevent it.
    package var refusal: [String] = []
    /// The protected context whose name must be given for the real run.
    package var confirmation: String?
    /// The places that were not searched, in words that continue a sentence; `nil` if all were.
    package var reservation: String?
    package var startedAt = Duration.zero
    package var duration = Duration.zero
    /// The number of IDs that `-o name` could not write.
    package var unwritableNames = 0

    /// `command` defaults to the usual one for the kind of operation.
    package init(_ kind: ContentOperation.Kind, _ command: FeedCommand? = nil) {
        self.kind = kind
        self.command = command ?? FeedCommand(kind)
    }

    package var status: ExitStatus {
        var statuses: [ExitStatus] = []
        if refused != nil { statuses.append(.refused) }
        let isEmpty = counts.operations == 0 && failsOnEmpty
        if rejected > 0 || unwritableNames > 0 || isEmpty { statuses.append(.inputRejected) }
        return .first(of: statuses)
    }

    /// The lines to print at the end; the last one is the result.
    package var lines: [String] {
        var lines: [String] = []
        if unwritableNames > 0 { lines.append(NameEnd.refusal(of: unwritableNames)) }
        if let reservation { lines.append("looked up \(reservation)") }
        if let confirmation {
            lines.append("the context '\(confirmation)' is protected: the actual run needs --confirm \(confirmation)")
        }
        lines.append(sentence)
        lines += refusal.isEmpty ? [refused].compactMap(\.self) : refusal
        return lines
    }

    /// The reason the real run would be refused; `nil` if it would not be refused.
    var refused: String? {
        if let reason = refusal.first { return reason }
        guard let limit, limit.isExceeded else { return nil }
        let removals = Quantity(limit.removals, "removal", "removals")
        return "refused: \(removals), but --max-remove allows \(limit.allowed); the actual run would send nothing"
    }

    private var sentence: String {
        let rejection = rejected > 0 ? "; \(Quantity(rejected, "line", "lines")) rejected" : ""
        if findsItsInput {
            let found = Quantity(counts.operations, "document was", "documents were")
            return "dry run: \(found) found and would be removed; nothing was sent"
        }
        guard isLookedUp, let collection else {
            let operations =
                switch kind {
                case .remove: Quantity(counts.operations, "removal", "removals")
                case .add, .update: Quantity(counts.operations, "document", "documents")
                }
            return
                "dry run: \(operations)\(rejection); nothing was sent or looked up (--dry-run=server looks documents up)"
        }
        let documents = Quantity(counts.operations, "document", "documents")
        guard kind == .remove else {
            return "dry run: \(counts.words) of \(documents) for \(collection)\(rejection); nothing was sent"
        }
        let (present, failed, repeated) = (counts["removed"], counts["failed"], counts["repeated"])
        let refused = failed > 0 ? "; \(failed) would be refused" : ""
        let again = repeated > 0 ? "; \(Quantity(repeated, "duplicate", "duplicates")) in the input" : ""
        let verb = present == 1 ? "exists" : "exist"
        return
            "dry run: \(present) of \(documents) \(verb) in \(collection)\(refused)\(again)\(rejection); nothing was sent"
    }
}

/// The lines of a dry run's operations, as text.
package enum PreviewLines {
    /// Appends the number of items that are not shown, and a line end.
    package static func append(more count: Int, to bytes: inout [UInt8]) {
        bytes.append(text: "… and \(count) more; --all shows them\n")
    }

    /// The maximum number of keys that a line names.
    private static let mostKeys = 8
    /// The maximum number of letters of a key.
    private static let mostLetters = 40

    /// Appends `What if: Replacing item 'X': +new ~changed -gone`, and a line end.
    package static func append(_ item: PreviewedOperation, to bytes: inout [UInt8]) {
        bytes.append(text: "What if: ")
        bytes.append(text: verb(of: item))
        bytes.append(text: " item '")
        bytes.append(safe: item.operation.documentID.utf8)
        bytes.append(text: "'")
        switch item.effect {
        case .replaced(let difference), .updated(let difference): append(difference, to: &bytes)
        case .unchanged: bytes.append(text: ", which is already the same")
        case .repeated: bytes.append(text: " again")
        default: break
        }
        bytes.append(text: item.operation.kind == .remove || isUnknown(item) ? ".\n" : "\n")
    }

    private static func isUnknown(_ item: PreviewedOperation) -> Bool {
        if case .unknown = item.effect { true } else { false }
    }

    private static func verb(of item: PreviewedOperation) -> String {
        if case .replaced = item.effect { return "Replacing" }
        return switch item.operation.kind {
        case .add: "Adding"
        case .update: "Updating"
        case .remove: "Removing"
        }
    }

    private static func append(_ difference: JSONDifference, to bytes: inout [UInt8]) {
        let keys =
            difference.added.map { ("+", $0) } + difference.changed.map { ("~", $0) }
            + difference.removed.map { ("-", $0) }
        bytes.append(text: ":")
        for (sign, key) in keys.prefix(mostKeys) {
            bytes.append(text: " \(sign)")
            bytes.append(safe: key.count > mostLetters ? key.prefix(mostLetters - 1) + "…" : key)
        }
        if keys.count > mostKeys {
            bytes.append(text: " \(more(keys.count - mostKeys))")
        }
    }

    private static func more(_ count: Int) -> String { "and \(Quantity(count, "more key", "more keys"))" }

    /// Returns the keys by which a stored document differs from the one that was sent: `+new ~changed -gone`.
    static func words(for difference: KeyDifference) -> String {
        let keys =
            difference.added.map { "+\($0)" } + difference.changed.map { "~\($0)" }
            + difference.removed.map { "-\($0)" }
        let hidden = difference.more + max(0, keys.count - mostKeys)
        return (keys.prefix(mostKeys) + (hidden > 0 ? [more(hidden)] : [])).joined(separator: " ")
    }
}

extension KeyDifference {
    /// Appends the keys, and the number of those that are not named.
    func append(to object: inout JSONWriter) {
        object.member("added", added)
        object.member("changed", changed)
        object.member("removed", removed)
        object.member("more", more)
    }
}

/// `fastctl.preview/1`: a dry run, written while it is in progress, with its items first and its counts at the end.
package struct PreviewObject: Sendable {
    private let conclusion: PreviewConclusion
    private var isEmpty = true

    /// Appends the text before the first item; `conclusion` already contains the target.
    package init(_ conclusion: PreviewConclusion, to bytes: inout [UInt8]) {
        self.conclusion = conclusion
        bytes.append(object: "fastctl.preview/1") { object in
            object.member("command", conclusion.command.rawValue)
            object.member("target", conclusion.target)
            object.member("collection", conclusion.collection?.rawValue)
            object.member("lookedUp", conclusion.isLookedUp)
        }
        // The object continues.
        bytes.removeLast()
        bytes.append(text: ",\"items\":[")
    }

    package mutating func append(_ item: PreviewedOperation, to bytes: inout [UInt8]) {
        bytes.append(text: isEmpty ? "\n " : ",\n ")
        isEmpty = false
        bytes += JSONWriter.object { PreviewItemObject.append(item, in: conclusion.collection, to: &$0) }
    }

    /// Appends the object that ends a stream of items; it has no list, because the items replace it.
    package static func append(withoutItems conclusion: PreviewConclusion, to bytes: inout [UInt8]) {
        PreviewObject(conclusion, to: &bytes).end(conclusion, in: &bytes)
    }

    /// Appends the text after the last item, and a line end.
    package func end(_ conclusion: PreviewConclusion, in bytes: inout [UInt8]) {
        bytes.append(text: isEmpty ? "]," : "\n],")
        let json = JSONWriter.object { object in
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
        bytes += json.dropFirst()
        bytes.append(0x0A)
    }
}

/// `fastctl.previewItem/1`: the effect of one operation.
package enum PreviewItemObject {
    /// The maximum number of keys that are named for each kind; all keys are counted.
    private static let mostKeys = 100

    /// Appends the object on a separate line.
    package static func append(_ item: PreviewedOperation, in collection: CollectionName?, to bytes: inout [UInt8]) {
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
