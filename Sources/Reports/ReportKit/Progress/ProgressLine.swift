import JSONText
import TextKit

extension ProgressReading {
    /// The text of one line, such as `37 % of 1.2 GiB, 512 MiB/s, 1,234,567 events, ETA 36 s`.
    package var words: String { words(hasRate: true, hasItems: true) }

    private func words(hasRate: Bool, hasItems: Bool) -> String {
        var parts = [share, hasRate ? byteRate : nil, hasItems ? items(hasRate: hasRate) : nil].compactMap(\.self)
        if hasRate, count.inFlight > 0 { parts.append("\(Quantity(grouped: count.inFlight)) in flight") }
        if count.errors > 0 { parts.append("\(Quantity(grouped: count.errors, "error", "errors"))") }
        if let found = count.findings, !found.isEmpty {
            parts.append("\(Quantity(grouped: found.count, "finding", "findings")) so far")
        }
        if let (time, reason, givesUpAfter) = waiting {
            let seconds = ShortDuration(chosen: .seconds(time.components.seconds))
            parts.append(reason == nil ? "no answer from the engine for \(seconds)" : "no progress for \(seconds)")
            if let left = givesUpAfter {
                let rest = ShortDuration(chosen: .seconds(left.components.seconds).inMinutesIfLong)
                parts.append("giving up in \(rest)")
            }
            if let reason { parts[parts.count - 1] += ": \(reason)" }
        } else if let left {
            parts.append("ETA \(ShortDuration(chosen: left.inMinutesIfLong))")
        } else {
            parts.append("\(ShortDuration(chosen: .seconds(elapsed.components.seconds).inMinutesIfLong))")
        }
        return parts.joined(separator: ", ")
    }

    /// Returns the line for a terminal with this number of columns; the last column is left free so that no terminal
    /// moves to the next line.
    package func line(columns: Int?, _ layout: TextLayout) -> [UInt8] {
        var bytes: [UInt8] = []
        let room = max(1, (columns ?? 80) - 1)
        let forms = [words, words(hasRate: false, hasItems: true), words(hasRate: false, hasItems: false)]
        // The least important parts are left out first; a long failure is cut.
        let text = forms.first { $0.utf8.count <= room } ?? (waiting == nil ? forms[2] : forms[1])
        bytes.append(line: text, columns: room, layout)
        return bytes
    }

    private var share: String? {
        guard let percent = count.percent else {
            return count.bytes.flatMap { $0 > 0 ? "\(ShortByteCount($0))" : nil }
        }
        if let total = count.totalBytes, total > 0 { return "\(percent)% of \(ShortByteCount(total))" }
        return count.totalItems.map { "\(percent)% of \(Quantity(grouped: $0))" }
    }

    /// The speed of reading logs is measured in bytes, that of a feed in operations.
    private var byteRate: String? {
        guard count.kind == .events, let rate = bytesPerSecond else { return nil }
        return "\(ShortByteCount(Int(rate)))/s"
    }

    private func items(hasRate: Bool) -> String {
        let number = count.sides.map(words) ?? "\(Quantity(grouped: count.items))"
        guard count.kind != .events else { return "\(Quantity(grouped: count.items, "event", "events"))" }
        guard hasRate else { return "\(number) \(count.kind.rawValue)" }
        return "\(number) \(count.kind.rawValue)" + (itemsPerSecond.map { ", \(Quantity(grouped: Int($0)))/s" } ?? "")
    }

    private func words(_ sides: ProgressCount.Sides) -> String {
        let all = sides.collectionTotal.map { " of \(Quantity(grouped: $0))" } ?? ""
        return "source \(Quantity(grouped: sides.source)), collection \(Quantity(grouped: sides.collection))\(all)"
    }
}

extension ProgressReading {
    /// The maximum number of findings in an object.
    private static let listedFindings = 20

