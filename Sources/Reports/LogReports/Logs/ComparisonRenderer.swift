import JSONText
package import LogDiagnosis
package import ReportKit
import TextKit
import ULSLog

/// Shows the differences between two logs.
package enum ComparisonRenderer {
    package static let forms: [OutputForm] = [.text, .markdown, .json]

    /// Appends the comparison; `a` and `b` are the user's names for the two logs.
    package static func append(
        _ comparison: LogComparison,
        a: String,
        b: String,
        as form: OutputForm = .text,
        layout: TextLayout = TextLayout(),
        to bytes: inout [UInt8]
    ) {
        switch form {
        case .text: ComparisonPage(comparison, a: a, b: b).page.append(to: &bytes, layout)
        case .markdown:
            ComparisonPage(comparison, a: a, b: b).page.appendMarkdown(to: &bytes, under: "Comparison")
        case .json: ComparisonObject.append(comparison, a: a, b: b, to: &bytes)
        default: form.failAsUndeclared()
        }
    }

    /// Returns `2 new, 0 more, 1 gone, 0 fewer, 1 slower, 0 faster`.
    package static func counts(_ comparison: LogComparison) -> String {
        var counts = [LogComparison.Change.new, .more, .gone, .fewer].map { change in
            "\(comparison.failures.count { $0.change == change }) \(change.rawValue)"
        }
        if let speeds = comparison.speeds {
            counts.append("\(speeds.count(where: \.isSlower)) slower")
            counts.append("\(speeds.count { !$0.isSlower }) faster")
        }
        return counts.joined(separator: ", ")
    }
}

/// The comparison in readable form.
private struct ComparisonPage {
    private let comparison: LogComparison
    private let a: String
    private let b: String

    init(_ comparison: LogComparison, a: String, b: String) {
        (self.comparison, self.a, self.b) = (comparison, a, b)
    }

    var page: Page {
        var page = Page()
        page.sentence(side("A", a, comparison.logs.a))
        page.sentence(side("B", b, comparison.logs.b))
        for note in notes { page.sentence(note) }
        let titles: [(LogComparison.Change, String)] = [
            (.new, "New kinds of failures"), (.more, "More often than in A"), (.gone, "Gone"),
            (.fewer, "Less often than in A"), (.onlyB, "Only in B, but too rare or on too few servers to judge"),
            (.onlyA, "Only in A, but too rare or on too few servers to judge"),
        ]
        for (change, title) in titles {
            page.table(failures(comparison.failures.filter { $0.change == change }), under: title)
        }
        if let speeds = comparison.speeds {
            page.table(table(of: speeds.filter(\.isSlower)), under: "Slower requests")
            page.table(table(of: speeds.filter { !$0.isSlower }), under: "Faster requests")
        }
        return page
    }

    /// Returns `A, yesterday: 2 servers, from … to …, 12,345 requests, 67 failed`.
    private func side(_ letter: String, _ name: String, _ log: LogPortrait) -> Phrase {
        let count = log.servers.values.filter { !$0.name.isEmpty }.count
        let servers = count == 0 ? "an unnamed server" : "\(Quantity(grouped: count, "server", "servers"))"
        var phrase: Phrase = "\(letter, .bold), \(untrusted: name): \(servers)"
        if let first = log.firstTime?.iso8601, let last = log.lastTime?.iso8601 {
            phrase = phrase + (first == last ? ", at \(first)" : ", from \(first) to \(last)")
        }
        if let requests = log.requests {
            phrase = phrase + ", \(Quantity(grouped: requests, "request", "requests"))"
        }
        if let failed = log.failed { phrase = phrase + ", \(Quantity(grouped: failed)) failed" }
        return phrase + ", \(Quantity(grouped: log.kinds.count, "kind", "kinds")) of failure"
    }

