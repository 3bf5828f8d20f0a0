import ContentFeeding
import FeedFormats
import Reconciliation

/// The operations of a plan as the input of a feed.
///
/// A resumed job goes on behind the last operation that was read; a chunk's offset is a place in the file, and its digest
/// that of the whole plan.
struct PlanInput: CollectionInput {
    let plan: PlanFile
    let path: String

    /// The operations and bytes at which a chunk is handed over.
    private static let chunkCount = 1_000
    private static let chunkBytes = 1 << 20

    var identity: [String] { ["plan"] + plan.digest.map { String($0, radix: 16) } }
    var files: [String] { [path] }
    var findsWhatIsLeft: Bool { false }
    var operationCount: Int? { plan.tally.operations }

    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput {
        guard memory.digest.isEmpty || memory.digest == plan.digest else {
            throw InputError(.changed, source: path, reason: "it is another plan than when the job began")
        }
        let lines = PlannedChunks(plan, from: Int(clamping: memory.offset.byte))
        return FeedInput.drawn { [path] in
            do {
                return try await lines.next(count: Self.chunkCount, bytes: Self.chunkBytes)
            } catch let error as PlanError {
                throw InputError(.cannotRead, source: path, reason: error.message)
            }
        }
    }
}

/// The operations of a plan, chunk by chunk.
private actor PlannedChunks {
    private let plan: PlanFile
    private var place: Int

    init(_ plan: PlanFile, from place: Int) { (self.plan, self.place) = (plan, place) }

    func next(count: Int, bytes: Int) throws(PlanError) -> OperationChunk? {
        guard let page = try plan.next(from: place, limit: count, maximumBytes: bytes) else { return nil }
        let size = page.end - place
        place = page.end
        return OperationChunk(
            operations: page.operations,
            end: InputOffset(source: 0, byte: UInt64(page.end)),
            input: InputTally(lines: page.operations.count, bytes: size),
            digest: plan.digest
        )
    }
}
