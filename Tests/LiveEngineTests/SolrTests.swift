import ContentFeeding
import EngineHTTP
import EngineSolr
import Foundation
import TestSupport
import Testing

@Suite(.needsEngines, .timeLimit(.minutes(5)), .serialized)
struct SolrTests {
    @Test(arguments: [(SolrLive.Kind.standalone, true), (.standalone, false), (.cloud, true)])
    func `The engine fulfills the contract`(kind: SolrLive.Kind, checksMissing: Bool) async throws {
        let solr = try await SolrLive.shared(kind)
        let administration = try await solr.open(checksMissing: checksMissing)
        try await EngineContract(administration, settings: kind.settings, vocabulary: .suffixes).check()
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func `IDs with characters that are special in Solr's syntax are treated as plain IDs`(
        kind: SolrLive.Kind
    ) async throws {
        let solr = try await SolrLive.shared(kind)
        let ids: [DocumentID] = [
            "a,b", "a\\,b", ",", "\\", "${x}", "${x:y}", "$${x}", "{!func}1", "a!b", "x/3!y", "a!b!c", "!", "*:*",
            "_version_", "{\"set\":1}", "+", "%2C", "\u{1}\u{1F}",
            DocumentID(stringLiteral: String(repeating: "x", count: 32_766)),
        ]
        try await solr.withCollection("solr-ids") { collection in
            try await collection.load(ids)
            #expect(try await collection.count() == ids.count)
            #expect(try await collection.exists(ids) == Array(repeating: true, count: ids.count))
            #expect(try await collection.get(ids).map(\.id) == ids)
            var query = SearchQuery()
            query.includesDocuments = false
            #expect(Set(try await collection.find(query, after: nil).documents.map(\.id)) == Set(ids))
            let results = ids.map { _ in OperationResult.done(.removed) }
            #expect(await collection.reply(to: ids.map { .remove($0) }) == .results(results))
            #expect(try await collection.exists(ids) == Array(repeating: false, count: ids.count))
        }
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func `Concurrent updates to a document are never lost`(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        try await solr.withCollection("solr-conflict") { collection in
            try await collection.load(["a"])
            let replies = await withTaskGroup { group in
                for number in 0..<16 {
                    group.addTask {
                        let json = Array(#"{"f\#(number)_i":1}"#.utf8)
                        let reply = await collection.reply(to: [.update(Document(id: "a", json: json))])
                        return (number, reply)
                    }
                }
                return await group.reduce(into: [Int: BatchReply]()) { $0[$1.0] = $1.1 }
            }
            let json = String(decoding: try await collection.get(["a"]).first?.json ?? [], as: UTF8.self)
            for (number, reply) in replies {
                guard case .results(let results) = reply else {
                    Issue.record("update \(number) was answered with \(reply)")
                    continue
                }
                let isDone = results == [.done(.updated)]
                if !isDone, case .outdated? = results.first {} else if !isDone { Issue.record("\(results)") }
                #expect(json.contains("\"f\(number)_i\":1") == isDone)
            }
        }
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func `A document that does not match the schema does not affect others`(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        try await solr.withCollection("solr-misfit") { collection in
            let ids = (0..<40).map { DocumentID(stringLiteral: "\($0)") }
            let chunk = OperationChunk(
                operations: ids.map { id in
                    let json = id == "17" ? #"{"n_i":"no number"}"# : #"{"n_i":1}"#
                    return ContentOperation.add(Document(id: id, json: Array(json.utf8)))
                },
                end: InputOffset(source: 0, byte: 40),
                input: InputTally(lines: 40)
            )
            let result = await OperationFeed(engine: collection).run(ChunkList([chunk]))
            #expect(result.report.end == .completed)
            #expect(try result.errors.all().map(\.documentID) == ["17"])
            let found = try await collection.exists(ids)
            #expect(found == ids.map { $0 != "17" })
            #expect(result.report.counts[.added] == 39 && result.report.counts.perhapsAdded == 0)
        }
    }

    @Test(arguments: SolrLive.Kind.allCases, [true, false])
    func `The outcomes of many removals add up`(kind: SolrLive.Kind, checksMissing: Bool) async throws {
        let solr = try await SolrLive.shared(kind)
        let name = CollectionName("solr-removals-\(checksMissing ? "checked" : "unchecked")")
        try await solr.withCollection(name, checksMissing: checksMissing) { collection in
            // Without checks, all have the same outcome, so fewer of them show as much.
            let count = checksMissing ? 100_000 : 20_000
            let ids = (0..<count).map { DocumentID(stringLiteral: "document \($0)") }
            try await collection.load(Array(ids[..<(count / 2)]))
            #expect(try await collection.count() == count / 2)
            var options = FeedOptions()
            options.configuration.missing = .ignore
            options.configuration.level = .live
            let clock = ContinuousClock()
            let start = clock.now
            let report = await OperationFeed(engine: collection, options: options)
                .run(ChunkList(removing: ids, perChunk: 1_000)).report
            print("solr \(kind.rawValue), \(checksMissing ? "checked" : "unchecked"): \(clock.now - start)")
            #expect(report.end == .completed)
            #expect(report.counts.isBalanced)
            let counts = [report.counts[.removed], report.counts[.missing], report.counts[.gone]]
            #expect(counts == (checksMissing ? [count / 2, count / 2, 0] : [0, 0, count]))
            #expect(try await collection.count() == 0)
        }
    }
}

/// A real Solr for tests.
struct SolrLive {
    enum Kind: String, CaseIterable, Sendable {
        case standalone
        case cloud

        /// The settings of collections for tests.
        var settings: [CollectionSetting] {
            switch self {
            case .standalone: [CollectionSetting(name: "configSet", value: "webcollection")]
            case .cloud:
                [
                    CollectionSetting(name: "configSet", value: "webcollection"),
                    CollectionSetting(name: "numShards", value: "2"),
                    CollectionSetting(name: "replicationFactor", value: "2"),
                ]
            }
        }
    }

    let kind: Kind
    let engine: LiveEngine

    static func shared(_ kind: Kind) async throws -> SolrLive {
        SolrLive(kind: kind, engine: try await .shared(.solr, nodes: kind == .cloud ? 3 : 1))
    }

    func open(checksMissing: Bool = true) async throws -> any CollectionAdministration {
        var options = SolrEngine.Options()
        options.checksMissing = checksMissing
        return try await SolrEngine.open(at: engine.solrNodes, options: options)
    }

    /// Returns a single Solr on this machine, whose config sets can be copied.
    static func local() async throws -> SolrLive {
        let solr = try await shared(.standalone)
        return solr.engine.folder.isEmpty ? SolrLive(kind: .standalone, engine: try await .start(.solr)) : solr
    }

    /// Copies the config set of all tests, and returns the settings of collections whose schema can be changed.
    ///
    /// All cores with the same config set have the same schema.
    func copyConfigSet(as name: String) throws -> [CollectionSetting] {
        let sets = engine.folder + "/1/configsets/"
        try FileManager.default.copyItem(atPath: sets + "webcollection", toPath: sets + name)
        return [CollectionSetting(name: "configSet", value: name)]
    }

    /// Runs `body` with a collection that is created only for it.
    func withCollection(
        _ name: CollectionName,
        checksMissing: Bool = true,
        settings: [CollectionSetting]? = nil,
        _ body: (any CollectionEngine) async throws -> Void
    ) async throws {
        let administration = try await open(checksMissing: checksMissing)
        try await administration.create(name, settings: settings ?? kind.settings)
        do {
            try await body(try await administration.collection(named: name))
        } catch {
            _ = try? await administration.delete(name)
            throw error
        }
        _ = try await administration.delete(name)
    }
}

extension LiveEngine {
    /// The address of Solr.
    var solrNodes: [NodeAddress] {
        nodes.map { NodeAddress(scheme: $0.scheme, host: $0.host, port: $0.port, path: "/solr") }
    }

    /// Returns the options of a user's connection with TLS; the file of credentials is written into `folder`.
    func connection(as user: String, in folder: TemporaryFolder) throws -> ConnectionOptions {
        let path = folder.path("credentials-" + UUID().uuidString)
        try user.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        var options = ConnectionOptions()
        options.tls.authorityFile = self.folder + "/tls/ca.pem"
        options.credentials = .file(path: path)
        return options
    }
}

extension ContentEngine {
    /// Adds a document with a number for each ID.
    func load(_ ids: [DocumentID]) async throws {
        for start in stride(from: 0, to: ids.count, by: 5_000) {
            let batch = ids[start..<min(start + 5_000, ids.count)].enumerated().map { index, id in
                ContentOperation.add(Document(id: id, json: Array(#"{"n_i":\#(index)}"#.utf8)))
            }
            guard case .results = await reply(to: batch) else { throw LoadFailure() }
        }
        try await raise(to: .live)
    }
}

struct LoadFailure: Error {}
