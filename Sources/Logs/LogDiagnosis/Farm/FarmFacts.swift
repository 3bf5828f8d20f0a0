import YAML

/// Facts about a farm: servers, services, applications, accounts and addresses, as `farm.json` lists them.
///
/// A list is `nil` if its contents are unknown, and empty if there are no such items.
public struct FarmFacts: Sendable, Hashable {
    /// The edition of SharePoint.
    public enum Edition: String, Sendable, Hashable, Decodable, CaseIterable {
        /// SharePoint Foundation, which has only stubs of `Microsoft.Office.Server`.
        case foundation
        case standard
        case enterprise
        case subscription
    }

    /// A server of the farm.
    public struct Server: Sendable, Hashable {
        /// The server's name.
        public var name: String
        /// The server's role; `nil` if the farm has no roles.
        public var role: String?
        /// The highest build of the products installed on the server.
        public var build: BuildNumber?
        /// The server's services; `nil` if they are not known.
        public var services: [Service]?
    }

    /// A service on a server.
    public struct Service: Sendable, Hashable {
        /// The name of its class, which is never translated: `SPWindowsTokenServiceInstance`.
        public var type: String
        /// The state reported by the farm, such as `Online`.
        public var status: String

        var isRunning: Bool { status.lowercased() == "online" }
    }

    /// A service application.
    public struct Application: Sendable, Hashable {
        /// The name that an administrator gave the application.
        public var name: String
        /// The name of the class.
        public var type: String
        /// The state reported by the farm, such as `Online`.
        public var status: String

        var isOnline: Bool { status.lowercased() == "online" }
    }

    /// A managed account.
    public struct Account: Sendable, Hashable {
        /// The account's name.
        public var name: String
        /// The purposes of the account, such as `farm` or the name of an application pool.
        public var uses: [String]
    }

    /// A zone of a web application.
    public struct Zone: Sendable, Hashable {
        /// The address that users type.
        public var url: String
        /// The web application; `nil` if it is not known.
        public var webApplication: String?
        /// The zone's name, such as `Default`; `nil` if it is not known.
        public var zone: String?
        /// Sign-in methods, such as `kerberos`, `ntlm`, `forms`, `trusted`.
        public var authentication: [String]
    }

    /// The file, as it was given.
    public var path: String
    /// The edition; `nil` if it is not known.
    public var edition: Edition?
    /// The build of the configuration database.
    public var build: BuildNumber?
    /// The servers.
    public var servers: [Server]
    /// The service applications; `nil` if they are not known.
    public var applications: [Application]?
    /// The managed accounts; `nil` if they are not known.
    public var accounts: [Account]?
    /// The zones of all web applications; `nil` if they are not known.
    public var zones: [Zone]?
}

/// A build: `16.0.10396.20000`, compared number by number; missing numbers are 0.
public struct BuildNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The parts of the number, four at most.
    public let numbers: [Int]

    private static let maximum = 4

    /// Creates a build; `nil` unless the text is one to four numbers with dots between them.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= Self.maximum else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard part.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(part), number <= 1 << 32
            else { return nil }
            numbers.append(number)
        }
        self.numbers = numbers
    }

    /// Returns the build whose last number is greater by `step`; `nil` if it would be negative.
    package func moved(by step: Int) -> BuildNumber? {
        guard let last = numbers.last, last + step >= 0 else { return nil }
        return BuildNumber((numbers.dropLast() + [last + step]).map(String.init).joined(separator: "."))
    }

    private var padded: [Int] { numbers + Array(repeating: 0, count: Self.maximum - numbers.count) }

    public static func < (one: Self, other: Self) -> Bool { one.padded.lexicographicallyPrecedes(other.padded) }
    public static func == (one: Self, other: Self) -> Bool { one.padded == other.padded }
    public func hash(into hasher: inout Hasher) { hasher.combine(padded) }

    public var description: String { numbers.map(String.init).joined(separator: ".") }
}

extension BuildNumber: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let build = BuildNumber(text) else {
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is not a build: write it like 16.0.10396.20000")
        }
        self = build
    }
}

extension FarmFacts {
    /// The first member of a farm's file.
    public static let schema = "fastctl.farm/1"

    private static let maximumBytes = 4 << 20
    /// The maximum number of items in a list, and of bytes in a text.
    private static let maximumItems = 2000
    private static let maximumText = 512

