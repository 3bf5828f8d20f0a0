import Spelling
import TextPatterns
import ULSLog
import YAML

/// A check that selectors can be found fast, and rest on text that is never translated.
struct SelectorLint {
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
        // In an expression the dot of a name is escaped.
        text.replacing("\\.", with: ".").split { $0.isWhitespace || "()[]{}'\"|,;:=".contains($0) }.contains { word in
            // After a dot that is not a period, a name goes on: `owssvr.dll`, and `*.resx` in an expression.
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
                let message = "the service does not know the level \(FieldCondition.quoted(value))\(hint)"
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
struct UseLint {
    private(set) var complaints: [RuleComplaint] = []
    private let subject: LintSubject
    private let rule: Rule
    /// The names of placeholders in all sentences.
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
        for template in rule.selectors.entries.flatMap({ $0.value.cases.flatMap(\.captures) }) {
            for name in CaptureTemplate(template.value)?.names ?? [] where !used.contains(name) {
                complaints.append(subject.warning("no sentence, per or distinct uses capture \(name)", template.place))
            }
        }
    }

    /// Checks that selectors capture what `per` needs; an event without it would belong to no finding.
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
