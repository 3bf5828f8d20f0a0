import ContentFeeding
import FeedFormats
import Files
import JobJournal
import ReportRendering

/// The records of an input that failed or were rejected, for a file from which they can be fed again.
///
/// A class, because the feed's observer fills it and the end of the command writes it.
final class FailedRecords {
    private let path: String
    private let file: AtomicFile
    /// A bit for each operation: set if it failed.
    private var failed: [UInt64] = []

    /// Creates the file beside its place, where it will replace an older one.
    init(_ path: String) throws {
        self.path = path
        file = try AtomicFile(path, keeping: 0o700)
    }

    /// Records operations that failed or ran out of time.
    func note(_ outcomes: some Sequence<OperationOutcome>) {
        for outcome in outcomes where outcome.outcome == .failed || outcome.outcome == .expired {
            let (word, bit) = Int(clamping: outcome.operationID.rawValue).quotientAndRemainder(dividingBy: 64)
            if word >= failed.count { failed += Array(repeating: 0, count: word + 1 - failed.count) }
            failed[word] |= 1 << UInt64(bit)
        }
    }

    /// Reads the input again, writes the file, and returns a sentence about it; `nil` if nothing failed.
    func write(
        from input: PendingInput,
        _ memory: InputMemory?,
        for kind: ContentOperation.Kind
    ) async throws -> String? {
        let failed = failed
        var bytes: [UInt8] = []
        // Read again with the same options, it must not be taken for the encoding that these name.
        if input.dialect.encoding != nil { bytes = [0xEF, 0xBB, 0xBF] }
        let tally = try await FeedInput.records(
            of: input.sources,
            for: kind,
            format: input.format,
            dialect: input.dialect,
            limits: input.limits,
            memory: memory,
            where: { id in
                let (word, bit) = Int(clamping: id.rawValue).quotientAndRemainder(dividingBy: 64)
                return word < failed.count && failed[word] & 1 << UInt64(bit) != 0
            },
            write: { records in
                bytes += records
                if bytes.count >= Self.drainThreshold { try file.write(&bytes) }
            }
        )
        try file.write(&bytes)
        try file.finish()
        guard tally.written + tally.unwritable > 0 else { return nil }
        let records = Quantity(tally.written, "record", "records")
        let left = tally.unwritable > 0 ? "; \(tally.unwritable) more can't be written in the form of the first" : ""
        return "\(records) to run again in \(path)\(left)"
    }

    private static let drainThreshold = 256 << 10
}
