import ArgumentParsing
import ContentFeeding
import Files
package import HTTPService
package import Hooks
import JSONText
import Notifications
import ServerSecurity
package import TextKit
import YAML

/// The settings of a content distributor: one YAML file, in which only `target` is required.
package struct DistributorSettings: Sendable {
    /// The address and port on which the server listens; port 0 means any free port.
    package var host = "127.0.0.1"
    package var port = 13391
    /// The files with the server's certificate and key; `nil` without TLS.
    package var tls: (certificate: String, key: String)?
    /// The addresses of proxies whose `X-Forwarded-For` header is trusted.
    var trustedProxies: Set<String> = []
    /// A warning that tokens can be intercepted in transit; `nil` if the server uses TLS, listens only on the local
    /// machine, or is behind a proxy.
    package var exposure: String? {
        let isLocal = host == "localhost" || NetworkAddress(host)?.isLoopback == true
        guard tls == nil, !isLocal, trustedProxies.isEmpty else { return nil }
        return "the server is open to other machines without TLS, so tokens and documents can be read in transit; "
            + "set 'tls', or 'trusted-proxies' if a proxy provides it"
    }
    /// The origins of web pages that may use the server, such as `https://app.example`.
    var origins: Set<String> = []
    /// The folder for sessions, tokens and the audit log.
    package var state: String
    /// The address of the engine.
    package var target: String
    /// The rules of the collections, by collection name.
    package var collections: [String: CollectionRules] = [:]
    /// The identity provider of users; `nil` if the server has only its own tokens.
    package var identity: IdentitySettings?
    /// The operator's programs, and the endpoints that they handle, by name.
    package var programs: [String: HookProgramSettings] = [:]
    package var endpoints: [String: CustomEndpoint] = [:]
    /// The folders of apps, by app name.
    var apps: [String: String] = [:]
    package var limits = DistributorLimits()
    var notifications = NotificationSettings()
    /// The rules for plans.
    package var plans = PlanSettings()
    /// The settings of the pages for browsers.
    package var console = ConsoleSettings()
    /// The logs of farms that clients may have examined, by farm name.
    package var logs: [String: FarmLogs] = [:]
    /// The schedules, in the order of the file.
    package var schedules: [ScheduleSettings] = []

    /// The path of the command that explains and diagnoses; `nil` for `fastctl` next to the server or in `PATH`.
    var fastctl: String?

    /// Creates the settings for a server without a file, which uses the embedded store in the state folder.
    package init(state: String) {
        self.state = state
        target = "sqlite:\(state)/store.sqlite"
    }

    /// Returns a commented settings file that the server can use without changes.
    package static func template(state: String) -> String {
        """
        # Settings of a content distributor. Check the file with: content-distributor check FILE

        # The address and port to listen on.
        listen: 127.0.0.1:13391

        # TLS, unless a proxy provides it.
        # tls:
        #   certificate: /etc/ssl/distributor.pem
        #   key: /etc/ssl/private/distributor.key

        # Proxies whose X-Forwarded-For is trusted.
        # trusted-proxies: [127.0.0.1]

        # Origins of web pages that may use the server.
        # origins: [https://app.example]

        # The folder for sessions, tokens and the audit log.
        state: \(state)

        # The engine: sqlite:PATH, opensearch+https://HOST:PORT, elasticsearch+https://HOST:PORT, solr+https://HOST:PORT
        target: sqlite:\(state)/store.sqlite

        # Rules by collection: everyone, application-key, users, admins, or conditions such as
        # user.tenant == document.tenant. A verb without a rule is only for admins, as is an unnamed collection.
        collections:
          WebCollection:
            read: users
            insert: application-key
            update: application-key
            delete: application-key
            # Fields that the server keeps in each document: the times of the first and the last write, and the number of
            # writes. They can have any names, and each can be left out.
            # kept-fields: {created: createdAt, updated: updatedAt, version: version}
            # A field that DELETE sets to true instead of removing the document. Only documents with the value false are shown.
            # soft-delete: deleted
            # The top-level keys that documents may have; others are refused. Without this, or with open, all may be used.
            # keys: [title, body, tenant]
            # A user claim: users may write only IDs that begin with its value, such as a:1 for tenant a. Without this, users
            # whose rule depends on documents learn that an ID is taken, even if its document is not theirs.
            # own-ids: tenant
            # Steps before documents are written or shown, in order.
            # hooks:
            #   - {on: [insert, update], require: [title]}
            #   - {on: insert, default: {status: draft}}
            #   - {on: [insert, update], set: {editor: user.name, edited: request.time}}
            #   - {on: read, drop: secret, if: "user.role != 'admin'"}
            #   - {on: delete, refuse: locked documents stay, if: "document.status == 'locked'"}

        # Users from OpenID Connect: bearer tokens from this issuer, for this audience (RS256, ES256 or EdDSA).
        # identity:
        #   issuer: https://login.example/realms/search
        #   audience: search
        #   client: console                                   # the client ID with which the console signs users in
        #   client-secret-file: console.secret                # its secret, unless it is a public client
        #   keys: https://login.example/realms/search/certs   # or a file; otherwise the issuer's configuration names them
        #   clock-skew: 60s                                   # how much clocks may differ, at most 10m
        #   admins: groups=search-admins                      # a claim, and its value for administrators
        #   claims:                                           # names in rules, and the claims of tokens
        #     tenant: organization
        #     roles: /realm_access/roles

        # The console: pages for browsers at /console/. It is read-only without writable. With apps, it needs its own host.
        # console: {title: Search of the intranet, writable: true, session-hours: 8, host: console.example}

        # Programs for hooks and endpoints: they run in this file's folder, and answer each line with one line.
        # programs:
        #   enrich: {command: [python3, enrich.py], processes: 2, timeout: 5s, memory: 268435456}

        # Endpoints: /v1/api/NAME
        # endpoints:
        #   stats: {methods: [GET], access: users, program: enrich}

        # Apps: the files of a folder, at /apps/NAME/. People who can write to it can do what the app's users can.
        # apps:
        #   events: /srv/events-app

        # Notification targets, by name: a webhook, mail or web-push, and the events that each gets.
        # notifications:
        #   operators:
        #     webhook: https://hooks.example/search
        #     secret-file: hook.secret
        #     events: [job-failed, engine-unavailable, audit-failed]

        # Commands that run on a schedule; fastctl and other programs reach this server through its environment.
        # schedules:
        #   nightly:
        #     cron: 0 3 * * *                # or @daily, or on-demand
        #     time-zone: Europe/Vienna       # UTC without this key
        #     command: [fastctl, reconcile, -c, WebCollection, --source, /srv/web, --plan, "{report}"]
        #     overlap: skip                  # or queue: what happens if a run is due while another is running
        #     missed: once                   # or none: what happens after times when no server was running
        #     timeout: 1h

        # Plans: changes that are reviewed before they are made.
        # plans:
        #   approval: required               # by a person other than the author; optional without this key
        #   keep-days: 7                     # after which a plan expires, and after which its backup is removed
        #   max-remove: 10%                  # or a number: plans that remove more documents are not applied
        #   max-replace: 50%                 # the same for replacements; at least 100 without this key

        # Logs that clients may examine by name.
        # logs:
        #   production:
        #     paths: [/srv/logs/wfe1, /srv/logs/wfe2]
        #     zones: Europe/Vienna           # of the servers' clocks; or WFE1=Europe/Vienna for one of them
        #     farm: /srv/logs/farm.json      # from Get-FarmFacts.ps1
        #     roles: [admin, user]           # only admin without this key

        # limits:
        #   body: 16777216                   # bytes in a request's body, and about as many in a page of documents
        #   receiving-bytes: 536870912       # bytes in all bodies that are in memory
        #   batch-operations: 10000          # operations in a batch
        #   header-bytes: 32768              # bytes in a request's head
        #   header-fields: 100               # fields in a request's head
        #   target-bytes: 8192               # bytes in a URL, with its query
        #   id-bytes: 65536                  # bytes in a document's ID
        #   depth: 64                        # nesting depth of arrays and objects, at most 64
        #   page: 1000                       # documents on a page
        #   sessions: 1000                   # open sessions
        #   streams: 2000                    # clients that follow a session or a collection
        #   changes: 10000                   # recent changes kept for the followers of each collection
        #   change-bytes: 33554432           # bytes in these
        #   waiting-bytes: 1073741824        # bytes in batches that wait for the engine
        #   client-waiting-bytes: 268435456  # the same for each client
        #   failures: 1000                   # documents of failed operations kept for each session
        #   failure-bytes: 268435456         # bytes in those of all sessions
        #   diagnoses: 2                     # explanations and diagnoses at the same time
        #   log-bytes: 67108864              # bytes in the logs for one diagnosis
        #   diagnosis-seconds: 120           # seconds that one may take
        #   diagnosis-memory: 2147483648     # bytes of memory that one may take
        #   connections: 3000                # simultaneous connections
        #   connections-per-address: 100     # the same from each address; unlimited without this key
        #   requests-per-second: 100         # requests from each client on average; unlimited without this key

        """
    }

    /// Reads the settings of a file.
    package static func read(_ path: String) throws(SettingsError) -> DistributorSettings {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, maximum: 1 << 20)
        } catch {
            throw SettingsError(path, nil, error.failure.message, advice: error.failure.advice)
        }
        let file: SettingsFile
        do throws(YAMLError) {
            file = try YAMLDecoder().decode(from: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw SettingsError(path, error.place, error.message, advice: "correct that line")
        }
        return try DistributorSettings(file, at: path)
    }

    private init(_ file: SettingsFile, at path: String) throws(SettingsError) {
        let folder = ProcessFacts.absolutePath(of: path).split(separator: "/").dropLast().joined(separator: "/")
        func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "/\(folder)/\(path)" }
        func wrong(_ place: Place?, _ message: String, _ advice: String) -> SettingsError {
            SettingsError(path, place, message, advice: advice)
        }
        guard let target = file.target else {
            throw wrong(
                nil,
                "there is no 'target'",
                "specify the engine, for example target: sqlite:/var/lib/search.sqlite"
            )
        }
        state = absolute(file.state?.value ?? "state")
        self.target = target.value
        if let listen = file.listen {
            guard let colon = listen.value.lastIndex(of: ":"), let number = UInt16(listen.value[colon...].dropFirst()),
                colon > listen.value.startIndex
            else {
                throw wrong(
                    listen.place,
                    "'\(listen.value)' is not an address with a port",
                    "write listen: 127.0.0.1:13391"
                )
            }
            let name = listen.value[..<colon]
            host = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : String(name)
            port = Int(number)
        }
        tls = file.tls.map { (absolute($0.certificate), absolute($0.key)) }
        trustedProxies = Set(file.trustedProxies ?? [])
        origins = Set(file.origins ?? [])
        for entry in file.programs?.entries ?? [] {
            programs[entry.key.value] = try HookProgramSettings(entry.key, entry.value, in: "/\(folder)", wrong)
        }
        let names = Set(programs.keys)
        for entry in file.endpoints?.entries ?? [] {
            endpoints[entry.key.value] = try CustomEndpoint(entry.key, entry.value, programs: names, wrong)
        }
        for entry in file.apps?.entries ?? [] {
            let folder = absolute(entry.value.value)
            apps[entry.key.value] = try AppFiles.folder(folder, of: entry.key, at: entry.value.place, wrong)
        }
        for entry in file.collections?.entries ?? [] {
            var rules = CollectionRules()
            let written: [(AccessVerb, Located<String>?)] = [
                (.read, entry.value.read), (.insert, entry.value.insert), (.update, entry.value.update),
                (.delete, entry.value.delete),
            ]
            for case (let verb, let text?) in written {
                do throws(HookDefect) {
                    rules.rules[verb] = try AccessRule(text.value)
                } catch {
                    let place = Place(line: text.place.line, column: text.place.column + error.column - 1)
                    throw wrong(place, error.message, "see the rules that 'content-distributor init' writes")
                }
            }
            rules.keeping = try DocumentKeeping(entry.value, wrong)
            rules.ownIDs = entry.value.ownIDs?.value
            if let claim = entry.value.ownIDs, !rules.rules.values.contains(where: \.isAboutDocuments) {
                let reason = "no rule of this collection depends on documents, so all clients may write any ID"
                throw wrong(claim.place, reason, "add a rule such as user.\(claim.value) == document.\(claim.value)")
            }
            rules.hooks = try DocumentHooks(entry.value.hooks ?? [], programs: names, wrong)
            collections[entry.key.value] = rules
        }
        identity = try file.identity.map { identity throws(SettingsError) in
            try IdentitySettings(identity, absolute, wrong)
        }
        console = try ConsoleSettings(file.console, wrong)
        notifications = try NotificationSettings(file.notifications, absolute, wrong)
        if let plans = file.plans { self.plans = try PlanSettings(plans, wrong) }
        for entry in file.logs?.entries ?? [] {
            let isName = entry.key.value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isName, (1...64).contains(entry.key.value.utf8.count) else {
                throw wrong(entry.key.place, "'\(entry.key.value)' is not a name for logs", "use letters and digits")
            }
            logs[entry.key.value] = try FarmLogs(entry.value, absolute, wrong)
        }
        if let limits = file.limits { self.limits = try DistributorLimits(limits, wrong) }
        for entry in file.schedules?.entries ?? [] {
            schedules.append(try ScheduleSettings(entry, in: "/\(folder)", wrong))
        }
    }
}