    /// Reads a file that `Get-FarmFacts.ps1` has written.
    ///
    /// - Throws: ``RuleError`` with the problem, its place, and advice.
    public static func read(_ path: String) throws(RuleError) -> FarmFacts {
        let file = CompanionFile(path: path, maximumBytes: maximumBytes)
        let text = try file.text(remedy: "create it with Get-FarmFacts.ps1 -Path, not with redirection")
        return try FarmFacts(text, path: path)
    }

    /// Reads the text of a farm's file.
    public init(_ text: String, path: String) throws(RuleError) {
        let document: FarmDocument
        do throws(RuleError) {
            document = try CompanionFile(path: path, maximumBytes: Self.maximumBytes).decode(text)
        } catch {
            var problem = error
            problem.message += "; Get-FarmFacts.ps1 writes such a file"
            throw problem
        }
        guard document.schema == Self.schema else {
            throw RuleError(
                file: path,
                message: "its schema is not \(Self.schema): create it with this version's Get-FarmFacts.ps1"
            )
        }
        self.init(document, path: path)
        if let problem = problem(document.servers) { throw RuleError(file: path, message: problem) }
    }

    private init(_ document: FarmDocument, path: String) {
        self.path = path
        edition = document.edition
        build = document.build
        servers = document.servers.map { server in
            Server(
                name: server.name,
                role: server.role,
                build: server.build,
                services: server.services?.map { Service(type: $0.type.className, status: $0.status) }
            )
        }
        applications = document.serviceApplications?.map {
            Application(name: $0.name, type: $0.type.className, status: $0.status)
        }
        accounts = document.accounts?.map { Account(name: $0.name, uses: $0.uses ?? []) }
        zones = document.zones?.map {
            Zone(
                url: $0.url,
                webApplication: $0.webApplication,
                zone: $0.zone,
                authentication: $0.authentication ?? []
            )
        }
    }

    /// Returns the problem that makes the file unusable: a list or a text that is too long, or a duplicate server name.
    private func problem(_ written: [FarmDocument.Server]) -> String? {
        if servers.isEmpty { return "it does not name a server; run Get-FarmFacts.ps1 on a server of the farm" }
        let lists = [servers.count, applications?.count ?? 0, accounts?.count ?? 0, zones?.count ?? 0]
        let longest = max(lists.max() ?? 0, servers.compactMap(\.services?.count).max() ?? 0)
        if longest > Self.maximumItems { return "a list has \(longest) items; at most \(Self.maximumItems) are read" }
        var names: Set<String> = []
        for server in servers where !names.insert(server.name.lowercased()).inserted {
            return "it names the server \(server.name.prefix(64)) twice"
        }
        var texts: [String] = []
        for server in servers {
            texts += [server.name, server.role ?? ""]
            for service in server.services ?? [] { texts += [service.type, service.status] }
        }
        for application in applications ?? [] { texts += [application.name, application.type, application.status] }
        for account in accounts ?? [] { texts += [account.name] + account.uses }
        for zone in zones ?? [] {
            texts += [zone.url, zone.webApplication ?? "", zone.zone ?? ""] + zone.authentication
        }
        guard let long = texts.first(where: { $0.utf8.count > Self.maximumText }) else { return nil }
        return "the text \u{201C}\(long.prefix(32))\u{2026}\u{201D} is longer than \(Self.maximumText) bytes"
    }
}

/// A farm's file, as written.
private struct FarmDocument: Decodable {
    struct Server: Decodable {
        struct Service: Decodable {
            var type: String
            var name: String?
            var status: String
        }

        var name: String
        var role: String?
        var build: BuildNumber?
        var services: [Service]?
    }

    struct Application: Decodable {
        var name: String
        var type: String
        var status: String
    }

    struct Account: Decodable {
        var name: String
        var uses: [String]?
    }

    struct Zone: Decodable {
        var url: String
        var webApplication: String?
        var zone: String?
        var authentication: [String]?
    }

    var schema: String
    var takenAt: String?
    var edition: FarmFacts.Edition?
    var build: BuildNumber?
    var servers: [Server]
    var serviceApplications: [Application]?
    var accounts: [Account]?
    var zones: [Zone]?
}

extension String {
    /// The name of a class without its namespace.
    fileprivate var className: String { String(split(separator: ".").last ?? self[...]) }
}

