import JSONText
package import LogDiagnosis
package import ReportKit
import TextKit
import ULSLog

/// Shows lists of requests.
package enum RequestRenderer {
    package static let forms: [OutputForm] = [.text, .json, .ndjson, .csv, .name]

    /// Appends the requests in a report that match a query.
    package static func append(
        _ report: RequestReport,
        _ query: RequestQuery,
        as form: OutputForm = .text,
        layout: TextLayout = TextLayout(),
        csv: CSVStyle = CSVStyle(),
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        switch form {
        case .text:
            try RequestPage(layout: layout).append(report, query, to: &bytes, drain: drain)
        case .json, .ndjson:
            var list = JSONList(isArray: form == .json)
            for request in report.requests {
                list.append(to: &bytes) { RequestObject.append(request, to: &$0) }
                if bytes.count >= drainThreshold { try drain(&bytes) }
            }
            list.end(in: &bytes)
        case .csv:
            let table = CSVText(RequestCSV.titles, csv, to: &bytes)
            for request in report.requests {
                table.append(RequestCSV.fields(of: request), to: &bytes)
                if bytes.count >= drainThreshold { try drain(&bytes) }
            }
        case .name:
            for id in report.requests.compactMap(\.correlation) {
                bytes.append(text: "\(id)\n")
                if bytes.count >= drainThreshold { try drain(&bytes) }
            }
        default: form.failAsUndeclared()
        }
    }
}

extension LogOutcome {
    /// Creates the outcome of a search for requests; `namesOnly` indicates that they are shown only by their
    /// correlations.
    package init(_ report: RequestReport, _ query: RequestQuery, namesOnly: Bool) {
        self.init(report.read)
        events = report.found
        requests = report.total
        if report.count > 0 { coverage = [] }
        let listed = report.requests.count
        let unnamed = namesOnly ? report.requests.count { $0.correlation == nil } : 0
        let omissions = [
            listed < report.found ? "\(listed) of \(report.found) are listed; use --top N for more" : nil,
            unnamed > 0 ? "\(Quantity(unnamed, "failure has", "failures have")) no request; -o json lists them" : nil,
        ]
        omission = omissions.compactMap(\.self).joined(separator: "; ")
        if omission == "" { omission = nil }
    }
}

/// Requests in readable form: on a terminal a few lines each, ending with the complete correlation; in a pipe
/// or file, one line each.
private struct RequestPage {
    let layout: TextLayout

    func append(_ report: RequestReport, _ query: RequestQuery, to bytes: inout [UInt8], drain: BufferDrain) throws {
        var page = Page()
        page.sentence(heading(of: report))
        guard let width = layout.width, !report.requests.isEmpty else {
            page.table(table(of: report.requests), under: title(of: report, query))
            return page.append(to: &bytes, layout)
        }
        page.heading(title(of: report, query))
        page.append(to: &bytes, layout)
        for (index, request) in report.requests.enumerated() {
            if index > 0 { bytes.append(0x0A) }
            append(request, width: width, to: &bytes)
            if bytes.count >= drainThreshold { try drain(&bytes) }
        }
    }

    /// Returns `12,345 requests, 67 failed; half took at most 120 ms, 95 % at most 2.30 s`.
    private func heading(of report: RequestReport) -> Phrase {
        let bound = report.isAtMost ? "at most " : ""
        var phrase: Phrase = """
            \(bound)\(Quantity(grouped: report.count, "request", "requests")), \
            \("\(bound)\(Quantity(grouped: report.failed)) failed", report.failed > 0 ? .bold : .plain)
            """
        if let half = report.durations.quantile(0.5), let most = report.durations.quantile(0.95) {
            phrase = phrase + "; half took \(text(half)) or less, 95% took \(text(most)) or less"
        }
        if report.failedThreads > 0 {
            let threads = Quantity(grouped: report.failedThreads, "thread", "threads")
            phrase = phrase + "; in addition, \(threads) failed without a request"
        }
        return phrase
    }

    private func title(of report: RequestReport, _ query: RequestQuery) -> String {
        let kind = query.onlyFailed ? "Failed requests" : "Requests"
        let slow = query.minimumDuration.map { " of \(ShortDuration(chosen: $0)) or more" } ?? ""
        let order =
            switch query.order {
            case .failed: "worst first"
            case .slow: "slowest first"
            case .time: "by time"
            }
        let listed = report.requests.count
        let share = listed < report.found ? "the first \(listed) of \(Quantity(grouped: report.found)), " : ""
        return "\(kind)\(slow), \(share)\(order)"
    }

    private func text(_ duration: Int64) -> String { "\(ShortDuration(measured: .microseconds(duration)))" }

