import ContentFeeding
import FeedJobs
import FeedReports
import Foundation
import ReportKit
import Testing
import TextKit

struct FeedTranscriptTests {
    private let seed: [ContentOperation] = ["ID1", "ID2", "FAKEID", "ID4"].map { .remove($0) }

    @Test func `Removing four items, one of them missing, prints six lines`() async throws {
        let text = try await rendered(RenderedFeed(operations: seed), as: FeedTranscript(.text))
        #expect(
            text == """
                Removing item 'ID1'. Operation ID: 1
                Removing item 'ID2'. Operation ID: 2
                Removing item 'FAKEID'. Operation ID: 3
                Removing item 'ID4'. Operation ID: 4
                Total Errors: 1
                Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: Document \
                e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist

                """
        )
    }

    @Test func `With the option quiet, only the blocks are printed`() async throws {
        let feed = RenderedFeed(operations: seed, missing: .warn)
        let text = try await rendered(feed, as: FeedTranscript(.text, isQuiet: true))
        #expect(text.hasPrefix("Total Warnings: 1\nOperation ID: 3 Document ID: FAKEID Warning Code: 3 Description: "))
    }

    @Test func `Nothing is printed for a feed without items or issues`() async throws {
        let feed = RenderedFeed(operations: seed, missing: .ignore)
        #expect(try await rendered(feed, as: FeedTranscript(.text, isQuiet: true)).isEmpty)
    }

    @Test func `Text from outside can't move the terminal's cursor`() async throws {
        let feed = RenderedFeed(operations: [.remove("a\u{1B}[2Jb")])
        let text = try await rendered(feed, as: FeedTranscript(.text))
        #expect(text == "Removing item 'a\\u{1B}[2Jb'. Operation ID: 1\n")
    }

    @Test func `Names are written byte for byte, and only for operations that were carried out`() async throws {
        let feed = RenderedFeed(operations: [.remove("a\u{1B}b"), .remove("FAKE"), .remove("x\ny")])
        var transcript = FeedTranscript(.name)
        #expect(try await rendered(feed, as: &transcript) == "a\u{1B}b\n")
        #expect(transcript.unwritableNames == 1)
        #expect(try await rendered(feed, as: FeedTranscript(.name, nameEnd: .nul)) == "a\u{1B}b\0x\ny\0")
    }

    @Test func `The keys of the report are in a fixed order`() async throws {
        let rejection = InputRejection(source: "ids", line: 5, reason: "not UTF-8")
        let feed = RenderedFeed(operations: seed, rejections: [rejection])
        let text = try await rendered(feed, as: FeedTranscript(.json))
        let keys = [
            "schema", "command", "target", "collection", "job", "counts", "input", "errors", "warnings", "level",
            "exitCode", "startedAt", "seconds",
        ]
        let places = keys.compactMap { text.range(of: "\"\($0)\":")?.lowerBound }
        #expect(places.count == keys.count)
        #expect(places == places.sorted())
        let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(report["exitCode"] as? Int == 65)
        #expect(report["startedAt"] as? String == "2026-11-21T12:46:57.250Z")
        let counts = try #require(report["counts"] as? [String: Int])
        #expect(counts["removed"] == 3 && counts["missing"] == 1 && counts["rejectedInput"] == 1)
        #expect(counts.count == 3 + Outcome.allCases.count)
        let errors = try #require(report["errors"] as? [[String: Any]])
        #expect(
            errors.count == 1 && errors[0]["number"] as? Int == 3 && errors[0]["disposition"] as? String == "permanent"
        )
    }

    @Test func `The report contains the conditions that selected the documents`() async throws {
        var selection = SearchQuery(fields: [
            .init(name: "mail", value: "ann@example.org"), .init(name: "n", value: ""),
        ])
        selection.expression = "date:[* TO 2019]"
        let text = try await rendered(RenderedFeed(operations: seed), as: FeedTranscript(.json), choosing: selection)
        let expected =
            #""selection":{"where":[{"name":"mail","value":"ann@example.org"},{"name":"n","value":""}],"#
            + #""query":"date:[* TO 2019]"}"#
        #expect(text.contains(expected))
        #expect(try await !rendered(RenderedFeed(operations: seed), as: FeedTranscript(.json)).contains("selection"))
    }

    @Test func `Each event is one line, and the last line is the report with empty lists`() async throws {
        let text = try await rendered(RenderedFeed(operations: seed), as: FeedTranscript(.ndjson))
        let objects = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.count == 5)
        #expect(objects.dropLast().allSatisfy { $0["schema"] as? String == "fastctl.event/1" })
        #expect(objects[2]["code"] as? String == "document-missing")
        #expect(objects[0]["code"] is NSNull)
        #expect((objects[4]["errors"] as? [Any])?.isEmpty == true)
    }

    @Test func `The report and the lines name the keys by which documents differ`() async throws {
        var tally = VerificationAccount.Tally()
        (tally.documents, tally.checked, tally.differing, tally.comparesContents) = (3, 3, 2, true)
        let keys = KeyDifference(added: ["n"], changed: (0..<9).map { "k\($0)" }, removed: ["\u{1B}x"])
        tally.namedDiffering = [.init(id: "A", keys: keys), .init(id: "B", keys: KeyDifference())]
        let account = VerificationAccount.done(tally)
        let feed = RenderedFeed(operations: seed)
        let text = try await rendered(feed, as: FeedTranscript(.json), verifying: account)
        let named = (0..<8).map { "\"k\($0)\"" }.joined(separator: ",")
        let expected =
            #""wrong":2,"differing":2,"named":["A","B"],"differences":[{"documentID":"A","added":["n"],"#
            + #""changed":[\#(named)],"removed":["\u001bx"],"more":1},"#
            + #"{"documentID":"B","added":[],"changed":[],"removed":[],"more":0}]}"#
        #expect(text.lowercased().contains(expected.lowercased()), "\(text)")
        var circumstances = circumstances
        circumstances.verification = account
        let lines = FeedConclusion(.example(removed: 3, end: .completed), circumstances).remarks
        #expect(lines.first == "'A' differs from what was fed: +n ~k0 ~k1 ~k2 ~k3 ~k4 ~k5 ~k6 and 3 more keys")
        #expect(lines.dropFirst().first == "'B' differs from what was fed")
    }

    private var circumstances: FeedCircumstances {
        FeedCircumstances(kind: .add, target: "sqlite:/store", commandLine: CommandLineWords(["fastctl", "add"]))
    }

    private func rendered(
        _ feed: RenderedFeed,
        as transcript: FeedTranscript,
        choosing selection: SearchQuery? = nil,
        verifying verification: VerificationAccount? = nil
    ) async throws -> String {
        var transcript = transcript
        return try await rendered(feed, as: &transcript, choosing: selection, verifying: verification)
    }

    private func rendered(
        _ feed: RenderedFeed,
        as transcript: inout FeedTranscript,
        choosing selection: SearchQuery? = nil,
        verifying verification: VerificationAccount? = nil
    ) async throws -> String {
        let page = Page(transcript)
        let result = await feed.run { page.transcript.append($0, in: "WebCollection", to: &page.bytes) }
        var circumstances = FeedCircumstances(
            kind: .remove,
            target: "sqlite:/store",
            commandLine: CommandLineWords(["fastctl", "remove"])
        )
        circumstances.selection = selection
        circumstances.verification = verification
        circumstances.startedAt = .milliseconds(1_795_265_217_250)
        try page.transcript.append(result, circumstances, to: &page.bytes) { _ in }
        transcript = page.transcript
        return String(decoding: page.bytes, as: UTF8.self)
    }
}

