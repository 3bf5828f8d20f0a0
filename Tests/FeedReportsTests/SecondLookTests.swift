import ContentFeeding
import FeedJobs
import FeedReports
import ReportKit
import Testing
import TextKit

/// Reports about documents that are checked again.
struct SecondLookTests {
    private static let capabilities = EngineCapabilities()

    private static func found(_ id: DocumentID, _ json: String) -> VersionAnswer {
        .found(VersionedDocument(id: id, version: DocumentVersion(rawValue: "1"), json: Array(json.utf8)))
    }

    private static let flawed = VersionAnswer.unreadable(
        UnreadableDocument(DocumentKey("c"), bytes: Array("{/**/}".utf8), reason: "a comment")
    )

    @Test func `A document that can't be read counts as a difference, regardless of the operation`() throws {
        let added = ContentOperation.add(Document(id: "c", json: Array("{}".utf8)))
        for operation in [added, .remove("c")] {
            let finding = SecondLookFinding(operation, Self.flawed, in: Self.capabilities)
            #expect(finding.difference == .unreadable && finding.flaw?.message.contains("a comment") == true)
        }
        let same = SecondLookFinding(added, Self.found("c", "{}"), in: Self.capabilities)
        #expect(same.difference == nil && same.flaw == nil)
        #expect(SecondLookFinding(.remove("c"), .absent, in: Self.capabilities).difference == nil)
        #expect(SecondLookFinding(added, .absent, in: Self.capabilities).difference == .gone)
    }

