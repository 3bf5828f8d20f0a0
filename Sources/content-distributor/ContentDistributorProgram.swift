import ArgumentParsing
import ConsolePages
import ContentDistributor
import Digests
import Files
import Glibc
import HTTPService
import JSONText
import Notifications
import ReportKit
import ServerSecurity
import TextKit
import Threads

@main
struct ContentDistributorProgram: CommandGroup {
    static let configuration = CommandConfiguration(
        "content-distributor",
        summary: "Run a server that accepts documents for a search index.",
        discussion: """
            The server accepts batches in sessions, and responds when they are on its disk. It also reads and writes \
            individual documents. The rules of each collection apply to both. The settings are in one YAML file; without \
            it, the server uses the embedded store in the state folder, and serves only this machine.
            """,
        examples: [
            .init("content-distributor init distributor.yaml", "Write settings with comments"),
            .init("content-distributor check distributor.yaml", "Check them without starting the server"),
            .init("content-distributor run distributor.yaml", "Start the server"),
            .init(
                "content-distributor tokens create feeder distributor.yaml --role application",
                "Create a token for a program that feeds documents"
            ),
        ],
        subcommands: [
            Run.self, Initialize.self, CheckSettings.self, Schedules.self, Tokens.self, Audit.self, Notices.self,
            HelpCommand.self,
        ]
    )

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        _exit(await status())
    }

    private static func status() async -> Int32 {
        do {
            return try await Program(Self.self, version: "content-distributor \(ContentDistributor.version)").run(
                Program.readWords(),
                environment: [:],
                terminal: Program.Terminal(width: 100, print: { Output.print($0) }, printError: { Output.report($0) })
            ).rawValue
        } catch let error as ArgumentError {
            Output.report("\(error)")
            return ExitStatus.usage.rawValue
        } catch {
            let failure = Failure(error)
            Output.report("content-distributor: \(failure.message)")
            if let advice = failure.advice { Output.report("content-distributor: \(advice)") }
            return failure.status.rawValue
        }
    }
}

