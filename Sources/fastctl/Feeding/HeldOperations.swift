import ContentFeeding
import FeedFormats
import ReportRendering

/// Removals that are kept back until it is certain that there are not too many.
///
/// The first are held in memory; the others in a file without a name, a length before each ID.
struct HeldOperations: AsyncSequence, Sendable {
    /// Where operations go that memory should not hold.
    struct Store: Sendable {
        /// So many are held in memory, and of so many bytes.
        var window = 20_000
        var windowBytes = 4 << 20
        var directory = "."
        var maximumBytes = 4 << 30
    }

    private let first: [ContentOperation]
    private let spilled: SpilledIDs
    /// What was read, and refused, in all.
    private let tally: InputTally
    private let rejections: [InputRejection]
    private let end: InputOffset

    /// Draws all of `input`, and refuses it as soon as it holds more than `limit` operations.
    static func collect(_ input: FeedInput, limit: Int, in store: Store) async throws -> HeldOperations {
        var first: [ContentOperation] = []
        var firstBytes = 0
        var spilled = SpilledIDs(in: store)
        var (tally, rejections, end) = (InputTally(), [InputRejection](), InputOffset.start)
        for try await chunk in input {
            guard first.count + spilled.count + chunk.operations.count <= limit else { throw refusal(limit) }
            for operation in chunk.operations {
                let bytes = firstBytes + operation.byteCount
                if spilled.count == 0, first.count < store.window, bytes <= store.windowBytes {
                    first.append(operation)
                    firstBytes = bytes
                } else {
                    try spilled.append(operation.documentID)
                }
            }
            tally += chunk.input
            rejections += chunk.rejections
            end = chunk.end
        }
        try spilled.finish()
        return HeldOperations(first: first, spilled: spilled, tally: tally, rejections: rejections, end: end)
    }

    private static func refusal(_ limit: Int) -> CommandFailure {
        CommandFailure(
            .refused,
            "refused: more than \(Quantity(limit, "removal", "removals")), which is what --max-remove allows; nothing was sent",
            advice: "see what it is for with --dry-run, then give a higher --max-remove"
        )
    }

    func makeAsyncIterator() -> Iterator { Iterator(held: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let held: HeldOperations
        private var isFirstRead = false
        private var reader: SpilledIDs.Reader

        fileprivate init(held: HeldOperations) {
            self.held = held
            reader = SpilledIDs.Reader(held.spilled)
        }

        mutating func next() async throws -> OperationChunk? {
            guard isFirstRead else {
                isFirstRead = true
                return OperationChunk(
                    operations: held.first,
                    end: held.end,
                    input: held.tally,
                    rejections: held.rejections
                )
            }
            let operations = try reader.next(1000, ofBytes: 1 << 20).map(ContentOperation.remove)
            return operations.isEmpty ? nil : OperationChunk(operations: operations, end: held.end)
        }
    }
}
