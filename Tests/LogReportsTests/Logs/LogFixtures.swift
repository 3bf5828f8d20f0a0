@testable import ULSLog
@testable import ULSRows

/// Events and reports made for these tests.
enum LogFixtures {
    /// The time 2011-09-26T10:39:40.52 on the server's clock.
    static let start: Int64 = 1_317_033_580_520

    static func time(_ milliseconds: Int64 = 0, _ quality: LogTime.Quality = .local) -> LogTime {
        LogTime(clock: start + milliseconds, quality: quality)
    }

    static func event(
        _ message: String,
        at milliseconds: Int64 = 0,
        quality: LogTime.Quality = .local,
        server: String? = nil,
        level: String = "Medium",
        eventID: String = "b9y3",
        line: Int = 1,
        correlation: String = "9446a0f0-1577-472e-a8af-a552b1b4cc39",
        area: String = "SharePoint Foundation"
    ) -> ULSEvent {
        ULSEvent(
            time: quality == .none ? .none : time(milliseconds, quality),
            place: .init(file: "WFE1-20110926-1030.log", line: line, lineEnd: line),
            server: server,
            columns: [
                .process: "w3wp.exe", .processID: "0x1790", .threadID: "0x0EB8", .area: area, .category: "General",
                .eventID: eventID, .level: level, .message: message, .correlation: correlation,
            ]
        )
    }

    /// A request on two servers with nested scopes, a pause and a problem.
    static var trace: RequestTrace {
        let events = [
            event(
                "Entering monitored scope (Request (POST:http://portal/_vti_bin/owssvr.dll))",
                server: "WFE1",
                eventID: "nasq"
            ),
            event(
                "Name=Request (POST:http://portal/_vti_bin/owssvr.dll)",
                at: 10,
                server: "WFE1",
                eventID: "xmnv",
                line: 2
            ),
            event("Entering monitored scope (Render Page)", at: 20, server: "WFE1", eventID: "nasq", line: 3),
            event("Cannot open the file 'wss.en-US.resx'", at: 2_320, server: "APP1", level: "Unexpected", line: 4),
            event(
                "Leaving Monitored Scope (Render Page). Execution Time=2310.5",
                at: 2_330,
                server: "WFE1",
                eventID: "b4ly",
                line: 5
            ),
            event("Entering monitored scope (Log)", at: 2_335, server: "WFE1", eventID: "nasq", line: 6),
            event(
                "Leaving Monitored Scope (Log). Execution Time=0.4",
                at: 2_335,
                server: "WFE1",
                eventID: "b4ly",
                line: 7
            ),
            event(
                "Leaving Monitored Scope (Request). Execution Time=2400.1",
                at: 2_920,
                server: "WFE1",
                eventID: "b4ly",
                line: 8
            ),
        ]
        let inner = RequestTrace.Scope(
            name: "Render Page",
            entering: 2,
            leaving: 4,
            microseconds: 2_310_500,
            children: [.event(3)]
        )
        let log = RequestTrace.Scope(name: "Log", entering: 5, leaving: 6, microseconds: 400, children: [])
        let outer = RequestTrace.Scope(
            name: "Request (POST:http://portal/_vti_bin/owssvr.dll)",
            entering: 0,
            leaving: 7,
            microseconds: 2_400_100,
            children: [.event(1), .scope(inner), .scope(log)]
        )
        return RequestTrace(
            correlation: "9446a0f0-1577-472e-a8af-a552b1b4cc39",
            name: "Request (POST:http://portal/_vti_bin/owssvr.dll)",
            servers: ["WFE1", "APP1"],
            events: events,
            roots: [.scope(outer)],
            gaps: [.init(before: 3, milliseconds: 2_300)],
            firstAbnormal: 3,
            microseconds: 2_400_100
        )
    }

    static var summary: LogSummary {
        var summary = LogSummary()
        var file = SourceReport(name: "WFE1-20110926-1030.log", server: "WFE1")
        file.records = 1300
        file.notes = ["it grew while it was read: read it again for the rest"]
        var skipped = SourceReport(name: "WFE1-20110926-0930.log", server: "WFE1")
        skipped.isSkipped = true
        summary.files = [file, skipped, SourceReport(name: "APP1-20110926-1030.log", server: "APP1")]
        summary.records = 1_300
        summary.events = 1_234
        summary.firstTime = time()
        summary.lastTime = time(1_440_000)
        summary.levels = [
            .init(value: "Unexpected", count: 12), .init(value: "High", count: 222),
            .init(value: "Medium", count: 1000),
        ]
        summary.areas = [.init(value: "SharePoint Foundation", count: 1234)]
        summary.categories = [.init(value: "General", count: 1200), .init(value: "", count: 34)]
        summary.eventIDs = [.init(value: "b9y3", count: 600), .init(value: "8311", count: 3)]
        summary.correlationCount = 2
        summary.correlations = [
            .init(
                id: CorrelationID(high: 0x9446_A0F0_1577_472E, low: 0xA8AF_A552_B1B4_CC39),
                count: 24,
                firstTime: time(),
                lastTime: time(2_400),
                worstLevel: ULSLevel("Unexpected")
            )
        ]
        summary.scopes = scopes
        summary.gaps = [.init(server: "WFE1", from: time(600_000), until: time(960_000))]
        summary.histogram.start = start - 40_520 + 20_000
        summary.histogram.step = 60_000
        summary.histogram.events = [100, 10, 1, 400, 0, 0, 0, 0, 0, 0, 50, 200, 70, 3]
        summary.histogram.abnormal = [0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
        summary.quality.lines = 1320
        summary.quality.records = 1300
        summary.quality.parts = 66
        summary.quality.notUnderstood = 12
        summary.quality.orphans = 1
        summary.quality.limits = [.init(limit: .openParts, count: 3)]
        return summary
    }

    static let scopes = [
        ScopeDurations(
            key: "POST /_vti_bin/owssvr.dll",
            isRequest: true,
            count: 3,
            p50: 145_022,
            p95: 2_400_100,
            max: 2_400_100,
            total: 2_700_000,
            open: 1
        ),
        ScopeDurations(key: "Timer Job", isRequest: true, count: 0, p50: 0, p95: 0, max: 0, total: 0, open: 2),
    ]

    static var slow: SlowReport {
        var report = SlowReport()
        report.requests = scopes
        report.scopes = [
            ScopeDurations(
                key: "Render Page",
                isRequest: false,
                count: 1,
                p50: 400,
                p95: 400,
                max: 400,
                total: 400,
                open: 0
            )
        ]
        report.slowest = [
            .init(
                name: "Request (POST:http://portal/_vti_bin/owssvr.dll)",
                isRequest: true,
                microseconds: 2_400_100,
                time: time(2_920),
                server: "WFE1",
                correlation: "9446a0f0-1577-472e-a8af-a552b1b4cc39",
                place: .init(file: "WFE1-20110926-1030.log", line: 8, lineEnd: 8)
            )
        ]
        report.events = 1_234
        return report
    }
}

/// Returns the output of a renderer, as text.
func rendered(_ append: (inout [UInt8]) throws -> Void) rethrows -> String {
    var bytes: [UInt8] = []
    try append(&bytes)
    return String(decoding: bytes, as: UTF8.self)
}
