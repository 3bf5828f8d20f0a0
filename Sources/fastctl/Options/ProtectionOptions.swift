import ArgumentParsing
import EngineCatalog
import ReportRendering

/// The name of a protected context given twice, so that nobody writes to it by mistake.
struct ProtectionOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .contexts,
        help: "The context's name once more, where it is protected"
    )
    var names: [String]

    /// Passes where the target is not protected, or its name was given, or is typed on the terminal.
    func require(_ plan: TargetPlan, to action: String) throws {
        try ContextProtection(plan).require(names, to: action)
    }
}

/// The guard of a protected context: only reading is free.
struct ContextProtection {
    private let plan: TargetPlan

    init(_ plan: TargetPlan) { self.plan = plan }

    func require(_ names: [String], to action: String) throws {
        guard plan.resolved.isProtected, let context = plan.resolved.context?.name, !names.contains(context) else {
            return
        }
        let given =
            names.first ?? TypedConfirmation.ask("the context '\(context)' is protected. Type its name to \(action):")
        guard given != context else { return }
        let place = plan.resolved.allSettings.first { $0.key == .protected }?.origin.place ?? "the settings"
        throw CommandFailure(
            .refused,
            "refused: the context '\(context)' is protected (\(place)); nothing was sent",
            advice: "to \(action) all the same: --confirm \(CommandLineWords.quoted(context))"
        )
    }
}

/// A name that is typed on the terminal.
enum TypedConfirmation {
    /// What is typed after `question`; `nil` where nobody is there to type.
    static func ask(_ question: String) -> String? {
        guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else { return nil }
        StandardError.say(question)
        return readLine()
    }
}