/// The destination of the closure's output.
private final class Page {
    var transcript: FeedTranscript
    var bytes: [UInt8] = []
    init(_ transcript: FeedTranscript) { self.transcript = transcript }
}

/// Removals and additions with an engine in which all documents exist except for IDs that begin with `FAKE`.
struct RenderedFeed {
    var operations: [ContentOperation]
    var rejections: [InputRejection] = []
    var missing = MissingPolicy.error
    var spillDirectory: String?

    /// Runs the feed; `observe` receives its events.
    func run(_ observe: @escaping (FeedEvent) -> Void = { _ in }) async -> FeedResult {
        var options = FeedOptions()
        options.configuration.missing = missing
        options.configuration.linger = .zero
        options.spillDirectory = spillDirectory
        let (operations, rejections) = (operations, rejections)
        let chunks = AsyncStream<OperationChunk> { continuation in
            let input = InputTally(
                lines: operations.count + rejections.count,
                rejected: rejections.count,
                bytes: operations.reduce(0) { $0 + $1.byteCount }
            )
            continuation.yield(OperationChunk(operations: operations, input: input, rejections: rejections))
            continuation.finish()
        }
        return await OperationFeed(engine: PresentUnlessFake(), options: options).run(
            chunks,
            job: JobClaim(id: JobID(rawValue: "01JOB"), epoch: 1)
        ) { event, _ in
            observe(event)
        }
    }
}

private struct PresentUnlessFake: ContentEngine {
    let collection: CollectionName = "WebCollection"
    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.maximumBatchesInFlight = 1
        return capabilities
    }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        .results(batch.items.map { item in .done(outcome(of: item.operation)) })
    }

    private func outcome(of operation: ContentOperation) -> Outcome {
        switch operation.kind {
        case .add: .added
        case .update, .remove:
            operation.documentID.text.hasPrefix("FAKE") ? .missing : operation.kind == .remove ? .removed : .updated
        }
    }

    func raise(to level: CompletionLevel) async throws(EngineError) {}
}