/// A statement about the farm, which is unknown if `farm.json` is missing or does not decide it.
public enum FarmCondition: Sendable, Hashable {
    /// A farm's edition is one of these.
    case edition([FarmFacts.Edition])
    /// A server has a build in a range that includes `from` but not `below`.
    case build(from: BuildNumber?, below: BuildNumber?)
    /// Servers have different builds, or they all have the same one.
    case builds(differ: Bool)
    /// A service, identified by the name of its class, runs on a server, or on no server.
    case service(String, runs: Bool)
    /// A service application, identified by the name of its class, is online, or none is online.
    case application(String, online: Bool)
    /// Users sign in by this method in a zone, or in no zone.
    case authentication(String, used: Bool)
}

extension FarmCondition: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case edition, build, builds, service, runs, application, online, authentication, used
    }

    private enum Builds: String, Decodable, CaseIterable { case differ, same }

    private struct Range: Decodable {
        var from: BuildNumber?
        var below: BuildNumber?
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var conditions: [FarmCondition] = []
        if let editions = try container.decodeIfPresent(OneOrMany<FarmFacts.Edition>.self, forKey: .edition) {
            conditions.append(.edition(editions.values))
        }
        if let range = try container.decodeIfPresent(Range.self, forKey: .build) {
            guard range.from != nil || range.below != nil else {
                throw RuleError.Reason("build needs 'from' or 'below'")
            }
            conditions.append(.build(from: range.from, below: range.below))
        }
        if let builds = try container.decodeIfPresent(Builds.self, forKey: .builds) {
            conditions.append(.builds(differ: builds == .differ))
        }
        let named: [(CodingKeys, CodingKeys, (String, Bool) -> FarmCondition)] = [
            (.service, .runs, { .service($0, runs: $1) }),
            (.application, .online, { .application($0, online: $1) }),
            (.authentication, .used, { .authentication($0, used: $1) }),
        ]
        for (key, truth, make) in named {
            let name = try container.decodeIfPresent(String.self, forKey: key)
            let value = try container.decodeIfPresent(Bool.self, forKey: truth)
            guard (name == nil) == (value == nil) else {
                throw RuleError.Reason("write \(key.rawValue) and \(truth.rawValue) together")
            }
            if let name, let value { conditions.append(make(name, value)) }
        }
        guard conditions.count == 1, let condition = conditions.first else {
            throw RuleError.Reason(
                "a condition on the farm must be one of edition, build, builds, service, application, authentication"
            )
        }
        self = condition
    }
}

extension FarmCondition {
    /// The condition in words: `SPWindowsTokenServiceInstance runs on no server`.
    var words: String {
        switch self {
        case .edition(let editions): "the edition is \(editions.map(\.rawValue).joined(separator: " or "))"
        case .build(let from, let below):
            "a server's build is "
                + [from.map { "\($0) or later" }, below.map { "below \($0)" }].compactMap(\.self)
                .joined(separator: " and ")
        case .builds(let differ): differ ? "the builds of servers differ" : "all servers have the same build"
        case .service(let type, let runs): "\(type) runs on \(runs ? "a" : "no") server"
        case .application(let type, let online): "\(online ? "a" : "no") \(type) is online"
        case .authentication(let name, let used): "\(used ? "a" : "no") zone uses \(name)"
        }
    }
}

/// A check of facts in `farm.json`; the result is unknown without the file, or if the file does not decide it.
struct FarmCheck {
    let condition: FarmCondition

    func result(_ farm: FarmFacts?) -> CheckResult {
        guard let farm else { return CheckResult(.unknown) }
        var result = CheckResult(truth(in: farm))
        guard result.truth == .yes else { return result }
        result.count = 1
        result.farm = [sentence(in: farm)]
        return result
    }

    private func truth(in farm: FarmFacts) -> Ternary {
        switch condition {
        case .edition(let editions): farm.edition.map { Ternary(editions.contains($0)) } ?? .unknown
        case .build(let from, let below):
            farm.knownBuilds.someAre { build in from.map { build >= $0 } ?? true && below.map { build < $0 } ?? true }
        case .builds(let differ): differ ? farm.buildsDiffer : farm.buildsDiffer.opposite
        case .service(let type, let runs):
            Self.truth(
                runs,
                farm.servers.map(\.services).someAre { $0.contains { $0.isRunning && $0.type.isClass(type) } }
            )
        case .application(let type, let online):
            Self.truth(online, farm.applications.is { $0.contains { $0.isOnline && $0.type.isClass(type) } })
        case .authentication(let name, let used):
            Self.truth(used, farm.zones.is { $0.contains { $0.authentication.contains { $0.isClass(name) } } })
        }
    }

