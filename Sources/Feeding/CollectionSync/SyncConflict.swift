public import ContentFeeding
import JSONText

/// A document that was changed here, and meanwhile by someone else at the origin.
public struct SyncConflict: Hashable, Sendable {
    /// The change made here; ``QueuedOperation/local`` is what it would make of the document.
    public let operation: QueuedOperation
    /// The document as the origin has it now; `nil` if it was removed there.
    public let origin: VersionedDocument?
    /// The number of times that this push has met a conflict on the document, from 1.
    public let occurrence: Int
    private let contents: DocumentContents

    /// What to do about a conflict.
    public enum Resolution: Hashable, Sendable {
        /// What was done here replaces what the origin has.
        case client
        /// What the origin has stays, and replaces what was done here.
        case server
        /// This document, made of both, replaces both.
        case document([UInt8])
        /// The push ends; this operation and all that are not sent stay queued.
        case cancel
    }

    init(_ operation: QueuedOperation, _ origin: VersionedDocument?, occurrence: Int, _ contents: DocumentContents) {
        self.operation = operation
        self.origin = origin
        self.occurrence = occurrence
        self.contents = contents
    }

    /// The document that was changed on both sides.
    public var documentID: DocumentID { operation.documentID }

    /// The document as it is here; `nil` if it was removed here.
    public var local: [UInt8]? { operation.local }

    /// The top-level keys whose values differ between the two; empty if one of the two has no document.
    public var differingKeys: [String] {
        guard let local, let origin else { return [] }
        return (try? contents.changedKeys(from: origin.json, to: local)) ?? []
    }

    /// The version here as far as the two differ: one JSON object, or `nil` if the document was removed here.
    public var localDifference: [UInt8]? { difference(local, origin?.json) }

    /// The version at the origin as far as the two differ: one JSON object, or `nil` if it was removed there.
    public var originDifference: [UInt8]? { difference(origin?.json, local) }

    private func difference(_ document: [UInt8]?, _ other: [UInt8]?) -> [UInt8]? {
        guard let document, other != nil else { return document }
        return (try? contents.excerpt(of: document, keys: differingKeys)) ?? document
    }

    /// Returns the conflict as an entry of a job's issues.
    func record(_ number: OperationID, _ resolution: Resolution) -> OperationOutcome {
        let fate =
            switch resolution {
            case .client: "what was done here goes"
            case .server: "what is at the origin stays"
            case .document: "both were merged"
            case .cancel: "not decided: the operation stays queued"
            }
        let words =
            "changed here and at the origin; \(fate); here: \(Self.words(localDifference)); "
            + "at the origin: \(Self.words(originDifference))"
        let failure = DocumentFailure(.versionConflict, words, disposition: .retryable)
        let isOpen = resolution == .cancel
        return OperationOutcome(
            operationID: number,
            kind: operation.kind.operation,
            documentID: documentID,
            routing: operation.routing,
            outcome: isOpen ? .failed : resolution == .server ? .superseded : .updated,
            issue: isOpen ? .error(failure) : .warning(failure)
        )
    }

    /// The most bytes of one version in a record.
    private static let recordBytes = 64 << 10

    private static func words(_ json: [UInt8]?) -> String {
        guard let json else { return "removed" }
        guard json.count > recordBytes else { return String(decoding: json, as: UTF8.self) }
        return String(decoding: json.prefix(recordBytes), as: UTF8.self) + "… (\(json.count) bytes)"
    }
}

extension QueuedOperation.Kind {
    /// The operation that a push sends.
    public var operation: ContentOperation.Kind {
        switch self {
        case .insert: .add
        case .update: .update
        case .remove: .remove
        }
    }
}

/// A rule that decides all conflicts alike.
public enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
    case client
    case server
    case cancel
}

/// Whoever decides conflicts.
public protocol ConflictDelegate: Sendable {
    /// Decides a conflict; called once more for the same document if the origin has changed again meanwhile.
    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution
}

extension ConflictPolicy: ConflictDelegate {
    /// Decides a conflict.
    public func resolve(_ conflict: SyncConflict) -> SyncConflict.Resolution {
        switch self {
        case .client: .client
        case .server: .server
        case .cancel: .cancel
        }
    }
}