/// The standard streams: results are written to standard output, everything else to standard error.
private enum Output {
    static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Creates a file that does not exist yet.
    static func create(_ file: String, _ text: String, permissions: mode_t) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw Failure(.outputNotCreated, "cannot create '\(file)': \(reason)", advice: "name a new file")
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw Failure(.inputOutput, "cannot write '\(file)'", advice: "check the disk")
        }
    }

    /// Writes messages for the user, made safe, one per line.
    static func report(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { SafeText.escaping(String($0)) + "\n" }.joined(), to: STDERR_FILENO)
    }

    /// Writes a line of the log: a JSON object.
    static func log(_ members: (inout JSONWriter) -> Void) {
        let json = JSONWriter.object { object in
            object.member("at", UTCTimestamp(since1970: ProcessFacts.now).description)
            members(&object)
        }
        write(String(decoding: json, as: UTF8.self) + "\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// The settings file, or the state folder if there is none.
private struct SettingsOptions: OptionSetting {
    @Option("--state", value: "FOLDER", help: "The state folder, if there is no settings file")
    var state = "distributor"

    /// Reads the settings.
    func settings(of file: String?) throws -> DistributorSettings {
        guard let file else { return DistributorSettings(state: ProcessFacts.absolutePath(of: state)) }
        return try DistributorSettings.read(file)
    }
}

// MARK: - Serving

private struct Run: Command {
    static let configuration = CommandConfiguration(
        "run",
        summary: "Start the server.",
        discussion: """
            The server runs until SIGTERM or Ctrl-C: it then accepts no new requests, completes running ones, and stops; \
            the next server resumes its sessions. On SIGHUP, it reads the settings file again, and applies all of it or \
            nothing. Standard error is the log, one JSON object per line.

            If there are no tokens yet, the server creates one for an administrator, and prints it once.
            """,
        examples: [.init("content-distributor run distributor.yaml", "Start the server with its settings")]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Option("--drain", value: "DURATION", help: "How long running requests may take when the server shuts down")
    var drain = Duration.seconds(10)
    @Flag("--writable", help: "Allow console users to make the changes that their rights permit")
    var writable: Bool
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        let settings = try options.settings(of: file)
        let log: @Sendable (String) -> Void = { line in Output.log { $0.member("message", line) } }
        let distributor = try await ContentDistributor(settings, log: log)
        if let secret = try await distributor.firstToken() {
            Output.print("the token of the first administrator, which is not shown again: \(secret)")
        }
        var configuration = ServerConfiguration()
        configuration.address = settings.host
        configuration.port = UInt16(settings.port)
        configuration.limits = settings.limits.ofServer
        configuration.tls = settings.tls.map { ServerTLSFiles(certificate: $0.certificate, key: $0.key) }
        configuration.observer = { record in
            Output.log { object in
                object.member("request", record.requestID)
                object.member("address", record.peerAddress)
                object.member("method", record.method.rawValue)
                object.member("path", record.path)
                object.member("status", record.status?.code)
                object.member("milliseconds", Int(record.duration / .milliseconds(1)))
                object.member("failure", record.failure)
            }
        }
        // Signals are caught before the supervisor is notified that the server is ready, because it may request a
        // reload immediately.
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else {
            throw Failure(.inputOutput, "cannot wait for signals", advice: "allow more open files (ulimit -n)")
        }
        var router = distributor.router
        router.useFirst(console(of: distributor, settings.console).middleware)
        let server = try HTTPServer(configuration, router: router)
        let scheme = settings.tls == nil ? "http" : "https"
        if let exposure = settings.exposure { log(exposure) }
        Output.print("listening on \(scheme)://\(settings.host):\(server.port)")
        distributor.beginSchedules(at: "\(scheme)://\(Self.reachable(settings.host)):\(server.port)")
        let supervisor = Supervisor { name in getenv(name).flatMap { String(validatingCString: $0) } }
        supervisor.isReady()
        let watch = Task { await supervisor.watch { await distributor.answers() } }
        while await onOwnThread({ signals.next() }) == SIGHUP {
            supervisor.isReloading()
            if distributor.reload(from: file) { server.maximumBody = distributor.maximumBody }
            supervisor.isReady()
        }
        supervisor.isStopping()
        log("shutting down: \(server.activeRequests) requests are running")
        // Their commands are clients of this server.
        await distributor.endSchedules()
        let broken = await server.shutDown(within: drain)
        await distributor.drain()
        watch.cancel()
        log("shut down: \(broken) requests were cut off")
        return .success
    }
}

extension Run {
    /// Returns the pages for browsers, which use the server's own API.
    private func console(of distributor: ContentDistributor, _ settings: ConsoleSettings) -> Console {
        Console(
            title: settings.title,
            isWritable: writable || settings.isWritable,
            lifetime: settings.lifetime,
            identity: distributor.consoleIssuer.map { Self.identity(of: distributor, $0) },
            maximumBody: { distributor.maximumBody },
            host: settings.host,
            hasApps: { distributor.hasApps }
        )
    }

    /// Returns how the console signs users in at the server's identity provider.
    private static func identity(of distributor: ContentDistributor, _ issuer: String) -> ConsoleIdentity {
        @Sendable func signIn(_ request: ConsoleIdentity.Request) -> BrowserSignIn {
            BrowserSignIn(
                state: request.state,
                nonce: request.nonce,
                challenge: request.challenge,
                redirect: request.redirect
            )
        }
        return ConsoleIdentity(
            name: String(issuer.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }),
            address: { request in
                do throws(BrowserSignInFailure) {
                    return try await distributor.signInAddress(signIn(request))
                } catch {
                    throw ConsoleIdentity.Failure(error.message)
                }
            },
            token: { code, verifier, request in
                do throws(BrowserSignInFailure) {
                    return try await distributor.token(for: code, verifier: verifier, signIn(request))
                } catch {
                    throw ConsoleIdentity.Failure(error.message)
                }
            }
        )
    }

    /// Returns the address at which programs on this machine can reach a server that listens on the given address.
    private static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0", "": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}

private struct Initialize: Command {
    static let configuration = CommandConfiguration(
        "init",
        summary: "Write a settings file with comments.",
        examples: [.init("content-distributor init distributor.yaml", "Write the file")]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Argument("FILE", help: "The file to write; it must not exist") var file: String

    func run() async throws -> ExitCode {
        let text = DistributorSettings.template(state: ProcessFacts.absolutePath(of: options.state))
        try Output.create(file, text, permissions: 0o644)
        return .success
    }
}

private struct CheckSettings: Command {
    static let configuration = CommandConfiguration(
        "check",
        summary: "Check a settings file without starting the server.",
        examples: [.init("content-distributor check distributor.yaml", "Report the first defect, with its line")]
    )

    @Argument("FILE", completion: .files, help: "The settings") var file: String

    func run() async throws -> ExitCode {
        let settings = try DistributorSettings.read(file)
        Output.print(
            "\(file): \(Quantity(settings.collections.count, "collection", "collections")), \(settings.target)"
        )
        if let exposure = settings.exposure { Output.report("content-distributor: \(file): \(exposure)") }
        for schedule in settings.schedules {
            Output.print(schedule.nextTimes(3, after: ProcessFacts.now))
            if let warning = schedule.warning {
                Output.report("content-distributor: \(file): \(warning)")
            }
        }
        return .success
    }
}

private struct Schedules: CommandGroup {
    static let configuration = CommandConfiguration(
        "schedules",
        summary: "List the commands that run on a schedule.",
        subcommands: [ListSchedules.self]
    )
}

private struct ListSchedules: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the schedules with their next and last runs.",
        examples: [
            .init(
                "content-distributor schedules list distributor.yaml",
                "List all; the server does not have to be running"
            )
        ]
    )

    @Argument("FILE", completion: .files, help: "The settings") var file: String

    func run() async throws -> ExitCode {
        let settings = try DistributorSettings.read(file)
        for schedule in settings.schedules {
            let last = try await schedule.lastRun(in: settings.state) ?? "no run yet"
            Output.print("\(schedule.nextTimes(1, after: ProcessFacts.now)); \(last)")
        }
        return .success
    }
}

// MARK: - Tokens and the audit log

private struct Tokens: CommandGroup {
    static let configuration = CommandConfiguration(
        "tokens",
        summary: "Create, list, revoke and derive the tokens of clients.",
        discussion: "A running server accepts a new token, and refuses a revoked one, within a second.",
        subcommands: [CreateToken.self, ListTokens.self, RevokeToken.self, DeriveToken.self]
    )
}

/// The rights of a token.
private struct RightsOptions: OptionSetting {
    @Option(
        "--for",
        value: "COLLECTION",
        help: "A collection that the token is for; may be repeated (default: all, or those of the application)"
    )
    var collections: [String]
    @Option(
        "--verb",
        value: "VERB",
        help: "read, insert, update or delete; may be repeated (default: all, or those of the application)"
    )
    var verbs: [String]
    @Option("--claim", value: "NAME=VALUE", help: "A fact about the user that rules compare; may be repeated")
    var claims: [String]

    var accessVerbs: [AccessVerb] {
        get throws {
            try verbs.map { word in
                guard let verb = AccessVerb(rawValue: word) else {
                    throw ArgumentError("'\(word)' is not a verb", advice: "Use read, insert, update or delete")
                }
                return verb
            }
        }
    }

    var claimValues: [String: String] {
        get throws {
            var values: [String: String] = [:]
            for word in claims {
                let parts = word.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else {
                    throw ArgumentError("'\(word)' is not NAME=VALUE", advice: "Write tenant=a")
                }
                values[String(parts[0])] = String(parts[1])
            }
            return values
        }
    }
}

private struct CreateToken: Command {
    static let configuration = CommandConfiguration(
        "create",
        summary: "Create a token; its secret is printed once.",
        examples: [
            .init("content-distributor tokens create feeder distributor.yaml --role application", "For a program"),
            .init(
                "content-distributor tokens create ann distributor.yaml --role user --claim tenant=a --verb read",
                "For a user who may read the documents of tenant a"
            ),
        ]
    )

    @OptionGroup("State") var options: SettingsOptions
    @OptionGroup("Rights") var rights: RightsOptions
    @Option("--role", value: "ROLE", help: "admin, application or user") var role = "user"
    @Option("--expires", value: "DURATION", help: "How long the token is valid (default: until it is revoked)")
    var expires: Duration?
    @Flag("--may-derive", help: "Let an application sign tokens with some of its rights")
    var mayDerive: Bool
    @Argument("NAME", help: "The client's name, for the audit log") var name: String
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        guard let role = AccessToken.Role(rawValue: role) else {
            throw ArgumentError("'\(role)' is not a role", advice: "Use admin, application or user")
        }
        guard !mayDerive || role == .application else {
            throw ArgumentError("only application tokens can derive others", advice: "Add --role application")
        }
        let now = ProcessFacts.now
        let (secret, token) = try await tokens(options, file).create(
            name,
            role,
            collections: Set(rights.collections),
            verbs: Set(try rights.accessVerbs),
            claims: try rights.claimValues,
            expiresAt: expires.map { now + $0 },
            mayDerive: mayDerive,
            at: now
        )
        Output.print(secret)
        Output.report("content-distributor: created the token \(token.id); its secret is not shown again")
        if mayDerive {
            Output.report(
                "content-distributor: the server keeps its signing key: protect and back up its folder as a secret"
            )
        }
        return .success
    }
}

