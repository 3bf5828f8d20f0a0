import ContentFeeding
import FeedFormats
import ReportRendering

/// Removals that are kept back until it is certain that there are not too many.
///
/// The first are held in memory; the others in a file without a name, a length before each ID.
struct HeldOperations: AsyncSequence, Sendable {
    /// Where operations go that memory should not hold.
    struct Store: Sendable {
        var window = 20_000
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
        var spilled = SpilledIDs(in: store)
        var (tally, rejections, end) = (InputTally(), [InputRejection](), InputOffset.start)
        for try await chunk in input {
            guard first.count + spilled.count + chunk.operations.count <= limit else { throw refusal(limit) }
            let room = Swift.max(0, store.window - first.count)
            first += chunk.operations.prefix(room)
            for operation in chunk.operations.dropFirst(room) { try spilled.append(operation.documentID) }
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
            let operations = try reader.next(1000).map(ContentOperation.remove)
            return operations.isEmpty ? nil : OperationChunk(operations: operations, end: held.end)
        }
    }
}
