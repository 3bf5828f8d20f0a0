import ArgumentParsing
import CollectionSync
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedJobs
import JobJournal
import ReportKit
import TextKit

/// Options for the target and the connection to it.
struct TargetOptions: OptionSetting {
    @Option(
        "--target",
        value: "ADDRESS",
        environment: "FASTCTL_TARGET",
        help: "The engine and its address: sqlite:PATH, opensearch+https://HOST:PORT, solr+https://HOST:PORT, …"
    )
    var target: String?

    @Option(
        "--context",
        value: "NAME",
        environment: "FASTCTL_CONTEXT",
        completion: .contexts,
        help:
            "A named target, or several: A,B (default: the current context, or else the store below $XDG_DATA_HOME)"
    )
    var context: String?

    @Option(
        "--content-distributor",
        value: "HOSTS",
        completion: ArgumentCompletion.none,
        help: "Content distributors, each HOST:PORT, separated by ';': short for --target distributor+http://HOSTS"
    )
    var contentDistributor: DistributorArgument?

    @Option("--busy-timeout", value: "DURATION", help: "How long to wait while another process locks the store")
    var busyTimeout = Duration.seconds(30)

    @OptionGroup("Connection") var connection: ConnectionSettings

    static let exclusive = [["--target", "--context", "--content-distributor"]]

    /// Whether the command line or the environment names the target.
    var isNamed: Bool { target != nil || context != nil || contentDistributor != nil }

    /// Advice on removing the options and variables that name the target, such as `unset FASTCTL_TARGET`; `nil` if
    /// there are none.
    var adviceToOmit: String? {
        let environment = CommandContext.current.environment
        let names: [(option: String, value: String?, variable: String?)] = [
            ("--target", target, "FASTCTL_TARGET"), ("--context", context, "FASTCTL_CONTEXT"),
            ("--content-distributor", contentDistributor?.address, nil),
        ]
        let parts = names.filter { $0.value != nil }.map { name in
            // The command-line parser reads a variable like its option.
            guard let variable = name.variable, environment[variable] == name.value else {
                return "leave out \(name.option)"
            }
            return "unset \(variable)"
        }
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }

    /// Resolves the target, and the collection if the command line or the environment names one, without opening them.
    func resolve(collection: String? = nil) throws -> OpenableTarget {
        try resolve(collection: collection, context: context, target: contentDistributor?.address ?? target)
    }

    /// Resolves the target; if the options name none, uses the plan's context, or its address if it has no context.
    func resolve(collection: String?, orElseContext other: String?, address: String) throws -> OpenableTarget {
        guard context == nil, target == nil, contentDistributor == nil else {
            return try resolve(collection: collection)
        }
        return try resolve(collection: collection, context: other, target: other == nil ? address : nil)
    }

    private func resolve(collection: String?, context: String?, target: String?) throws -> OpenableTarget {
        var resolver = resolver(collection: collection)
        resolver.options[.target] = target
        resolver.context = context
        var options = EngineCatalog.Options()
        options.busyTimeout = busyTimeout
        return OpenableTarget(try resolver.resolve(), options, given: context ?? target, CommandObserver())
    }

    /// Returns the target of a context, regardless of any target given or in the environment.
    func resolved(context name: String, collection: String?) throws -> ResolvedTarget {
        var resolver = resolver(collection: collection)
        resolver.context = name
        return try resolver.resolve()
    }

    /// Returns the target of a copy's origin: its own context or address, with the connection options of the command
    /// line, regardless of the copy's own target.
    func origin(_ origin: OriginAddress, collection: String) throws -> OpenableTarget {
        var resolver = resolver(collection: collection)
        origin.resolve(&resolver)
        var options = EngineCatalog.Options()
        options.collectionOption = "--collection-at-origin"
        return OpenableTarget(try resolver.resolve(), options, given: origin.kept, CommandObserver())
    }

    /// Returns the target of the collection that a copy is made from: the command's own target unless `source` names
    /// another one, to which the options and variables of this command's target do not apply.
    func source(_ source: SourceArgument, besides collection: String?) throws -> OpenableTarget {
        guard let place = source.place else { return try resolve(collection: collection) }
        var environment = CommandContext.current.environment
        for name in ["FASTCTL_TARGET", "FASTCTL_CONTEXT", "FASTCTL_COLLECTION", TargetResolver.credentialsVariable] {
            environment[name] = nil
        }
        var resolver = TargetResolver(environment: environment)
        resolver.options[.collection] = source.collection
        place.resolve(&resolver)
        var options = EngineCatalog.Options()
        options.busyTimeout = busyTimeout
        return OpenableTarget(try resolver.resolve(), options, given: place.kept, CommandObserver())
    }