    @Test func `Documents are compared by meaning, and the keys that differ are named`() throws {
        let json = #"{"n":1,"at":"2026-11-29T12:00:00Z","t":"x"}"#
        let added = ContentOperation.add(Document(id: "c", json: Array(json.utf8)))
        let updated = ContentOperation.update(Document(id: "c", json: Array(#"{"n":1,"gone":null}"#.utf8)))
        let same = Self.found("c", #"{"t":"x","at":"2026-11-29T12:00Z","n":1.0}"#)
        for operation in [added, updated] {
            #expect(SecondLookFinding(operation, same, in: Self.capabilities).difference == nil)
        }
        var transcript = SecondLookTranscript(.text, nameEnd: .line, in: "web")
        var bytes: [UInt8] = []
        for operation in [added, updated] {
            let other = Self.found("c", #"{"n":"1","gone":2,"t":"x"}"#)
            let finding = SecondLookFinding(operation, other, in: Self.capabilities)
            #expect(finding.difference == .changed)
            transcript.append(finding, to: &bytes)
        }
        let lines = "'c' has changed since: +gone ~n -at\n'c' has changed since: +gone ~n\n"
        #expect(String(decoding: bytes, as: UTF8.self) == lines)
    }

    @Test func `Counters are not compared, but the other keys of the update are`() throws {
        let patch = #"{"n":{"$inc":1},"t":"x","tags":{"$add":["a"]}}"#
        let operation = ContentOperation.update(Document(id: "c", json: Array(patch.utf8)))
        let rows = [
            (#"{"n":4,"t":"x","tags":["b","a"]}"#, ""), (#"{"n":4,"t":"y","tags":["a"]}"#, "~t"),
            (#"{"n":4,"t":"x","tags":[]}"#, "~tags"),
        ]
        var tally = SecondLookTally()
        for (json, keys) in rows {
            let finding = SecondLookFinding(operation, Self.found("c", json), in: Self.capabilities)
            let changed = finding.keys.map { $0.changed + $0.added + $0.removed } ?? []
            #expect(finding.hasCounters && changed.map { "~\($0)" }.joined() == keys, "\(json)")
            tally.note(finding)
        }
        let sentence = tally.sentence(of: JobID(rawValue: "K7Z3"), in: "web", nil)
        let counts = "of 3 documents in job K7Z3, 2 have changed since; the counters of 3 documents were not compared"
        #expect(sentence.contains(counts))
    }

    @Test func `Several operations on a document are compared as their combination`() throws {
        func update(_ json: String) -> ContentOperation { .update(Document(id: "c", json: Array(json.utf8))) }
        let (one, two) = (update(#"{"a":1,"b":1}"#), update(#"{"b":2,"n":{"$inc":1}}"#))
        let added = ContentOperation.add(Document(id: "c", json: Array(#"{"n":1,"x":1}"#.utf8)))
        let upsert = one.adding(Array(#"{"n":7}"#.utf8))
        let rows: [(operations: [ContentOperation], json: String, keys: [String])] = [
            ([one, two], #"{"a":1,"b":2,"n":5}"#, []), ([one, two], #"{"b":2,"n":5}"#, ["a"]),
            // After an addition, even a counter is known.
            ([added, one, two], #"{"n":2,"x":1,"a":1,"b":2}"#, []),
            ([added, one, two], #"{"n":3,"x":1,"b":2}"#, ["a", "n"]),
            ([one, added], #"{"n":1,"x":1}"#, []), ([added, .remove("c"), two], #"{"b":2,"n":1}"#, []),
            ([upsert, two], #"{"n":8,"b":2}"#, []), ([upsert, two], #"{"a":1,"b":2,"n":4}"#, []),
            ([upsert, two], #"{"n":8,"b":1}"#, ["a", "b"]),
            // The last update alone is compared if the combination is not known.
            ([update(#"{"n":"x","a":1}"#), two], #"{"b":2,"n":1}"#, []),
        ]
        for row in rows {
            let all = row.operations.dropFirst().reduce(row.operations[0]) { $0.combined(then: $1) }
            let finding = SecondLookFinding(all, Self.found("c", row.json), in: Self.capabilities)
            let keys = finding.keys.map { ($0.changed + $0.added + $0.removed).sorted() } ?? []
            #expect(keys == row.keys && (finding.difference == nil) == keys.isEmpty, "\(row.json): \(keys)")
        }
        #expect(one.combined(then: .remove("c")) == .remove("c"))
    }

    @Test func `A later value replaces what a path has counted, but a later path is compared alone`() {
        let path = ContentOperation.update(Document(id: "c", json: Array(#"{"p.m":{"$inc":1},"a":1}"#.utf8)))
        let value = ContentOperation.update(Document(id: "c", json: Array(#"{"p":{"m":0}}"#.utf8)))
        let both = path.combined(then: value)
        let rows: [(json: String, keys: [String])] = [
            (#"{"p":{"m":0},"a":1}"#, []), (#"{"p":{"m":1}}"#, ["a", "p"]),
        ]
        for (json, keys) in rows {
            let finding = SecondLookFinding(both, Self.found("c", json), in: Self.capabilities)
            let changed = finding.keys.map { ($0.changed + $0.added + $0.removed).sorted() } ?? []
            #expect(!finding.hasCounters && changed == keys, "\(json): \(changed)")
        }
        #expect(value.combined(then: path) == path)
    }

    @Test func `A document that an update added as a whole has not changed`() throws {
        let patch = ContentOperation.update(Document(id: "c", json: Array(#"{"n":1,"t":"x"}"#.utf8)))
        let upsert = patch.adding(Array(#"{"n":7}"#.utf8))
        for (json, isSame) in [(#"{"n":7.0}"#, true), (#"{"n":1,"t":"x","a":2}"#, true), (#"{"n":8}"#, false)] {
            let finding = SecondLookFinding(upsert, Self.found("c", json), in: Self.capabilities)
            #expect((finding.difference == nil) == isSame && (finding.keys == nil) == isSame, "\(json)")
        }
    }

    @Test func `A document that can't be read is named with the reason, and the counts add up`() throws {
        var tally = SecondLookTally()
        var transcript = SecondLookTranscript(.text, nameEnd: .line, in: "web")
        var bytes: [UInt8] = []
        let answers = [("a", VersionAnswer.absent), ("b", Self.found("b", "{}")), ("c", Self.flawed)]
        for (id, answer) in answers {
            let operation = ContentOperation.remove(DocumentID(stringLiteral: id))
            let finding = SecondLookFinding(operation, answer, in: Self.capabilities)
            tally.note(finding)
            transcript.append(finding, to: &bytes)
        }
        let reason = "the engine's copy of the document is not JSON: a comment"
        #expect(String(decoding: bytes, as: UTF8.self) == "'b' exists again\n'c' could not be read: \(reason)\n")
        #expect(tally.wrong == 2 && tally.statuses == [.documentsFailed])
        let sentence = tally.sentence(of: JobID(rawValue: "K7Z3"), in: "web", nil)
        #expect(sentence == "web: of 3 documents in job K7Z3, 1 exists again, 1 could not be read")
    }
}
