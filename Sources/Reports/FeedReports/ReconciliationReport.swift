package import ContentFeeding
import JSONText
package import Reconciliation
import ReportKit
package import TextKit

/// The result of a comparison of a source with a collection: exit code, sentence, text and `fastctl.reconciliation/1`.
package struct ReconciliationReport: Sendable {
    /// A plan that was written.
    package struct WrittenPlan: Sendable {
        package let path: String
        package let tally: PlanTally
        package let leftOut: Planner.LeftOut

        package init(_ path: String, _ tally: PlanTally, _ leftOut: Planner.LeftOut) {
            (self.path, self.tally, self.leftOut) = (path, tally, leftOut)
        }
    }

    package let source: String
    package let target: String
    package let collection: CollectionName
    /// The basis of the comparison.
    package let basis: String
    /// The requested differences, in their order.
    package let kinds: [Difference.Kind]
    package var counts = ComparisonCounts()
    package var account = SourceAccount()
    /// The reason orphaned documents are unknown; `nil` if they are known.
    package var shortfall: String?
    /// Whether the collection was changed while it was read.
    package var isMoved = false
    package var plan: WrittenPlan?
    package var startedAt = Duration.zero
    package var duration = Duration.zero

    package init(
        source: String,
        target: String,
        collection: CollectionName,
        basis: String,
        kinds: [Difference.Kind]
    ) {
        self.source = source
        self.target = target
        self.collection = collection
        self.basis = basis
        self.kinds = kinds
    }

    /// Whether any of the requested differences was found.
    private var hasDrift: Bool { kinds.contains { (count(of: $0) ?? 0) > 0 } }

    package var status: ExitStatus {
        if shortfall != nil { return .targetUnusable }
        return hasDrift ? .documentsFailed : .done
    }

    /// Returns the number of differences of a kind; `nil` if it is unknown.
    func count(of kind: Difference.Kind) -> Int? { kind == .orphaned && shortfall != nil ? nil : counts[kind] }

    /// The lines of the result, printed at the end.
    package var lines: [String] {
        var lines: [String] = []
        if account.unversioned > 0 {
            let entries = Quantity(account.unversioned, "entry has", "entries have")
            lines.append("\(entries) no version to compare by \(basis), which counts as a difference: see --by")
        }
        if isMoved {
            lines.append("the collection changed while it was being read, so each difference was checked again")
        }
        if let shortfall {
            lines.append("the source may not have been read in full: \(shortfall)")
            lines.append("orphaned documents were not determined, and no plan was written")
        }
        lines.append("\(collection): \(outcome) (\(ShortDuration(duration)))")
        guard let plan else { return lines }
        if plan.leftOut.changed + plan.leftOut.vanished > 0 {
            lines.append(
                "left out of the plan: \(plan.leftOut.changed) that have changed in the source, and "
                    + "\(plan.leftOut.vanished) that are no longer in it"
            )
        }
        if plan.leftOut.partial > 0 {
            let documents = Quantity(plan.leftOut.partial, "missing document", "missing documents")
            lines.append(
                "left out of the plan: \(documents), for which the source holds only some keys; feed them from a complete "
                    + "source, or add only those keys with --replace-with-partial"
            )
        }
        if plan.leftOut.lessened > 0 {
            let documents = Quantity(plan.leftOut.lessened, "stale document", "stale documents")
            let keys = plan.leftOut.lostKeys.sorted().map { "'\($0)'" }.joined(separator: ", ")
            lines.append(
                "left out of the plan: \(documents) with keys that no row of the source has (\(keys)), which a replacement "
                    + "would drop; feed the rows with 'fastctl update', or replace whole documents with "
                    + "--replace-with-partial"
            )
        }
        lines += unreadable(plan.leftOut)
        lines.append("planned: \(plan.tally.words); see what they would do: fastctl apply --dry-run \(path)")
        return lines
    }

    /// Returns the lines about documents of the collection that can't be read: the first of these documents, and their
    /// number.
    private func unreadable(_ leftOut: Planner.LeftOut) -> [String] {
        guard leftOut.unreadable > 0 else { return [] }
        let names = leftOut.namedUnreadable.map { "'\($0.key.id)' can't be read: \($0.failure.message)" }
        let documents = Quantity(leftOut.unreadable, "document", "documents")
        let advice = "feed or remove \(leftOut.unreadable == 1 ? "it" : "them") by ID, without --backup"
        return names + ["left out of the plan: \(documents) in the collection that can't be read; \(advice)"]
    }

    /// The result of the comparison, which may be incomplete.
    private var outcome: String {
        if shortfall != nil, account.entries == 0 {
            return "the comparison is incomplete: no entry in the source was read"
        }
        let others = words(for: Difference.Kind.allCases.filter { !kinds.contains($0) })
        var text = words(for: kinds) ?? nothing(besides: others)
        text += ", \(counts.same) the same"
        if shortfall != nil {
            let entries = "the \(Quantity(account.entries, "entry that was", "entries that were"))"
            text = "the comparison is incomplete: \(text) among \(entries) read"
        }
        return "\(text), compared by \(basis)" + (others.map { "; not requested: \($0)" } ?? "")
    }

    /// Returns the statement that there are no differences of the requested kinds, limited to kinds whose numbers are
    /// known.
    private func nothing(besides others: String?) -> String {
        let known = kinds.filter { count(of: $0) != nil }
        if known.isEmpty { return "orphaned unknown" }
        if others != nil { return "none \(known.map(\.rawValue).joined(separator: " or "))" }
        return shortfall == nil ? "in sync" : "no difference"
    }

    /// Returns the known number of differences of these kinds, in words; `nil` if there are none.
    private func words(for kinds: [Difference.Kind]) -> String? {
        let parts = kinds.compactMap { kind in count(of: kind).flatMap { $0 > 0 ? "\($0) \(kind.rawValue)" : nil } }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var path: String { CommandLineWords.quoted(plan?.path ?? "") }
}

// MARK: Text

extension ReconciliationReport {
    /// The maximum number of differences of each kind that are named in text.
    package static let mostExamples = 10

    /// Appends the human-readable page; `examples` are the first differences of each kind.
    package func append(_ examples: [Difference.Kind: [DocumentID]], to bytes: inout [UInt8], width: Int) {
        bytes.append(text: "source      ")
        SafeText.append(source, to: &bytes)
        bytes.append(text: "\ncollection  ")
        SafeText.append("\(collection) in \(target)", to: &bytes)
        bytes.append(text: "\n\n")
        var table = TextTable(["BY \(basis.uppercased())", "DOCUMENTS", ""], alignments: [.left, .right, .left])
        let extent = shortfall == nil ? "" : "as far as it could be read"
        table.append(["in the source", "\(counts.source)", extent])
        table.append(["in the collection", "\(counts.collection)", ""])
        // Equal versions do not reveal documents that were edited without a new version.
        let isByKey = !["content", "id"].contains(basis)
        table.append(["same", "\(counts.same)", isByKey ? "in both, with the same \(basis)" : "in both, and the same"])
        for kind in kinds {
            let meaning = isByKey && kind == .stale ? "in both, with a different \(basis)" : kind.meaning
            table.append([kind.rawValue, count(of: kind).map { "\($0)" } ?? "?", meaning])
        }
        table.append(to: &bytes, width: width)
        for kind in kinds {
            guard let named = examples[kind], !named.isEmpty, let all = count(of: kind) else { continue }
            bytes.append(text: "\n\(kind.rawValue)\n")
            var list = TextTable([""])
            for id in named { list.append(["  \(id)"]) }
            var lines: [UInt8] = []
            list.append(to: &lines, width: width)
            // The line of titles is left out, because the titles are empty.
            bytes += lines.drop { $0 != 0x0A }.dropFirst()
            if all > named.count { bytes.append(text: "  … and \(all - named.count) more\n") }
        }
    }
}

extension Difference.Kind {
    fileprivate var meaning: String {
        switch self {
        case .missing: "only in the source"
        case .stale: "in both, but different"
        case .orphaned: "only in the collection"
        case .duplicate: "more than once on one side"
        }
    }
}

// MARK: JSON

extension ReconciliationReport {
    /// Appends the text that precedes the differences in the single object.
    package func begin(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.reconciliation/1") { object in
            object.member("source", source)
            object.member("target", target)
            object.member("collection", collection.rawValue)
            object.member("by", basis)
        }
        // The object continues.
        bytes.removeLast()
        bytes.append(text: ",\"differences\":[")
    }

    /// Appends a difference to those of the object.
    package static func append(_ difference: Difference, isFirst: Bool, to bytes: inout [UInt8]) {
        bytes.append(text: isFirst ? "\n " : ",\n ")
        bytes += JSONWriter.object { append(difference, to: &$0) }
    }

    /// Appends the text after the differences, and a line end.
    package func end(isEmpty: Bool, in bytes: inout [UInt8]) {
        bytes.append(text: isEmpty ? "]," : "\n],")
        let json = JSONWriter.object { object in
            object.object("counts") { object in
                object.member("source", counts.source)
                object.member("collection", counts.collection)
                object.member("same", counts.same)
                object.member("missing", counts.missing)
                object.member("stale", counts.stale)
                object.member("orphaned", count(of: .orphaned))
                object.member("duplicate", counts.duplicate)
                object.member("settled", counts.settled)
                object.member("rejectedInput", account.rejected)
                object.member("unversioned", account.unversioned)
            }
            object.member("only", kinds.map(\.rawValue))
            object.member("changedMeanwhile", isMoved)
            object.member("incomplete", shortfall)
            object.key("plan")
            if let plan {
                object.object { object in
                    object.member("file", plan.path)
                    object.member("additions", plan.tally.additions)
                    object.member("replacements", plan.tally.replacements + plan.tally.updates)
                    object.member("removals", plan.tally.removals)
                    object.member("changed", plan.leftOut.changed)
                    object.member("vanished", plan.leftOut.vanished)
                    object.member("partial", plan.leftOut.partial + plan.leftOut.lessened)
                    object.member("unreadable", plan.leftOut.unreadable)
                }
            } else {
                object.null()
            }
            object.member("exitCode", Int(status.rawValue))
            object.member("startedAt", "\(UTCTimestamp(since1970: startedAt))")
            object.member("seconds", raw: Array(duration.secondsText.utf8))
        }
        bytes += json.dropFirst()
        bytes.append(0x0A)
    }

    /// Appends a difference on a separate line.
    package func append(line difference: Difference, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.difference/1") { object in
            object.member("collection", collection.rawValue)
            Self.append(difference, to: &object)
        }
        bytes.append(0x0A)
    }

    private static func append(_ difference: Difference, to object: inout JSONWriter) {
        object.member("difference", difference.kind.rawValue)
        object.member("documentID", difference.id)
    }
}
