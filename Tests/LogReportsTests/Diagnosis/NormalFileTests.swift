import Foundation
import LogDiagnosis
import LogReports
import TestSupport
import Testing

struct NormalFileTests {
    /// Returns the output of `logs usual` for a log with these numbers of kinds of failures and servers.
    private func normal(kinds: Int, servers: Int) -> NormalFailures {
        let template = "Contoso.PostingException: \"the period\" is closed, see <path> and <number> \\ Größe"
        let names = (0..<servers).map { "wfe\($0)" }
        var normal = NormalFailures(
            kinds: (0..<kinds).map {
                NormalFailures.Kind(
                    id: String(format: "%016x", $0),
                    eventID: "zq\($0)",
                    template: template,
                    rows: $0 + 1
                )
            },
            hours: 24
        )
        normal.portrait = LogPortrait(
            kinds: normal.kinds.map { kind in
                LogPortrait.Kind(
                    id: kind.id,
                    eventID: kind.eventID,
                    template: kind.template,
                    exception: kind.rows % 2 == 0 ? "Contoso.PostingException" : nil,
                    rows: kind.rows,
                    events: kind.rows,
                    servers: Dictionary(uniqueKeysWithValues: names.map { ($0, kind.rows) })
                )
            },
            servers: names.map { LogPortrait.Server(name: $0, hours: 23.5) }
        )
        return normal
    }

    private func read(_ bytes: [UInt8]) throws -> NormalFailures {
        let folder = try TemporaryFolder()
        let path = folder.path("normal.json")
        try Data(bytes).write(to: URL(filePath: path))
        return try NormalFailures.read(path)
    }

    @Test(arguments: [(0, 0), (1, 1), (DiagnosisLimit.templates.maximum, 12), (1000, 100)])
    func `A file that logs usual wrote with the maximum number of kinds can be read`(
        kinds: Int,
        servers: Int
    ) throws {
        let written = normal(kinds: kinds, servers: servers)
        var bytes: [UInt8] = []
        NormalRenderer.append(written, to: &bytes)
        #expect(try read(bytes) == written)
    }

    @Test func `Kinds that rules explain are also read from a file written by an older version`() throws {
        var written = normal(kinds: 3, servers: 1)
        let all = written.kinds
        let portrait = written.portrait
        written = NormalFailures(kinds: Array(all.prefix(1)), hours: 24)
        written.portrait = portrait
        var bytes: [UInt8] = []
        NormalRenderer.append(written, to: &bytes)
        #expect(try read(bytes).kinds == all)
    }

    @Test func `Kinds known only by their IDs are also read`() throws {
        let others = Dictionary(
            uniqueKeysWithValues: (0..<100_000).map { (String(format: "%016x", 1 << 40 + $0), $0 + 1) }
        )
        let known = normal(kinds: 2, servers: 1)
        var written = NormalFailures(kinds: known.kinds, others: others, isIncomplete: true, hours: 24)
        written.portrait = known.portrait
        var bytes: [UInt8] = []
        NormalRenderer.append(written, to: &bytes)
        #expect(try read(bytes) == written)
    }

    @Test func `A file with too many values is refused`() throws {
        var bytes: [UInt8] = []
        NormalRenderer.append(normal(kinds: 4 * DiagnosisLimit.templates.maximum, servers: 60), to: &bytes)
        let error = #expect(throws: RuleError.self) { try read(bytes) }
        #expect("\(try #require(error))".contains("more than 2500000 values"))
    }
}