    private var notes: [Phrase] {
        var notes: [Phrase] = []
        switch comparison.basis {
        case .requests: notes.append("Failures are counted per 1,000 requests, each request once.")
        case .hours: notes.append("Failures are counted per server and hour, because requests are too few or unknown.")
        }
        if comparison.hasNoCommonServer {
            notes.append("No server is in both, so all of A is compared with all of B.")
        }
        for (letter, other, servers) in [("A", "B", comparison.missing.a), ("B", "A", comparison.missing.b)]
        where !servers.isEmpty {
            var list: Phrase = ""
            for (index, server) in servers.enumerated() {
                list = list + (index > 0 ? ", \(untrusted: server)" : "\(untrusted: server)")
            }
            notes.append(
                "\(letter) contains no logs from \(list): their failures in \(other) are neither new nor gone."
            )
        }
        for (letter, log) in [("A", comparison.logs.a), ("B", comparison.logs.b)] {
            notes += ends(of: log, letter)
            if log.isIncomplete {
                notes.append("\(letter) was not read in full, or contains more than 10,000 kinds.")
            }
            for gap in log.gaps.prefix(Self.maximumGaps) {
                let server: Phrase = gap.server.map { "\(untrusted: $0)" } ?? "A server"
                notes.append(
                    "\(server) wrote nothing in \(letter) from \(gap.from.iso8601 ?? "-") to \(gap.until.iso8601 ?? "-")."
                )
            }
            if log.gaps.count > Self.maximumGaps {
                notes.append("\(letter) has \(Quantity(grouped: log.gaps.count - Self.maximumGaps)) more gaps.")
            }
        }
        let unchanged = Quantity(grouped: comparison.unchanged, "kind of failure is", "kinds of failure are")
        notes.append("\(unchanged) about as frequent in both.")
        return notes
    }

    /// Returns a note with the times of each server, if the logs of the servers end at different times.
    private func ends(of log: LogPortrait, _ letter: String) -> [Phrase] {
        let servers = log.servers.values.sorted { $0.name < $1.name }
        let times = servers.compactMap(\.lastTime?.instant)
        guard let first = times.min(), let last = times.max(), last - first >= Self.leastDifference else { return [] }
        let lines = servers.prefix(Self.maximumServers).compactMap { server -> Phrase? in
            guard let first = server.firstTime?.iso8601, let last = server.lastTime?.iso8601 else { return nil }
            return "\(untrusted: server.name.isEmpty ? "(unknown)" : server.name) from \(first) to \(last)"
        }
        var note: Phrase = "The logs in \(letter) end at different times: "
        for (index, line) in lines.enumerated() { note = note + (index > 0 ? "; " : "") + line }
        return [servers.count > Self.maximumServers ? note + "; and more" : note]
    }

    private static let maximumServers = 20
    /// The minimum difference between the end times of servers' logs that is mentioned, in milliseconds.
    private static let leastDifference: Int64 = 300_000
    private static let maximumGaps = 5

    private func failures(_ failures: [LogComparison.Failure]) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "ROWS A", alignment: .right), .init(title: "ROWS B", alignment: .right),
            .init(title: "RATE A", alignment: .right), .init(title: "RATE B", alignment: .right),
            .init(title: "EVENT ID"), .init(title: "KIND"), .init(title: "FAILURE", minimum: 16),
        ])
        for failure in failures {
            let type = failure.exception.map { "\($0): " } ?? ""
            let exception = failure.template.hasPrefix(type) ? "" : type
            let growth = failure.growth.map { "\(words(on: $0)); " } ?? ""
            let text = growth + exception + failure.template
            table.append([
                .count(failure.rows.a), .count(failure.rows.b), "\(NumberText.short(failure.rates.a))",
                "\(NumberText.short(failure.rates.b))", .untrusted(failure.eventID.isEmpty ? nil : failure.eventID),
                "\(failure.id)", .untrusted(text),
            ])
        }
        return table
    }

    /// Returns `on WFE2: 1.00 to 12.0`, or `on WFE2` for a new kind.
    private func words(on growth: LogComparison.Growth) -> String {
        guard growth.rates.a > 0 else { return "on \(growth.server)" }
        return "on \(growth.server): \(NumberText.short(growth.rates.a)) to \(NumberText.short(growth.rates.b))"
    }

    private func table(of speeds: [LogComparison.Speed]) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "COUNT A", alignment: .right), .init(title: "COUNT B", alignment: .right),
            .init(title: "P50 A", alignment: .right), .init(title: "P50 B", alignment: .right),
            .init(title: "P95 A", alignment: .right), .init(title: "P95 B", alignment: .right),
            .init(title: "REQUEST", minimum: 16),
        ])
        for speed in speeds {
            let times = [speed.p50.a, speed.p50.b, speed.p95.a, speed.p95.b].map {
                TextTable.Cell(text: "\(ShortDuration(measured: .microseconds($0)))")
            }
            table.append([.count(speed.counts.a), .count(speed.counts.b)] + times + [.untrusted(speed.key)])
        }
        return table
    }
}

