import ContentFeeding
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

/// A Solr that does not reveal everything about itself, permanently or temporarily.
@Suite(.timeLimit(.minutes(1)))
struct UnsureTests {
    private typealias Answer = SpeakingServer.Answer

    private static let success = Answer(body: #"{"responseHeader":{"status":0}}"#)
    private static let empty = Answer(body: #"{"response":{"numFound":0,"docs":[]}}"#)

    private func removal(of id: DocumentID, in administration: any CollectionAdministration) async throws -> BatchReply
    {
        let collection = try await administration.collection(named: "c")
        let items = [ContentBatch.Item(id: .first, operation: .remove(id))]
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }

    @Test func `The effect of an update to a possible cluster is checked after a pause`() async throws {
        let slow = Answer(body: #"{"responseHeader":{"status":0,"QTime":400}}"#)
        let there = Answer(body: #"{"response":{"numFound":1,"docs":[{"id":"a"}]}}"#)
        let solr = try await SpeakingServer.silent(update: slow, get: there).open()
        guard case .results(let results) = try await removal(of: "a", in: solr),
            case .unknown(_, answered: false)? = results.first
        else {
            Issue.record("a document that is still there was called removed")
            return
        }
    }

    /// The key is a number, and the only document is 1000.
    @Test func `Another spelling of a number fails alone, with the spelling that Solr uses`() async throws {
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") { return Self.success }
            guard target.hasPrefix("/c/get") else { return SpeakingServer.forbidden }
            let isAsked = body.contains("id=01000")
            let documents = isAsked ? #"{"numFound":1,"docs":[{"id":1000}]}"# : #"{"numFound":0,"docs":[]}"#
            return Answer(body: #"{"response":\#(documents)}"#)
        }
        let solr = try await server.open(checksMissing: true)
        let collection = try await solr.collection(named: "c")
        let ids: [DocumentID] = ["01000", "2"]
        let items = zip([OperationID.first, .first.next], ids).map { ContentBatch.Item(id: $0, operation: .remove($1)) }
        let both = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        #expect(both.failure?.kind == .split(mayHaveApplied: false))
        let alone = try #require(await removal(of: "01000", in: solr).failure)
        #expect(alone.kind == .split(mayHaveApplied: false))
        #expect(alone.failure.message.hasSuffix("takes the ID '01000' for '1000'; write the ID as Solr does: 1000"))
        #expect(alone.failure.disposition == .permanent)
        #expect(try await removal(of: "2", in: solr) == .results([.done(.missing)]))
    }

    @Test func `Aliases are requested from a server that may be a cluster`() async throws {
        let aliases = Answer(body: #"{"responseHeader":{"status":0},"aliases":{"c":"x,y"}}"#)
        let solr = try await SpeakingServer.silent(update: Self.success, get: Self.empty, aliases: aliases).open()
        let error = await #expect(throws: EngineError.self) { _ = try await solr.collection(named: "c") }
        #expect(error?.code == .rejected)
        #expect(error?.message.contains("x, y") == true)
    }

    @Test func `A server that turns out not to be a cluster has no aliases`() async throws {
        let refusal = Answer(
            status: 400,
            body: #"{"responseHeader":{"status":400},"error":{"msg":"not running in SolrCloud mode","code":400}}"#
        )
        let solr = try await SpeakingServer.silent(update: Self.success, get: Self.empty, aliases: refusal).open()
        #expect(try await removal(of: "a", in: solr) == .results([.done(.gone)]))
    }

    /// While a core is being reloaded, Solr responds to its updates with 404.
    @Test(arguments: [Answer(status: 500, body: ""), SpeakingServer.forbidden])
    func `A collection that temporarily can't be looked up is not missing`(answer: SpeakingServer.Answer) async throws {
        let isOpen = Mutex(false)
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update") {
                isOpen.withLock { $0 = true }
                return Answer(status: 404, body: "<html>", type: "text/html")
            }
            return isOpen.withLock { $0 } ? answer : SpeakingServer.known(target, isThere: true)
        }
        guard case .failed(let failure) = try await removal(of: "a", in: server.open()) else {
            Issue.record("an update that was refused had results")
            return
        }
        #expect(failure.kind == .definite(isCharged: true))
    }

    @Test func `A Solr that never lists its cores is trusted when its response is not found`() async throws {
        let gone = Answer(status: 404, body: "<html>", type: "text/html")
        let solr = try await SpeakingServer.silent(update: gone, get: Self.empty).open()
        guard case .failed(let failure) = try await removal(of: "a", in: solr) else {
            Issue.record("an update that was refused had results")
            return
        }
        #expect(failure.kind == .stop(.missingCollection))
    }

    /// Returns the target of a lookup in a Solr of this version.
    private func lookUp(version: String, _ answer: SpeakingServer.Answer = Self.empty) async throws -> String {
        let asked = Mutex("")
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/c/get") {
                asked.withLock { $0 = target }
                return answer
            }
            guard target.hasPrefix("/admin/info/system") else { return SpeakingServer.known(target, isThere: true) }
            let lucene = #""lucene":{"solr-spec-version":"\#(version)"}"#
            return Answer(body: #"{"responseHeader":{"status":0},"mode":"std",\#(lucene)}"#)
        }
        _ = try await server.open().collection(named: "c").exists(["a"])
        return asked.withLock { $0 }
    }

    @Test(arguments: [
        ("8.0.0", false), ("8.9.9", false), ("8.10.0", true), ("9.0.0", true), ("10.0.0", true), ("9", false),
    ])
    func `Leaders are requested only from a version of Solr that supports this`(
        version: String,
        isAsked: Bool
    ) async throws {
        #expect(try await lookUp(version: version).contains("shards.preference=replica.leader") == isAsked)
    }

    @Test func `A lookup requests the header that reveals missing parts`() async throws {
        #expect(try await lookUp(version: "9.0.0").contains("omitHeader=false"))
        let header = #""responseHeader":{"status":0,"partialResults":true}"#
        let partial = Answer(body: #"{\#(header),"response":{"numFound":0,"docs":[]}}"#)
        await #expect(throws: EngineError.self) { _ = try await lookUp(version: "9.0.0", partial) }
    }
}

/// The amount of changed documents that is kept in memory at the same time.
@Suite(.timeLimit(.minutes(1)))
struct LookUpBytesTests {
    private static let limit = 20_000

    /// Returns a core in which each document has slightly more than the given number of bytes.
    private func collection(documentBytes: Int) async throws -> SolrCollection {
        let text = String(repeating: "x", count: documentBytes)
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") { return SpeakingServer.Answer(body: #"{"responseHeader":{"status":0}}"#) }
            guard target.hasPrefix("/c/get") else { return SpeakingServer.known(target, isThere: true) }
            let documents = body.split(separator: "&").map {
                #"{"id":"\#($0.dropFirst(3))","_version_":7,"t":"\#(text)"}"#
            }
            let list = documents.joined(separator: ",")
            return SpeakingServer.Answer(body: #"{"response":{"numFound":\#(documents.count),"docs":[\#(list)]}}"#)
        }
        var collection = try #require(try await server.open().collection(named: "c") as? SolrCollection)
        collection.maximumLookUpBytes = Self.limit
        return collection
    }

    private func update(_ count: Int, in collection: SolrCollection) async throws -> BatchReply {
        let items = try (0..<count).map { number in
            let patch = Document(id: try DocumentID("d\(number)"), json: Array(#"{"t":"y"}"#.utf8))
            return ContentBatch.Item(id: .first, operation: .update(patch))
        }
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }

    @Test(arguments: [(2, limit / 2), (300, limit / 250)])
    func `A batch of documents that are too large is sent in halves`(count: Int, documentBytes: Int) async throws {
        guard case .failed(let failure) = try await update(count, in: collection(documentBytes: documentBytes)) else {
            Issue.record("a batch that changes too much was sent whole")
            return
        }
        #expect(failure.kind == .split(mayHaveApplied: false))
    }

    @Test(arguments: [(1, limit), (2, limit / 4)])
    func `A batch that fits and a single document are sent undivided`(count: Int, documentBytes: Int) async throws {
        let reply = try await update(count, in: collection(documentBytes: documentBytes))
        #expect(reply == .results(Array(repeating: .done(.updated), count: count)))
    }
}
