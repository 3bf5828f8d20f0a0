import Testing

@testable import ULSLog

@Suite struct FileNameTests {
    @Test(
        arguments: [
            ("EC2AMAZ-DBF63F4-20210129-1015.log", "EC2AMAZ-DBF63F4"), ("WFE1-20110926-1030.log", "WFE1"),
            ("SP-APP-01-20110926-1030-2.log", "SP-APP-01"), ("wfe1-20110926-1030.LOG", "wfe1"),
            ("Upgrade-20110926-103000-123.log", nil), ("WFE1-20111326-1030.log", nil), ("uls.log", nil),
        ] as [(String, String?)]
    )
    func `the name of a file says its server`(name: String, server: String?) throws {
        #expect(try ReadLog(row(), as: name).only().server == server)
    }

    @Test func `files are read in the order in which they were begun`() throws {
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

    @Test func `in a folder, only logs are read`() throws {
        let folder = try SourceFolder()
        try folder.write("WFE1-20110926-1030.log", row("log"))
        try folder.write("WFE1-20110926-1030.usage", row("usage"))
        let log = try ReadLog([folder.path])
        #expect(log.messages == ["log"])
        #expect(log.report.notes.count == 1)
    }

    @Test func `files whose names lie outside of the window are not opened`() throws {
        let folder = try SourceFolder()
        func write(_ hour: String) throws -> String {
            try folder.write(
                "WFE1-20110926-\(hour)00.log",
                nativeHeader + row(hour) { $0.time = "09/26/2011 \(hour):17:00.00" }
            )
        }
        let log = try ReadLog(["08", "09", "10", "11", "12"].map(write)) {
            $0.window = try TimeWindow(since: "2011-09-26T10:15", until: "2011-09-26T10:20")
        }
        #expect(log.messages == ["10"])
        #expect(log.report.files.map(\.isSkipped) == [true, true, false, true, true])
        #expect(log.summary.files.map(\.isSkipped) == [true, true, false, true, true])
        #expect(log.quality.lines == 2)
    }

    @Test func `when nothing is found, it is said what the logs cover`() throws {
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

    @Test func `the last file of a server may reach into any later time`() throws {
        let folder = try SourceFolder()
        let path = try folder.write("WFE1-20110926-0800.log", row { $0.time = "09/27/2011 09:00:00.00" })
        let log = try ReadLog([path]) { $0.window = try TimeWindow(since: "2011-09-27") }
        #expect(log.events.count == 1)
    }

    @Test func `the first row of a file without a name does not tell that it begins behind the window`() throws {
        let late = row("late") { $0.time = "09/26/2011 15:00:00.00" }
        let early = row("early") { $0.time = "09/26/2011 10:00:00.00" }
        let log = try ReadLog(nativeHeader + late + nativeHeader + early, as: "all.log") {
            $0.window = try TimeWindow(until: "2011-09-26T11:00")
        }
        #expect(log.messages == ["early"])
    }
}
