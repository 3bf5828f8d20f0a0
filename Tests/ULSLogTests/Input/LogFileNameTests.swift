import Testing

@testable import ULSLog
@testable import ULSRows

struct LogFileNameTests {
    /// The time 2026-01-01T10:30 on some clock.
    private static let start: Int64 = 1_767_263_400_000

    @Test(arguments: [
        ("WFE1-20260101-1030.log", "WFE1"), ("EC2AMAZ-DBF63F4-20260101-1030.log", "EC2AMAZ-DBF63F4"),
        ("WFE1-20260101-1030-2.log", "WFE1"), ("WFE1-20260101-1030-1234.log", "WFE1"),
        ("wfe1-20260101-1030.LOG", "wfe1"), ("WFE1-20260101-1030.log.gz", "WFE1"),
        ("WFE1-20260101-1030.LOG.ZST", "WFE1"), ("WFE1-20260101-1030.log.xz", "WFE1"),
        ("WFE1-20260101-1030.log.bz2", "WFE1"), ("/logs/a-20200101-0000.log/WFE1-20260101-1030.log", "WFE1"),
        (#"LOGS\sub/x\WFE1-20260101-1030.log"#, "WFE1"), ("S-2026-1-20260101-1030.log", "S-2026-1"),
        ("Größe-20260101-1030.log", "Größe"), ("-20260101-1030-20260101-1030.log", "-20260101-1030"),
    ])
    func `The server and the start time are parsed from a log's name`(name: String, server: String) {
        let fileName = LogFileName(name)
        #expect(fileName?.server == server)
        #expect(fileName?.start == Self.start)
    }

    @Test(arguments: [
        "", ".log", "a.log", "WFE1.log", "WFE1-20260101.log", "20260101-1030.log", "-20260101-1030.log",
        "WFE1-20260101-1030.txt", "WFE1-20260101-1030.log.zip", "WFE1-20260101-1030", "WFE1-20260101-1030.log.gz.gz",
        "WFE1-20261301-1030.log", "WFE1-20260001-1030.log", "WFE1-20260132-1030.log", "WFE1-20260100-1030.log",
        "WFE1-20260229-1030.log", "WFE1-21000229-1030.log", "WFE1-20260431-1030.log", "WFE1-20260101-2400.log",
        "WFE1-20260101-1060.log", "WFE1-2026010１-1030.log", "WFE1-20260101-103.log", "WFE1-20260101-10300.log",
        "WFE1-20260101-1030-x.log", "WFE1-20260101-1030-2-3.log", "WFE1-20260101-1030-.log",
        "Upgrade-20260101-1030.log", "Upgrade-20260101-103011-123.log", "PSCDiagnostics_1_1_2026_10_30_11.log",
        "WFE1-20260101-1030.usage", "WFE1-99999999-9999.log", "WFE1-00000000-0000.log", "----.log",
        "WFE1-20260101-1030.log\u{301}", "\u{0}-20260101-.log",
    ])
    func `Other names yield neither a server nor a start time`(name: String) {
        #expect(LogFileName(name) == nil)
    }

    @Test(
        arguments: [
            ("X-19700101-0000.log", 0), ("X-19700102-0001.log", 86_460_000), ("X-20000229-0000.log", 951_782_400_000),
            ("X-20240229-2359.log", 1_709_251_140_000), ("X-20001231-0000.log", 978_220_800_000),
        ] as [(String, Int64)]
    )
    func `Dates are converted to days`(name: String, start: Int64) {
        #expect(LogFileName(name)?.start == start)
    }

    @Test func `A long counter in a name does not cause a crash`() {
        let name = "X-19700101-0000-" + String(repeating: "9", count: 100_000) + ".log"
        #expect(LogFileName(name)?.start == 0)
    }

    @Test(arguments: [
        ("a.log", LogNameKind.log), ("logs/a.TXT", .log), ("a.csv", .log), ("a.tsv", .log), ("a.log.gz", .packed),
        ("a.zip", .packed), ("a.7z", .packed), ("a.tar.xz", .packed), ("a.tgz", .packed), ("a.usage", .other),
        ("a.usage.gz", .other), ("a", .other), (".a.log", .other), ("__MACOSX/._a.log", .other), ("", .other),
        ("log", .other), (#"x\.log"#, .other),
    ])
    func `Each name in a folder is classified as a log, an archive or something else`(name: String, kind: LogNameKind) {
        #expect(LogNameKind(name) == kind)
    }
}

@Suite struct FileNameTests {
    @Test(
        arguments: [
            ("EC2AMAZ-DBF63F4-20210129-1015.log", "EC2AMAZ-DBF63F4"), ("WFE1-20110926-1030.log", "WFE1"),
            ("SP-APP-01-20110926-1030-2.log", "SP-APP-01"), ("wfe1-20110926-1030.LOG", "wfe1"),
            ("Upgrade-20110926-103000-123.log", nil), ("WFE1-20111326-1030.log", nil), ("uls.log", nil),
        ] as [(String, String?)]
    )
    func `A file's server is read from its name`(name: String, server: String?) throws {
        #expect(try ReadLog(row(), as: name).only().server == server)
    }

    @Test func `Files are read in the order of their start times`() throws {
        let folder = try SourceFolder()
        let paths = try ["WFE2-20110926-1100.log", "WFE1-20110926-1130.log", "WFE1-20110926-1030.log"].map {
            try folder.write($0, row($0))
        }
        #expect(
            try ReadLog(paths).messages == [
                "WFE1-20110926-1030.log", "WFE2-20110926-1100.log", "WFE1-20110926-1130.log",
            ]
        )
    }

    @Test func `Only the logs in a folder are read`() throws {
        let folder = try SourceFolder()
        try folder.write("WFE1-20110926-1030.log", row("log"))
        try folder.write("WFE1-20110926-1030.usage", row("usage"))
        let log = try ReadLog([folder.path])
        #expect(log.messages == ["log"])
        #expect(log.report.notes.count == 1)
    }

    @Test func `Files whose names show times outside the window are not opened`() throws {
        let folder = try SourceFolder()
        func write(_ hour: String) throws -> String {
            try folder.write(
                "WFE1-20110926-\(hour)00.log",
                nativeHeader + row(hour) { $0.time = "09/26/2011 \(hour):17:00.00" }
            )
        }
        let log = try ReadLog(["08", "09", "10", "11", "12", "13"].map(write)) {
            $0.window = try TimeWindow(since: "2011-09-26T10:15", until: "2011-09-26T10:20")
        }
        #expect(log.messages == ["10"])
        // A margin of an hour is kept on both sides, because a file begun at nine has rows until ten, and clocks may be
        // changed.
        let skipped = [true, false, false, false, true, true]
        #expect(log.report.files.map(\.isSkipped) == skipped)
        #expect(log.summary.files.map(\.isSkipped) == skipped)
        #expect(log.quality.lines == 6)
    }

    @Test func `If nothing is found, the result shows the time span of each server's logs`() throws {
        let folder = try SourceFolder()
        func write(_ name: String, _ times: String...) throws -> String {
            try folder.write(
                name,
                nativeHeader + times.map { time in row { $0.time = "09/26/2011 \(time):00.00" } }.joined()
            )
        }
        let paths = [
            try write("WFE1-20110926-1000.log", "10:00", "10:29"),
            try write("WFE1-20110926-1030.log", "10:30", "10:50"),
            try write("WFE2-20110926-1000.log", "10:02", "10:40"),
        ]
        let coverage = try ReadLog(paths) { $0.filter.eventIDs = ["none"] }.report.coverage
        #expect(coverage.map(\.server) == ["WFE1", "WFE2"])
        #expect(coverage.map(\.firstTime?.iso8601) == ["2011-09-26T10:00:00.00", "2011-09-26T10:02:00.00"])
        #expect(coverage.map(\.lastTime?.iso8601) == ["2011-09-26T10:50:00.00", "2011-09-26T10:40:00.00"])
        #expect(coverage.map(\.files) == [2, 1])
    }

    @Test func `The time span of unopened files is determined from their names`() throws {
        let folder = try SourceFolder()
        let paths = try ["WFE1-20110926-0800.log", "WFE1-20110926-0900.log", "WFE2-20110926-1000.log"].map { name in
            try folder.write(name, nativeHeader + row { $0.time = "09/26/2011 10:00:00.00" })
        }
        let coverage = try ReadLog(paths) { $0.window = try TimeWindow(until: "2011-09-26T06:00") }.report.coverage
        #expect(coverage.map(\.server) == ["WFE1", "WFE2"])
        #expect(coverage.map(\.files) == [0, 0])
        #expect(coverage.map(\.unopened) == [2, 1])
        #expect(coverage.map(\.lastTime?.iso8601) == ["2011-09-26T09:00:00.00", "2011-09-26T10:00:00.00"])
    }

    @Test func `A server's last file is not skipped, since it can extend to any later time`() throws {
        let folder = try SourceFolder()
        let path = try folder.write("WFE1-20110926-0800.log", row { $0.time = "09/27/2011 09:00:00.00" })
        let log = try ReadLog([path]) { $0.window = try TimeWindow(since: "2011-09-27") }
        #expect(log.events.count == 1)
    }

    @Test func `A file without a time in its name is read even if its first row is after the window`() throws {
        let late = row("late") { $0.time = "09/26/2011 15:00:00.00" }
        let early = row("early") { $0.time = "09/26/2011 10:00:00.00" }
        let log = try ReadLog(nativeHeader + late + nativeHeader + early, as: "all.log") {
            $0.window = try TimeWindow(until: "2011-09-26T11:00")
        }
        #expect(log.messages == ["early"])
    }
}