extension IdentitySettings {
    fileprivate init(
        _ file: SettingsFile.Identity,
        _ absolute: (String) -> String,
        _ wrong: (Place?, String, String) -> SettingsError
    ) throws(SettingsError) {
        func isWord(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        issuer = file.issuer.value
        audience = file.audience.value
        guard isWord(issuer), Self.isTrusted(issuer) || file.keys != nil else {
            throw wrong(file.issuer.place, "the issuer is not an https URL", "write it as in the 'iss' claim of tokens")
        }
        guard isWord(audience) else {
            throw wrong(
                file.audience.place,
                "the audience is not a single word",
                "write it as in the 'aud' claim of tokens"
            )
        }
        if let keys = file.keys {
            if keys.value.contains("://") {
                guard Self.isTrusted(keys.value) else {
                    throw wrong(
                        keys.place,
                        "'\(keys.value)' is not an https URL",
                        "fetch keys over HTTPS, or from 127.0.0.1, or specify a file"
                    )
                }
                self.keys = .url(keys.value)
            } else {
                self.keys = .file(absolute(keys.value))
            }
        }
        if let skew = file.clockSkew {
            guard let duration = try? Duration(argument: skew.value), duration <= Self.longestSkew else {
                throw wrong(skew.place, "'\(skew.value)' is not a duration of at most 10m", "write clock-skew: 60s")
            }
            clockSkew = duration
        }
        if let admins = file.admins {
            let parts = admins.value.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw wrong(admins.place, "'\(admins.value)' is not CLAIM=VALUE", "write admins: groups=search-admins")
            }
            self.admins = Admins(claim: ClaimPath(String(parts[0])), value: String(parts[1]))
        }
        for entry in file.claims?.entries ?? [] { claims[entry.key.value] = ClaimPath(entry.value) }
        if let client = file.client {
            guard isWord(client.value) else {
                throw wrong(client.place, "the client is not a single word", "write the client ID from the provider")
            }
            self.client = client.value
        }
        if let secret = file.clientSecretFile {
            guard client != nil else {
                throw wrong(secret.place, "there is a secret, but no client", "add client: ID")
            }
            clientSecretFile = absolute(secret.value)
        }
    }
}

