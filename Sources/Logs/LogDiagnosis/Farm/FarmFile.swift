extension FarmFacts {
    /// The first member of a farm's file.
    public static let schema = "fastctl.farm/1"

    private static let maximumBytes = 4 << 20
    /// The most items of a list, and the most bytes of a text.
    private static let maximumItems = 2000
    private static let maximumText = 512

    /// Reads a file that `Get-FarmFacts.ps1` has written.
    ///
    /// - Throws: ``RuleError`` with what is wrong, where, and what to do.
    public static func read(_ path: String) throws(RuleError) -> FarmFacts {
        let file = CompanionFile(path: path, maximumBytes: maximumBytes)
        let text = try file.text(remedy: "write it with Get-FarmFacts.ps1 -Path, not with a redirection")
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
                message: "its schema is not \(Self.schema): write it with Get-FarmFacts.ps1 of this version"
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

    /// Returns what makes the file unusable: a list or a text that is too long, or a server named twice.
    private func problem(_ written: [FarmDocument.Server]) -> String? {
        if servers.isEmpty { return "it names no server: run Get-FarmFacts.ps1 on a server of the farm" }
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