    /// Appends `fastctl.progress/1` as one line.
    package func append(to bytes: inout [UInt8], isLast: Bool = false) {
        bytes.append(object: "fastctl.progress/1") { object in
            object.member("seconds", Seconds(milliseconds: elapsed.wholeMilliseconds))
            object.member("bytes", count.bytes)
            object.member("totalBytes", count.totalBytes)
            object.member("bytesPerSecond", bytesPerSecond.map { Int($0) })
            object.member("items", count.items)
            object.member("itemKind", count.kind.rawValue)
            object.member("totalItems", count.totalItems)
            object.member("sourceItems", count.sides?.source)
            object.member("collectionItems", count.sides?.collection)
            object.member("collectionTotal", count.sides?.collectionTotal)
            object.member("itemsPerSecond", itemsPerSecond.map { Int($0) })
            object.member("errors", count.errors)
            if let found = count.findings {
                object.array("findings") { array in
                    for finding in found.prefix(Self.listedFindings) {
                        array.object { object in
                            object.member("rule", finding.rule)
                            object.member("severity", finding.severity)
                            object.member("title", finding.title)
                            object.member("occurrences", finding.occurrences)
                        }
                    }
                }
            }
            object.member("inFlight", count.inFlight)
            object.member("percent", count.percent)
            object.member("secondsLeft", left.map { Int($0.components.seconds) })
            object.member("waitingSeconds", waiting.map { Int($0.time.components.seconds) })
            object.member("waitingFor", waiting?.reason)
            object.member("givesUpInSeconds", waiting?.givesUpAfter.map { Int($0.components.seconds) })
            object.member("isLast", isLast)
        }
        bytes.append(0x0A)
    }
}

