import Foundation
import LogTestSupport
import TestSupport
import Testing

@testable import LogDiagnosis
@testable import ULSLog
@testable import ULSRows

/// The requests in a log, which are derived from its rows.
struct RequestSurveyTests {
    static func report(
        _ rows: [Row],
        _ query: RequestQuery = RequestQuery(order: .time, onlyFailed: false, limit: 1000)
    ) throws -> RequestReport {
        try RequestSurvey(rules: .builtIn()).report(on: LogReader(text: LogText(rows).bytes, name: "WFE1.log"), query)
    }

    @Test(arguments: [
        ("Unexpected", "tkau", "anything", true), ("Monitorable", "abcd", "anything", true),
        ("Critical", "abcd", "it succeeded", true), ("High", "abcd", "anything", false),
        ("Medium", "abcd", "System.InvalidOperationException: no", true),
        ("Medium", "abcd", "failed with 0x80070005", true), ("Medium", "abcd", "Access is denied.", true),
        ("Medium", "abcd", "0 errors, 0x80070005", false), ("Unexpected", "7v48", "anything", false),
    ])
    func `A request counts as failed if one of its rows shows a problem`(
        level: String,
        eventID: String,
        message: String,
        isFailure: Bool
    ) throws {
        let rows = [Row(0, "abcd", "Medium", "all is well", "a"), Row(1, eventID, level, message, "a")]
        let report = try Self.report(rows)
        #expect(report.count == 1)
        #expect(report.failed == (isFailure ? 1 : 0))
        #expect(report.requests.map(\.hasFailed) == [isFailure])
    }

    @Test func `A request has a name, a user, a duration and a first problem`() throws {
        let report = try Self.report([
            Row(0, "xmnv", "Medium", "Name=Request (GET:http://portal:80/sites/a?b=c)", "a"),
            Row(1, "ag9f", "Medium", "Non-OAuth request. IsAuthenticated=True, UserIdentityName=i:0#.w|x\\ann, x", "a"),
            Row(2, "tkau", "Unexpected", "System.ArgumentException: no", "a"),
            Row(3, "fail", "Critical", "worse", "a"),
            Row(
                4,
                "b4ly",
                "Medium",
                "Leaving Monitored Scope (Request (GET:http://portal:80/sites/a?b=c)). Execution Time=4200.5",
                "a"
            ),
        ])
        let request = try #require(report.requests.first)
        #expect(request.method == "GET")
        #expect(request.url == "http://portal:80/sites/a?b=c")
        #expect(request.user == "i:0#.w|x\\ann")
        #expect(request.duration == .microseconds(4_200_500))
        #expect(request.rows == 5)
        #expect(request.level.word == "Critical")
        let problem = try #require(request.problem)
        #expect(problem.rows == 2)
        #expect(problem.text == "System.ArgumentException: no")
        #expect(problem.eventID == "tkau")
        #expect(problem.line == 3)
        #expect(report.durations.count == 1)
    }

    @Test func `Requests are sorted by level, then by how informative their rows are, then by row count`() throws {
        let report = try Self.report(
            [
                Row(0, "abcd", "Medium", "Access is denied.", "a"), Row(1, "abcd", "Unexpected", "x", "b"),
                Row(2, "abcd", "Unexpected", "System.ArgumentException: no", "c"), Row(3, "abcd", "Critical", "x", "d"),
                Row(4, "abcd", "Unexpected", "x", "e"), Row(5, "abcd", "Unexpected", "x", "e"),
                Row(6, "abcd", "Medium", "well", "f"),
            ],
            RequestQuery(limit: 4)
        )
        #expect(report.requests.map { $0.correlation?.description } == ["d", "c", "e", "b"].map { LogText.guid($0) })
        #expect(report.found == 5)
        #expect(report.count == 6)
    }

    @Test func `Searches for addresses and users ignore case`() throws {
        let rows = [
            Row(0, "xmnv", "Medium", "Name=Request (GET:http://portal/Über)", "a"),
            Row(1, "xmnv", "Medium", "Name=Timer Job job-a", "b"),
            Row(2, "ag9f", "Medium", "Non-OAuth request. IsAuthenticated=True, UserIdentityName=0#.w|X\\Ann, y", "b"),
        ]
        var query = RequestQuery(order: .time, onlyFailed: false)
        query.url = "üBER"
        #expect(try Self.report(rows, query).requests.map(\.title) == ["GET http://portal/Über"])
        query.url = nil
        query.user = "x\\aNN"
        let report = try Self.report(rows, query)
        #expect(report.requests.map(\.title) == ["Timer Job job-a"])
        #expect(report.count == 1 && report.total == 2)
        query.user = "nobody"
        let none = try Self.report(rows, query)
        #expect(none.count == 0 && none.total == 2)
    }