/// The settings of the console.
package struct ConsoleSettings: Sendable, Hashable {
    /// The title of all pages.
    package var title = "Content distributor"
    /// Whether signed-in users may make changes, within their rights.
    package var isWritable = false
    /// The time after which users must sign in again.
    package var lifetime = Duration.seconds(8 * 3600)
    /// The host that serves only the console and no apps; `nil` for any host.
    package var host: String?

    init() {}

    fileprivate init(
        _ file: SettingsFile.Console?,
        _ wrong: (Place?, String, String) -> SettingsError
    ) throws(SettingsError) {
        guard let file else { return }
        if let title = file.title {
            guard !title.value.isEmpty else { throw wrong(title.place, "the title is empty", "write title: Search") }
            self.title = title.value
        }
        isWritable = file.writable ?? false
        if let host = file.host {
            let isName = host.value.utf8.allSatisfy { $0.isLetterOrDigit || "-.".utf8.contains($0) }
            guard isName, !host.value.isEmpty else {
                throw wrong(host.place, "'\(host.value)' is not the name of a host", "write host: console.example")
            }
            self.host = host.value.lowercased()
        }
        if let hours = file.sessionHours {
            guard (1...720).contains(hours.value) else {
                throw wrong(hours.place, "a session lasts from 1 to 720 hours", "write session-hours: 8")
            }
            lifetime = .seconds(3600 * hours.value)
        }
    }
}

