import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Published logs and pastes, with counts made by hand.
@Suite struct SampleAccountTests {
    /// The account of a file's lines, counted by hand and with `wc`, `grep` and `awk`.
    struct Account: CustomTestStringConvertible, Equatable {
        var sample: String
        var events: Int
        var rows: Int
        var parts = 0
        var continuations = 0
        var headers = 0
        var blank = 0
        var notUnderstood = 0
        var inferred = 0
        var testDescription: String { sample }

        static func native(_ sample: String, rows: Int, parts: Int = 0, headers: Int = 0) -> Account {
            Account(sample: sample, events: rows - parts, rows: rows, parts: parts, headers: headers)
        }

        static func pasted(_ sample: String, rows: Int, continuations: Int = 0, blank: Int = 0) -> Account {
            Account(
                sample: sample,
                events: rows,
                rows: rows,
                continuations: continuations,
                blank: blank,
                inferred: rows
            )
        }

        /// Returns a record that names its columns, so nothing is inferred.
        static func block(_ sample: String, continuations: Int, blank: Int = 0) -> Account {
            Account(sample: sample, events: 1, rows: 1, continuations: continuations, blank: blank)
        }
    }

    static let accounts: [Account] = [
        .pasted("000", rows: 17), .pasted("000b", rows: 17), .native("000c", rows: 17, headers: 1),
        .native("001", rows: 17, headers: 1), .native("002", rows: 20, headers: 1), .native("003", rows: 1219),
        .native("010", rows: 15, parts: 6), .pasted("012", rows: 9), .pasted("014", rows: 5), .native("016", rows: 2),
        .pasted("018", rows: 2), .pasted("020", rows: 1), .pasted("031", rows: 7, continuations: 25, blank: 6),
        .pasted("033", rows: 2), .pasted("035", rows: 3, continuations: 10), .pasted("037", rows: 2),
        .pasted("038", rows: 2, continuations: 5), .pasted("040", rows: 1), .pasted("041", rows: 1),
        .pasted("043", rows: 1), .pasted("045", rows: 1), .pasted("046", rows: 2), .pasted("048", rows: 2),
        .pasted("049", rows: 2), .native("051", rows: 14), .block("053", continuations: 5),
        .native("054", rows: 3), .pasted("055", rows: 2), .pasted("057", rows: 1), .pasted("058", rows: 1),
        .native("060", rows: 1), .pasted("062", rows: 1), .pasted("064", rows: 1, continuations: 1),
        .pasted("066", rows: 1, continuations: 8), .pasted("067", rows: 1, continuations: 16), .pasted("070", rows: 1),
        .pasted("071", rows: 1), .pasted("072", rows: 1), .pasted("074", rows: 1), .pasted("075", rows: 1),
        .pasted("081", rows: 1), .block("083", continuations: 4, blank: 1), .pasted("084", rows: 1),
        .native("085", rows: 10), .pasted("086", rows: 1),
    ]

    @Test(.enabled(if: SampleLogs.folder != nil, "FASTCTL_SAMPLES names no folder"), arguments: accounts)
    func `The counts of lines in each published log match those made by hand`(expected: Account) throws {
        let log = try ReadLog([Samples.path(expected.sample)])
        let account = Account(
            sample: expected.sample,
            events: log.events.count,
            rows: log.quality.records,
            parts: log.quality.parts,
            continuations: log.quality.continuations,
            headers: log.quality.headers,
            blank: log.quality.blank,
            notUnderstood: log.quality.notUnderstood,
            inferred: log.quality.inferred
        )
        #expect(account == expected, "\(account)")
        #expect(log.quality.orphans == 0)
        #expect(log.quality.limits.isEmpty)
        #expect(log.summary.quality.clockSteps == 0)
        let lines = try SampleLogs.bytes(Samples.name(expected.sample)).count { $0 == 0x0A }
        #expect(log.quality.lines == lines)
    }

    @Test(.enabled(if: SampleLogs.folder != nil, "FASTCTL_SAMPLES names no folder"))
    func `Every sample has its expected counts`() throws {
        let names = try SampleLogs.files().map { String($0.prefix { $0 != "-" }) }
        #expect(Set(names) == Set(Self.accounts.map(\.sample)))
    }
}

/// Samples by the number at the beginning of their names.
enum Samples {
    static func name(_ sample: String) throws -> String {
        try #require(try SampleLogs.files().first { $0.hasPrefix(sample + "-") })
    }

    static func path(_ sample: String) throws -> String { try (SampleLogs.folder ?? "") + "/" + name(sample) }
}
