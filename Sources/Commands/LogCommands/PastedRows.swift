import LogDiagnosis
import LogReports
import ULSLog

/// The distinct failures of the rows in pasted text, in the order of the text.
struct PastedRows {
    /// The rows and their failures.
    struct Found: Sendable {
        var failures: [ExplainedFailure] = []
        /// The number of rows that look like failures but are noise, and the rules that identify them.
        var noise = 0
        var noiseRules: [Rule] = []
    }

    /// The maximum number of rows that are described although none of them shows a failure.
    static let maximumDescribed = 20

    /// The maximum number of failures to show.
    let maximum: Int
    private(set) var count = 0
    /// The rows that show no failure, up to the maximum number of rows that are described.
    private var others: [ExplainedFailure] = []
    private(set) var found = Found()
    private var places: [String: Int] = [:]
    private var leftOut: Set<String> = []

    init(maximum: Int) { self.maximum = maximum }

    /// The rows that state a failure below the level of one, or else the descriptions of all rows; empty if the text
    /// has too many rows.
    var quiet: [ExplainedFailure] {
        guard count <= Self.maximumDescribed else { return [] }
        let stated = others.filter(\.statesFailure)
        return stated.isEmpty ? others.map(\.quiet) : stated
    }

    /// Takes the rows of a text, with the findings that rest on each of them; `needsID` leaves out paragraphs, which have
    /// no event ID.
    ///
    /// - Throws: A `LogError` if the text cannot be read.
    mutating func read(
        _ reader: LogReader,
        noise: RowRules,
        needsID: Bool,
        _ findings: (borrowing ULSEvent) -> [Finding] = { _ in [] }
    ) throws {
        _ = try reader.forEachEvent(in: .files) { event in
            guard !needsID || !event.text(.eventID).isEmpty else { return }
            count += 1
            var explained = ExplainedFailure(copy event)
            explained.findings = findings(event)
            take(explained, noise: explained.findings.isEmpty ? noise.rule(for: event) : nil)
        }
    }

    private mutating func take(_ failure: ExplainedFailure, noise: Rule?) {
        guard failure.isFailure else {
            if others.count < Self.maximumDescribed { others.append(failure) }
            return
        }
        if let noise {
            found.noise += 1
            if !found.noiseRules.contains(where: { $0.id == noise.id }) { found.noiseRules.append(noise) }
        } else if let place = failure.keys.compactMap({ places[$0] }).first {
            for key in failure.keys where places[key] == nil { places[key] = place }
            found.failures[place].add(failure)
        } else if found.failures.count < maximum {
            for key in failure.keys { places[key] = found.failures.count }
            found.failures.append(failure)
        } else {
            leftOut.insert(failure.identity)
        }
    }

    var finished: Found {
        var found = found
        guard !found.failures.isEmpty else { return found }
        found.failures[found.failures.count - 1].notShown = leftOut.count
        return found
    }
}

extension DiagnosisReport {
    /// Returns whether there are at most `maximum` rows, and nothing in them was explained or hidden by the user's
    /// decisions.
    func isSilent(on maximum: Int) -> Bool {
        guard let logs, 1...maximum ~= logs.lookedAt, !unexplained.contains(where: \.fillsPage) else { return false }
        return findings.isEmpty && known.isEmpty && suppressed.isEmpty && normalRows == 0
    }
}
