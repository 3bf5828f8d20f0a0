import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import EngineSolr
import FeedingTestKit
import TestSupport
import Testing

/// Versions that are not installed: each is imitated by an installed version in a ``Disguise``, and fulfills the same
/// contract as all engines.
@Suite(.needsEngines, .timeLimit(.minutes(10)))
struct OtherVersionsTests {
    @Test(arguments: PlayedEngine.all)
    func `The engine fulfills the contract`(engine: PlayedEngine) async throws {
        try await engine.play { administration, _ in
            let contract = EngineContract(
                administration,
                settings: engine.isSolr ? SolrLive.Kind.standalone.settings : .foldedWords,
                vocabulary: engine.isSolr ? .suffixes : .json,
                prefix: engine.prefix
            )
            try await contract.check()
        }
    }

    @Test(arguments: PlayedEngine.all)
    func `A search finds every document once, page by page`(engine: PlayedEngine) async throws {
        try await engine.play { administration, proxies in
            let settings = engine.isSolr ? SolrLive.Kind.standalone.settings : []
            try await administration.withCollection(CollectionName("\(engine.prefix)pages"), settings: settings) {
                collection in
                let ids = (0..<2_500).map { DocumentID(stringLiteral: "d\($0)") }
                try await collection.load(ids)
                for includesDocuments in [true, false] {
                    var query = SearchQuery()
                    query.includesDocuments = includesDocuments
                    var (found, cursor): ([DocumentID], SearchCursor?) = ([], nil)
                    repeat {
                        let page = try await collection.find(query, after: cursor)
                        found += page.documents.map(\.id)
                        cursor = page.next
                    } while cursor != nil
                    #expect(found.count == ids.count && Set(found) == Set(ids))
                }
            }
            let targets = proxies.flatMap(\.records).map(\.target)
            #expect(targets.contains { $0.contains("/_search/scroll") } == engine.hasScrolls)
            #expect(targets.contains { $0.contains("/_pit?") } == (engine.product == .elasticsearch))
        }
    }

