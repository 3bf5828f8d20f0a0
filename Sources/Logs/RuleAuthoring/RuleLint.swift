package import LogDiagnosis
import TextKit
import TextPatterns
import ULSLog
package import YAML

/// A search for problems that make a rule slow, useless, or hard to trust even though the rule can be read.
package struct RuleLint: Sendable {
    private let library: RuleLibrary

    /// - Parameter library: The known rules, which may refer to each other.
    package init(_ library: RuleLibrary) { self.library = library }

    /// Returns complaints about the files in a folder, both those that cannot be read and those that can.
    ///
    /// - Parameters:
    ///   - folder: A folder of rules.
    ///   - library: Other known rules.
    /// - Returns: Complaints by file and place.
    /// - Throws: ``RuleError`` if the folder cannot be read.
    package static func complaints(
        folder: String,
        besides library: RuleLibrary = RuleLibrary()
    ) throws(RuleError) -> [RuleComplaint] {
        let files = try RuleFolder.read(folder)
        var library = library
        var complaints: [RuleComplaint] = []
        var read: [RuleID] = []
        var broken: Set<RuleID> = []
        // Tests come after their rules.
        for file in files.filter({ $0.nominal?.isTests == false }) + files.filter({ $0.nominal?.isTests == true }) {
            // A problem with a rule is reported once, not again for its tests.
            if let (id, isTests) = file.nominal, isTests, broken.contains(id) { continue }
            do throws(RuleError) {
                try library.add([file])
                if let (id, isTests) = file.nominal, !isTests { read.append(id) }
            } catch {
                complaints.append(RuleComplaint(error))
                if let id = file.nominal?.id { broken.insert(id) }
            }
        }
        let lint = RuleLint(library)
        return (complaints + read.flatMap { lint.complaints(about: $0) }).inOrder
    }

    /// Returns complaints about all rules.
    package func complaints() -> [RuleComplaint] {
        library.entries.flatMap { complaints(about: $0.rule.id) }
    }

    /// Returns complaints about a rule and its tests, by file and place; if the tests are not known, only complaints
    /// about the rule.
    package func complaints(about id: RuleID) -> [RuleComplaint] {
        guard let entry = library[id], let outline = RuleOutline(yaml: entry.source.text) else { return [] }
        let subject = LintSubject(rule: entry.rule, file: entry.source.name, outline: outline)
        var complaints = SelectorLint(subject).complaints + UseLint(subject).complaints
        complaints += TextLint(subject).complaints + TrustLint(subject).complaints
        for (index, other) in entry.rule.supersedes.enumerated() where library[other] == nil || other == id {
            let problem = other == id ? "it supersedes itself" : "it supersedes \(other), which does not exist"
            complaints.append(subject.warning(problem, at: "supersedes", "\(index)"))
        }
        do throws(RuleError) {
            if entry.testsAreKnown { complaints += TestLint(subject, try library.tests(of: id)).complaints }
        } catch {
            complaints.append(RuleComplaint(error))
        }
        return complaints.inOrder
    }
}

/// A rule and its file, with the places of all its parts.
private struct LintSubject {
    var rule: Rule
    var file: String
    var outline: RuleOutline

    func error(_ message: String, at path: String...) -> RuleComplaint { error(message, outline[path]) }
    func warning(_ message: String, at path: String...) -> RuleComplaint { warning(message, outline[path]) }

    func error(_ message: String, _ place: Place) -> RuleComplaint {
        RuleComplaint(.error, file: file, place: place, message: message)
    }

    func warning(_ message: String, _ place: Place) -> RuleComplaint {
        RuleComplaint(.warning, file: file, place: place, message: message)
    }
}

extension [RuleComplaint] {
    /// The complaints, sorted by file and place, without duplicates.
    fileprivate var inOrder: [RuleComplaint] {
        var seen: Set<RuleComplaint> = []
        return filter { seen.insert($0).inserted }.sorted {
            ($0.file, $0.place?.line ?? 0, $0.place?.column ?? 0) < (
                $1.file, $1.place?.line ?? 0, $1.place?.column ?? 0
            )
        }
    }
}