/// The limits of a content distributor.
package struct DistributorLimits: Sendable, Hashable {
    /// The maximum number of bytes in a request's body, and in a page of documents.
    package var body = 16 << 20
    /// The maximum number of bytes in all request bodies held in memory at the same time.
    package var receivingBytes = 512 << 20
    /// The maximum number of operations in a batch.
    package var batchOperations = 10_000
    /// The maximum number of bytes in a request's head, and of its header fields.
    package var headerBytes = 32 << 10
    package var headerFields = 100
    /// The maximum number of bytes in a URL, including its query.
    package var targetBytes = 8 << 10
    /// The maximum number of bytes in a document's ID.
    package var idBytes = DocumentID.maximumByteCount
    /// The maximum nesting depth of arrays and objects.
    package var depth = JSONScanner.maximumDepth
    /// The maximum number of documents on a page.
    package var page = 1_000
    /// The maximum number of open sessions.
    package var sessions = 1_000
    /// The maximum number of clients that may follow a session or a collection at the same time.
    package var streams = 2_000
    /// The maximum number of recent changes kept for the followers of each collection, and of their bytes.
    package var changes = 10_000
    package var changeBytes = 32 << 20
    /// The maximum number of bytes in batches that wait for the engine; beyond that, clients must wait.
    package var waitingBytes = 1 << 30
    /// The same limit for the batches of a single client, which must not use up all of this space.
    package var clientWaitingBytes = 256 << 20
    /// The maximum number of documents of failed operations kept for each session, and of their bytes in all sessions.
    package var failures = 1_000
    package var failureBytes = 256 << 20
    /// The maximum number of simultaneous explanations and diagnoses, and of bytes in the logs for one of them.
    package var diagnoses = 2
    package var logBytes = 64 << 20
    /// The maximum number of seconds, and of bytes of memory, that one of them may take.
    package var diagnosisSeconds = 120
    package var diagnosisMemory = 2 << 30
    /// The maximum number of simultaneous connections, in total and from one address; `nil` for no limit per address.
    package var connections = 3_000
    package var connectionsPerAddress: Int?
    /// The maximum average number of requests per second from each client; `nil` for no limit.
    package var requestsPerSecond: Int?

    init() {}

    /// The limits that apply before a request is passed to a handler.
    package var ofServer: ServerLimits {
        var limits = ServerLimits()
        (limits.body, limits.target) = (body, targetBytes)
        (limits.headerMemory, limits.headerFields) = (headerBytes, headerFields)
        (limits.connections, limits.connectionsPerAddress) = (connections, connectionsPerAddress ?? 0)
        limits.otherFiles += sessions * Self.filesOfSession
        return limits
    }

    /// The number of files that feeding a session keeps open.
    private static let filesOfSession = 4

    fileprivate init(
        _ file: SettingsFile.Limits,
        _ wrong: (Place?, String, String) -> SettingsError
    ) throws(SettingsError) {
        func set(_ limit: WritableKeyPath<DistributorLimits, Int>, _ value: Located<Int>?) throws(SettingsError) {
            guard let value else { return }
            guard value.value > 0 else { throw wrong(value.place, "the limit must be at least 1", "write a number") }
            self[keyPath: limit] = value.value
        }
        try set(\.body, file.body)
        try set(\.receivingBytes, file.receivingBytes)
        try set(\.batchOperations, file.batchOperations)
        try set(\.headerBytes, file.headerBytes)
        try set(\.headerFields, file.headerFields)
        try set(\.targetBytes, file.targetBytes)
        try set(\.idBytes, file.idBytes)
        try set(\.depth, file.depth)
        try set(\.page, file.page)
        try set(\.sessions, file.sessions)
        try set(\.streams, file.streams)
        try set(\.changes, file.changes)
        try set(\.changeBytes, file.changeBytes)
        try set(\.waitingBytes, file.waitingBytes)
        try set(\.clientWaitingBytes, file.clientWaitingBytes)
        try set(\.failures, file.failures)
        try set(\.failureBytes, file.failureBytes)
        try set(\.diagnoses, file.diagnoses)
        try set(\.logBytes, file.logBytes)
        try set(\.diagnosisSeconds, file.diagnosisSeconds)
        try set(\.diagnosisMemory, file.diagnosisMemory)
        try set(\.connections, file.connections)
        func set(_ limit: WritableKeyPath<DistributorLimits, Int?>, _ value: Located<Int>?) throws(SettingsError) {
            guard let value else { return }
            guard value.value > 0 else { throw wrong(value.place, "the limit must be at least 1", "write a number") }
            self[keyPath: limit] = value.value
        }
        try set(\.connectionsPerAddress, file.connectionsPerAddress)
        try set(\.requestsPerSecond, file.requestsPerSecond)
        // With a limit of 1 byte, every request would be refused, and the bridge needs room for its response.
        if let bytes = file.headerBytes, bytes.value < 1_024 {
            throw wrong(bytes.place, "a head needs at least 1024 bytes", "write header-bytes: 32768")
        }
        if let depth = file.depth, depth.value > JSONScanner.maximumDepth {
            throw wrong(depth.place, "the depth is at most \(JSONScanner.maximumDepth)", "write a smaller number")
        }
    }
}

