import TestSupport
import Testing

@testable import ULSPaste
@testable import ULSRows

/// Published pastes as interpreted by a human reader: the shape and, for each record, the event ID and the level.
struct PasteSamplesTests {
    struct Expectation: CustomTestStringConvertible {
        let sample: String
        let shape: PastedRecord.Shape
        let records: [String]
        var testDescription: String { sample }

        init(_ sample: String, _ shape: PastedRecord.Shape, _ records: [String]) {
            self.sample = sample
            self.shape = shape
            self.records = records
        }
    }

    static let requestRows = [
        "nasq Medium", "xmnv Medium", "af71 Medium", "af75 Medium", "af74 Medium", "b9y3 High", "b9y4 High",
        "b9y4 High", "b9y9 High", "8e26 Medium", "b9y3 High", "b9y4 High", "b9y4 High", "b9y9 High", "8e26 Medium",
        "8l3c Medium", "b4ly Medium",
    ]

    static let expectations = [
        Expectation("000", .row, requestRows),
        Expectation("000b", .row, requestRows),
        Expectation(
            "012",
            .row,
            [
                "eft7 High", "azmi9 Medium", "7fd9 Unexpected", "7fd9 Unexpected", "8kh7 High", "ai1wu Medium",
                "eft9 Unexpected", "azmi9 Medium", "a491d High",
            ]
        ),
        Expectation("014", .row, ["amn28 Medium", "amn0i High", "amn30 High", "15y3 High", "amn3o High"]),
        Expectation("018", .row, ["106 High", "99 High"]),
        Expectation("020", .row, ["a75h7 Medium"]),
        Expectation(
            "031",
            .row,
            [
                "aii1c Verbose", "ajmmu Medium", "afxwb High", "agmjp High", "aizmo Medium", "af32v Verbose",
                "alkvd Medium",
            ]
        ),
        Expectation("033", .row, ["b6p4 VerboseEx", "tzkv Verbose"]),
        Expectation("035", .row, ["g144 Unexpected", "9sip High", "9i1u Medium"]),
        Expectation("037", .row, ["72e1 High", "72e9 Medium"]),
        Expectation("038", .row, ["9004 Warning", "8079 Critical"]),
        Expectation("040", .row, ["fx7n Medium"]),
        Expectation("041", .row, ["8xqz Medium"]),
        Expectation("043", .row, ["99 High"]),
        Expectation("045", .row, ["8nca Medium"]),
        Expectation("046", .row, ["ai3n0 Monitorable", "ai3n0 Monitorable"]),
        Expectation("048", .row, ["fa45 High", "88bl Monitorable"]),
        Expectation("049", .row, ["a9sz7 Verbose", "ayg2m High"]),
        Expectation("053", .block, ["adr4q Unexpected"]),
        Expectation("055", .row, ["dtv8 Medium", "dtv8 Medium"]),
        Expectation("057", .row, ["6f8g Unexpected"]),
        Expectation("058", .row, ["0000 Information"]),
        Expectation("062", .message, [" "]),
        Expectation("064", .row, [" Verbose"]),
        Expectation("066", .message, [" "]),
        Expectation("067", .message, [" "]),
        Expectation("070", .message, [" "]),
        Expectation("071", .message, [" "]),
        Expectation("072", .message, [" "]),
        Expectation("074", .message, [" "]),
        Expectation("075", .message, [" "]),
        Expectation("081", .row, ["72fs Unexpected"]),
        Expectation("083", .block, [" Unexpected"]),
        Expectation("084", .row, ["eq8l Warning"]),
        Expectation("086", .row, ["ahk8y Verbose"]),
    ]

    @Test(.enabled(if: SampleLogs.folder != nil, "FASTCTL_SAMPLES names no folder"), arguments: expectations)
    func `A published paste is read as a human reader would read it`(expected: Expectation) throws {
        let name = try #require(try SampleLogs.files().first { $0.hasPrefix(expected.sample + "-") })
        let paste = ReadPaste(bytes: try SampleLogs.bytes(name))
        #expect(paste.records.map(\.summary) == expected.records)
        #expect(paste.records.allSatisfy { $0.shape == expected.shape })
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.quality.cutRecords == 0)
    }

    @Test(.enabled(if: SampleLogs.folder != nil, "FASTCTL_SAMPLES names no folder"))
    func `Every line of every sample is accounted for`() throws {
        for name in try SampleLogs.files() {
            let bytes = try SampleLogs.bytes(name)
            let paste = ReadPaste(bytes: bytes)
            let lines = bytes.count { $0 == 0x0A } + (bytes.last == 0x0A ? 0 : 1)
            #expect(paste.quality.lines == lines, "\(name)")
            #expect(paste.quality.accounted == lines, "\(name)")
            #expect(paste.quality.records == paste.records.count, "\(name)")
        }
    }
}