    @Test(arguments: PlayedEngine.all.filter { !$0.isSolr })
    func `Conditions are checked, and changes have sequence numbers`(engine: PlayedEngine) async throws {
        try await engine.play { administration, _ in
            try await administration.withCollection(CollectionName("\(engine.prefix)changes")) { collection in
                let a = try document("a", #"{"n":1}"#)
                #expect(await collection.reply(to: [.add(a).only(.absent)]) == .results([.done(.added)]))
                let versioned = try #require(collection as? any VersionedEngine)
                let version = try #require(try await versioned.versions(at: [DocumentKey("a")])[0].document?.version)
                let b = try document("b", "{}")
                let reply = await collection.reply(to: [
                    .add(a).only(.absent), .update(try document("a", #"{"k":2}"#)).only(.unchanged(version)),
                    .add(b).only(.olderThan(7)), .remove("c"),
                ])
                guard case .results(let results) = reply, case .failed(let failure) = results[0] else {
                    Issue.record("answered with \(reply)")
                    return
                }
                #expect(failure.code == .alreadyExists)
                #expect(Array(results.dropFirst()) == [.done(.updated), .done(.added), .done(.missing)])
                let late = await collection.reply(to: [.add(a).only(.unchanged(version)), .add(b).only(.olderThan(6))])
                guard case .results(let results) = late, case .failed(let failure) = results[0] else {
                    Issue.record("answered with \(late)")
                    return
                }
                #expect(failure.code == .versionConflict && results[1] == .done(.stale))

                try await versioned.settle()
                let part = try #require(try await versioned.state().parts.first)
                let page = try await versioned.changes(of: SearchQuery(), in: part, after: CollectionPart.beginning)
                #expect(page.documents.map(\.id) == ["a", "b"] && page.isLast)
                #expect(page.documents[0].json == Array(#"{"n":1,"k":2}"#.utf8))
            }
        }
    }

    @Test(arguments: PlayedEngine.all.filter { !$0.isSolr })
    func `An alias is moved to another collection`(engine: PlayedEngine) async throws {
        try await engine.play { administration, _ in
            let (name, alias) = (CollectionName("\(engine.prefix)new"), CollectionName("\(engine.prefix)web"))
            try await administration.withCollection(name) { _ in
                let aliases = try #require(administration as? any AliasAdministration)
                #expect(try await aliases.point(alias, to: name).isEmpty)
                #expect(try await aliases.aliases().contains(CollectionAlias(name: alias, collections: [name])))
                let collection = try await administration.collection(named: alias)
                #expect(await collection.reply(to: [.remove("a")]) == .results([.done(.missing)]))
            }
        }
    }

    @Test func `If the nodes of a SolrCloud serve only their own cores, each node is tried`() async throws {
        let engine = PlayedEngine.solr10Cloud
        try await engine.play { administration, proxies in
            let settings = SolrLive.Kind.cloud.settings
            let contract = EngineContract(
                administration,
                settings: settings,
                vocabulary: .suffixes,
                prefix: engine.prefix
            )
            try await contract.check()
            let cores = proxies.flatMap(\.records).filter { $0.target.contains("_replica_") }
            #expect(cores.contains { $0.serverStatus == nil }, "no node was asked in vain")
            // With only one node, part of the collection is unreachable, and this is reported.
            let name = CollectionName("\(engine.prefix)alone")
            try await administration.create(name, settings: [CollectionSetting(name: "numShards", value: "3")])
            let alone = try await SolrEngine.open(at: [try #require(proxies.first?.solrNode)])
            let error = await #expect(throws: EngineError.self) { _ = try await alone.show(name) }
            #expect(error?.advice?.contains("specify all nodes") == true, "\(error?.message ?? "")")
            _ = try await administration.delete(name)
        }
    }
}

/// A version of an engine, and the engine that imitates it.
struct PlayedEngine: Sendable, CustomTestStringConvertible {
    /// The product in the address; `nil` for Solr.
    let product: OpenSearchEngine.Product?
    let actor: LiveEngine.Product
    var nodes = 1
    let disguise: Disguise
    /// The prefix of its collections' names, because some versions share a server.
    let prefix: String

    static let all = [
        PlayedEngine(product: .openSearch, actor: .elasticsearch, disguise: .openSearch1, prefix: "os1-"),
        PlayedEngine(
            product: .openSearch,
            actor: .elasticsearch,
            disguise: .openSearchInCompatibilityMode,
            prefix: "compatible-"
        ),
        PlayedEngine(product: .openSearch, actor: .openSearch, disguise: .openSearch3, prefix: "os3-"),
        PlayedEngine(product: .elasticsearch, actor: .openSearch, disguise: .elasticsearch(8, 19), prefix: "es8-"),
        PlayedEngine(product: .elasticsearch, actor: .openSearch, disguise: .elasticsearch(9, 2), prefix: "es9-"),
        PlayedEngine(product: nil, actor: .solr, disguise: .solr8(0), prefix: "solr8-"),
        PlayedEngine(product: nil, actor: .solr, disguise: .solr8(11), prefix: "solr811-"),
        PlayedEngine(product: nil, actor: .solr, disguise: .solr10, prefix: "solr10-"),
    ]

    static let solr10Cloud = PlayedEngine(product: nil, actor: .solr, nodes: 3, disguise: .solr10, prefix: "solr10-")

    var testDescription: String { disguise.name }
    var isSolr: Bool { product == nil }
    /// OpenSearch has points in time only since 2.4, and Solr has none.
    var hasScrolls: Bool { product == .openSearch && actor == .elasticsearch }

    /// Opens the engine behind a proxy for each node.
    func play(_ body: (any CollectionAdministration, [FaultProxy]) async throws -> Void) async throws {
        let live = try await LiveEngine.shared(actor, nodes: nodes)
        let proxies = try live.urls.map { try FaultProxy(before: $0, plan: .always(.disguise(disguise))) }
        defer { for proxy in proxies { proxy.stop() } }
        let administration: any CollectionAdministration
        if let product {
            let nodes = proxies.map { NodeAddress(scheme: .http, host: "127.0.0.1", port: Int($0.port)) }
            administration = try await OpenSearchEngine.open(product, at: nodes)
        } else {
            administration = try await SolrEngine.open(at: proxies.map(\.solrNode))
        }
        try await body(administration, proxies)
    }
}

extension FaultProxy {
    fileprivate var solrNode: NodeAddress {
        NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(port), path: "/solr")
    }
}
