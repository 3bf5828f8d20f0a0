import ArgumentParsing
import ContentFeeding
import EngineCatalog
import ReportRendering

struct Contexts: CommandGroup {
    static let configuration = CommandConfiguration(
        "contexts",
        group: "Index",
        summary: "Manage named targets.",
        discussion: """
            A context is a named target with everything needed to use it: a collection, the location of its \
            credentials, certificates, a proxy. Contexts are kept in $XDG_CONFIG_HOME/fastctl/config.yaml, and in a \
            fastctl.yaml in the current folder or one above it. Options take precedence over the environment, the \
            environment over the project's file, and that over the user's.

            Writing to a protected context requires its name as confirmation, on the terminal or with --confirm.
            """,
        examples: [
            .init(
                "fastctl contexts add prod --target opensearch+https://search:9200 --credentials-file ~/.search --protected",
                "Save a target, protected against mistakes"
            ),
            .init("fastctl remove --context prod -c web ID1 --confirm prod", "Use it"),
            .init("fastctl contexts show", "See which settings apply, and why"),
        ],
        subcommands: [ListContexts.self, ShowContext.self, AddContext.self, UseContext.self, RemoveContext.self]
    )
}

private struct ShowContext: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show which settings apply, and where each one comes from.",
        discussion: "Nothing is opened, and no secret is shown: only the locations of credentials are known here.",
        examples: [
            .init("fastctl contexts show", "What a command would use here and now"),
            .init("fastctl contexts show prod -o json", "One context, for a script"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Output") var output: ListOptions
    @Argument("NAME", completion: .contexts, help: "The context; without it, the one that applies") var name: String?

    func run() async throws -> ExitCode {
        try output.check()
        let context = ContextDisplay(try resolved(), current: nil)
        try output.show(context, lines: context.lines(isNamed: name != nil), indent: 20)
        return .success
    }

    private func resolved() throws -> ResolvedTarget {
        guard let name else { return try target.resolve(collection: collection.name).resolved }
        let environment = CommandContext.current.environment
        for (option, value, variable) in [
            ("--context", target.context, "FASTCTL_CONTEXT"), ("--target", target.target, "FASTCTL_TARGET"),
        ] where value != nil && value != environment[variable] {
            throw ArgumentError("NAME and \(option) cannot be used together", advice: "Use only one of them")
        }
        return try target.resolved(context: name, collection: collection.name)
    }
}

private struct ListContexts: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the contexts.",
        discussion: "A '*' marks the current one.",
        examples: [.init("fastctl contexts list -o name", "Only their names")]
    )

    @OptionGroup("Output") var output: ListOptions

    func run() async throws -> ExitCode {
        try output.check()
        let settings = try UserSettings()
        var resolver = TargetResolver(
            environment: CommandContext.current.environment.filter { !$0.key.hasPrefix("FASTCTL_") }
        )
        let contexts = try settings.files.names.map { name in
            resolver.context = name
            return try resolver.resolve(in: settings.files)
        }
        try output.print(contexts.map { ContextDisplay($0, current: settings.files.currentName) })
        if contexts.isEmpty {
            output.note("there are no contexts yet; add one: fastctl contexts add NAME --target ADDRESS")
        }
        return .success
    }
}

private struct UseContext: Command {
    static let configuration = CommandConfiguration(
        "use",
        summary: "Make a context the current one.",
        examples: [.init("fastctl contexts use prod", "Use it unless something else is given")]
    )

    @Argument("NAME", completion: .contexts, help: "The context") var name: String