    private static func truth(_ wanted: Bool, _ found: Ternary) -> Ternary { wanted ? found : found.opposite }

    /// Returns the facts that make the condition true, in words.
    private func sentence(in farm: FarmFacts) -> String {
        let words =
            switch condition {
            case .build, .builds: farm.builds.map { "the builds are \($0)" } ?? condition.words
            case .edition: "the edition is \(farm.edition?.rawValue ?? "unknown")"
            case .service(let type, _):
                "\(type) runs on "
                    + (farm.servers.filter { $0.services?.contains { $0.isRunning && $0.type.isClass(type) } ?? false }
                        .map(\.name).nonEmpty?.joined(separator: ", ") ?? "none of \(farm.servers.count) servers")
            case .application, .authentication: condition.words
            }
        return "\(farm.path): \(words)"
    }
}

extension FarmFacts {
    /// The builds of all servers, or that of the farm if no server's build is known.
    fileprivate var knownBuilds: [BuildNumber?] {
        let builds = servers.map(\.build)
        return builds.contains { $0 != nil } ? builds : [build]
    }

    /// Whether servers have different builds; never true for a single server.
    fileprivate var buildsDiffer: Ternary {
        let known = Set(servers.compactMap(\.build))
        if known.count > 1 { return .yes }
        return servers.count == 1 || servers.allSatisfy { $0.build != nil } ? .no : .unknown
    }

    /// The builds of servers, latest first: `16.0.5 (WFE1, WFE2), 16.0.4 (APP1)`; `nil` if none is known.
    fileprivate var builds: String? {
        let groups = Dictionary(grouping: servers.filter { $0.build != nil }) { $0.build }
        let sorted = groups.compactMap { build, servers in build.map { ($0, servers.map(\.name).sorted()) } }
            .sorted { $0.0 > $1.0 }
        let words = sorted.prefix(4).map { build, names in
            "\(build) (\(names.prefix(4).joined(separator: ", "))\(names.count > 4 ? ", …" : ""))"
        }
        return words.isEmpty ? build.map { "\($0)" } : words.joined(separator: ", ")
    }

    /// Returns sentences about facts that are not part of a rule, such as differing builds or servers whose logs are
    /// missing.
    ///
    /// `servers` are those that wrote the logs, if rows or files name them.
    func notes(servers: [String]) -> [String] {
        var notes: [String] = []
        if buildsDiffer == .yes, let builds { notes.append("farm builds differ: \(builds)") }
        guard !servers.isEmpty else { return notes }
        let read = Set(servers.map(\.hostName))
        let missing = self.servers.map(\.name).filter { !read.contains($0.hostName) }
        if !missing.isEmpty {
            let names = missing.prefix(8).joined(separator: ", ") + (missing.count > 8 ? ", …" : "")
            let are = missing.count == 1 ? "a server" : "servers"
            notes.append("no log from \(names) was read, \(are) in \(path); problems that occur only there were missed")
        }
        let known = Set(self.servers.map { $0.name.hostName })
        let strangers = servers.filter { !known.contains($0.hostName) }.sorted()
        if !strangers.isEmpty {
            let names = strangers.prefix(8).joined(separator: ", ") + (strangers.count > 8 ? ", …" : "")
            notes.append("\(path) does not name \(names), whose logs were read; it is from another farm, or outdated")
        }
        return notes
    }
}

extension Array {
    /// Returns whether a condition is known to hold for at least one element, or known to hold for none.
    fileprivate func someAre<Known>(_ holds: (Known) -> Bool) -> Ternary where Element == Known? {
        reduce(.no) { Swift.max($0, $1.is(holds)) }
    }

    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

extension Optional {
    /// Returns whether a condition holds for a value; unknown if there is no value.
    fileprivate func `is`(_ holds: (Wrapped) -> Bool) -> Ternary { map { Ternary(holds($0)) } ?? .unknown }
}

extension String {
    /// Returns whether the names are equal, ignoring case.
    fileprivate func isClass(_ other: String) -> Bool { lowercased() == other.lowercased() }

    /// The name of a server without its domain, in lowercase.
    fileprivate var hostName: String { String(lowercased().prefix { $0 != "." }) }
}