private struct DeriveToken: Command {
    static let configuration = CommandConfiguration(
        "derive",
        summary: "Sign a token with some of an application's rights.",
        discussion: """
            The secret of the application is read from standard input; its token must have been created with \
            --may-derive. Nothing is stored, and no server is involved: a server accepts the token as long as it accepts \
            the application's.

            The holder of a derived token has the role of a user: a collection's rule sees the claims of both tokens.
            """,
        examples: [
            .init(
                "content-distributor tokens derive --claim tenant=a --verb read --expires 1h < secret",
                "For a user of tenant a, for an hour"
            )
        ]
    )

    @OptionGroup("Rights") var rights: RightsOptions
    @Option("--user", value: "NAME", help: "The user, for the audit log") var user: String?
    @Option("--expires", value: "DURATION", help: "How long the token is valid") var expires = Duration.seconds(3600)

    func run() async throws -> ExitCode {
        let secret = try Self.secret()
        var token = DerivedToken(expiresAt: ProcessFacts.now + expires)
        token.subject = user
        if !rights.collections.isEmpty { token.collections = rights.collections }
        if !rights.verbs.isEmpty { token.verbs = try rights.accessVerbs }
        token.claims = try rights.claimValues
        Output.print(token.signed(with: secret))
        return .success
    }