extension DocumentKeeping {
    fileprivate init(
        _ file: SettingsFile.Rules,
        _ wrong: (Place?, String, String) -> SettingsError
    ) throws(SettingsError) {
        self.init()
        var names = Self.keysOfBatches
        func set(_ field: WritableKeyPath<Self, String?>, _ name: Located<String>?) throws(SettingsError) {
            guard let name else { return }
            guard !name.value.isEmpty, !names.contains(name.value) else {
                let reason = name.value.isEmpty ? "a field needs a name" : "the name '\(name.value)' is taken"
                throw wrong(name.place, reason, "give the field a unique name")
            }
            names.append(name.value)
            self[keyPath: field] = name.value
        }
        try set(\.created, file.keptFields?.created)
        try set(\.updated, file.keptFields?.updated)
        try set(\.version, file.keptFields?.version)
        try set(\.deleted, file.softDelete)
        switch file.keys {
        case .listed(let keys):
            var seen: Set<String> = []
            for key in keys where !seen.insert(key.value).inserted {
                throw wrong(key.place, "the key '\(key.value)' is listed twice", "list it once")
            }
            restrict(to: keys.map(\.value))
        case .open, nil: break
        }
    }
}

/// The settings file in its written form.
private struct SettingsFile: Decodable {
    var listen: Located<String>?
    var tls: TLS?
    var trustedProxies: [String]?
    var origins: [String]?
    var state: Located<String>?
    var target: Located<String>?
    var collections: YAMLMapping<Rules>?
    var identity: Identity?
    var programs: YAMLMapping<WrittenProgram>?
    var endpoints: YAMLMapping<WrittenEndpoint>?
    var apps: YAMLMapping<Located<String>>?
    var notifications: YAMLMapping<NotificationFile>?
    var plans: PlanSettings.File?
    var limits: Limits?
    var logs: YAMLMapping<FarmLogs.File>?
    var schedules: YAMLMapping<ScheduleSettings.File>?
    var console: Console?