    func run() async throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        // If the user's own file named it, it would be looked for everywhere.
        try settings.refuseOfProject(
            name,
            advice: "write 'current: \(name)' there, or use --context \(CommandLineWords.quoted(name))"
        )
        // Checks that the context exists and makes sense.
        var resolver = TargetResolver(environment: CommandContext.current.environment)
        resolver.context = name
        let target = try resolver.resolve()
        try settings.write(try settings.edit().using(name))
        StandardError.say("the current context is '\(name)': \(target.address)")
        if let place = try place(before: settings) {
            StandardError.say("here \(place) names another one, and takes precedence")
        }
        return .success
    }

    /// Returns what decides in this folder and this shell, if it is not the user's file.
    private func place(before settings: UserSettings) throws -> String? {
        let environment = CommandContext.current.environment
        for variable in ["FASTCTL_TARGET", "FASTCTL_CONTEXT"] {
            if let value = environment[variable], !value.isEmpty, value != name { return variable }
        }
        guard let project = settings.files.project, let current = project.current, current != name else { return nil }
        return project.path
    }
}

private struct RemoveContext: Command {
    static let configuration = CommandConfiguration(
        "remove",
        foreignNames: ["rm", "delete"],
        summary: "Remove a context.",
        discussion: "Its target and the files that it names are left unchanged.",
        examples: [.init("fastctl contexts remove old", "Remove one")]
    )

    @Argument("NAME", completion: .contexts, help: "The context") var name: String

    func run() async throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        try settings.refuseOfProject(name, advice: "remove it there")
        let text = try settings.edit().removing(name)
        try settings.write(text)
        let wasCurrent = settings.files.user?.current == name
        StandardError.say(
            "context '\(name)' removed" + (wasCurrent ? "; it was the current one, so now there is none" : "")
        )
        return .success
    }
}

/// A context and where its settings come from, as lists and single pages show it.
private struct ContextDisplay: ListEntry {
    private let target: ResolvedTarget
    private let current: String?

    /// `current` is the name of the current context; `nil` if that is not to be told.
    init(_ target: ResolvedTarget, current: String?) { (self.target, self.current) = (target, current) }

    static let titles = ["", "NAME", "PROTECTED", "TARGET"]
    static let alignments: [TextTable.Alignment] = []
    static let fieldTitles = ["name", "current", "target", "collection", "protected"]

    var entryName: String? { target.context?.name }
    private var isCurrent: Bool { target.context.map { $0.name == current } ?? false }

    var row: [String] {
        [isCurrent ? "*" : "", entryName ?? "", target.isProtected ? "yes" : "no", "\(target.address)"]
    }

    var fields: [String?] {
        [entryName, "\(isCurrent)", "\(target.address)", target.collection, "\(target.isProtected)"]
    }

    /// The lines of a single context's page: a title, and a value with its origin.
    func lines(isNamed: Bool) -> [(String, String)] {
        rows(isNamed: isNamed).map { ($0, "\($1)  (\($2))") }
    }

    private func rows(isNamed: Bool) -> [(String, String, String)] {
        var rows: [(String, String, String)] = []
        if let context = target.context {
            rows.append(("context", context.name, isNamed ? "named here" : "\(context.origin)"))
        }
        for setting in target.allSettings {
            let isAnswer = setting.key == .protected
            let value = isAnswer ? (target.isProtected ? "yes" : "no") : setting.shownValue
            rows.append((setting.key.rawValue, value, "\(setting.origin)"))
        }
        for mapping in target.collections {
            rows.append(("collections", "\(mapping.name): \(mapping.engineName)", "\(mapping.origin)"))
        }
        return rows
    }

    func append(to bytes: inout [UInt8]) {
        ContextObject(
            name: entryName,
            isCurrent: isCurrent,
            target: target.address.description,
            collection: target.collection,
            isProtected: target.isProtected,
            settings: target.allSettings.map { setting in
                ContextObject.Setting(
                    name: setting.key.rawValue,
                    value: setting.shownValue,
                    origin: setting.origin.name,
                    place: setting.origin.place
                )
            },
            collections: target.collections.map { mapping in
                ContextObject.Setting(
                    name: mapping.name,
                    value: mapping.engineName,
                    origin: mapping.origin.name,
                    place: mapping.origin.place
                )
            }
        ).append(to: &bytes)
    }
}
