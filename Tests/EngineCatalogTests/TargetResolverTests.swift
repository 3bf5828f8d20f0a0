import ContentFeeding
import EngineHTTP
import Testing

@testable import EngineCatalog

struct TargetResolverTests {
    private static let user = """
        current: dev
        contexts:
          dev:
            target: sqlite:dev.sqlite
          prod:
            target: opensearch+https://search:9200
            collection: pages
            collections: {Web: web}
            credentials-file: ~/.search
            client-cert: /c.pem
            client-key: keys/k.pem
            request-timeout: 5s
            proxy: http://proxy:3128
            protected: true
        """

    private static let project = """
        current: local
        contexts:
          local:
            target: opensearch+http://localhost
          prod:
            request-timeout: 9s
            protected: false
        """

    private func files(user: String? = user, project: String? = project) throws -> ContextFiles {
        ContextFiles(
            user: try user.map { try ContextFile(path: "/home/u/.config/fastctl/config.yaml", owner: .user, text: $0) },
            project: try project.map { try ContextFile(path: "/site/fastctl.yaml", owner: .project, text: $0) }
        )
    }

    private func resolver(_ environment: [String: String] = [:], context: String? = nil) -> TargetResolver {
        var resolver = TargetResolver(environment: environment.merging(["HOME": "/home/u"]) { $1 }, directory: nil)
        resolver.context = context
        return resolver
    }

    private func origin(_ target: ResolvedTarget, _ key: ContextKey) -> SettingOrigin? {
        target.allSettings.first { $0.key == key }?.origin
    }

    @Test func `The project's current context takes precedence over the user's`() throws {
        #expect(try resolver().resolve(in: files()).context?.name == "local")
        #expect(try resolver().resolve(in: files(project: nil)).context?.name == "dev")
    }

    @Test func `The environment takes precedence over files, and an option over the environment`() throws {
        let environment = ["FASTCTL_CONTEXT": "prod"]
        let fromEnvironment = try resolver(environment).resolve(in: files())
        #expect(fromEnvironment.context == .init(name: "prod", origin: .environment("FASTCTL_CONTEXT")))
        let fromOption = try resolver(environment, context: "dev").resolve(in: files())
        #expect(fromOption.context == .init(name: "dev", origin: .option("--context")))
    }

    @Test func `If a target is specified, contexts and their credentials are ignored`() throws {
        var resolver = resolver(["FASTCTL_TARGET": "sqlite:e"])
        #expect(try resolver.resolve().address.description == "sqlite:e")
        resolver.options[.target] = "opensearch+https://h"
        let target = try resolver.resolve()
        #expect(target.context == nil)
        #expect(target.connection.credentials == nil)
        #expect(origin(target, .target) == .option("--target"))
    }

    @Test func `A named context takes precedence over a target in the environment`() throws {
        let target = try resolver(["FASTCTL_TARGET": "sqlite:e"], context: "prod").resolve(in: files())
        #expect(target.address.description == "opensearch+https://search:9200")
    }

    @Test func `Without a context, the embedded store is the target`() throws {
        let target = try resolver().resolve(in: files(user: nil, project: nil))
        #expect(target.address.description == "sqlite:/home/u/.local/share/fastctl/store.sqlite")
        #expect(origin(target, .target) == .standard)
    }

    @Test func `Each setting has the value from the first source that sets it`() throws {
        var resolver = resolver(["FASTCTL_CREDENTIALS": "secret"], context: "prod")
        resolver.options[.requestTimeout] = "7s"
        let target = try resolver.resolve(in: files())
        #expect(target.connection.requestTimeout == .seconds(7))
        #expect(origin(target, .requestTimeout) == .option("--request-timeout"))
        #expect(origin(target, .credentialsVariable) == .environment("FASTCTL_CREDENTIALS"))
        #expect(origin(target, .proxy) == .userFile(path: "/home/u/.config/fastctl/config.yaml", line: 13))
        let plain = try self.resolver(context: "prod").resolve(in: files())
        #expect(plain.collection == "pages")
        #expect(plain.connection.requestTimeout == .seconds(9))
        #expect(origin(plain, .requestTimeout) == .projectFile(path: "/site/fastctl.yaml", line: 6))
    }

    @Test(arguments: [String?.none, "prod"])
    func `A context's collection takes precedence over the environment's, however the context was chosen`(
        context: String?
    ) throws {
        let environment = ["FASTCTL_COLLECTION": "env", "FASTCTL_CONTEXT": "prod"]
        var resolver = resolver(environment, context: context)
        #expect(try resolver.resolve(in: files()).collection == "pages")
        // The same word on the command line still counts as an option.
        resolver.options[.collection] = "env"
        let given = try resolver.resolve(in: files())
        #expect(given.collection == "env")
        #expect(origin(given, .collection) == .option("--collection"))
    }

