import ArgumentParsing
import ContentFeeding

extension FeedRun {
    /// Feeds documents: all that `add` and `update` do.
    static func documents(
        _ kind: ContentOperation.Kind,
        _ input: FeedInputPlan,
        in collection: CollectionName,
        at target: TargetOptions,
        _ options: FeedOptions,
        _ output: OutputOptions
    ) async throws -> ExitCode {
        let interruption = Interruption()
        let administration = try await interruption.preparing { try await target.open() }
        let engine = try await interruption.preparing { try await administration.collection(named: collection) }
        return try await FeedRun(
            kind: kind,
            engine: engine,
            target: administration.target,
            input: input,
            options: options,
            output: output,
            interruption: interruption
        ).run()
    }
}
