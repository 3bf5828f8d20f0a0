import ArgumentParsing
import ContentFeeding
import EngineCatalog
import ReportRendering

/// Which store, and how to wait for it.
struct TargetOptions: OptionSetting {
    @Option(
        "--target",
        value: "ADDRESS",
        help: "The engine and where it is, as sqlite:PATH; else FASTCTL_TARGET, else the store below $XDG_DATA_HOME"
    )
    var target: String?

    @Option("--context", value: "NAME", help: .hidden("A target by its name; not in this version"))
    var context: String?

    @Option("--content-distributor", value: "HOST:PORT", help: .hidden("A content distributor; not in this version"))
    var contentDistributor: String?

    @Option("--busy-timeout", value: "DURATION", help: "How long to wait for another process that holds the store")
    var busyTimeout = Duration.seconds(30)

    static let exclusive = [["--target", "--context", "--content-distributor"]]

    func validate() throws {
        if context != nil {
            throw ValidationError("contexts are not in this version; give the target itself: --target sqlite:PATH")
        }
        if contentDistributor != nil {
            throw ValidationError("content distributors are not in this version; give --target sqlite:PATH")
        }
    }

    func address() throws -> TargetAddress {
        if let target { return try TargetAddress(target) }
        return try TargetAddress.standard(environment: CommandContext.current.environment)
    }

    func open() async throws -> any CollectionAdministration {
        try await EngineCatalog.open(address(), options: engineOptions)
    }

    /// Opens the store for one collection; where there is none yet, the advice is the command that makes it.
    func open(for name: CollectionName) async throws -> any CollectionAdministration {
        let address = try address()
        do {
            return try await EngineCatalog.open(address, options: engineOptions)
        } catch {
            guard error.code == .missingTarget else { throw error }
            throw EngineError(error.code, error.message, advice: "make it with: \(creation(of: name))", cause: error)
        }
    }

    /// Binds to a collection; where there is none of that name, nor a like one, the advice is how to make it there.
    func collection(
        named name: CollectionName,
        in store: any CollectionAdministration
    ) async throws -> any CollectionEngine {
        do {
            return try await store.collection(named: name)
        } catch {
            guard error.code == .missingCollection, error.advice?.contains("collections create") ?? false else {
                throw error
            }
            throw EngineError(error.code, error.message, advice: "make it with: \(creation(of: name))", cause: error)
        }
    }

    private func creation(of name: CollectionName) -> String {
        let place = target.map { " --target \(CommandLineWords.quoted($0))" } ?? ""
        return "fastctl collections create \(CommandLineWords.quoted(name.rawValue))\(place)"
    }

    /// Opens the store, and makes it if it is not there.
    func create() async throws -> any CollectionAdministration {
        try await EngineCatalog.create(address(), options: engineOptions)
    }

    private var engineOptions: EngineCatalog.Options {
        var options = EngineCatalog.Options()
        options.busyTimeout = busyTimeout
        return options
    }
}
