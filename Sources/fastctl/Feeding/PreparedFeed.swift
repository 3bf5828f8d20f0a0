import ContentFeeding
import FeedFormats

/// What must be open before anything is sent.
struct PreparedFeed: Sendable {
    let store: any CollectionAdministration
    let engine: any CollectionEngine
    let input: FeedInput
    /// The whole input, where its size had to be known first.
    let held: HeldOperations?
    /// Where what memory should not hold is put.
    let spill: HeldOperations.Store

    /// Checks target and collection, opens the input, and holds it back where there is a limit.
    init(_ run: FeedRun) async throws {
        let open = try await run.target.open(run.collection)
        (store, engine) = (open.store, open.engine)
        var place = HeldOperations.Store()
        place.directory = run.options.spillDirectory ?? engine.capabilities.spillDirectory ?? "."
        place.maximumBytes = run.options.maximumSpillBytes
        spill = place
        let limit = try await run.limit?.operations(of: engine.count())
        input = try await run.input.open(for: run.kind)
        guard let limit else {
            held = nil
            return
        }
        held = try await HeldOperations.collect(input, limit: limit, in: place)
    }
}