    @Test func `The environment's collection is used for a context without a collection`() throws {
        let target = try resolver(["FASTCTL_COLLECTION": "env"], context: "dev").resolve(in: files())
        #expect(target.collection == "env")
        #expect(origin(target, .collection) == .environment("FASTCTL_COLLECTION"))
    }

    @Test func `Paths in a file are relative to its folder or to the home folder`() throws {
        let target = try resolver(context: "prod").resolve(in: files())
        #expect(target.connection.credentials == .file(path: "/home/u/.search"))
        #expect(target.connection.tls.clientKeyFile == "/home/u/.config/fastctl/keys/k.pem")
        #expect(target.connection.tls.clientCertificateFile == "/c.pem")
        let dev = try resolver(context: "dev").resolve(in: files())
        #expect(dev.address.description == "sqlite:/home/u/.config/fastctl/dev.sqlite")
    }

    @Test func `Credentials that are given replace the context's credentials of any kind`() throws {
        let target = try resolver(["FASTCTL_CREDENTIALS": "secret"], context: "prod").resolve(in: files())
        #expect(target.connection.credentials == .environment(variable: "FASTCTL_CREDENTIALS"))
        #expect(!target.allSettings.contains { $0.value.contains("secret") })
        var resolver = resolver(["FASTCTL_CREDENTIALS": "secret"], context: "prod")
        resolver.options = [.credentialsHelper: "pass search", .clientCertificate: "/other.pem"]
        let other = try resolver.resolve(in: files())
        #expect(other.connection.credentials == .helper(command: "pass search"))
        #expect(other.connection.tls.clientKeyFile == nil)
    }

    @Test func `No source of settings removes a protection`() throws {
        #expect(try resolver(context: "prod").resolve(in: files()).isProtected)
        let project = "contexts: {dev: {protected: true}}"
        #expect(try resolver(context: "dev").resolve(in: files(project: project)).isProtected)
    }

    @Test func `An address given without a context is protected by the context that contains it`() throws {
        let user = """
            contexts:
              free: {target: 'opensearch+https://b:9200'}
              prod: {target: 'opensearch+https://a:9200,b:9200', protected: true}
              store: {target: 'sqlite:/tmp/./kept.sqlite', protected: true}
            """
        let files = try files(user: user, project: "contexts: {prod: {target: 'opensearch+https://evil'}}")
        func protector(_ address: String) throws -> String? {
            try resolver().protection(of: TargetAddress(address), in: files)?.context
        }
        #expect(try protector("opensearch+https://b:9200") == "prod")
        #expect(try protector("opensearch+https://c:9200") == nil)
        #expect(try protector("sqlite:/tmp/kept.sqlite") == "store")
        #expect(try protector("sqlite:/tmp/other.sqlite") == nil)
        let place = try resolver().protection(of: TargetAddress("opensearch+https://a:9200"), in: files)?.place
        #expect(place?.contains("config.yaml:3") == true, "\(place ?? "no place")")
        // A context that the user names explicitly is not subject to another context's protection.
        let free = try resolver(context: "free").resolve(in: files)
        #expect(try resolver().protection(of: free) == nil)
    }

    @Test func `Collection names are mapped according to the context`() throws {
        let target = try resolver(context: "prod").resolve(in: files())
        #expect(target.engineName(of: "Web") == "web")
        #expect(target.engineName(of: "else") == "else")
        let project = "contexts: {own: {target: 'opensearch+http://localhost', collections: {Web: drafts}}}"
        #expect(try resolver(context: "own").resolve(in: files(project: project)).engineName(of: "Web") == "drafts")
    }

    @Test(arguments: [
        "target: opensearch+https://evil", "proxy: http://evil:1", "ca-file: evil.pem", "collection: customers",
        "collections: {web: customers}",
    ])
    func `A project's file can't redirect the user's context`(setting: String) throws {
        let error = #expect(throws: EngineError.self) {
            _ = try resolver(context: "prod").resolve(in: files(project: "contexts: {prod: {\(setting)}}"))
        }
        #expect(error?.message.hasPrefix("/site/fastctl.yaml:1:") == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", ", contexts: {dev: {request-timeout: 9s}}"])
    func `A project's file can't choose one of the user's contexts`(entry: String) throws {
        let files = try files(project: "{current: dev\(entry)}")
        let error = #expect(throws: EngineError.self) { _ = try resolver().resolve(in: files) }
        #expect(error?.message.hasPrefix("/site/fastctl.yaml:1: 'current' specifies 'dev'") == true)
        #expect(error?.message.contains("/home/u/.config/fastctl/config.yaml:3") == true)
        #expect(error?.advice?.contains("--context dev") == true)
        #expect(try resolver(context: "dev").resolve(in: files).context?.name == "dev")
    }

