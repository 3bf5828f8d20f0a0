import ArgumentParsing
import ContentFeeding
import EngineCatalog
import ReportRendering

struct UseContext: Command {
    static let configuration = CommandConfiguration(
        "use",
        summary: "Make a context the current one.",
        examples: [.init("fastctl contexts use prod", "Use it wherever nothing else is said")]
    )

    @Argument("NAME", completion: .contexts, help: "The context") var name: String

    func run() async throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        // Named in the user's own file, it would be looked for everywhere.
        try settings.refuseOfProject(
            name,
            advice: "write 'current: \(name)' there, or give --context \(CommandLineWords.quoted(name))"
        )
        // Whether there is one, and whether it makes sense.
        var choice = TargetChoice(environment: CommandContext.current.environment)
        choice.context = name
        let target = try choice.resolve()
        try settings.write(try settings.edit().using(name))
        StandardError.say("the current context is '\(name)': \(target.address)")
        if let place = try place(before: settings) {
            StandardError.say("here \(place) names another one, and comes first")
        }
        return .success
    }

    /// What decides in this folder and this shell, if it is not the user's file.
    private func place(before settings: UserSettings) throws -> String? {
        let environment = CommandContext.current.environment
        for variable in ["FASTCTL_TARGET", "FASTCTL_CONTEXT"] {
            if let value = environment[variable], !value.isEmpty, value != name { return variable }
        }
        guard let project = settings.files.project, let current = project.current, current != name else { return nil }
        return project.path
    }
}

struct RemoveContext: Command {
    static let configuration = CommandConfiguration(
        "remove",
        summary: "Forget a context.",
        discussion: "What is in its target stays as it is, and so do the files that it names.",
        examples: [.init("fastctl contexts remove old", "Forget one")]
    )

    @Argument("NAME", completion: .contexts, help: "The context") var name: String

    func run() async throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        try settings.refuseOfProject(name, advice: "take it out there")
        let text = try settings.edit().removing(name)
        try settings.write(text)
        let wasCurrent = settings.files.user?.current == name
        StandardError.say("context '\(name)' removed" + (wasCurrent ? "; it was the current one, and now none is" : ""))
        return .success
    }
}
