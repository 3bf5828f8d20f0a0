/// A check of what `farm.json` says; unknown without it, and where it does not say enough.
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

    /// What makes the condition true, for people.
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
    /// The builds of all servers, or that of the farm if no server's is known.
    fileprivate var knownBuilds: [BuildNumber?] {
        let builds = servers.map(\.build)
        return builds.contains { $0 != nil } ? builds : [build]
    }

    /// Whether servers have different builds; one server alone has no other.
    fileprivate var buildsDiffer: Ternary {
        let known = Set(servers.compactMap(\.build))
        if known.count > 1 { return .yes }
        return servers.count == 1 || servers.allSatisfy { $0.build != nil } ? .no : .unknown
    }

    /// The builds of servers, the latest first: `16.0.5 (WFE1, WFE2), 16.0.4 (APP1)`; `nil` if none is known.
    fileprivate var builds: String? {
        let groups = Dictionary(grouping: servers.filter { $0.build != nil }) { $0.build }
        let sorted = groups.compactMap { build, servers in build.map { ($0, servers.map(\.name).sorted()) } }
            .sorted { $0.0 > $1.0 }
        let words = sorted.prefix(4).map { build, names in
            "\(build) (\(names.prefix(4).joined(separator: ", "))\(names.count > 4 ? ", …" : ""))"
        }
        return words.isEmpty ? build.map { "\($0)" } : words.joined(separator: ", ")
    }

    /// Returns sentences on what the farm tells beside the rules: builds that differ, servers whose logs are missing.
    ///
    /// `servers` are those of the logs that were read, as far as rows or files name them.
    func notes(servers: [String]) -> [String] {
        var notes: [String] = []
        if buildsDiffer == .yes, let builds { notes.append("farm builds differ: \(builds)") }
        guard !servers.isEmpty else { return notes }
        let read = Set(servers.map(\.hostName))
        let missing = self.servers.map(\.name).filter { !read.contains($0.hostName) }
        if !missing.isEmpty {
            let names = missing.prefix(8).joined(separator: ", ") + (missing.count > 8 ? ", …" : "")
            let are = missing.count == 1 ? "a server" : "servers"
            notes.append("no log of \(names) was read, \(are) of \(path): what is only there was not seen")
        }
        let known = Set(self.servers.map { $0.name.hostName })
        let strangers = servers.filter { !known.contains($0.hostName) }.sorted()
        if !strangers.isEmpty {
            let names = strangers.prefix(8).joined(separator: ", ") + (strangers.count > 8 ? ", …" : "")
            notes.append("\(path) does not name \(names), of which logs were read: it is of another farm, or older")
        }
        return notes
    }
}

extension Array {
    /// Whether something is known to be true of an element, or known to be true of none.
    fileprivate func someAre<Known>(_ holds: (Known) -> Bool) -> Ternary where Element == Known? {
        reduce(.no) { Swift.max($0, $1.is(holds)) }
    }

    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

extension Optional {
    /// Whether something is true of a value; unknown without it.
    fileprivate func `is`(_ holds: (Wrapped) -> Bool) -> Ternary { map { Ternary(holds($0)) } ?? .unknown }
}

extension String {
    /// Whether names are the same in any case.
    fileprivate func isClass(_ other: String) -> Bool { lowercased() == other.lowercased() }

    /// The name of a server without its domain, in lowercase.
    fileprivate var hostName: String { String(lowercased().prefix { $0 != "." }) }
}
