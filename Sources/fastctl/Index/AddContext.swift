import ArgumentParsing
import ContentFeeding
import EngineCatalog
import Files
import Glibc
import ReportRendering

struct AddContext: Command {
    static let configuration = CommandConfiguration(
        "add",
        summary: "Save a target under a name.",
        discussion: """
            The first context becomes the current one. Only the location of credentials is saved, never a secret. \
            Nothing is sent; 'fastctl collections list --context NAME' tests it.
            """,
        examples: [
            .init("fastctl contexts add dev --target sqlite:store.sqlite -c WebCollection", "A store in a file"),
            .init(
                "fastctl contexts add prod --target opensearch+https://a:9200,b:9200 --map WebCollection=webcollection",
                "Two nodes, and a collection with another name"
            ),
        ]
    )

    @Option("--target", value: "ADDRESS", help: "The engine and where it is, such as opensearch+https://HOST:PORT")
    var target: String

    @Option(
        "--collection",
        "-c",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "The collection for commands that name none"
    )
    var collection: String?

    @Option(
        "--map",
        value: "NAME=ENGINES-NAME",
        completion: ArgumentCompletion.none,
        help: "The engine's name for a collection; may be repeated"
    )
    private var mappings: [MappingArgument]

    @Option("--profile", value: "NAME", completion: .profiles, help: "The farm profile that 'diagnose' alone uses")
    var profile: String?

    @Flag("--protected", help: "Writing requires the context's name as confirmation")
    var isProtected

    @OptionGroup("Connection") var connection: ConnectionSettings

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The context's name") var name: String

    func validate() throws {
        var names: Set<String> = []
        for mapping in mappings where !names.insert(mapping.name).inserted {
            throw ValidationError("--map names '\(mapping.name)' twice")
        }
    }

    func run() async throws -> ExitCode {
        // Validates the settings before anything is created for them.
        let values = try values()
        let settings = try UserSettings(forWriting: true)
        let text = try settings.edit().adding(
            name,
            values,
            collections: mappings.map { ($0.name, $0.engineName) }
        )
        try settings.write(text)
        let isFirst = settings.files.user.map { $0.names.isEmpty && $0.current == nil } ?? true
        StandardError.say("context '\(name)' added to \(settings.path)" + (isFirst ? "; it is the current one" : ""))
        return .success
    }

    /// Returns the settings for the file, with paths that do not depend on where the command was run.
    private func values() throws -> [Setting] {
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

/// A collection's name and the engine's for it, `NAME=ENGINES-NAME`.
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

/// Paths that mean the same from every folder.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        // A `~/` that the shell leaves alone is left to us, as in the settings file.
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

/// The user's file of contexts, which is written whole or not at all.
///
/// A new one is readable by nobody else; one that others may read stays so unless it may hold a secret.
struct UserSettings {
    let path: String
    let files: ContextFiles
    /// A lock held from before reading until after writing, so that two commands don't undo each other's changes.
    private let lock: SettingsLock?

    /// Reads the file; a caller that will change it sets `isForWriting`.
    init(forWriting isForWriting: Bool = false) throws {
        let environment = CommandContext.current.environment
        guard let path = ContextFiles.userPath(environment) else {
            throw CommandFailure(
                .configuration,
                "without HOME there is nowhere to keep contexts",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        self.path = path
        lock = isForWriting ? try SettingsLock(beside: path) : nil
        files = try ContextFiles(environment: environment, directory: ContextFiles.workingDirectory)
    }

    /// Refuses a context that is only in the project's file: this command changes the user's own.
    func refuseOfProject(_ name: String, advice: String) throws {
        guard let project = files.project, project.names.contains(name), files.user?.names.contains(name) != true else {
            return
        }
        throw CommandFailure(
            .configuration,
            "the context '\(name)' exists only in '\(project.path)', the project's file",
            advice: advice
        )
    }

    func edit() throws -> ContextEdit { try ContextEdit(files.user, path: path) }

    func write(_ text: String) throws {
        // A link stays a link: some people keep their settings elsewhere.
        let place = realpath(path, nil)
        defer { free(place) }
        try AtomicFile.write(
            Array(text.utf8),
            to: place.flatMap { String(validatingCString: $0) } ?? path,
            keeping: Self.mayHoldSecret(text) ? 0o700 : 0o775
        )
    }

    /// Whether there may be a password in the file: in a proxy's address or in a helper's command.
    private static func mayHoldSecret(_ text: String) -> Bool {
        [ContextKey.proxy, .credentialsHelper].contains { text.contains($0.rawValue) }
    }
}

/// An advisory lock on the settings' folder, held as long as the value exists.
private final class SettingsLock {
    private let folder: Int32

    /// The longest time to wait for another process that changes the settings: that takes milliseconds.
    private static let limit = Duration.seconds(10)

    /// Waits for the lock; where locking is impossible, as on some shared disks, there is none.
    init(beside path: String) throws {
        // From here on, everything this command creates is for its user alone.
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
                throw CommandFailure(
                    .incomplete,
                    "another process has been changing the settings in '\(folder)' for \(ShortDuration(Self.limit))",
                    advice: "end it, then run this again"
                )
            }
            usleep(10_000)
        }
    }

    deinit {
        if folder >= 0 { close(folder) }
    }
}
