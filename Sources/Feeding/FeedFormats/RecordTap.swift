public import ContentFeeding

/// The records of an input that are to be written once more, as they were read.
///
/// A class, because the readers of all sources share it; it belongs to their thread.
final class RecordTap {
    /// Whether an operation's record is wanted; rejected records always are.
    private let isWanted: (OperationID) -> Bool
    private var next = OperationID.first
    /// What precedes the records of each source, such as the titles of a table.
    private var heads: [Int: [UInt8]] = [:]
    /// The sources of which a record has come.
    private var begun: Set<Int> = []
    private(set) var bytes: [UInt8] = []
    private(set) var tally = RecordTally()

    init(where isWanted: @escaping (OperationID) -> Bool) { self.isWanted = isWanted }

    /// Notes a record of a source, given without its end; `end` is that end in the form of the input, `nil` if it has no
    /// such form.
    func note(
        _ reading: borrowing RecordReading,
        _ record: Span<UInt8>,
        of source: Int,
        end: [UInt8]?,
        isWhole: Bool
    ) {
        switch reading {
        case .blank: return
        case .structure: return note(structure: record, of: source, end: end ?? [])
        case .operation:
            defer { next = next.next }
            begun.insert(source)
            guard isWanted(next) else { return }
        case .rejected: begun.insert(source)
        }
        guard isWhole, let end, heads[source] == heads[0] else {
            tally.unwritable += 1
            return
        }
        tally.written += 1
        bytes.append(copying: record)
        bytes += end
    }

    func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private func note(structure record: Span<UInt8>, of source: Int, end: [UInt8]) {
        if !begun.contains(source) {
            heads[source, default: []].append(copying: record)
            heads[source, default: []] += end
        }
        guard source == 0 else { return }
        bytes.append(copying: record)
        bytes += end
    }
}

/// How many records of an input were written once more.
public struct RecordTally: Hashable, Sendable {
    /// The records that were written.
    public var written = 0
    /// The records that can't be written: too long to be held, or of another form than the first source's.
    public var unwritable = 0
}

extension FeedInput {
    /// Reads an input once more, and hands over its records that are rejected or belong to operations that `isWanted`
    /// names, in their own form: unpacked, in UTF-8, and with what a table or message has around them.
    ///
    /// - Returns: How many were handed over, and how many can't be.
    public static func records(
        of sources: [InputSource],
        for kind: ContentOperation.Kind,
        format: InputFormat,
        dialect: InputDialect = InputDialect(),
        limits: InputLimits = InputLimits(),
        memory: InputMemory?,
        where isWanted: @escaping @Sendable (OperationID) -> Bool,
        write: ([UInt8]) throws -> Void
    ) async throws -> RecordTally {
        let reader = InputReader { _ in }
        await reader.tap(where: isWanted)
        try await reader.open(
            sources,
            for: kind,
            format: format,
            dialect: dialect,
            limits: limits,
            memory: memory
        )
        while try await !reader.next().isEmpty { try write(await reader.takeRecords()) }
        try write(await reader.takeRecords())
        return await reader.recordTally
    }
}