    /// Reads a secret from standard input.
    private static func secret() throws -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1024)
        while bytes.count <= piece.count {
            let count = read(STDIN_FILENO, &piece, piece.count)
            guard count >= 0 else {
                throw Failure(.inputNotOpened, "standard input can't be read", advice: "write: tokens derive < secret")
            }
            if count == 0 { break }
            bytes += piece.prefix(count)
        }
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        let secret = String(decoding: bytes, as: UTF8.self)
        guard AccessTokens.isSecret(secret) else {
            throw Failure(
                .inputRejected,
                "standard input is not the secret of a token",
                advice: "provide the text that 'tokens create' printed"
            )
        }
        return secret
    }
}

private struct ListTokens: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the tokens, without their secrets.",
        examples: [.init("content-distributor tokens list distributor.yaml", "List all")]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        for token in try await tokens(options, file).list() {
            let expiry = token.expiresAt.map { "until \(UTCTimestamp(since1970: $0))" } ?? "no expiry"
            let words = [
                token.id, token.role.rawValue, token.isRevoked ? "revoked" : expiry,
                token.collections.isEmpty ? "all collections" : token.collections.sorted().joined(separator: ","),
                token.verbs.isEmpty ? "all verbs" : token.verbs.map(\.rawValue).sorted().joined(separator: ","),
                token.name, token.mayDerive ? "(may derive)" : "",
            ].filter { !$0.isEmpty }
            Output.print(SafeText.escaping(words.joined(separator: "  ")))
        }
        return .success
    }
}

private struct RevokeToken: Command {
    static let configuration = CommandConfiguration(
        "revoke",
        summary: "Revoke a token.",
        examples: [.init("content-distributor tokens revoke 3f2a9c01b7de distributor.yaml", "By its ID")]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Argument("ID", help: "The token's ID, as 'tokens list' shows it") var id: String
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        guard try await tokens(options, file).revoke(id) else {
            throw Failure(.configuration, "there is no valid token '\(id)'", advice: "see 'tokens list'")
        }
        return .success
    }
}

private func tokens(_ options: SettingsOptions, _ file: String?) throws -> AccessTokens {
    let settings = try options.settings(of: file)
    mkdir(settings.state, 0o700)
    return try AccessTokens(path: "\(settings.state)/access.sqlite")
}

