public import ContentFeeding
import Digests

/// What a feed keeps of its input, so that a later run can go on from a place in it.
public struct InputMemory: Sendable {
    /// The place from which to read on; `.start` for a new job.
    public var offset: InputOffset = .start
    /// The digest of the input before `offset`, as a chunk had it; empty: not checked.
    public var digest: [UInt8] = []
    /// The place behind `offset` before which the input must not have changed either; `nil` if there is none.
    public var sentThrough: InputMark?
    /// Keeps what comes from the one source that can't be read again, usually standard input; `nil` if all can be.
    public var spool: InputSpool?

    /// Creates the memory of a job that has read nothing.
    public init(spool: InputSpool? = nil) { self.spool = spool }

    /// Creates the memory of a job, to go on from where it is.
    public init(of progress: FeedProgress, spool: InputSpool? = nil) {
        (offset, digest, sentThrough) = (progress.offset, progress.inputDigest, progress.sentThrough)
        self.spool = spool
    }
}

/// The digest of an input over all its sources: their raw bytes in order, each source ended by its length.
///
/// A class, because the sources of an input share it.
final class InputDigest {
    private var running: RunningBLAKE2b

    init(_ running: consuming RunningBLAKE2b = RunningBLAKE2b()) { self.running = running }

    /// A digest of the same bytes so far, for a reader that looks ahead.
    var branch: InputDigest { InputDigest(running.branch()) }

    var bytes: [UInt8] { running.digestSoFar().bytes }

    func update(_ bytes: Span<UInt8>) { running.update(bytes) }

    /// Ends a source, so that the same bytes in other sources have another digest.
    func endSource(byteCount: UInt64) {
        let bytes = withUnsafeBytes(of: byteCount.bigEndian) { Array($0) }
        running.update(bytes.span)
    }
}
