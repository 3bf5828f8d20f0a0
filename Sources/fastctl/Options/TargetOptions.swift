import ArgumentParsing
import ContentFeeding
import EngineCatalog

/// Which target, and how to reach it.
struct TargetOptions: OptionSetting {
    @Option(
        "--target",
        value: "ADDRESS",
        environment: "FASTCTL_TARGET",
        help: "The engine and where it is: sqlite:PATH, opensearch+https://HOST:PORT, solr+https://HOST:PORT, …"
    )
    var target: String?

    @Option(
        "--context",
        value: "NAME",
        environment: "FASTCTL_CONTEXT",
        completion: .contexts,
        help: "A target by its name; without any, the current context, else the store below $XDG_DATA_HOME"
    )
    var context: String?

    @Option("--content-distributor", value: "HOST:PORT", help: .hidden("A content distributor; not in this version"))
    var contentDistributor: String?

    @Option("--busy-timeout", value: "DURATION", help: "How long to wait for another process that holds the store")
    var busyTimeout = Duration.seconds(30)

    @OptionGroup("Connection") var connection: ConnectionSettings

    static let exclusive = [["--target", "--context", "--content-distributor"]]

    func validate() throws {
        if contentDistributor != nil {
            throw ValidationError("content distributors are not in this version; give --target ADDRESS")
        }
    }

    /// Decides where to go; nothing is opened yet.
    func plan() throws -> TargetPlan { try plan(collection: nil) }

    /// The same, with the collection that the command line or the environment names.
    func plan(collection: String?) throws -> TargetPlan {
        var choice = choice(collection: collection)
        choice.options[.target] = target
        choice.context = context
        var options = EngineCatalog.Options()
        options.busyTimeout = busyTimeout
        return TargetPlan(try choice.resolve(), options, given: context ?? target)
    }

    /// What a context comes to, whatever target is given or in the environment.
    func resolved(context name: String, collection: String?) throws -> ResolvedTarget {
        var choice = choice(collection: collection)
        choice.context = name
        return try choice.resolve()
    }

    private func choice(collection: String?) -> TargetChoice {
        var choice = TargetChoice(environment: CommandContext.current.environment)
        choice.options = connection.settings
        choice.options[.collection] = collection
        return choice
    }

    func open() async throws -> any CollectionAdministration { try await plan().open() }
}
