public import ContentFeeding

/// What a feed prints: a line or an event for each operation as it comes, and the account at the end.
public struct FeedTranscript: Sendable {
    public let format: OutputFormat
    /// Leaves out the lines about each item.
    public let isQuiet: Bool
    public let nameEnd: NameEnd
    /// IDs that could not be written, because they hold a line end.
    public private(set) var unwritableNames = 0

    public init(_ format: OutputFormat, isQuiet: Bool = false, nameEnd: NameEnd = .line) {
        self.format = format
        self.isQuiet = isQuiet
        self.nameEnd = nameEnd
    }

    /// Appends what is to be printed of an event.
    public mutating func append(_ event: FeedEvent, in collection: CollectionName, to bytes: inout [UInt8]) {
        switch (event, format) {
        case (.accepted(let first, let operations), .text) where !isQuiet:
            ItemLines.append(operations, from: first, to: &bytes)
        case (.settled(let outcomes), .ndjson) where !isQuiet:
            for outcome in outcomes { EventObject.append(outcome, in: collection, to: &bytes) }
        case (.settled(let outcomes), .name) where !isQuiet:
            for outcome in outcomes where outcome.outcome.hasTakenEffect {
                if !nameEnd.append(utf8: outcome.documentID.utf8, to: &bytes) { unwritableNames += 1 }
            }
        default: break
        }
    }

    /// Appends the account of a feed that has ended.
    public func append(
        _ result: FeedResult,
        _ circumstances: FeedCircumstances,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        switch format {
        case .text: try IssueBlocks.append(result, to: &bytes, drain: drain)
        case .json: try ReportObject(result, circumstances).append(to: &bytes, drain: drain)
        case .ndjson: try ReportObject(result, circumstances).appendWithoutLists(to: &bytes)
        case .name: break
        }
        try drain(&bytes)
    }
}

extension Outcome {
    var hasTakenEffect: Bool {
        switch self {
        case .removed, .gone, .added, .updated, .noop: true
        default: false
        }
    }
}