/// A number with a fraction.
enum NumberText {
    /// Returns the number in readable form: two decimals below ten, one below a hundred, then none.
    static func short(_ number: Double) -> String {
        let decimals = number < 10 ? 100 : number < 100 ? 10 : 1
        return text(number, unit: decimals)
    }

    /// Returns the number for the machine formats: four decimals.
    static func json(_ number: Double) -> [UInt8] { Array(text(number, unit: 10_000).utf8) }

    private static func text(_ number: Double, unit: Int) -> String {
        let scaled = Int((max(0, min(number, 1e12)) * Double(unit)).rounded())
        guard unit > 1 else { return String(scaled) }
        return "\(scaled / unit)." + (scaled % unit).padded(to: String(unit).utf8.count - 1)
    }
}

/// `fastctl.comparison/1`: the differences between two logs, as one JSON object on one line.
private enum ComparisonObject {
    static func append(_ comparison: LogComparison, a: String, b: String, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.comparison/1") { object in
            object.object("a") { append(comparison.logs.a, a, missing: comparison.missing.a, to: &$0) }
            object.object("b") { append(comparison.logs.b, b, missing: comparison.missing.b, to: &$0) }
            object.member("basis", comparison.basis.rawValue)
            object.member("commonServers", !comparison.hasNoCommonServer)
            object.member("worse", comparison.isWorse)
            object.array("failures") { array in
                for failure in comparison.failures { array.object { append(failure, to: &$0) } }
            }
            object.member("unchanged", comparison.unchanged)
            guard let speeds = comparison.speeds else { return object.member("requests", nil as String?) }
            object.array("requests") { array in
                for speed in speeds { array.object { append(speed, to: &$0) } }
            }
        }
        bytes.append(0x0A)
    }

    private static func append(_ log: LogPortrait, _ name: String, missing: [String], to object: inout JSONWriter) {
        object.member("name", name)
        object.member("firstTime", log.firstTime)
        object.member("lastTime", log.lastTime)
        object.member("requests", log.requests)
        object.member("failedRequests", log.failed)
        object.member("kinds", log.kinds.count)
        object.member("incomplete", log.isIncomplete)
        object.array("servers") { array in
            for (_, server) in log.servers.sorted(by: { $0.key < $1.key }) {
                array.object { object in
                    object.member("name", log: server.name)
                    object.member("hours", raw: NumberText.json(server.hours))
                    object.member("requests", server.requests)
                }
            }
        }
        object.array("missingServers") { array in for name in missing { array.value(name) } }
        object.array("gaps") { array in
            for gap in log.gaps {
                array.object { object in
                    object.member("server", log: gap.server)
                    object.member("from", gap.from)
                    object.member("until", gap.until)
                }
            }
        }
    }

    private static func append(_ failure: LogComparison.Failure, to object: inout JSONWriter) {
        object.member("change", failure.change.rawValue)
        object.member("id", failure.id)
        object.member("eventID", log: failure.eventID)
        object.member("template", failure.template)
        object.member("exception", log: failure.exception)
        object.member("rowsA", failure.rows.a)
        object.member("rowsB", failure.rows.b)
        object.member("rateA", raw: NumberText.json(failure.rates.a))
        object.member("rateB", raw: NumberText.json(failure.rates.b))
        object.member("server", log: failure.growth?.server)
        if let rates = failure.growth?.rates {
            object.member("serverRateA", raw: NumberText.json(rates.a))
            object.member("serverRateB", raw: NumberText.json(rates.b))
        } else {
            object.member("serverRateA", nil as Int?)
            object.member("serverRateB", nil as Int?)
        }
    }

    private static func append(_ speed: LogComparison.Speed, to object: inout JSONWriter) {
        object.member("change", speed.isSlower ? "slower" : "faster")
        object.member("request", speed.key)
        object.member("countA", speed.counts.a)
        object.member("countB", speed.counts.b)
        object.member("p50SecondsA", microseconds: speed.p50.a)
        object.member("p50SecondsB", microseconds: speed.p50.b)
        object.member("p95SecondsA", microseconds: speed.p95.a)
        object.member("p95SecondsB", microseconds: speed.p95.b)
    }
}
