import Testing

@testable import ULSLog

@Suite struct TimestampTests {
    @Test func `a native time is local, to hundredths of a second`() throws {
        let event = try ReadLog(row()).only()
        #expect(event.time.iso8601 == "2011-09-26T10:39:40.52")
        #expect(event.time.quality == .local)
    }

    @Test(
        arguments: [
            ("09/26/2011 10:39:40.52", "2011-09-26T10:39:40.52"),
            ("09/26/2011 10:39:40,52", "2011-09-26T10:39:40.52"),
            ("9/6/2011 1:39:40.5", "2011-09-06T01:39:40.50"),
            ("09/26/2011 10:39:40.523", "2011-09-26T10:39:40.523"),
            ("09/26/2011 10:39:40.5239999", "2011-09-26T10:39:40.523"),
            ("09/26/2011 10:39:40", "2011-09-26T10:39:40.00"),
            ("02/29/2012 00:00:00.00", "2012-02-29T00:00:00.00"),
            ("12/31/2011 23:59:59.99", "2011-12-31T23:59:59.99"),
            ("01/02/2011 10:39:40.52", "2011-01-02T10:39:40.52"),
        ]
    )
    func `a date is month, day and year; exports write fewer digits, more, or a comma`(
        written: String,
        expected: String
    ) throws {
        let log = try ReadLog(row { $0.time = written } + row { ($0.time, $0.mark) = (written, "") })
        #expect(log.times == [expected, expected])
        #expect(log.events.allSatisfy { $0.time.quality == .local && !$0.isInferred })
    }

    @Test(
        arguments: [
            "02/30/2011 10:39:40.52", "13/01/2011 10:39:40.52", "00/10/2011 10:39:40.52", "02/29/2011 10:39:40.52",
            "09/26/2011 24:00:00.00", "09/26/2011 10:60:00.00", "09/26/2011 10:39:60.00", "26/09/2011 10:39:40.52",
            "09/26/2011 10:39:4x.52", "09/26/2011 10:39:40.5x", "0x/26/2011 10:39:40.52", "9999999999/1/1 1:1:1",
        ]
    )
    func `a time that does not exist begins no row`(written: String) throws {
        let log = try ReadLog(row("one") + row("two") { $0.time = written } + row("three"))
        #expect(log.events.count == 2)
        #expect(log.quality.continuations == 1)
        #expect(log.messages[0].hasPrefix("one"))
        #expect(log.messages[1] == "three")
    }

    @Test func `the layout with TimestampUtc says UTC`() throws {
        let event = try ReadLog(utcHeader + utcRow()).only()
        #expect(event.time.iso8601 == "2021-02-02T07:27:58.07Z")
        #expect(event.time.quality == .exact)
        #expect(event.isUTCLayout)
        #expect(event.text(.process) == "w3wp.exe#DiskCache")
        #expect(event.text(.threadID) == "0x2804")
        #expect(event.text(.eventID) == "b2xyz")
        #expect(event.text(.correlation) == NativeRow.correlation)
    }

    @Test(
        arguments: [
            "2021-02-02 07:27:58.07", "2021-02-02T07:27:58.07", "2021-02-02T07:27:58.07Z", "2021-02-02 07:27:58,07Z",
            "2021-2-2 7:27:58.070",
        ]
    )
    func `a time in UTC has a T and a Z, or not`(written: String) throws {
        let event = try ReadLog(utcRow(time: written)).only()
        #expect(event.time.iso8601 == "2021-02-02T07:27:58.07Z")
    }

    @Test func `rows of equal times keep the order of the file`() throws {
        let text = (1...40).map { row("\($0)") }.joined()
        let folder = try SourceFolder()
        let log = try ReadLog([folder.write("a.log", text)], in: .time)
        #expect(log.messages == (1...40).map { "\($0)" })
    }
}

@Suite struct MixedLayoutTests {
    @Test func `each row has its own layout`() throws {
        let text =
            utcHeader + utcRow("one")
            + row("two") { ($0.time, $0.process) = ("02/02/2021 21:49:00.92", "OWSTIMER.EXE (0x44DC)") }
            + utcRow("three", time: "2021-02-02 07:27:58.03")
        let log = try ReadLog(text)
        #expect(log.messages == ["one", "two", "three"])
        #expect(log.events.map(\.isUTCLayout) == [true, false, true])
        #expect(log.events.map(\.time.quality) == [.exact, .local, .exact])
        #expect(log.texts(.process) == ["w3wp.exe#DiskCache", "OWSTIMER.EXE", "w3wp.exe#DiskCache"])
    }

    @Test func `a zone is for local rows, and moves none in UTC`() throws {
        let log = try ReadLog(utcRow() + row { $0.time = "02/02/2021 09:27:58.07" }) {
            $0.zones = try ServerZones(["+02:00"])
        }
        #expect(log.times == ["2021-02-02T07:27:58.07Z", "2021-02-02T07:27:58.07Z"])
    }

    @Test func `rows a little out of order stay as they were written, and are no clock step`() throws {
        let times = ["07:27:58.16", "07:27:58.12", "07:27:57.90", "07:27:58.22"]
        let text = times.map { utcRow($0, time: "2021-02-02 \($0)") }.joined()
        let log = try ReadLog(text)
        #expect(log.messages == times)
        #expect(log.summary.quality.clockSteps == 0)
        #expect(log.summary.firstTime?.iso8601 == "2021-02-02T07:27:57.90Z")
        #expect(log.summary.lastTime?.iso8601 == "2021-02-02T07:27:58.22Z")
    }
}
