import Digests
import TextKit
public import ULSLog
public import WebConfig
import YAML

/// A failure that a rule found.
public struct Finding: Sendable {
    /// The rule that found the failure.
    public var rule: Rule
    /// The ID of the verdict that holds.
    public var verdict: String
    /// The severity.
    public var severity: Severity
    /// The confidence.
    public var confidence: Confidence
    /// A sentence that describes the problem, with its placeholders filled in.
    public var message: String
    /// The verdict's symptoms whose checks are true, in the verdict's order.
    public var symptoms: [Symptom]
    /// The captured parts of messages: those of the rule's `per` first, then by name.
    public var captures: [Capture]
    /// The web.config elements that the verdict is based on, separately for each file.
    public var config: [ConfigEvidence]
    /// Sentences about the facts from the farm's file that the verdict is based on.
    public var farm: [String]
    /// The number of events or groups that the true checks counted; 0 if the verdict is based only on configuration.
    public var occurrences: Int
    /// Whether there may be more occurrences, because a limit was reached.
    public var occurrencesAreAtLeast: Bool
    /// The servers whose events count, sorted.
    public var servers: [String]
    /// The time of the first evidence; `nil` if rows have no dates.
    public var firstTime: LogTime?
    /// The time of the last evidence; `nil` if rows have no dates.
    public var lastTime: LogTime?
    /// Some of the events that count; the lead comes first.
    public var evidence: [Evidence]
    /// The interpretation of the evidence's text; `nil` if there is none.
    public var reading: FailureReading?
    /// The steps that apply to the verdict, with their placeholders filled in.
    public var fix: [FixStep]
    /// The preceding verdicts that could not be decided.
    public var undecided: [String]
    /// The place in the file, for a finding about a file given to the program.
    public var filePlace: FilePlace?
    /// Whether all kinds of rows that the finding is based on are normal and no more frequent than usual; see
    /// ``Diagnosis/normal``.
    public var isUsual = false
    /// A hash that is the same for the same failure in any run.
    ///
    /// The hash covers the rule, its `per` captures, the server if each server was judged separately, and the paths of
    /// its configuration elements.
    public var fingerprint: String

    /// Creates a finding.
    public init(rule: Rule, verdict: VerdictDefinition, message: String, fingerprint: String) {
        self.rule = rule
        self.verdict = verdict.id
        severity = verdict.severity
        confidence = verdict.confidence
        self.message = message
        symptoms = []
        captures = []
        config = []
        farm = []
        occurrences = 0
        occurrencesAreAtLeast = false
        servers = []
        evidence = []
        fix = []
        undecided = []
        self.fingerprint = fingerprint
    }
}

/// A true check, and its label.
public struct Symptom: Sendable, Hashable {
    /// The name of the check in its rule.
    public var check: String
    /// The check's label with its placeholders filled in.
    public var text: String
    /// The number of events or groups.
    public var count: Int
    /// Whether there may be more, because a limit was reached.
    public var isAtLeast: Bool

    /// Creates a symptom.
    public init(check: String, text: String, count: Int, isAtLeast: Bool = false) {
        self.check = check
        self.text = text
        self.count = count
        self.isAtLeast = isAtLeast
    }
}

/// A named part of a message.
public struct Capture: Sendable, Hashable {
    /// The name that the rule gave it.
    public var name: String
    /// The captured text.
    public var value: String