    private func append(_ request: LoggedRequest, width: Int, to bytes: inout [UInt8]) {
        let time = request.firstTime.iso8601 ?? "-"
        bytes.append(text: time)
        var used = SafeText.width(time)
        var words: [(text: String, style: TerminalStyle)] = []
        if let server = request.server { words.append((lineText(server, columns: 20, layout), .plain)) }
        if let duration = request.microseconds { words.append((text(duration), .plain)) }
        if !request.level.word.isEmpty { words.append((request.level.word, request.level.style)) }
        for (word, style) in words where used + 2 + SafeText.width(word) <= width {
            bytes.append(blanks: 2)
            bytes.append(style, layout) { $0.append(text: word) }
            used += 2 + SafeText.width(word)
        }
        bytes.append(0x0A)
        line(request.title ?? request.writer ?? "unnamed request", .bold, width, to: &bytes)
        if let user = request.user { line("by \(user)", .plain, width, to: &bytes) }
        if let problem = request.problem {
            line("\(Self.words(about: problem)): \(problem.text)", .plain, width, to: &bytes)
        }
        if let id = request.correlation { line("\(id)", .plain, width, to: &bytes) }
    }

    /// Returns `12 problems, the first at 10:03:13.10, tkau`.
    private static func words(about problem: RequestProblem) -> String {
        let time = problem.time.text.map { " at \($0)" } ?? ""
        let id = problem.eventID.isEmpty ? "" : " \(problem.eventID)"
        return problem.rows == 1 ? "problem\(time)\(id)" : "\(problem.rows) problems, the first\(time)\(id)"
    }

    private func line(_ text: String, _ style: TerminalStyle, _ width: Int, to bytes: inout [UInt8]) {
        bytes.append(blanks: 2)
        bytes.append(style, layout) { $0.append(line: text, columns: width - 2, layout) }
        bytes.append(0x0A)
    }

    private func table(of requests: [LoggedRequest]) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "TIME"), .init(title: "SERVER"), .init(title: "TOOK", alignment: .right),
            .init(title: "LEVEL"),
            .init(title: "PROBLEMS", alignment: .right), .init(title: "CORRELATION"), .init(title: "USER"),
            .init(title: "REQUEST"), .init(title: "FIRST PROBLEM"),
        ])
        for request in requests {
            let level = request.level.word
            table.append([
                "\(request.firstTime.iso8601 ?? "-")", .untrusted(request.server),
                "\(request.microseconds.map(text) ?? "-")",
                .untrusted(level.isEmpty ? nil : level, request.level.style),
                .count(request.problem?.rows ?? 0), "\(request.correlation.map { "\($0)" } ?? "-")",
                .untrusted(request.user), .untrusted(request.title ?? request.writer),
                .untrusted(request.problem?.text),
            ])
        }
        return table
    }
}

extension LogTime {
    /// The time of day; `nil` if there is none.
    fileprivate var text: String? {
        guard quality != .none else { return nil }
        var bytes: [UInt8] = []
        appendTimeOfDay(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// `fastctl.request/1`: a request as a JSON object.
private enum RequestObject {
    static func append(_ request: LoggedRequest, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.request/1") { object in
            object.member("correlation", request.correlation.map { "\($0)" })
            object.member("failed", request.hasFailed)
            object.member("time", request.firstTime)
            object.member("timeQuality", request.firstTime.quality.rawValue)
            object.member("lastTime", request.lastTime)
            object.member("seconds", microseconds: request.microseconds)
            object.member("server", log: request.server)
            object.member("method", log: request.method)
            object.member("url", log: request.url)
            object.member("name", log: request.name)
            object.member("user", log: request.user)
            object.member("writer", log: request.writer)
            object.member("level", log: request.level.word)
            object.member("rows", request.rows)
            object.member("problemRows", request.problem?.rows ?? 0)
            guard let problem = request.problem else { return object.member("firstProblem", nil as String?) }
            object.object("firstProblem") { object in
                object.member("time", problem.time)
                object.member("server", log: problem.server)
                object.member("eventID", log: problem.eventID)
                object.member("text", log: problem.text)
                object.member("file", problem.file)
                object.member("line", problem.line)
            }
        }
    }
}

/// Requests as a table, for a spreadsheet.
///
/// Columns and names follow `fastctl.request/1`; unknown values are empty.
private enum RequestCSV {
    static let titles = [
        "correlation", "failed", "time", "timeQuality", "lastTime", "seconds", "server", "method", "url", "name",
        "user",
        "writer", "level", "rows", "problemRows", "problemTime", "problemServer", "problemEventID", "problemText",
        "problemFile", "problemLine",
    ]

    static func fields(of request: LoggedRequest) -> [String?] {
        let problem = request.problem
        return [
            request.correlation.map { "\($0)" }, "\(request.hasFailed)", request.firstTime.iso8601,
            request.firstTime.quality.rawValue, request.lastTime.iso8601,
            request.microseconds.map { "\(Seconds(microseconds: $0))" }, request.server, request.method, request.url,
            request.name, request.user, request.writer, request.level.word, "\(request.rows)",
            "\(problem?.rows ?? 0)", problem?.time.iso8601, problem?.server, problem?.eventID, problem?.text,
            problem?.file, problem.map { "\($0.line)" },
        ]
    }
}
