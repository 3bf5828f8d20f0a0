import ContentFeeding
import Digests
public import Files

/// Writes a plan: the file appears whole or not at all, and only its owner can read it.
public final class PlanWriter {
    /// What was written so far.
    public private(set) var tally = PlanTally()
    private let file: AtomicFile
    private var bytes: [UInt8] = []
    private var digest = RunningBLAKE2b()

    private static let drainThreshold = 256 << 10

    /// Creates the file next to its place.
    public init(_ path: String) throws(FileError) { file = try AtomicFile(path, keeping: 0o600) }

    /// Writes the first line.
    public func begin(_ header: PlanHeader) throws(FileError) {
        header.append(to: &bytes)
        try drain()
    }

    /// Writes an operation.
    public func append(_ operation: PlannedOperation) throws(FileError) {
        operation.append(to: &bytes)
        tally.note(operation.operation)
        if bytes.count >= Self.drainThreshold { try drain() }
    }

    /// Writes the last line, and moves the file to its place.
    public func finish() throws(FileError) {
        try drain()
        PlanEnd(tally, digest.digestSoFar()).append(to: &bytes)
        try file.write(&bytes)
        try file.finish()
    }

    private func drain() throws(FileError) {
        digest.update(bytes.span)
        try file.write(&bytes)
    }
}