    enum CodingKeys: String, CodingKey {
        case listen, tls, origins, state, target, collections, identity, programs, endpoints, notifications, limits
        case apps, plans, logs, schedules, console
        case trustedProxies = "trusted-proxies"
    }

    struct TLS: Decodable {
        var certificate: String
        var key: String
    }

    struct Console: Decodable {
        var title: Located<String>?
        var writable: Bool?
        var sessionHours: Located<Int>?
        var host: Located<String>?

        enum CodingKeys: String, CodingKey {
            case title, writable, host
            case sessionHours = "session-hours"
        }
    }

    struct Rules: Decodable {
        var read: Located<String>?
        var insert: Located<String>?
        var update: Located<String>?
        var delete: Located<String>?
        var keptFields: KeptFields?
        var softDelete: Located<String>?
        var ownIDs: Located<String>?
        var keys: Keys?
        var hooks: [Located<WrittenHook>]?

        enum CodingKeys: String, CodingKey {
            case read, insert, update, delete, keys, hooks
            case keptFields = "kept-fields"
            case softDelete = "soft-delete"
            case ownIDs = "own-ids"
        }
    }

    struct KeptFields: Decodable {
        var created: Located<String>?
        var updated: Located<String>?
        var version: Located<String>?
    }

    /// The allowed keys: the word `open`, or a list of keys.
    enum Keys: Decodable {
        case open
        case listed([Located<String>])