    /// Creates a capture.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension Finding {
    /// Creates the finding of a rule that has been judged; `nil` if no verdict holds.
    ///
    /// - Parameters:
    ///   - judgement: The verdict and the results that it is based on.
    ///   - values: The values of the rule's `per` captures, and the server if the rule is judged for each server.
    init?(_ judgement: RuleJudgement, per values: [String]) {
        guard let verdict = judgement.verdict else { return nil }
        let rule = judgement.rule
        let own = zip(rule.per, values).map { Capture(name: $0, value: $1) }
        let fingerprint = Self.fingerprint(rule, own, server: values.dropFirst(own.count).first)
        self.init(rule: rule, verdict: verdict, message: "", fingerprint: fingerprint)
        undecided = judgement.undecided
        let checks = judgement.trueChecks
        let results = checks.map { judgement[$0] }
        // A missing capture is shown as missing in sentences.
        captures = own.filter { !$0.value.isEmpty }
        let others = results.flatMap(\.tally.captures).sorted { $0.name < $1.name }
        for capture in others where !captures.contains(where: { $0.name == capture.name }) { captures.append(capture) }
        config = results.flatMap(\.config)
        farm = results.flatMap(\.farm)
        servers = Set(results.flatMap(\.tally.servers)).sorted()
        firstTime = results.compactMap(\.tally.first).min { $0.instant < $1.instant }
        lastTime = results.compactMap(\.tally.last).max { $0.instant < $1.instant }
        evidence = Self.evidence(results)
        // Count only the checks that the verdict is based on; symptoms would count the same failures again. For checks
        // on the same selectors, take the highest count.
        var counted: [(selectors: Set<String>, count: Int)] = []
        for check in checks where verdict.when.checks.contains(check) {
            let selectors = Set(rule.checks[check]?.selectors.map(\.value) ?? [])
            guard !selectors.isEmpty else { continue }
            let count = judgement[check].count
            if judgement[check].isAtLeast { occurrencesAreAtLeast = true }
            if let index = counted.firstIndex(where: { !$0.selectors.isDisjoint(with: selectors) }) {
                counted[index] = (counted[index].selectors.union(selectors), max(counted[index].count, count))
            } else {
                counted.append((selectors, count))
            }
        }
        occurrences = counted.reduce(0) { $0 + $1.count }
        symptoms = (verdict.symptoms ?? []).filter { judgement[$0].truth == .yes }.map { check in
            let label = rule.checks[check]?.label ?? check
            return Symptom(
                check: check,
                text: filled(label, judgement, count: judgement[check].countText),
                count: judgement[check].count,
                isAtLeast: judgement[check].isAtLeast
            )
        }
        let count = occurrencesAreAtLeast ? "at least \(occurrences)" : "\(occurrences)"
        message = filled(verdict.message, judgement, count: count)
        fix = rule.fix.filter { $0.verdicts.isEmpty || $0.verdicts.contains(verdict.id) }.map { step in
            var step = step
            step.step = filled(step.step, judgement, count: count)
            return step
        }
    }

    /// Interprets the text of the evidence, using the first row that can be interpreted.
    mutating func read() {
        for event in evidence where event.role == .match {
            var reading = FailureReading(
                text: event.text,
                category: event.category,
                isCut: event.isTruncated,
                givesReasons: rule.kind == .symptom
            )
            guard !reading.isEmpty else { continue }
            reading.checks.removeAll { check in fix.contains { $0.step.contains(check.program ?? check.text) } }
            reading.checks = Array(reading.checks.prefix(Self.maximumChecks))
            self.reading = reading
            return
        }
    }

    private func filled(_ text: String, _ judgement: RuleJudgement, count: String) -> String {
        let filled =
            MessageTemplate(text)?.filled { name in
                if name == "count" { return count }
                let parts = name.split(separator: ".")
                if parts.count == 2 {
                    let result = judgement[String(parts[0])]
                    if parts[1] == "count" { return result.countText }
                    return result.config.isEmpty ? nil : result.config.map(\.at).joined(separator: ", ")
                }
                return captures.first { $0.name == name }?.value
            } ?? text
        // The sentence may begin with its count.
        return text.hasPrefix("{") && filled.hasPrefix("at least ") ? "A" + filled.dropFirst() : filled
    }

    /// Returns the lead, followed by the evidence of the checks, without duplicates.
    private static func evidence(_ results: [CheckResult]) -> [Evidence] {
        var evidence: [Evidence] = []
        var places: Set<ULSEvent.Place> = []
        let first = results.first { !$0.tally.evidence.isEmpty }
        let leads = [first?.tally.firstAbnormal].compactMap(\.self)
        for one in leads + results.flatMap(\.tally.evidence) where places.insert(one.place).inserted {
            evidence.append(one)
        }
        return Array(evidence.prefix(maximumEvidence))
    }

    /// The maximum number of checks in addition to the steps of the rule.
    private static let maximumChecks = 4

    /// The maximum number of events that a finding names.
    static let maximumEvidence = 8

    /// Returns a hash that is the same for the same failure in any run, regardless of the verdict and the log.
    private static func fingerprint(_ rule: Rule, _ captures: [Capture], server: String?) -> String {
        var text = rule.id.text
        if let server { text += "\u{0}server=\(server)" }
        for capture in captures { text += "\u{0}\(capture.name)=\(capture.value)" }
        for entry in rule.checks.entries {
            if case .config(let config) = entry.value.kind { text += "\u{0}\(config.element)" }
            if case .differs(let differs) = entry.value.kind { text += "\u{0}\(differs.element)" }
        }
        return fingerprint(of: [text])
    }

    /// Returns a hash of texts, which must be the same in any run.
    static func fingerprint(of texts: [String]) -> String {
        var digest = SHA256()
        return String(digest.digest(of: texts.joined(separator: "\u{0}").utf8).hexadecimal.prefix(16))
    }
}