    private func resolver(collection: String?) -> TargetResolver {
        var resolver = TargetResolver(environment: CommandContext.current.environment)
        resolver.options = connection.settings
        resolver.options[.collection] = collection
        return resolver
    }
}

extension OpenableTarget {
    /// The protected context whose name the user must repeat; `nil` if none protects the target.
    var protection: TargetProtection? {
        get throws { try TargetResolver(environment: CommandContext.current.environment).protection(of: resolved) }
    }

    /// Requires a protected context's name, among `names` or typed on the terminal; a command that only reads does not
    /// require it.
    ///
    /// `collection` is the name of a collection that must also be repeated.
    func requireConfirmation(_ names: [String], to action: String, collection: String? = nil) throws {
        try protection?.requireConfirmation(names, to: action, collection: collection)
    }

    /// Returns the `names` left for another guard: if a context and a collection have the same name, it must be given
    /// twice.
    func unused(_ names: [String]) throws -> [String] {
        guard let context = try protection?.context, let index = names.firstIndex(of: context) else { return names }
        var left = names
        left.remove(at: index)
        return left
    }
}

extension TargetProtection {
    /// Requires the context's name, among `names` or typed on the terminal; `consequence` describes the effect that the
    /// refusal prevents.
    ///
    /// This is called by every command that writes to an index, or discards data needed to undo a job.
    func requireConfirmation(
        _ names: [String],
        to action: String,
        collection: String? = nil,
        consequence: String = "nothing was sent"
    ) throws {
        guard !names.contains(context) else { return }
        let typed = TypedConfirmation.ask("the context '\(context)' is protected. Type its name to \(action):")
        guard typed != context else { return }
        let wanted = [context, collection].compactMap(\.self).map { "--confirm \(CommandLineWords.quoted($0))" }
        throw Failure(
            .refused,
            "refused: the context '\(context)' is protected (\(place)); \(consequence)",
            advice: "to \(action) anyway: \(wanted.joined(separator: " "))"
        )
    }
}

extension KeptJob {
    /// Requires the name of the protected context to whose target the job was sent, before its record is changed.
    func requireConfirmation(_ names: [String], to action: String) throws {
        let job = record.job
        var resolver = TargetResolver(environment: CommandContext.current.environment)
        let protection: TargetProtection?
        if var address = try? TargetAddress(job.target) {
            if case .sqlite(let path) = address.location, !path.hasPrefix("/") {
                address = TargetAddress(.sqlite(path: "\(job.directory)/\(path)"))
            }
            protection = try resolver.protection(of: address)
        } else {
            // The job of a push names its origin in the same way as the copy, possibly by a context that no longer
            // exists.
            resolver.context = job.target
            protection = try (try? resolver.resolve()).flatMap { try resolver.protection(of: $0) }
        }
        try protection?.requireConfirmation(names, to: action, consequence: "nothing was changed")
    }
}

/// Options for the collection.
struct CollectionOptions: OptionSetting {
    @Option(
        "--collection",
        "-c",
        value: "NAME",
        completion: .collections,
        help: "The collection (default: the context's, or else $FASTCTL_COLLECTION)"
    )
    var name: String?

    /// Returns the collection, or throws a usage error if none is named.
    func required(in target: OpenableTarget) throws -> CollectionChoice {
        guard let name = target.resolved.collection, !name.isEmpty else {
            throw ArgumentError(
                "no collection was given",
                advice: "Use --collection NAME, or set FASTCTL_COLLECTION; 'fastctl collections list' lists them"
            )
        }
        return target.collection(name)
    }

    /// Opens the collection.
    func open(at target: TargetOptions, _ alias: AliasOptions = AliasOptions()) async throws -> any CollectionEngine {
        var target = try target.resolve(collection: name)
        alias.apply(to: &target)
        return try await target.open(required(in: target)).engine
    }
}

/// Options for reaching a remote engine; secrets are never arguments, which every user of the machine can read.
struct ConnectionSettings: OptionSetting {
    @Option(
        "--credentials-file",
        value: "FILE",
        completion: .files,
        help: "A file with credentials, readable only by you"
    )
    var credentialsFile: String?

    @Option(
        "--credentials-env",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "An environment variable with credentials (default: FASTCTL_CREDENTIALS)"
    )
    var credentialsVariable: String?

    @Option(
        "--credentials-helper",
        value: "COMMAND",
        completion: ArgumentCompletion.none,
        help: "A command that prints credentials; it is stopped when fastctl exits"
    )
    var credentialsHelper: String?