        private enum Word: String, Decodable {
            case open
        }

        init(from decoder: any Decoder) throws {
            if case .open? = try? Word(from: decoder) {
                self = .open
            } else {
                self = .listed(try [Located<String>](from: decoder))
            }
        }
    }

    struct Identity: Decodable {
        var issuer: Located<String>
        var audience: Located<String>
        var keys: Located<String>?
        var clockSkew: Located<String>?
        var admins: Located<String>?
        var claims: YAMLMapping<String>?
        var client: Located<String>?
        var clientSecretFile: Located<String>?

        enum CodingKeys: String, CodingKey {
            case issuer, audience, keys, admins, claims, client
            case clockSkew = "clock-skew"
            case clientSecretFile = "client-secret-file"
        }
    }

    struct Limits: Decodable {
        var body: Located<Int>?
        var receivingBytes: Located<Int>?
        var batchOperations: Located<Int>?
        var headerBytes: Located<Int>?
        var headerFields: Located<Int>?
        var targetBytes: Located<Int>?
        var idBytes: Located<Int>?
        var depth: Located<Int>?
        var page: Located<Int>?
        var sessions: Located<Int>?
        var streams: Located<Int>?
        var changes: Located<Int>?
        var changeBytes: Located<Int>?
        var waitingBytes: Located<Int>?
        var clientWaitingBytes: Located<Int>?
        var failures: Located<Int>?
        var failureBytes: Located<Int>?
        var diagnoses: Located<Int>?
        var logBytes: Located<Int>?
        var diagnosisSeconds: Located<Int>?
        var diagnosisMemory: Located<Int>?
        var connections: Located<Int>?
        var connectionsPerAddress: Located<Int>?
        var requestsPerSecond: Located<Int>?

        enum CodingKeys: String, CodingKey {
            case body, depth, page, sessions, streams, changes, failures, diagnoses, connections
            case changeBytes = "change-bytes"
            case receivingBytes = "receiving-bytes"
            case batchOperations = "batch-operations"
            case headerBytes = "header-bytes"
            case headerFields = "header-fields"
            case targetBytes = "target-bytes"
            case idBytes = "id-bytes"
            case waitingBytes = "waiting-bytes"
            case clientWaitingBytes = "client-waiting-bytes"
            case failureBytes = "failure-bytes"
            case logBytes = "log-bytes"
            case diagnosisSeconds = "diagnosis-seconds"
            case diagnosisMemory = "diagnosis-memory"
            case connectionsPerAddress = "connections-per-address"
            case requestsPerSecond = "requests-per-second"
        }
    }
}

/// An error about settings that can't be used, with the file, the position in it, and the reason.
package struct SettingsError: Error, Hashable, AdvisedError {
    let message: String
    let advice: String?

    init(_ file: String, _ place: Place?, _ message: String, advice: String?) {
        self.message = place.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
        self.advice = advice
    }

    package var failure: Failure { Failure(.configuration, message, advice: advice) }
}