/// A problem in a rule or its tests, which may run nevertheless.
package struct RuleComplaint: Sendable, Hashable {
    /// The severity of a complaint.
    package enum Severity: String, Sendable {
        case warning
        case error
    }

    /// The severity.
    package var severity: Severity
    /// The file, as it was given.
    package var file: String
    /// The line and column, counted from 1; `nil` if the complaint is about the entire file.
    package var place: Place?
    /// The problem, as a sentence.
    package var message: String

    /// The line, counted from 1; `nil` if the complaint is about the entire file.
    package var line: Int? { place?.line }
    /// The column, counted from 1; `nil` if the complaint is about the entire file.
    package var column: Int? { place?.column }

    /// Creates a complaint about a file.
    package init(_ severity: Severity, file: String, place: Place? = nil, message: String) {
        self.severity = severity
        self.file = file
        self.place = place
        self.message = message
    }

    /// Creates a complaint about a rule that could not be read.
    package init(_ error: RuleError) { self.init(.error, file: error.file, place: error.place, message: error.message) }
}

extension RuleComplaint: CustomStringConvertible {
    package var description: String { "\(file)\(place.map { ":\($0)" } ?? ""): \(severity.rawValue): \(message)" }
}

/// A check that a rule is as complete as its status promises.
private struct TrustLint {
    private(set) var complaints: [RuleComplaint] = []

    init(_ subject: LintSubject) {
        let rule = subject.rule
        if rule.status == .experimental {
            for (index, verdict) in rule.verdicts.enumerated() where verdict.severity > .warning {
                let message =
                    "an experimental rule can only warn; verdict \(verdict.id) has severity \(verdict.severity.rawValue)"
                complaints.append(subject.error(message, at: "verdicts", "\(index)", "severity"))
            }
        }
        guard rule.status == .stable else { return }
        func missing(_ what: String, _ key: String) {
            complaints.append(subject.error("a stable rule needs \(what)", at: key))
        }
        if rule.verify == nil { missing("verify: how to check that it is fixed", "status") }
        if rule.references.isEmpty { missing("references: the sources of its facts", "status") }
        if rule.explanation.impact == nil { missing("an impact: the effect on users", "explain") }
        if rule.fix.isEmpty { missing("at least one step in fix", "fix") }
    }
}

/// A check that the tests of a rule cover all its results, including cases without a finding.
private struct TestLint {
    private(set) var complaints: [RuleComplaint] = []
    private let subject: LintSubject

    init(_ subject: LintSubject, _ file: RuleTestFile?) {
        self.subject = subject
        let rule = subject.rule
        guard let file else {
            complain("there are no tests: add \(rule.id).tests.yaml", in: nil)
            return
        }
        var expected: Set<String> = []
        for test in file.tests {
            guard case .findings(let findings) = test.expectation else { continue }
            for finding in findings where finding.rule == rule.id { expected.insert(finding.verdict ?? "") }
        }
        for verdict in rule.verdicts where !expected.contains(verdict.id) {
            complain("no test expects verdict \(verdict.id)", in: file)
        }
        // Tests that `each` generates from one test count as one.
        let nearMisses = Set(file.tests.filter { $0.isNearMiss }.map(\.place)).count
        let used = Set(rule.checks.entries.flatMap { $0.value.selectors.map(\.value) }).count
        if nearMisses < used {
            let tests = "\(Quantity(nearMisses, "test is", "tests are")) named NEAR MISS"
            complain("\(tests), but \(Quantity(used, "is", "are")) needed: one for each selector", in: file)
        }
        if !file.tests.contains(where: { $0.name.hasPrefix("PASS") && $0.expectation == .findings([]) }) {
            complain("no test shows a clean pass: add one named PASS that expects []", in: file)
        }
        if !file.tests.contains(where: { $0.expectation == .notEvaluated }) {
            complain("no test expects not_evaluated", in: file)
        }
    }

    /// Adds a complaint: an error for a stable rule, or a warning for any other rule.
    private mutating func complain(_ message: String, in file: RuleTestFile?) {
        let severity: RuleComplaint.Severity = subject.rule.status == .stable ? .error : .warning
        complaints.append(RuleComplaint(severity, file: file?.file ?? subject.file, message: message))
    }
}

/// A check that texts have the form that reports require: sentences, a heading, or a name.
private struct TextLint {
    private(set) var complaints: [RuleComplaint] = []