private struct Audit: CommandGroup {
    static let configuration = CommandConfiguration(
        "audit",
        summary: "Check the log of all changes.",
        subcommands: [VerifyAudit.self]
    )
}

private struct VerifyAudit: Command {
    static let configuration = CommandConfiguration(
        "verify",
        summary: "Check that no line of the audit log was changed, removed or moved.",
        examples: [.init("content-distributor audit verify distributor.yaml", "Exit with code 1 if any line was")]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        let path = "\(try options.settings(of: file).state)/audit.log"
        let report = try AuditLog.verify(path)
        Output.print("\(path): \(Quantity(report.lines, "line", "lines")) in order")
        guard let defect = report.defect else { return .success }
        Output.report("content-distributor: \(path): \(defect.reason)")
        return ExitCode(rawValue: defect.isCut ? 0 : 1)
    }
}

// MARK: - Notifications

private struct Notices: CommandGroup {
    static let configuration = CommandConfiguration(
        "notifications",
        summary: "List and retry notifications, and create the key for browsers.",
        subcommands: [ListNotices.self, RetryNotices.self, CreatePushKey.self]
    )
}

private struct ListNotices: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the notifications that failed or are waiting.",
        examples: [.init("content-distributor notifications list distributor.yaml", "List up to 1,000")]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        let outbox = try outbox(options, file)
        for entry in try await outbox.list() {
            let state = entry.isFailed ? "failed" : "waiting"
            let event =
                entry.event.map { "\($0.kind.rawValue): \($0.subject): \($0.message)" } ?? "from a later version"
            let words = [
                "\(entry.id)", state, entry.target, "\(Quantity(entry.attempts, "attempt", "attempts"))",
                "\(UTCTimestamp(since1970: entry.due))", event, entry.failure.map { "(\($0))" } ?? "",
            ].filter { !$0.isEmpty }
            Output.print(SafeText.escaping(words.joined(separator: "  ")))
        }
        let totals = try await outbox.totals()
        Output.report(
            "content-distributor: \(totals.failed) failed, \(totals.waiting) waiting, \(totals.delivered) delivered, "
                + "\(totals.dropped) dropped"
        )
        return .success
    }
}

private struct RetryNotices: Command {
    static let configuration = CommandConfiguration(
        "retry",
        summary: "Retry failed notifications.",
        discussion: """
            A running server retries them within five seconds; if none is running, they are retried when the server next \
            starts.
            """,
        examples: [
            .init("content-distributor notifications retry distributor.yaml", "All that failed"),
            .init("content-distributor notifications retry distributor.yaml --id 17", "One of them"),
        ]
    )

    @OptionGroup("State") var options: SettingsOptions
    @Option("--id", value: "NUMBER", help: "The notification, as 'notifications list' shows it (default: all)")
    var id: Int?
    @Argument("FILE", completion: .files, help: "The settings") var file: String?

    func run() async throws -> ExitCode {
        let count = try await outbox(options, file).retry(id.map { Int64($0) }, at: ProcessFacts.now)
        if let id, count == 0 {
            throw Failure(.configuration, "there is no failed notification \(id)", advice: "see 'notifications list'")
        }
        Output.print("\(Quantity(count, "notification", "notifications")) will be delivered again")
        return .success
    }
}

private struct CreatePushKey: Command {
    static let configuration = CommandConfiguration(
        "keys",
        summary: "Create the key that identifies the sender to push services (VAPID).",
        discussion: """
            Only its owner can read the file. Browsers subscribe with the public key, which is printed, and which \
            GET /v1/push-key returns: if the key changes, they must subscribe again.
            """,
        examples: [.init("content-distributor notifications keys vapid.pem", "Write the key")]
    )

    @Argument("FILE", help: "The file to write; it must not exist") var file: String

    func run() async throws -> ExitCode {
        let key = P256PrivateKey()
        try Output.create(file, key.pem, permissions: 0o600)
        Output.print(Base64.urlText(key.publicKey))
        return .success
    }
}

private func outbox(_ options: SettingsOptions, _ file: String?) throws -> Outbox {
    let settings = try options.settings(of: file)
    mkdir(settings.state, 0o700)
    return try Outbox(path: "\(settings.state)/notifications.sqlite")
}