    @Option(
        "--credentials-aws",
        value: "SOURCE",
        completion: .values(AWSText.sources),
        help:
            "Sign requests for Amazon (SigV4) with keys from default, environment, profile[:NAME], container or instance"
    )
    var credentialsAWS: String?

    @Option(
        "--aws-region",
        value: "REGION",
        completion: ArgumentCompletion.none,
        help: "The region to sign for (default: taken from the host name, then $AWS_REGION, then the profile)"
    )
    var regionAWS: String?

    @Option(
        "--aws-service",
        value: "es|aoss",
        completion: .values(AWSText.services),
        help: "The service to sign for (default: the host name's, or else es)"
    )
    var serviceAWS: String?

    @Option("--ca-file", value: "FILE", completion: .files, help: "Trust only the authorities in this PEM file")
    var authorityFile: String?

    @Option("--client-cert", value: "FILE", completion: .files, help: "A PEM file with your own certificate")
    var clientCertificate: String?

    @Option("--client-key", value: "FILE", completion: .files, help: "A PEM file with the key of --client-cert")
    var clientKey: String?

    @Option("--pin", value: "PIN", help: "Also require the server to use this public key: sha256//BASE64")
    var pin: PinArgument?

    @Option(
        "--proxy",
        value: "URL|none",
        completion: .values(["none", ProxyText.environment]),
        help: "The proxy (default: that of http_proxy or https_proxy)"
    )
    var proxy: String?

    @Option("--request-timeout", value: "DURATION", help: "How long a request to an engine may take (default: 1m)")
    var requestTimeout: Duration?

    static let exclusive = [
        ["--credentials-file", "--credentials-env", "--credentials-helper", "--credentials-aws"]
    ]

    func validate() throws {
        if let requestTimeout, requestTimeout <= .zero {
            throw ValidationError("--request-timeout must be more than 0")
        }
        // The value may contain a password and is therefore not shown.
        if let proxy, ProxyText.choice(proxy) == nil {
            throw ValidationError("the value of --proxy is not a valid proxy: expected \(ProxyText.expectation)")
        }
        if clientKey != nil, clientCertificate == nil { throw ValidationError("--client-key needs --client-cert") }
        for text in [credentialsFile, credentialsVariable, credentialsHelper, credentialsAWS]
        where text?.isEmpty ?? false {
            throw ValidationError("--credentials-… is empty")
        }
        // The value may be the password itself, and is therefore not shown.
        if let credentialsVariable, !VariableText.isValid(credentialsVariable) {
            throw ValidationError(
                "the value of --credentials-env is not a valid name: expected \(VariableText.expectation)"
            )
        }
        if let credentialsHelper, !HelperText.isValid(credentialsHelper) {
            throw ValidationError("the value of --credentials-helper is not valid: expected \(HelperText.expectation)")
        }
        // The value may be a key, and is therefore not shown.
        if let credentialsAWS, !AWSText.isSource(credentialsAWS) {
            throw ValidationError(
                "the value of --credentials-aws is not a source of credentials: expected \(AWSText.sourceExpectation)"
            )
        }
        if let regionAWS, !AWSText.isRegion(regionAWS) {
            throw ValidationError(
                "--aws-region: '\(regionAWS)' is not a valid region: expected \(AWSText.regionExpectation)"
            )
        }
        if let serviceAWS, !AWSText.services.contains(serviceAWS) {
            throw ValidationError("--aws-service: '\(serviceAWS)' is not a known service: expected es or aoss")
        }
    }

    /// The settings that were given.
    var settings: [ContextKey: String] {
        [
            .credentialsFile: credentialsFile, .credentialsVariable: credentialsVariable,
            .credentialsHelper: credentialsHelper, .credentialsAWS: credentialsAWS, .regionAWS: regionAWS,
            .serviceAWS: serviceAWS, .authorityFile: authorityFile,
            .clientCertificate: clientCertificate, .clientKey: clientKey, .pin: pin?.text, .proxy: proxy,
            .requestTimeout: requestTimeout?.argumentText,
        ]
        .compactMapValues(\.self)
    }
}

/// Content distributors as FAST's tools name them: `host:port`, or several with `;` or `,` between them.
struct DistributorArgument: ArgumentValue {
    let argumentText: String
    /// The distributors as the address of a target.
    let address: String