    init(_ subject: LintSubject) {
        let rule = subject.rule
        func sentence(_ text: String?, _ path: String...) {
            guard let text, !text.hasSuffix("."), !text.hasSuffix("!"), !text.hasSuffix("?") else { return }
            complaints.append(subject.warning("this is a sentence: end it with a period", subject.outline[path]))
        }
        sentence(rule.explanation.what, "explain", "what")
        sentence(rule.explanation.why, "explain", "why")
        sentence(rule.explanation.impact, "explain", "impact")
        for (index, step) in rule.fix.enumerated() { sentence(step.step, "fix", "\(index)", "step") }
        for (index, verdict) in rule.verdicts.enumerated() {
            sentence(verdict.message, "verdicts", "\(index)", "message")
        }
        for (text, path) in Self.written(rule) where text.lowercased().replacing("-", with: " ").hasPrefix("fill in") {
            complaints.append(subject.warning("this still has to be filled in", subject.outline[path]))
        }
        if rule.title.hasSuffix(".") {
            complaints.append(subject.warning("the title is a heading: remove the period", at: "title"))
        }
        let words = rule.slug.split(separator: "-", omittingEmptySubsequences: false)
        let isSlug = words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
        }
        if !isSlug {
            complaints.append(
                subject.warning("write the slug in lowercase with hyphens, like list-view-cannot-be-saved", at: "slug")
            )
        }
    }

    /// Returns the texts that an author writes, along with the keys that lead to them.
    private static func written(_ rule: Rule) -> [(text: String, path: [String])] {
        var texts: [(String?, [String])] = [
            (rule.slug, ["slug"]), (rule.title, ["title"]), (rule.category, ["category"]),
            (rule.explanation.what, ["explain", "what"]), (rule.explanation.why, ["explain", "why"]),
            (rule.explanation.impact, ["explain", "impact"]), (rule.verify, ["verify"]),
        ]
        for (index, verdict) in rule.verdicts.enumerated() {
            texts.append((verdict.message, ["verdicts", "\(index)", "message"]))
        }
        for (index, step) in rule.fix.enumerated() {
            let parts = [("step", step.step), ("where", step.location), ("effect", step.effect), ("undo", step.undo)]
            for (key, text) in parts { texts.append((text, ["fix", "\(index)", key])) }
        }
        for (index, reference) in rule.references.enumerated() {
            texts.append((reference.title, ["references", "\(index)", "title"]))
        }
        return texts.compactMap { text, path in text.map { ($0, path) } }
    }
}

/// A check that selectors can be found quickly and are based on text that is never translated.
private struct SelectorLint {
    private(set) var complaints: [RuleComplaint] = []
    private let subject: LintSubject

    init(_ subject: LintSubject) {
        self.subject = subject
        for entry in subject.rule.selectors.entries {
            for written in entry.value.cases {
                checkReach(written, of: entry.key.value)
                for condition in written.conditions {
                    checkExpressions(condition)
                    checkWords(condition)
                }
            }
        }
    }

    private mutating func checkReach(_ written: SelectorCase, of name: String) {
        let fields = Set(written.conditions.map(\.field))
        guard !written.namesEventIDs else { return }
        if fields.isDisjoint(with: [.level, .category]) {
            let message =
                "selector \(name) has no event ID, level or category: it would have to examine every message"
            complaints.append(subject.error(message, written.place))
        }
        let texts = written.conditions(on: .message).filter { $0.comparison != .exists && $0.quantifier != .none }
            .flatMap(\.values)
        if !texts.isEmpty, !texts.contains(where: Self.isNeverTranslated) {
            let message =
                "selector \(name) relies on prose, which is translated: use an event ID, an exception's type, a stack "
                + "frame or an error number"
            complaints.append(subject.warning(message, written.place))
        }
    }

