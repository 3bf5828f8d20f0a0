import YAML

/// A statement about the farm, which is unknown as long as no `farm.json` says enough.
public enum FarmCondition: Sendable, Hashable {
    /// The edition is one of these.
    case edition([FarmFacts.Edition])
    /// A server has a build in a range: `from` is in it, `below` is not.
    case build(from: BuildNumber?, below: BuildNumber?)
    /// Servers have different builds, or all the same.
    case builds(differ: Bool)
    /// A service, by the name of its class, runs on a server, or on none.
    case service(String, runs: Bool)
    /// A service application, by the name of its class, is online, or none is.
    case application(String, online: Bool)
    /// Users sign in this way in a zone, or in none.
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
            guard range.from != nil || range.below != nil else { throw RuleError.Reason("build needs from or below") }
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
                "a condition on the farm is one of edition, build, builds, service, application, authentication"
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
            "the build of a server is "
                + [from.map { "\($0) or later" }, below.map { "below \($0)" }].compactMap(\.self)
                .joined(separator: " and ")
        case .builds(let differ): differ ? "the builds of servers differ" : "all servers have the same build"
        case .service(let type, let runs): "\(type) runs on \(runs ? "a" : "no") server"
        case .application(let type, let online): "\(online ? "a" : "no") \(type) is online"
        case .authentication(let name, let used): "\(used ? "a" : "no") zone uses \(name)"
        }
    }

    /// Variants of the condition with one thing changed.
    var variants: [Variant<FarmCondition>] {
        switch self {
        case .edition(let editions):
            editions.withoutEach(\.rawValue).map { Variant(.edition($0.value), $0.change) }
                + [Variant(.edition(FarmFacts.Edition.allCases.filter { !editions.contains($0) }), "other editions")]
        case .build(let from, let below):
            [from.map { _ in Variant(.build(from: nil, below: below), "without from") }].compactMap(\.self)
                + [below.map { _ in Variant(.build(from: from, below: nil), "without below") }].compactMap(\.self)
                + [-1, 1].flatMap { step in
                    [
                        from?.moved(by: step).map { Variant(Self.build(from: $0, below: below), "from: \($0)") },
                        below?.moved(by: step).map { Variant(Self.build(from: from, below: $0), "below: \($0)") },
                    ].compactMap(\.self)
                }
        case .builds(let differ): [Variant(.builds(differ: !differ), differ ? "same" : "differ")]
        case .service(let type, let runs): [Variant(.service(type, runs: !runs), "runs: \(!runs)")]
        case .application(let type, let online): [Variant(.application(type, online: !online), "online: \(!online)")]
        case .authentication(let name, let used): [Variant(.authentication(name, used: !used), "used: \(!used)")]
        }
    }
}