    @Test func `Only requests that took long enough are listed`() throws {
        let rows = ["a", "b"].flatMap { (letter: Character) -> [Row] in
            let end =
                "Leaving Monitored Scope (Request (GET:http://h/)). Execution Time=\(letter == "a" ? 999.9 : 1000)"
            return [Row(0, "abcd", "Medium", "x", letter), Row(9, "b4ly", "Medium", end, letter)]
        }
        var query = RequestQuery(order: .slow, onlyFailed: false)
        query.minimumDuration = .seconds(1)
        let report = try Self.report(rows, query)
        #expect(report.requests.map(\.duration) == [.seconds(1)])
        #expect(report.durations.count == 2)
    }

    @Test func `Failing rows without a correlation are grouped by thread and time into requests`() throws {
        let report = try Self.report([
            Row(0, "abcd", "Unexpected", "x"), Row(30, "abcd", "Unexpected", "y"), Row(45, "abcd", "Medium", "well"),
            Row(31, "abcd", "Unexpected", "z", thread: "0x0B20"), Row(120, "abcd", "Unexpected", "later"),
        ])
        #expect(report.count == 0)
        #expect(report.failedThreads == 3)
        #expect(report.requests.map(\.rows) == [2, 1, 1])
        #expect(
            report.requests.map(\.writer) == ["0x0A10", "0x0B20", "0x0A10"].map { "w3wp.exe (0x1A2C), thread \($0)" }
        )
    }
}

/// The result equals that of a naive reading, for any number of threads and any division of the log.
struct RequestCountingPropertyTests {
    /// Messages, and whether each shows a problem even in a row with a low level.
    private static let messages: [(text: String, isProblem: Bool)] = [
        ("all is well", false), ("quite 'odd' 17", false), ("ends in dots...", false), ("Access is denied.", true),
        ("0 errors, 0x80070005", false), ("hr=0x80070005 at http://x/y?z", true),
        ("System.InvalidOperationException: no   at Contoso.Store.Open()", true),
        ("Name=Request (GET:http://portal/a?b)", false), ("Name=Request (POST:http://portal/c)", false),
        ("Non-OAuth request. IsAuthenticated=True, UserIdentityName=x\\ann, y", false),
        ("Leaving Monitored Scope (Request (GET:http://portal/a?b)). Execution Time=1500.25", false),
        ("Leaving Monitored Scope (Request (POST:http://app/x)). Execution Time=7", false),
    ]

    private static func rows(_ random: inout SeededGenerator) -> [Row] {
        var seconds = 0.0
        return (0..<Int.random(in: 1...150, using: &random)).map { _ in
            seconds += [0.25, 0.25, 1, 70].randomElement(using: &random) ?? 1
            return Row(
                seconds,
                ["tkau", "aaaa", "7v48"].randomElement(using: &random) ?? "",
                ["Medium", "Medium", "High", "Monitorable", "Unexpected", "Critical"].randomElement(using: &random)
                    ?? "",
                messages.randomElement(using: &random)?.text ?? "",
                ["A", "B", "C", "D", "E", nil].randomElement(using: &random) ?? nil,
                thread: ["0x0A10", "0x0B20"].randomElement(using: &random) ?? ""
            )
        }
    }

    /// Returns a request in one line.
    private static func words(_ request: LoggedRequest) -> String {
        [
            request.correlation?.description ?? "-", "\(request.rows)", request.name ?? "-", request.user ?? "-",
            "\(request.microseconds ?? -1)", "\(request.firstTime.clock)", "\(request.lastTime.clock)",
            "\(request.problem?.rows ?? 0)", "\(request.problem?.time.clock ?? 0)", request.problem?.text ?? "-",
            "\(request.problem?.rank ?? 0)", "\(request.problem?.line ?? 0)",
        ].joined(separator: "|")
    }