    /// Returns whether a text contains a name with a dot inside, an exception, or an error number.
    private static func isNeverTranslated(_ text: String) -> Bool {
        // In an expression, the dot in a name is escaped.
        text.replacing("\\.", with: ".").split { $0.isWhitespace || "()[]{}'\"|,;:=".contains($0) }.contains { word in
            // A name continues after a dot that is not a period: `owssvr.dll`, and `*.resx` in an expression.
            let isName = word.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
                .contains { $0.first.map(Self.isNameCharacter) ?? false }
            return isName || word.hasSuffix("Exception")
                || word.lowercased().hasPrefix("0x") && word.dropFirst(2).prefix { $0.isHexDigit }.count >= 4
        }
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    private mutating func checkExpressions(_ condition: FieldCondition) {
        guard condition.comparison == .expression else { return }
        for value in condition.values {
            do throws(PatternError) {
                _ = try PatternSet([Pattern(value, .regularExpression)])
            } catch {
                let message = "the expression \(FieldCondition.quoted(value)) cannot be used: \(error.message)"
                complaints.append(subject.error(message, condition.place))
            }
        }
    }

    /// Checks for levels and event IDs that no row has.
    private mutating func checkWords(_ condition: FieldCondition) {
        let isLevel = condition.field == .level && [.equals, .atLeast, .atMost].contains(condition.comparison)
        for value in condition.values {
            if isLevel, !ULSLevel(value).isKnown {
                let hint = value.nearest(in: ULSLevel.knownWords).map { "; did you mean \($0)?" } ?? ""
                let message = "the service does not use the level \(FieldCondition.quoted(value))\(hint)"
                complaints.append(subject.warning(message, condition.place))
            }
            if condition.field == .eventID, condition.comparison == .equals, !Self.isTag(value) {
                let message =
                    "\(FieldCondition.quoted(value)) is not an event ID: use 4 or 5 letters and digits, or a number"
                complaints.append(subject.warning(message, condition.place))
            }
        }
    }

    private static func isTag(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            && (4...5 ~= text.count || text.allSatisfy(\.isNumber))
    }
}

/// A check that everything a rule defines is used, and everything it needs exists.
private struct UseLint {
    private(set) var complaints: [RuleComplaint] = []
    private let subject: LintSubject
    private let rule: Rule
    /// The names of the placeholders in all sentences.
    private let places: Set<String>

    init(_ subject: LintSubject) {
        self.subject = subject
        rule = subject.rule
        let sentences =
            rule.verdicts.map(\.message) + rule.fix.map(\.step) + rule.checks.entries.compactMap(\.value.label)
        places = Set(sentences.flatMap { MessageTemplate($0)?.names ?? [] })
        checkSelectors()
        checkChecks()
        checkCaptures()
        checkPer()
        for verdict in rule.verdicts.enumerated() where !rule.fix.contains(where: { $0.isMeant(for: verdict.element) })
        {
            let message = "no step in fix is for verdict \(verdict.element.id)"
            complaints.append(subject.warning(message, at: "verdicts", "\(verdict.offset)"))
        }
    }

    private mutating func checkSelectors() {
        let used = Set(rule.checks.entries.flatMap { $0.value.selectors.map(\.value) })
        for entry in rule.selectors.entries where !used.contains(entry.key.value) {
            complaints.append(subject.warning("no check uses selector \(entry.key.value)", entry.key.place))
        }
    }

    private mutating func checkChecks() {
        var used = Set(rule.verdicts.flatMap { $0.when.checks + ($0.symptoms ?? []) })
        for place in places { used.insert(String(place.prefix { $0 != "." })) }
        for entry in rule.checks.entries where !used.contains(entry.key.value) {
            complaints.append(subject.warning("no verdict uses check \(entry.key.value)", entry.key.place))
        }
    }

    private mutating func checkCaptures() {
        let distinct = rule.checks.entries.compactMap { entry -> String? in
            if case .count(let count) = entry.value.kind { count.distinct?.value } else { nil }
        }
        let used = places.union(rule.per).union(distinct)
        for written in rule.selectors.entries.flatMap(\.value.cases) {
            guard let last = written.captures.last, CaptureTemplate(last.value)?.names.isEmpty == true else { continue }
            complaints.append(subject.warning("the last capture has no {name}, so it changes nothing", last.place))
        }
        for template in rule.selectors.entries.flatMap({ $0.value.cases.flatMap(\.captures) }) {
            for name in CaptureTemplate(template.value)?.names ?? [] where !used.contains(name) {
                complaints.append(subject.warning("no sentence, per or distinct uses capture \(name)", template.place))
            }
        }
    }

    /// Checks that selectors capture the values that `per` needs; an event without these values would not be part of
    /// any finding.
    private mutating func checkPer() {
        for entry in rule.checks.entries {
            for selector in entry.value.selectors {
                for written in rule.selectors[selector.value]?.cases ?? [] {
                    let names = Set(written.captures.flatMap { CaptureTemplate($0.value)?.names ?? [] })
                    for name in rule.per where !names.contains(name) {
                        let message = "selector \(selector.value) does not capture \(name), which per needs"
                        complaints.append(subject.error(message, written.place))
                    }
                }
            }
        }
    }
}

extension FixStep {
    fileprivate func isMeant(for verdict: VerdictDefinition) -> Bool {
        verdicts.isEmpty || verdicts.contains(verdict.id)
    }
}
