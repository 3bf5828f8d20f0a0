import ArgumentParsing
import ContentFeeding
import EngineCatalog

/// Which collection.
struct CollectionOptions: OptionSetting {
    @Option(
        "--collection",
        "-c",
        value: "NAME",
        environment: "FASTCTL_COLLECTION",
        completion: .collections,
        help: "The collection; without this, the context's"
    )
    var name: String?

    /// The name, or a usage error.
    func required(in plan: TargetPlan) throws -> CollectionChoice {
        guard let name = plan.resolved.collection, !name.isEmpty else {
            throw ArgumentError(
                "no collection is named",
                advice: "Give --collection NAME, or set FASTCTL_COLLECTION; 'fastctl collections list' has the names"
            )
        }
        return plan.collection(name)
    }

    /// Opens it.
    func open(at target: TargetOptions) async throws -> any CollectionEngine {
        let plan = try target.plan(collection: name)
        return try await plan.open(required(in: plan)).engine
    }
}
