import ArgumentParsing
import CommandKit
import ContentFeeding
package import EngineCatalog
import FeedJobs
import FeedReports
import Files
import Glibc
import ReportKit
import TextKit

struct Contexts: CommandGroup {
    static let configuration = CommandConfiguration(
        "contexts",
        group: "Index",
        summary: "Manage named targets.",
        discussion: """
            A context is a named target with everything needed to use it: a collection, the location of its \
            credentials, certificates, a proxy. Contexts are kept in $XDG_CONFIG_HOME/fastctl/config.yaml, and in \
            fastctl.yaml in the current folder or one above it. Options take precedence over the environment, which \
            takes precedence over the project's file, which takes precedence over the user's.

            Writing to a protected context requires its name as confirmation, on the terminal or with --confirm.
            """,
        examples: [
            .init(
                "fastctl contexts add prod --target opensearch+https://search:9200 --credentials-file ~/.search --protected",
                "Save a target, protected against mistakes"
            ),
            .init("fastctl remove --context prod -c web ID1 --confirm prod", "Use it"),
            .init("fastctl contexts show", "Show the effective settings, and their origin"),
        ],
        subcommands: [
            ListContexts.self, ShowContext.self, TestContext.self, AddContext.self, UseContext.self,
            RenameContext.self, RemoveContext.self,
        ]
    ).advising([
        "edit": changing, "change": changing, "update": changing, "protect": protecting, "unprotect": unprotecting,
    ])

    private static let changing =
        "Edit $XDG_CONFIG_HOME/fastctl/config.yaml, or use 'fastctl contexts remove NAME', and then 'add'"
    private static let protecting = "Use 'fastctl contexts add NAME --protected', for an existing context too"
    private static let unprotecting =
        "Delete 'protected: true' in its file, which 'fastctl contexts show NAME' names"
}