    @Test(arguments: [
        (ContextKey.credentialsFile, "--credentials-file"), (.credentialsVariable, "--credentials-env"),
        (.credentialsHelper, "--credentials-helper"),
    ])
    func `Credentials from an option are not sent to a target chosen only by a project's file`(
        key: ContextKey,
        option: String
    ) throws {
        var resolver = resolver()
        resolver.options[key] = "x"
        let files = try files()
        let error = #expect(throws: EngineError.self) { _ = try resolver.resolve(in: files) }
        #expect(error?.message.contains("\(option) is not sent") == true)
        resolver.context = "local"
        #expect(try resolver.resolve(in: files).connection.credentials != nil)
        var named = self.resolver(["FASTCTL_CONTEXT": "local"])
        named.options[key] = "x"
        #expect(try named.resolve(in: files).connection.credentials != nil)
    }

    @Test func `Credentials from the environment are not sent to a target chosen only by a project's file`() throws {
        let environment = ["FASTCTL_CREDENTIALS": "secret"]
        let error = #expect(throws: EngineError.self) { _ = try resolver(environment).resolve(in: files()) }
        #expect(error?.advice?.contains("--context local") == true)
        let target = try resolver(environment, context: "local").resolve(in: files())
        #expect(target.connection.credentials == .environment(variable: "FASTCTL_CREDENTIALS"))
    }

    @Test(arguments: [("prdo", "did you mean 'prod'?"), ("zzzzz", "contexts list")])
    func `The error for an unknown context suggests the most similar one`(name: String, advice: String) throws {
        let error = #expect(throws: EngineError.self) { _ = try resolver(context: name).resolve(in: files()) }
        #expect(error?.code == .missingTarget)
        #expect(error?.message.contains("'\(name)'") == true)
        #expect(error?.advice?.contains(advice) == true)
    }

    @Test(arguments: [
        ("target: 'opensearch+https://u:p@h'", "user file /f:1", "user or a password"),
        ("{target: 'sqlite:x', request-timeout: soon}", "/f:1", "not a valid time limit"),
        ("{target: 'sqlite:x', request-timeout: 0s}", "/f:1", "not a valid time limit"),
        ("{target: 'sqlite:x', proxy: 'http://u:secret@h'}", "/f:1", "not a valid proxy"),
        ("{target: 'sqlite:x', pin: abc}", "/f:1", "not a valid pin"),
        ("{target: 'sqlite:x', client-key: k}", "/f:1", "certificate"),
        ("collection: x", "/f:1", "no target"),
    ])
    func `A bad value is refused with its position`(entry: String, place: String, message: String) throws {
        let body = entry.hasPrefix("{") ? entry : "{\(entry)}"
        let files = ContextFiles(
            user: try ContextFile(path: "/f", owner: .user, text: "contexts: {p: \(body)}"),
            project: nil
        )
        let error = #expect(throws: EngineError.self) { _ = try resolver(context: "p").resolve(in: files) }
        #expect(error?.message.contains("/f:1") == true, "\(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.message.contains("secret") == false)
    }
}

struct ResolvedTargetTests {
    private func target(_ address: String, _ key: ContextKey? = .credentialsFile) throws -> ResolvedTarget {
        var resolver = TargetResolver(environment: [:], directory: nil)
        resolver.options[.target] = address
        if let key { resolver.options[key] = "x" }
        return try resolver.resolve()
    }

    @Test(arguments: [
        "opensearch+https://search", "opensearch+http://localhost", "solr+http://127.0.0.1", "solr+http://[::1]",
        "sqlite:x",
    ])
    func `Credentials that can't be read in transit cause no warning`(address: String) throws {
        #expect(try target(address).warning == nil)
        #expect(try target("opensearch+http://search", nil).warning == nil)
    }

    @Test(arguments: ["opensearch+http://search:9200", "opensearch+http://localhost,search"])
    func `Unencrypted credentials cause a warning that names the node`(address: String) throws {
        #expect(
            try target(address).warning == "credentials are sent unencrypted to http://search:9200; use +https"
        )
    }

    @Test func `Credentials that run a command are recognized`() throws {
        #expect(try target("opensearch+https://search", .credentialsHelper).runsHelper)
        #expect(try !target("opensearch+https://search").runsHelper)
    }

    @Test(arguments: [
        ("pass show hunter2", "pass …"), ("TOKEN=hunter2 vault", "TOKEN …"), ("pass", "pass"),
    ])
    func `Only the name of a helper's command is shown`(command: String, shown: String) {
        #expect(Setting(.credentialsHelper, command, .standard).shownValue == shown)
        #expect(Setting(.credentialsFile, command, .standard).shownValue == command)
    }

    @Test(.timeLimit(.minutes(10)))
    func `The time that a helper takes does not count against the target`() async throws {
        var options = EngineCatalog.Options()
        options.connection.credentials = .helper(command: "sleep 1.2; echo a:b")
        let (address, ready) = (try TargetAddress("opensearch+http://127.0.0.1:1"), options)
        let error = await #expect(throws: EngineError.self) {
            _ = try await EngineCatalog.openChecked(address, options: ready, limit: .seconds(1))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("did not respond within") == false, "\(String(describing: error))")
    }
}