    /// Returns the requests found by reading the rows one by one.
    private static func naive(_ events: [ULSEvent]) -> [String] {
        var requests: [String: [ULSEvent]] = [:]
        var threads: [String: (group: Int, last: Int64)] = [:]
        for event in events {
            let id = event.text(.correlation)
            if !id.isEmpty {
                requests[id, default: []].append(event)
            } else if isProblem(event) {
                let thread = event.text(.threadID)
                let known = threads[thread].flatMap { event.time.clock - $0.last <= 60_000 ? $0.group : nil }
                let group = known ?? requests.count + 1000 + event.place.line
                threads[thread] = (group, event.time.clock)
                requests["- \(group)", default: []].append(event)
            }
        }
        return requests.map { id, events in
            let problems = events.filter(isProblem)
            let texts = events.map { $0.text(.message) }
            let begins = texts.first { $0.hasPrefix("Name=") }.map { String($0.dropFirst(5)) }
            let ends = texts.filter { $0.hasPrefix("Leaving") && id.first != "-" }
            let scope = ends.first.map {
                $0.components(separatedBy: "Scope (")[1].components(separatedBy: "). Exec")[0]
            }
            let durations = ends.compactMap { Double($0.components(separatedBy: "Time=")[1]).map { Int64($0 * 1000) } }
            let span = events.count > 1 ? (events[events.count - 1].time.clock - events[0].time.clock) * 1000 : -1
            let user = texts.first { $0.hasPrefix("Non-OAuth") } == nil ? "-" : "x\\ann"
            let isThread = id.first == "-"
            return [
                isThread ? "-" : id, "\(events.count)", isThread ? "-" : begins ?? scope ?? "-", isThread ? "-" : user,
                "\(isThread ? -1 : durations.max() ?? span)", "\(events[0].time.clock)",
                "\(events[events.count - 1].time.clock)", "\(problems.count)", "\(problems.first?.time.clock ?? 0)",
                problems.first?.text(.message) ?? "-", "\(problems.map(\.level.rank).min() ?? 0)",
                "\(problems.first?.place.line ?? 0)",
            ].joined(separator: "|")
        }.sorted()
    }

    private static func isProblem(_ event: ULSEvent) -> Bool {
        guard event.text(.eventID) != "7v48" else { return false }
        return event.level.rank <= 3 || messages.contains { $0.isProblem && $0.text == event.text(.message) }
    }

    @Test func `Requests match those of a naive implementation, regardless of how the log is read`() throws {
        let folder = try TemporaryFolder()
        let survey = try RequestSurvey(rules: .builtIn())
        let query = RequestQuery(order: .time, onlyFailed: false, limit: 10_000)
        for seed in 0..<UInt64(30) {
            var random = SeededGenerator(seed: seed)
            let text = LogText(Self.rows(&random))
            let path = folder.path("TEST-20260302-1000-\(seed).log")
            try Data(text.bytes).write(to: URL(filePath: path))
            var events: [ULSEvent] = []
            _ = try LogReader(inputs: [path]).forEachEvent(in: .files) { events.append(copy $0) }
            let expected = Self.naive(events)
            for jobs in [1, 2, 5] {
                var reader = LogReader(inputs: [path])
                reader.jobs = jobs
                reader.sizes.unitBytes = [300, 1000, 1 << 20].randomElement(using: &random) ?? 300
                let report = try survey.report(on: reader, query)
                #expect(report.requests.map(Self.words).sorted() == expected, "seed \(seed)")
                #expect(report.count == expected.count { !$0.hasPrefix("-") }, "seed \(seed)")
                #expect(report.count + report.failedThreads == report.found, "seed \(seed)")
                #expect(report.failed + report.failedThreads == report.requests.count { $0.hasFailed }, "seed \(seed)")
                #expect(!report.isAtMost)
            }
        }
    }

    @Test func `Beyond the limit, requests may count twice, which the report notes, but no row is lost`() throws {
        var random = SeededGenerator(seed: 7)
        let letters = (0..<26).compactMap { UnicodeScalar(UInt8(ascii: "a") + UInt8($0)).description.first }
        let rows = (0..<2000).map { number in
            Row(
                Double(number) * 20,
                "tkau",
                ["Medium", "Unexpected"].randomElement(using: &random) ?? "",
                "x",
                letters[(number / 50 + number % 3) % 10]
            )
        }
        let folder = try TemporaryFolder()
        let path = folder.path("TEST-20260302-1000.log")
        try Data(LogText(rows).bytes).write(to: URL(filePath: path))
        var seen: Set<[String]> = []
        for jobs in [1, 3] {
            var reader = LogReader(inputs: [path])
            reader.jobs = jobs
            reader.sizes.unitBytes = 2000
            var requests: [LoggedRequest] = []
            let (_, _, isAtMost) = try RequestSurvey(rules: .builtIn()).survey(reader, maximum: 3) {
                requests.append($0)
            }
            #expect(isAtMost)
            #expect(requests.count > 10)
            #expect(requests.reduce(0) { $0 + $1.rows } == 2000)
            #expect(requests.reduce(0) { $0 + ($1.problem?.rows ?? 0) } == rows.count { $0.level == "Unexpected" })
            seen.insert(requests.map(Self.words))
        }
        #expect(seen.count == 1)
    }
}
