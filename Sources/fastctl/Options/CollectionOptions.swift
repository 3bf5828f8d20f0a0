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
        help: "The collection"
    )
    var name: String?

    /// The name, or a usage error.
    func required() throws -> CollectionName {
        guard let name, !name.isEmpty else {
            throw ArgumentError(
                "no collection is named",
                advice: "Give --collection NAME, or set FASTCTL_COLLECTION; 'fastctl collections list' has the names"
            )
        }
        return CollectionName(name)
    }

    /// Opens it.
    func open(at target: TargetOptions) async throws -> any CollectionEngine {
        let name = try required()
        return try await target.collection(named: name, in: target.open(for: name))
    }
}

extension ArgumentCompletion {
    /// The names in the store, or none.
    static let collections = live { context in
        do {
            let address =
                try context.values["--target"]?.last.map { try TargetAddress($0) }
                ?? TargetAddress.standard(environment: context.environment)
            var options = EngineCatalog.Options()
            options.busyTimeout = .milliseconds(200)
            return try await EngineCatalog.open(address, options: options).list().map(\.name.rawValue)
        } catch {
            // A shell that completes a word has no use for the reason.
            return []
        }
    }
}
