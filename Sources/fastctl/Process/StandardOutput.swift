import ReportRendering

/// The standard output stream: results, written a buffer at a time.
///
/// A class, because a feed's observer and its end write to the same stream and ask it how it went.
final class StandardOutput {
    /// Nobody reads any more, as in `fastctl … | head`.
    private(set) var isClosed = false
    /// Why the output is not whole, when that is not its reader's wish.
    private(set) var failure: String?

    /// Writes and empties the buffer; after a failure it only empties it.
    func drain(_ bytes: inout [UInt8]) {
        guard !isClosed, failure == nil else { return bytes.removeAll(keepingCapacity: true) }
        guard let error = FileDescriptor.standardOutput.write(&bytes) else { return }
        if error.isBrokenPipe { isClosed = true } else { failure = "cannot write to standard output: \(error)" }
    }

    /// The same for a command that only reads: there is no point in going on when nobody listens.
    func drainOrStop(_ bytes: inout [UInt8]) throws {
        drain(&bytes)
        if isClosed { throw OutputClosed() }
        if let failure { throw CommandFailure(.inputOutput, failure, advice: "make room, or write elsewhere") }
    }
}

/// The reader of standard output is gone.
struct OutputClosed: Error {}
