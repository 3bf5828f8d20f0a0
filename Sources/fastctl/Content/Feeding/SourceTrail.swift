import ContentFeeding
import Digests
import Synchronization

/// What a run has read of a source: behind the place from which a later run goes on, how many operations came and what
/// they were, page after page.
///
/// The job knows by their numbers which of these are settled. Of a source that has changed there, the same numbers stand
/// for others, which would be taken for done; so each batch notes in the job what was read.
final class SourceTrail: Sendable {
    /// The operations of a page, and their digest.
    struct Step: Hashable {
        let count: Int
        let digest: [UInt8]

        init(_ operations: ArraySlice<ContentOperation>) {
            count = operations.count
            var running = RunningBLAKE2b()
            for operation in operations {
                for part in [Array(operation.documentID.text.utf8), Array((operation.routing?.text ?? "").utf8)] {
                    running.update(SourceTrail.bytes(of: part.count).span)
                    running.update(part.span)
                }
                if operation.kind != .remove { running.update(operation.json.span) }
            }
            digest = Array(running.digestSoFar().bytes.prefix(Self.digestBytes))
        }

        fileprivate static let digestBytes = 16
        fileprivate static let byteCount = 4 + digestBytes

        fileprivate init(_ bytes: ArraySlice<UInt8>) {
            count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            digest = Array(bytes.dropFirst(4))
        }

        fileprivate var bytes: [UInt8] { Array(SourceTrail.bytes(of: count).suffix(4)) + digest }
    }

    private let steps = Mutex<[(end: InputOffset, step: Step)]>([])

    /// Notes the operations of a page that ends at a place, before any of them is sent.
    func note(_ operations: [ContentOperation], to end: InputOffset) {
        let step = Step(operations[...])
        steps.withLock { $0.append((end, step)) }
    }

    /// Adds to the progress what was read behind its place.
    func noted(in progress: FeedProgress) -> FeedProgress {
        let behind = steps.withLock { steps in
            // The job does not go back: what lies before its place is not needed any more.
            steps.removeFirst(steps.prefix { $0.end <= progress.offset }.count)
            return steps.flatMap(\.step.bytes)
        }
        guard !behind.isEmpty else { return progress }
        var progress = progress
        progress.inputDigest += [Self.separator] + behind
        return progress
    }

    /// No place has this byte, because each is text of an address or a file.
    private static let separator: UInt8 = 0

    /// Splits what a job knows of its input into the place and what was read behind it; `nil` if it is damaged.
    static func split(_ digest: [UInt8]) -> (place: [UInt8], steps: [Step])? {
        guard let end = digest.firstIndex(of: separator) else { return (digest, []) }
        let behind = digest[(end + 1)...]
        guard behind.count.isMultiple(of: Step.byteCount) else { return nil }
        let starts = stride(from: behind.startIndex, to: behind.endIndex, by: Step.byteCount)
        return (Array(digest[..<end]), starts.map { Step(behind[$0..<($0 + Step.byteCount)]) })
    }

    private static func bytes(of number: Int) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
