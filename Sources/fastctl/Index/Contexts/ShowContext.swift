import ArgumentParsing
import ContentFeeding
import EngineCatalog

struct ShowContext: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show what is in force, and where each setting comes from.",
        discussion: "Nothing is opened, and no secret is shown: only the places of credentials are known here.",
        examples: [
            .init("fastctl contexts show", "What a command would use here and now"),
            .init("fastctl contexts show prod -o json", "One context, for a program"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Output") var output: ResultOptions
    @Argument("NAME", completion: .contexts, help: "The context; without it, the one in force") var name: String?

    func run() async throws -> ExitCode {
        try ContextPrinter(output).show(try resolved())
        return .success
    }

    private func resolved() throws -> ResolvedTarget {
        guard let name else { return try target.plan(collection: collection.name).resolved }
        let environment = CommandContext.current.environment
        for (option, value, variable) in [
            ("--context", target.context, "FASTCTL_CONTEXT"), ("--target", target.target, "FASTCTL_TARGET"),
        ] where value != nil && value != environment[variable] {
            throw ArgumentError("NAME and \(option) exclude each other", advice: "Give only one of them")
        }
        return try target.resolved(context: name, collection: collection.name)
    }
}

struct ListContexts: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the contexts.",
        discussion: "A '*' marks the current one.",
        examples: [.init("fastctl contexts list -o name", "Only their names")]
    )

    @OptionGroup("Output") var output: ResultOptions

    func run() async throws -> ExitCode {
        let settings = try UserSettings()
        var choice = TargetChoice(
            environment: CommandContext.current.environment.filter { !$0.key.hasPrefix("FASTCTL_") }
        )
        let contexts = try settings.files.names.map { name in
            choice.context = name
            return try choice.resolve(in: settings.files)
        }
        try ContextPrinter(output).print(contexts, current: settings.files.currentName)
        if contexts.isEmpty {
            StandardError.say("there is no context yet: fastctl contexts add NAME --target ADDRESS")
        }
        return .success
    }
}