private struct ShowContext: Command {
    static let configuration = CommandConfiguration(
        "show",
        foreignNames: ["current", "info", "describe", "get"],
        summary: "Show the effective settings, and where each comes from.",
        discussion: "Nothing is opened, and no secret is shown: only the locations of credentials are read.",
        examples: [
            .init("fastctl contexts show", "The settings that a command would use in this folder"),
            .init("fastctl contexts show prod -o json", "One context, for a script"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Output") var output: ListOptions
    @Argument("NAME", completion: .contexts, help: "The context (default: the one that applies)") var name: String?

    func run() async throws -> ExitCode {
        try output.check()
        let context = ContextDisplay(try resolved(), current: nil)
        try output.show(context, lines: context.lines(isNamed: name != nil), indent: 20)
        return .success
    }

    private func resolved() throws -> ResolvedTarget {
        guard let name else { return try target.resolve(collection: collection.name).resolved }
        return try target.resolved(named: name, collection: collection.name)
    }
}

extension TargetOptions {
    /// Returns the target of the context that an argument names; options must not name another target.
    fileprivate func resolved(named name: String, collection: String?) throws -> ResolvedTarget {
        let environment = CommandContext.current.environment
        for (option, value, variable) in [
            ("--context", context, "FASTCTL_CONTEXT"), ("--target", target, "FASTCTL_TARGET"),
        ] where value != nil && value != environment[variable] {
            throw ArgumentError("NAME and \(option) cannot be used together", advice: "Use only one of them")
        }
        return try resolved(context: name, collection: collection)
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
        foreignNames: ["switch", "select", "default"],
        summary: "Make a context the current one.",
        examples: [.init("fastctl contexts use prod", "Use it unless another target is specified")]
    )

    @Argument("NAME", completion: .contexts, help: "The context") var name: String

    func run() async throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        // If the user's own file named the context, it would be looked up in every folder.
        try settings.refuseOfProject(
            name,
            advice: "write 'current: \(name)' there, or use --context \(CommandLineWords.quoted(name))"
        )
        // Checks that the context exists and is valid.
        var resolver = TargetResolver(environment: CommandContext.current.environment)
        resolver.context = name
        let target = try resolver.resolve()
        try settings.write(try settings.edit().using(name))
        StandardError.say("the current context is '\(name)': \(target.address)")
        if let place = try place(before: settings) {
            StandardError.say("in this folder, \(place) specifies a different context, which takes precedence")
        }
        return .success
    }

    /// Returns the setting that determines the context in this folder and this shell, if it is not in the user's file.
    private func place(before settings: UserSettings) throws -> String? {
        let environment = CommandContext.current.environment
        for variable in ["FASTCTL_TARGET", "FASTCTL_CONTEXT"] {
            if let value = environment[variable], !value.isEmpty, value != name { return variable }
        }
        guard let project = settings.files.project, let current = project.current, current != name else { return nil }
        return project.path
    }
}

private struct RenameContext: Command {
    static let configuration = CommandConfiguration(
        "rename",
        foreignNames: ["mv", "move"],
        summary: "Rename a context.",
        discussion: """
            If it is the current context, it remains so. Jobs keep the command line that started them: a job started \
            with '--context OLD' is resumed by the same command with the new name.
            """,
        examples: [.init("fastctl contexts rename prod production", "Rename one")]
    )

    @Argument("OLD", completion: .contexts, help: "The context") var old: String
    @Argument("NEW", completion: ArgumentCompletion.none, help: "Its new name") var new: String

    func run() async throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        try settings.refuseOfProject(old, advice: "rename it there")
        let text = try settings.edit().renaming(old, to: new)
        try settings.write(text)
        StandardError.say("context '\(old)' is now '\(new)'")
        if let project = settings.files.project, project.names.contains(old) {
            StandardError.say("'\(project.path)' has its own settings for '\(old)', which do not apply to '\(new)'")
        }
        return .success
    }
}

private struct TestContext: Command {
    static let configuration = CommandConfiguration(
        "test",
        foreignNames: ["check", "ping", "verify"],
        summary: "Connect to a context's target, and show its product, its version and what can be read.",
        discussion: """
            Nothing is created or written: whether documents can be written is not tested. The command fails as any other \
            would: with exit code 69 if the target does not answer, with 77 if it refuses the credentials or does not \
            allow reading the context's collection, and with 78 if that collection does not exist.
            """,
        examples: [
            .init("fastctl contexts test prod", "Test one context"),
            .init("fastctl contexts test", "Test the target that commands in this folder use"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @Argument("NAME", completion: .contexts, help: "The context (default: the one that applies)") var name: String?

    func run() async throws -> ExitCode {
        let opened = try openable()
        let subject = opened.resolved.context?.name ?? "\(opened.resolved.address)"
        let start = ContinuousClock.now
        let store = try await opened.open()
        let time = ShortDuration(.now - start)
        StandardError.say("\(subject): connected to \(store.product ?? "the target") at \(store.target) (\(time))")
        let list = try await list(store)
        StandardError.say("\(subject): \(list)")
        if let name = opened.resolved.collection, !name.isEmpty {
            let engine = try await opened.open(opened.collection(name), in: store).engine
            let count = try await engine.count()
            StandardError.say("\(subject): '\(name)' can be read: \(Quantity(count, "document", "documents"))")
        }
        StandardError.say("\(subject): whether documents can be written was not tested")
        return .success
    }

    private func openable() throws -> OpenableTarget {
        guard let name else { return try target.resolve(collection: collection.name) }
        let resolved = try target.resolved(named: name, collection: collection.name)
        return OpenableTarget(resolved, EngineCatalog.Options(), given: name, CommandObserver())
    }

    /// Returns the result of listing collections; many users have access to one collection, but are not allowed to list
    /// all of them.
    private func list(_ store: any CollectionAdministration) async throws -> String {
        let count: Int
        do {
            count = try await store.list().count
        } catch {
            guard error.code == .permission else { throw error }
            return "collections can't be listed with these credentials: \(error.message)"
        }
        return "\(Quantity(count, "collection", "collections")) can be listed"
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
            "context '\(name)' removed"
                + (wasCurrent ? "; it was the current context, so there is no current context now" : "")
        )
        return .success
    }
}

/// A context and the origins of its settings, as shown in lists and on single pages.
private struct ContextDisplay: ListEntry {
    private let target: ResolvedTarget
    private let current: String?

    /// `current` is the name of the current context; `nil` if it is not shown.
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

    /// Returns the lines of a single context's page: a title, and a value with its origin.
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

struct AddContext: Command {
    static let configuration = CommandConfiguration(
        "add",
        foreignNames: ["create", "new", "set"],
        summary: "Save a target under a name.",
        discussion: """
            The first context becomes the current one. Only the location of credentials is saved, never a secret. \
            Nothing is sent; 'fastctl contexts test NAME' connects to it. For an existing context, --protected alone \
            protects it.
            """,
        examples: [
            .init("fastctl contexts add dev --target sqlite:store.sqlite -c WebCollection", "A store in a file"),
            .init(
                "fastctl contexts add prod --target opensearch+https://a:9200,b:9200 --map WebCollection=webcollection",
                "A cluster of two nodes, with its own name for a collection"
            ),
            .init("fastctl contexts add prod --protected", "Protect an existing context"),
        ],
        optionAdvice: [
            "--replace": replacing, "--force": replacing, "--overwrite": replacing, "--update": replacing,
            "--url": "The address is --target ADDRESS",
        ]
    )

    private static let replacing = "To replace a context, remove it first: 'fastctl contexts remove NAME'"

    @Option("--target", value: "ADDRESS", help: "The engine and its address, such as opensearch+https://HOST:PORT")
    var target: String?

    @Option(
        "--collection",
        "-c",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "The collection for commands without --collection"
    )
    var collection: String?

    @Option(
        "--map",
        value: "NAME=ENGINES-NAME",
        completion: ArgumentCompletion.none,
        help: "The engine's name for a collection; may be repeated"
    )
    private var mappings: [MappingArgument]

    @Option("--profile", value: "NAME", completion: .profiles, help: "The farm profile for 'diagnose'")
    var profile: String?

    @Flag("--protected", help: "Writing requires the context's name as confirmation")
    var isProtected

    @OptionGroup("Connection") var connection: ConnectionSettings

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The context's name") var name: String

    func validate() throws {
        var names: Set<String> = []
        for mapping in mappings where !names.insert(mapping.name).inserted {
            throw ValidationError("--map specifies '\(mapping.name)' twice")
        }
        guard target == nil else { return }
        let isAlone = collection == nil && mappings.isEmpty && profile == nil && connection.settings.isEmpty
        guard isProtected, isAlone else {
            throw ValidationError("--target ADDRESS is missing; only --protected can be set on an existing context")
        }
    }

    func run() async throws -> ExitCode {
        guard let target else { return try protectExisting() }
        // Validates the settings before anything is created for them.
        let values = try values(target)
        let settings = try UserSettings(forWriting: true)
        if isProtected, settings.files.user?.names.contains(name) ?? false {
            throw Failure(
                .configuration,
                "the context '\(name)' already exists",
                advice: "to protect it, leave out the rest: fastctl contexts add \(name) --protected"
            )
        }
        let text = try settings.edit().adding(name, values, collections: mappings.map { ($0.name, $0.engineName) })
        try settings.write(text)
        let isFirst = settings.files.user.map { $0.names.isEmpty && $0.current == nil } ?? true
        StandardError.say("context '\(name)' added to \(settings.path)" + (isFirst ? "; it is the current one" : ""))
        if isFirst, let store = Self.embeddedStore, store != values.first(where: { $0.key == .target })?.value {
            StandardError.say(
                "commands now use it instead of the embedded store; to go back, use --target "
                    + "\(CommandLineWords.quoted(store)), or add that as a context too, and see 'fastctl contexts use'"
            )
        }
        return .success
    }

    private func protectExisting() throws -> ExitCode {
        let settings = try UserSettings(forWriting: true)
        try settings.refuseOfProject(name, advice: "write 'protected: true' below it there")
        guard let text = try settings.edit().protecting(name) else {
            StandardError.say("context '\(name)' is already protected")
            return .success
        }
        try settings.write(text)
        StandardError.say("context '\(name)' is now protected: writing to it requires --confirm \(name)")
        return .success
    }

    /// The address of the embedded store that was used until now; `nil` if there is none.
    private static var embeddedStore: String? {
        let environment = CommandContext.current.environment
        guard ["FASTCTL_TARGET", "FASTCTL_CONTEXT"].allSatisfy({ environment[$0]?.isEmpty ?? true }),
            let address = try? TargetAddress.standard(environment: environment), let file = address.files.first,
            NewFile.exists(file)
        else { return nil }
        return address.description
    }

    /// Returns the settings for the file, with paths that do not depend on where the command was run.
    private func values(_ target: String) throws -> [Setting] {
        var values = connection.settings
        values[.target] = try TargetAddress(target).madeAbsolute.description
        values[.collection] = collection
        values[.profile] = profile
        for key in [ContextKey.credentialsFile, .authorityFile, .clientCertificate, .clientKey] {
            values[key] = values[key].map(AbsolutePath.of)
        }
        if isProtected { values[.protected] = "true" }
        return values.map { Setting($0, $1, .standard) }
    }
}

/// A collection's name and the engine's name for it, `NAME=ENGINES-NAME`.
private struct MappingArgument: ArgumentValue {
    let name: String
    let engineName: String

    init(argument word: String) throws(ArgumentExpectation) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex, word.last != "=" else {
            throw ArgumentExpectation("two names, such as WebCollection=webcollection")
        }
        (name, engineName) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    var argumentText: String { "\(name)=\(engineName)" }
}

/// Paths that are independent of the current folder.
package enum AbsolutePath {
    package static func of(_ path: String) -> String {
        // A `~/` that the shell did not expand is expanded later, as in the settings file.
        if path.hasPrefix("/") || path.hasPrefix("~/") { return path }
        guard let folder = ContextFiles.workingDirectory else { return path }
        let bare = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return (folder == "/" ? "" : folder) + "/" + bare
    }
}

extension TargetAddress {
    fileprivate var madeAbsolute: TargetAddress {
        guard case .sqlite(let path) = location else { return self }
        return TargetAddress(.sqlite(path: AbsolutePath.of(path)))
    }
}

/// The user's file of contexts, which is written completely or not at all.
///
/// A new file is readable only by its owner; a file that others may read remains readable unless it may contain a
/// secret.
package struct UserSettings {
    package let path: String
    package let files: ContextFiles
    /// A lock that is held from before reading until after writing, so that two commands don't overwrite each other's
    /// changes.
    private let lock: SettingsLock?

    /// Reads the file; a caller that is going to change it sets `isForWriting`.
    package init(forWriting isForWriting: Bool = false) throws {
        let environment = CommandContext.current.environment
        guard let path = ContextFiles.userPath(environment) else {
            throw Failure(
                .configuration,
                "HOME is not set, so there is nowhere to keep contexts",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        self.path = path
        lock = isForWriting ? try SettingsLock(beside: path) : nil
        files = try ContextFiles(environment: environment, directory: ContextFiles.workingDirectory)
    }

    /// Returns the names of all farm profiles, for completion; empty if the files can't be read.
    package static func profileNames(environment: [String: String]) -> [String] {
        let directory = ContextFiles.workingDirectory
        return (try? ContextFiles(environment: environment, directory: directory))?.profileNames ?? []
    }

    /// Refuses a context that is only in the project's file, because this command changes the user's own file.
    func refuseOfProject(_ name: String, advice: String) throws {
        guard let project = files.project, project.names.contains(name), files.user?.names.contains(name) != true else {
            return
        }
        throw Failure(
            .configuration,
            "the context '\(name)' exists only in '\(project.path)', the project file",
            advice: advice
        )
    }

    package func edit() throws -> ContextEdit { try ContextEdit(files.user, path: path) }

    package func write(_ text: String) throws {
        // A link is kept, because some users store their settings elsewhere.
        let place = realpath(path, nil)
        defer { free(place) }
        try AtomicFile.write(
            Array(text.utf8),
            to: place.flatMap { String(validatingCString: $0) } ?? path,
            keeping: Self.mayHoldSecret(text) ? 0o700 : 0o775
        )
    }

    /// Returns whether the file may contain a password, in a proxy's address or in a helper's command.
    private static func mayHoldSecret(_ text: String) -> Bool {
        [ContextKey.proxy, .credentialsHelper].contains { text.contains($0.rawValue) }
    }
}

/// An advisory lock on the settings' folder, held while the value exists.
private final class SettingsLock {
    private let folder: Int32

    /// The maximum time to wait for another process that is changing the settings, which takes only milliseconds.
    private static let limit = Duration.seconds(10)

    /// Waits for the lock; if locking is impossible, as on some shared disks, nothing is locked.
    init(beside path: String) throws {
        // From here on, everything that this command creates is accessible only to its user.
        umask(0o077)
        var folder = ""
        // A folder that can't be created is reported when the file is written.
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            _ = mkdir(folder, 0o700)
        }
        self.folder = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let deadline = ContinuousClock.now + Self.limit
        while self.folder >= 0, flock(self.folder, LOCK_EX | LOCK_NB) != 0, [EINTR, EWOULDBLOCK].contains(errno) {
            guard .now < deadline else {
                throw Failure(
                    .incomplete,
                    "another process has been changing the settings in '\(folder)' for \(ShortDuration(Self.limit))",
                    advice: "stop that process, then run this command again"
                )
            }
            usleep(10_000)
        }
    }

    deinit {
        if folder >= 0 { close(folder) }
    }
}

/// Options for confirming a collection by its name, so that a typing mistake does not empty the wrong one.
struct ConfirmationOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .collections,
        help: "The collection's name as confirmation; repeat it with the context's name if the context is protected"
    )
    var names: [String]

    /// The advice for an option of other programs.
    static let adviceForForce = "Confirm it by name: --confirm NAME"

    /// Opens the target and returns it with one of its collections, after the names that protect both of them are
    /// confirmed.
    ///
    /// `name` is the user's name for the collection, which may differ from the engine's.
    func open(
        _ name: String,
        at options: TargetOptions,
        to action: String
    ) async throws -> (any CollectionAdministration, CollectionDescription) {
        let target = try options.resolve()
        try target.requireConfirmation(names, to: "\(action) a collection", collection: name)
        let store = try await target.open()
        let collection = try await store.existing(target.collection(name).engineName)
        try require(collection, named: name, in: target, to: action)
        return (store, collection)
    }

    /// Requires the collection's name, given as an option or typed on the terminal.
    private func require(
        _ collection: CollectionDescription,
        named name: String,
        in target: OpenableTarget,
        to action: String
    ) throws {
        let accepted = [name, collection.name.rawValue]
        let left = try target.unused(names)
        guard !left.contains(where: accepted.contains) else { return }
        let given = ask(collection, to: action) ?? left.first
        guard !accepted.contains(given ?? "") else { return }
        let confirmation = (names.filter { !left.contains($0) } + [name])
            .map { "--confirm \(CommandLineWords.quoted($0))" }.joined(separator: " ")
        throw Failure(
            .refused,
            given == nil
                ? "refused: this needs the collection's name as confirmation; nothing was removed"
                : "refused: '\(given ?? "")' is not the collection's name; nothing was removed",
            advice: "to \(action) it (\(documents(in: collection))): \(confirmation)"
        )
    }

    private func ask(_ collection: CollectionDescription, to action: String) -> String? {
        TypedConfirmation.ask(
            "this will \(action) \(collection.name) (\(documents(in: collection))). Type its name to continue:"
        )
    }

    private func documents(in collection: CollectionDescription) -> String {
        collection.documents.map { Quantity($0, "document", "documents").description } ?? "all its documents"
    }
}

extension CollectionAdministration {
    /// Returns a collection that must already exist, because creating it would not help.
    func existing(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        let refusal: EngineError
        do throws(EngineError) {
            let description = try await show(name)
            return description
        } catch {
            refusal = error
        }
        let isUnlikeAny = refusal.advice?.contains("collections create") ?? true
        guard refusal.code == .missingCollection, isUnlikeAny else { throw refusal }
        throw EngineError(
            refusal.code,
            refusal.message,
            advice: "'fastctl collections list' lists them",
            cause: refusal
        )
    }
}

/// Options for confirming a protected context by its name, so that it is not written to by mistake.
struct ProtectionOptions: OptionSetting {
    @Option(
        "--confirm",
        value: "NAME",
        completion: .contexts,
        help: "The context's name as confirmation, if it is protected"
    )
    var names: [String]
}

/// A name typed on the terminal.
enum TypedConfirmation {
    /// Returns the line typed after `question`; `nil` without a terminal.
    static func ask(_ question: String) -> String? {
        guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else { return nil }
        StandardError.say(question)
        return readLine()
    }
}