    init(argument word: String) throws(ArgumentExpectation) {
        let places = word.split(omittingEmptySubsequences: false) { $0 == ";" || $0 == "," }.joined(separator: ",")
        address = "distributor+http://" + places
        guard !word.contains("/"), (try? TargetAddress(address)) != nil else {
            throw ArgumentExpectation(
                "HOST:PORT, or several separated by ';'; over TLS, use --target distributor+https://…"
            )
        }
        argumentText = word
    }
}

/// A public key as given with `--pin`.
struct PinArgument: ArgumentValue {
    let text: String

    init(argument word: String) throws(ArgumentExpectation) {
        guard PinText.isValid(word) else { throw ArgumentExpectation(PinText.expectation) }
        text = word
    }

    var argumentText: String { text }
}

extension ArgumentCompletion {
    /// The maximum time that a shell waits for a remote engine.
    private static let patience = Duration.seconds(1)

    /// The names of the target's collections; empty if they can't be determined.
    static let collections = live { context in
        do {
            let target = try target(of: context)
            // A helper may prompt for a password, or take a long time.
            guard !target.runsHelper else { return target.collections.map(\.name) }
            let names = try await store(at: target).list().map(\.name.rawValue)
            return target.collections.map(\.name) + names
        } catch {
            // A shell that completes a word has no use for the reason.
            return []
        }
    }

    /// The names of the offline copies in the embedded store, or none.
    static let copies = live { context in
        guard let target = try? target(of: context), target.address.nodes.isEmpty,
            let store = try? await store(at: target) as? any CopyKeepingStore
        else { return [] }
        return (try? await store.copies().map(\.rawValue)) ?? []
    }

    /// The names of all jobs.
    static let jobs = jobs { _ in true }
    /// The names of the jobs with work left.
    static let unfinishedJobs = jobs(where: \.stage.isUnfinished)
    /// The names of the jobs that are waiting for 'jobs push'.
    static let queuedJobs = jobs { $0.stage == .queued }
    /// The names of the ended jobs whose failed operations can be sent again.
    static let jobsToRetry = jobs { record in
        !record.stage.isUnfinished && record.errors > 0
            && !["apply", "undo"].contains(record.job.words.first ?? "")
    }
    /// The names of the jobs with errors or warnings.
    static let jobsWithIssues = jobs { $0.errors + $0.warnings > 0 }
    /// The names of the jobs with a backup.
    static let jobsToUndo = jobs { !$0.backups.isEmpty }

    /// Returns the names of some jobs, newest first, from the embedded store and the folder of remote targets' jobs.
    private static func jobs(where isOffered: @escaping @Sendable (JobRecord) -> Bool) -> ArgumentCompletion {
        live { context in
            var shelves: [JobShelf] = []
            if let target = try? target(of: context), target.address.nodes.isEmpty,
                let jobs = try? await store(at: target).ownJobs
            {
                shelves.append(.store(jobs))
            }
            if let folder = try? JournalOptions.directory(context.values["--journal"]?.last) {
                shelves.append(.folder(JobFolder(folder)))
            }
            var jobs: [KeptJob] = []
            for shelf in shelves { jobs += await shelf.jobs().jobs }
            return jobs.filter { isOffered($0.record) }.sorted { $0.record.job.startedAt > $1.record.job.startedAt }
                .map(\.id.rawValue)
        }
    }

    /// Returns the target of an unfinished command line.
    private static func target(of context: CompletionContext) throws -> ResolvedTarget {
        var resolver = TargetResolver(environment: context.environment)
        let distributor = context.values["--content-distributor"]?.last
        resolver.options[.target] =
            distributor.flatMap { try? DistributorArgument(argument: $0).address } ?? context.values["--target"]?.last
        resolver.context = context.values["--context"]?.last
        return try resolver.resolve()
    }

    /// Opens a target if it responds within the time that a shell waits.
    private static func store(at target: ResolvedTarget) async throws -> any CollectionAdministration {
        var options = EngineCatalog.Options()
        options.busyTimeout = .milliseconds(200)
        options.connection = target.connection
        options.limitRequests(to: patience)
        return try await EngineCatalog.openChecked(target.address, options: options, limit: patience)
    }

    /// The titles of the table that '--from' or a FILE before it names, or none.
    static let columns = live { context in
        let files = (context.values["--from"] ?? []) + (context.values["FILE"] ?? [])
        return files.first.flatMap { TableTitles(of: $0)?.titles } ?? []
    }

    /// The names of farm profiles.
    static let profiles = live { context in UserSettings.profileNames(environment: context.environment) }

    /// The names of contexts.
    static let contexts = live { context in
        let directory = ContextFiles.workingDirectory
        return (try? ContextFiles(environment: context.environment, directory: directory))?.names ?? []
    }
}
