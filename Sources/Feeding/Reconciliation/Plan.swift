public import ContentFeeding

/// What is to be done to a collection, as it was decided: `fastctl.plan/1`, one JSON object per line.
///
/// The first line says what was looked at, each other one what to do, and the last one how many there are, with a digest
/// of all before it.
public enum Plan {
    /// The name of the format.
    public static let schema = "fastctl.plan/1"

    /// The longest line: a document, and what is around it.
    static let longestLine = Document.maximumByteCount + (1 << 20)
}

/// The first line of a plan: what was looked at.
public struct PlanHeader: Hashable, Sendable {
    /// The command that made the plan.
    public var command: String
    /// The time when it was made, in ISO 8601.
    public var createdAt: String
    /// The address of the source that the collection was compared with; `nil` if there was none.
    public var source: String?
    /// By what both were compared; `nil` without a source.
    public var basis: String?
    /// The search that found the documents; `nil` if none did.
    public var query: String?
    /// The context by which the target was named; `nil` if it was none.
    public var context: String?
    /// The address of the target, without secrets.
    public var target: String
    /// The collection, as its engine names it.
    public var collection: CollectionName
    /// What the collection was: it must be the same when the plan is applied.
    public var state: CollectionState
    /// What both sides had; `nil` without a source.
    public var counts: ComparisonCounts?
    /// The differences that are in the plan; empty without a source.
    public var kinds: [Difference.Kind] = []
    /// The least share of the last reading's entries that the source had to have, in percent; `nil` without a source.
    public var minimumShare: Double?

    /// Creates the first line of a plan for a collection.
    public init(
        command: String,
        createdAt: String,
        context: String?,
        target: String,
        collection: CollectionName,
        state: CollectionState
    ) {
        self.command = command
        self.createdAt = createdAt
        self.context = context
        self.target = target
        self.collection = collection
        self.state = state
    }
}

/// One line of a plan: what to do to a document, and why.
public struct PlannedOperation: Hashable, Sendable {
    /// Why something is to be done.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Only the source has the document.
        case missing
        /// The source has another version.
        case stale
        /// Only the collection has it.
        case orphaned
        /// A search found it.
        case found
    }

    /// What is to be done, on condition that the document is as it was.
    public let operation: ContentOperation
    /// Why it is to be done.
    public let reason: Reason

    /// An addition of a document that is to be there.
    ///
    /// - Parameters:
    ///   - document: The document, as it is to be.
    ///   - version: The version that it is to replace; `nil` if there must be none.
    ///   - reason: Why it is to be added.
    /// - Returns: The line.
    public static func add(_ document: Document, replacing version: DocumentVersion?, _ reason: Reason) -> Self {
        let condition = version.map { WriteCondition.unchanged($0) } ?? .absent
        return Self(operation: ContentOperation.add(document).only(condition), reason: reason)
    }

    /// A removal of a document in a version.
    public static func remove(_ key: DocumentKey, _ version: DocumentVersion, _ reason: Reason) -> Self {
        Self(operation: ContentOperation.remove(key).only(.unchanged(version)), reason: reason)
    }
}

/// How many operations a plan has.
public struct PlanTally: Hashable, Sendable {
    /// Documents that are added or replaced.
    public var additions = 0
    /// Documents that are removed.
    public var removals = 0

    /// All operations.
    public var operations: Int { additions + removals }

    /// Creates a tally of nothing.
    public init() {}

    /// The numbers in words: `2 additions and 1 removal`.
    public var words: String {
        "\(additions) addition\(additions == 1 ? "" : "s") and \(removals) removal\(removals == 1 ? "" : "s")"
    }

    mutating func note(_ operation: ContentOperation) {
        if operation.kind == .remove { removals += 1 } else { additions += 1 }
    }
}

/// The reason a plan can't be read, or is none.
public struct PlanError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// The file can't be opened.
        case cannotOpen
        /// The system failed to read it.
        case cannotRead
        /// It is no plan, or a line of it is none of a plan's.
        case malformed
        /// Its end is missing.
        case truncated
        /// It is not as it was written.
        case edited
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and to what, as a fragment that can follow `error: `.
    public let message: String
    /// The next step; `nil` if there is none.
    public let advice: String?

    init(_ code: Code, _ message: String, advice: String? = nil) {
        (self.code, self.message, self.advice) = (code, message, advice)
    }
}

extension PlanError: CustomStringConvertible {
    public var description: String { message + (advice.map { "; \($0)" } ?? "") }
}