/// A place in a file, with line and column counted from 1.
public struct FilePlace: Sendable, Hashable {
    /// The file's name.
    public var file: String
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted from 1.
    public var column: Int

    /// Creates a place.
    public init(file: String, line: Int, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension CheckResult {
    /// The count in words: `3`, or `at least 3`.
    fileprivate var countText: String { isAtLeast ? "at least \(count)" : "\(count)" }
}

/// A sentence with placeholders: `control '{control_id|?}' appears twice ({trace_on.at})`.
public struct MessageTemplate: Sendable, Hashable {
    /// A piece of the sentence.
    private enum Piece: Sendable, Hashable {
        case text(String)
        /// A placeholder for a capture, for `check.at`, or for `count`, with the text to use if the value is unknown.
        case place(String, instead: String)
    }

    private let pieces: [Piece]

    /// Reads a template; `nil` if a brace is not closed or a name is empty.
    package init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            if brace != rest.startIndex { pieces.append(.text(String(rest[..<brace]))) }
            guard let end = rest[brace...].firstIndex(of: "}") else { return nil }
            let inside = rest[rest.index(after: brace)..<end]
            let name = inside.prefix { $0 != "|" }
            guard !name.isEmpty else { return nil }
            let instead = inside.count == name.count ? "(unknown)" : String(inside.dropFirst(name.count + 1))
            pieces.append(.place(String(name), instead: instead))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// The names of the placeholders.
    package var names: [String] {
        pieces.compactMap { if case .place(let name, _) = $0 { name } else { nil } }
    }

    /// Returns the sentence with its placeholders filled in; `row(s)` becomes singular or plural depending on the last
    /// number before it.
    func filled(_ value: (String) -> String?) -> String {
        var (sentence, isOne) = ("", false)
        for piece in pieces {
            switch piece {
            case .text(let text): sentence += text.replacing("(s)", with: isOne ? "" : "s")
            case .place(let name, let instead):
                let filled = value(name) ?? instead
                if let number = Int(filled.split(separator: " ").last ?? "") { isOne = number == 1 }
                sentence += filled
            }
        }
        return sentence
    }
}

/// An event that a finding is based on.
public struct Evidence: Sendable, Hashable {
    /// The event's role in the finding.
    public enum Role: String, Sendable {
        case match
        /// The first row at Monitorable or worse of the same request: the place to start reading.
        case lead
    }

    /// The role of the row in the finding.
    public var role: Role
    /// The place of the row in the logs.
    public var place: ULSEvent.Place
    /// The time at which the row was written.
    public var time: LogTime
    /// The server that wrote the row; `nil` if that is not known.
    public var server: String?
    /// The event ID.
    public var eventID: String
    /// The level, as written.
    public var level: String
    /// The category.
    public var category: String
    /// The correlation ID in lowercase; `nil` if the row has none.
    public var correlation: String?
    /// The message, or its beginning.
    public var text: String
    /// Whether the message was cut.
    public var isTruncated: Bool

    /// The maximum number of bytes of a message kept in evidence.
    public static let maximumText = 600

    /// Creates evidence.
    public init(
        role: Role = .match,
        place: ULSEvent.Place,
        time: LogTime,
        server: String? = nil,
        eventID: String,
        level: String,
        category: String = "",
        correlation: String? = nil,
        text: String,
        isTruncated: Bool = false
    ) {
        self.role = role
        self.place = place
        self.time = time
        self.server = server
        self.eventID = eventID
        self.level = level
        self.category = category
        self.correlation = correlation
        self.text = text
        self.isTruncated = isTruncated
    }
}

/// An element of a web.config file that a finding is based on.
public struct ConfigEvidence: Sendable, Hashable {
    /// The file.
    public var source: WebConfigSource
    /// The element; `nil` if the file has no such element and the default applies.
    public var element: ConfigElement?
    /// The path of the element, even if the element does not exist.
    public var path: String
    /// The examined attributes that are written in the file; `ConfigElement.isSecret(_:)` determines which must not be
    /// shown.
    public var attributes: [ConfigAttribute]

    /// Creates evidence from a web.config file.
    public init(source: WebConfigSource, element: ConfigElement?, path: String, attributes: [ConfigAttribute]) {
        self.source = source
        self.element = element
        self.path = path
        self.attributes = attributes
    }

    /// The file and line, such as `wfe01/web.config:87`.
    public var at: String { element.map { "\(source.path):\($0.line)" } ?? source.path }
}
