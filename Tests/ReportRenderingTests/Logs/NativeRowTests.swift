import ReportRendering
import Testing
import ULSLog

struct NativeRowTests {
    private func rows(_ event: ULSEvent) -> String {
        rendered { bytes in
            var writer = LogEventWriter(.uls)
            #expect(writer.append(event, to: &bytes))
        }
    }

    @Test func `The header is padded as the service pads it`() {
        let header = rendered { LogEventWriter(.uls).begin(in: &$0) }
        let cells = header.split(separator: "\t").map(String.init)
        #expect(cells.map(\.count) == [23, 40, 6, 30, 30, 7, 10, 8, 12])
        #expect(cells.last == "Correlation\r\n")
    }

    @Test func `A row is padded as the service pads it`() {
        #expect(
            rows(LogFixtures.event("a\tb\r\nc", level: "High"))
                == "09/26/2011 10:39:40.52 \tw3wp.exe (0x1790)                       \t0x0EB8\t"
                + "SharePoint Foundation         \tGeneral                       \tb9y3\tHigh    \ta\tb\r\nc\t"
                + "9446a0f0-1577-472e-a8af-a552b1b4cc39\r\n"
        )
    }

    @Test func `The server stands before the process ID, and no correlation is one blank`() {
        let row = rows(LogFixtures.event("x", server: "WFE1", correlation: ""))
        #expect(row.contains("\tw3wp.exe (WFE1:0x1790)                  \t"))
        #expect(row.hasSuffix("\tx\t \r\n"))
    }

    @Test func `A part without its beginning keeps its star`() {
        var event = LogFixtures.event("...rest")
        event.isOrphan = true
        #expect(rows(event).hasPrefix("09/26/2011 10:39:40.52*\tw3wp.exe"))
    }

    @Test func `The layout with UTC keeps its time, and a local time that is known in UTC stays local`() {
        var event = LogFixtures.event("x")
        event.isUTCLayout = true
        event.time = LogTime(clock: LogFixtures.start, quality: .exact)
        #expect(rows(event).hasPrefix("2011-09-26 10:39:40.52 \t"))
        event.isUTCLayout = false
        event.time = LogTime(clock: LogFixtures.start + 5, offset: 7200, quality: .exact)
        #expect(rows(event).hasPrefix("09/26/2011 10:39:40.525 \t"))
    }

    @Test(arguments: [LogTime.Quality.none, .timeOnly])
    func `Events without a date are left out and counted`(quality: LogTime.Quality) {
        var writer = LogEventWriter(.uls)
        var bytes: [UInt8] = []
        #expect(writer.note == nil)
        #expect(!writer.append(LogFixtures.event("x", quality: quality), to: &bytes))
        #expect(bytes.isEmpty)
        #expect(writer.omitted == 1)
        #expect(
            writer.note == "1 event has no date and cannot be native rows: take -o ndjson or -o csv to get all"
        )
    }

    @Test func `A tab or line end in a column other than the message ends no column`() {
        let row = rows(LogFixtures.event("x", level: "a\tb", eventID: "c\r\nd", area: "e\tf"))
        #expect(row.split(separator: "\t", omittingEmptySubsequences: false).count == 9)
        #expect(row.utf8.count { $0 == 0x0A } == 1)
    }
}
