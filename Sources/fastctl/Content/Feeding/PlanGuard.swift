import ContentFeeding
import Reconciliation
import ReportRendering

/// What must be true of a collection for a plan to be carried out; a dry run and the run itself ask the same.
struct PlanGuard: Sendable {
    private let state: CollectionState
    private let removals: Int
    private let limit: RemovalLimit?
    private let createdAt: String

    /// What a collection says of a plan.
    struct Verdict {
        /// The limit on removals; `nil` if there is none.
        var limit: PreviewConclusion.Limit?
        /// Why the plan is refused; `nil` if it is not.
        var refusal: CommandFailure?
    }

    init(_ plan: PlanFile, limit: RemovalLimit?) {
        (state, removals, createdAt) = (plan.header.state, plan.tally.removals, plan.header.createdAt)
        self.limit = limit
    }

    /// Returns whether the plan removes too much, or the collection was changed; a job that goes on has changed it itself.
    func verdict(on engine: any CollectionEngine, isResumed: Bool) async throws -> Verdict {
        var verdict = Verdict()
        if let limit {
            let allowed = try await limit.operations(of: engine.count())
            verdict.limit = .init(allowed: allowed, removals: removals)
            if removals > allowed { verdict.refusal = tooManyRemovals(allowed) }
        }
        guard verdict.refusal == nil, !isResumed else { return verdict }
        guard let versioned = engine as? any VersionedEngine else {
            throw EngineError(.unsupported, "'\(engine.collection)' does not tell the versions of its documents")
        }
        if try await !versioned.state().isSame(as: state) { verdict.refusal = changed(engine.collection) }
        return verdict
    }

    /// Throws if the plan is refused.
    func check(_ engine: any CollectionEngine, isResumed: Bool) async throws {
        if let refusal = try await verdict(on: engine, isResumed: isResumed).refusal { throw refusal }
    }

    private func tooManyRemovals(_ allowed: Int) -> CommandFailure {
        let planned = Quantity(removals, "removal", "removals")
        return CommandFailure(
            .refused,
            "refused: the plan has \(planned), and --max-remove allows \(allowed); nothing was sent",
            advice: "check what would be removed with --dry-run, then raise --max-remove"
        )
    }

    private func changed(_ collection: CollectionName) -> CommandFailure {
        CommandFailure(
            .refused,
            "refused: '\(collection)' was changed since the plan was made (\(createdAt)); nothing was sent",
            advice: "make a new plan"
        )
    }

    /// Throws if the collection was changed while a plan for it was made: the plan would be refused.
    static func requireUnmoved(_ engine: any VersionedEngine, since state: CollectionState) async throws {
        guard try await !engine.state().isSame(as: state) else { return }
        throw EngineError(
            .collectionChanged,
            "'\(engine.collection)' was changed while the plan was made, so no plan was written",
            advice: "run the command again when nothing is fed into it"
        )
    }
}