extension Duration {
    /// The duration in whole minutes if it is an hour or more.
    fileprivate var inMinutesIfLong: Duration {
        let seconds = components.seconds
        return seconds < 3600 ? self : .seconds(seconds / 60 * 60)
    }

    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// A meter that receives the counts of a command from time to time, and computes its rate and remaining time.
///
/// The meter has no clock: the caller provides the time since the command's beginning.
package struct ProgressMeter: Sendable {
    private var bytes = RecentRate()
    private var items = RecentRate()
    /// The unit being counted; counting restarts when it changes.
    private var kind: ProgressCount.Items?

    package init() {}

    /// Processes a count and returns the resulting reading.
    package mutating func reading(of count: ProgressCount, at time: Duration) -> ProgressReading {
        if kind != count.kind { (bytes, items) = (RecentRate(), RecentRate()) }
        kind = count.kind
        if let read = count.bytes { bytes.note(read, at: time) }
        items.note(count.items, at: time)
        return ProgressReading(
            count: count,
            elapsed: time,
            bytesPerSecond: bytes.perSecond,
            itemsPerSecond: items.perSecond
        )
    }
}

/// The progress, speed and running time of a command.
package struct ProgressReading: Sendable {
    package let count: ProgressCount
    package let elapsed: Duration
    /// The rates of the last few seconds; `nil` until they are known.
    let bytesPerSecond: Double?
    let itemsPerSecond: Double?

    /// The time without a response after which the wait is reported.
    private static let silence = Duration.seconds(3)

    /// The time during which nothing was completed, although operations are open; `nil` if it is short.
    package var waiting: (time: Duration, reason: String?, givesUpAfter: Duration?)? {
        guard let wait = count.wait, elapsed - wait.since >= Self.silence else { return nil }
        return (elapsed - wait.since, wait.reason, wait.givesUpAt.map { max(.zero, $0 - elapsed) })
    }

    /// The remaining time at the rate of the last few seconds; `nil` if it is not known.
    package var left: Duration? {
        guard waiting == nil else { return nil }
        let (rest, rate): (Double, Double?)
        if let total = count.totalBytes, total > 0 {
            (rest, rate) = (Double(max(0, total - (count.bytes ?? 0))), bytesPerSecond)
        } else if let total = count.totalItems, total > 0 {
            (rest, rate) = (Double(max(0, total - count.items)), itemsPerSecond)
        } else {
            return nil
        }
        guard let rate, rate > 0, rest / rate < 1_000_000 else { return nil }
        return .seconds(Int((rest / rate).rounded(.up)))
    }
}

/// The progress of a command at one moment: the bytes and items processed, and their totals.
package struct ProgressCount: Hashable, Sendable {
    /// The unit that is counted in addition to bytes, such as `events` or `done`.
    package enum Items: String, Hashable, Sendable {
        case events, done, pulled, pushed, read, compared, reread, checked
    }

    /// The items read from two sides that are read at the same time; their sum is the number of items.
    package struct Sides: Hashable, Sendable {
        /// Entries of the source.
        package var source: Int
        /// Documents of the collection.
        package var collection: Int
        /// All documents of the collection; `nil` if their number is not known.
        package var collectionTotal: Int?

        package init(source: Int, collection: Int, collectionTotal: Int? = nil) {
            (self.source, self.collection, self.collectionTotal) = (source, collection, collectionTotal)
        }
    }

    /// A period in which nothing is completed although operations are open.
    package struct Wait: Hashable, Sendable {
        /// The time, since the command began, at which something was last completed.
        package var since: Duration
        /// The last failure; `nil` if there was neither a failure nor a response.
        package var reason: String?
        /// The time, since the command began, at which it gives up; `nil` if it does not give up, or if the time is not
        /// known.
        package var givesUpAt: Duration?

        package init(since: Duration, reason: String? = nil, givesUpAt: Duration? = nil) {
            self.since = since
            self.reason = reason
            self.givesUpAt = givesUpAt
        }
    }

    /// A finding in the logs read so far, which may still change.
    package struct Finding: Hashable, Sendable {
        package var rule: String
        package var severity: String
        package var title: String
        package var occurrences: Int

        package init(rule: String, severity: String, title: String, occurrences: Int) {
            (self.rule, self.severity, self.title, self.occurrences) = (rule, severity, title, occurrences)
        }
    }

    /// The number of input bytes that are done; `nil` if they are not counted.
    package var bytes: Int?
    /// The number of bytes of the whole input; `nil` if that is unknown, as for a pipe.
    package var totalBytes: Int?
    package var items = 0
    /// The number of all items; `nil` if that is unknown.
    package var totalItems: Int?
    package let kind: Items
    /// Set while two sides are read.
    package var sides: Sides?
    package var errors = 0
    /// The findings so far, the worst first; `nil` except in a diagnosis.
    package var findings: [Finding]?
    /// The number of items that were sent to an engine and are waiting for a response.
    package var inFlight = 0
    /// Set while something waits for an engine.
    package var wait: Wait?

    package init(of kind: Items) { self.kind = kind }

    /// The share that is done, from 0 to 1; `nil` if the total is unknown.
    package var share: Double? {
        if let totalBytes, totalBytes > 0 { return min(1, Double(bytes ?? 0) / Double(totalBytes)) }
        guard let totalItems, totalItems > 0 else { return nil }
        return min(1, Double(items) / Double(totalItems))
    }

    /// The share in whole percent, which is 100 only at the end.
    package var percent: Int? { share.map { Int($0 * 100) } }
}

/// Values of `--progress`: whether and how a command reports its progress.
package enum ProgressChoice: String, Hashable, Sendable, CaseIterable {
    /// A line that is redrawn on a terminal; without a terminal, ``plain`` in CI and nothing elsewhere.
    case auto
    /// A line every 30 seconds, unless the user has chosen another interval.
    case plain
    /// An object `fastctl.progress/1` every second, or as often as the user has chosen, and one at the end.
    case json
    case never

    /// How progress is shown.
    package enum Manner: Hashable, Sendable {
        case live, plain, json
    }

    /// Decides how progress is shown.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether standard error is a terminal.
    ///   - environment: The variables of the process. CI systems set `CI`, `GITHUB_ACTIONS` or `GITLAB_CI`, Azure
    ///     Pipelines `TF_BUILD`, TeamCity `TEAMCITY_VERSION`.
    /// - Returns: `nil` if it is not shown.
    package func manner(isTerminal: Bool, environment: (String) -> String?) -> Manner? {
        switch self {
        case .never: return nil
        case .plain: return .plain
        case .json: return .json
        case .auto: break
        }
        if isTerminal { return environment("TERM") == "dumb" ? nil : .live }
        let isCI = Self.variables.contains { name in
            environment(name).map { !["", "0", "false"].contains($0) } ?? false
        }
        return isCI ? .plain : nil
    }

    /// Variables that CI systems set.
    package static let variables = ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION"]
}

/// Whether, how, and how often a command reports its progress.
package struct ProgressStyle: Hashable, Sendable {
    package var choice: ProgressChoice
    /// The time between lines or objects; `nil` for the default.
    package var interval: Duration?

    package init(_ choice: ProgressChoice = .auto, every interval: Duration? = nil) {
        self.choice = choice
        self.interval = interval
    }
}

/// The recent rate: the increase of a counter in the last few seconds.
///
/// An average since the beginning would hide a standstill and predict the remaining time poorly.
struct RecentRate: Sendable {
    /// The length of the window.
    package static let span = Duration.seconds(5)
    /// The minimum time between two samples, which limits how many are kept.
    private static let step = Duration.milliseconds(250)

    private var samples: [(time: Duration, count: Int)] = []

    /// Records the counter's value at a time; times never decrease.
    package mutating func note(_ count: Int, at time: Duration) {
        if samples.count >= 2, let before = samples.dropLast().last, time - before.time < Self.step {
            samples.removeLast()
        }
        samples.append((time, count))
        // One sample before the span is kept, so that the span is covered.
        while samples.count > 2, time - samples[1].time >= Self.span { samples.removeFirst() }
    }

    /// The increase per second; `nil` until enough time has passed.
    var perSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.step else {
            return nil
        }
        return max(0, Double(last.count - first.count)) / ((last.time - first.time) / .seconds(1))
    }
}
