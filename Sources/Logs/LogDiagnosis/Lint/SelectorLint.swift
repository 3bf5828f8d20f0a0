import Spelling
import TextPatterns
import ULSLog
import YAML

/// Whether selectors can be found fast, and rest on what is never translated.
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
                "selector \(name) names neither event IDs nor levels or a category: it would look at every message"
            complaints.append(subject.error(message, written.place))
        }
        let texts = written.conditions(on: .message).filter { $0.comparison != .exists }.flatMap(\.values)
        if !texts.isEmpty, !texts.contains(where: Self.isNeverTranslated) {
            let message =
                "selector \(name) rests on prose, which is translated: name an event ID, an exception's type, a stack "
                + "frame or an error number"
            complaints.append(subject.warning(message, written.place))
        }
    }

    /// Whether a text holds a name with a dot inside, an exception or an error number.
    private static func isNeverTranslated(_ text: String) -> Bool {
        // In an expression the dot of a name is escaped.
        text.replacing("\\.", with: ".").split { $0.isWhitespace || "()[]{}'\"|,;:=".contains($0) }.contains { word in
            // Behind a dot that is not a full stop a name goes on: `owssvr.dll`, and `*.resx` in an expression.
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

    /// Words that no row has.
    private mutating func checkWords(_ condition: FieldCondition) {
        let isLevel = condition.field == .level && [.equals, .atLeast, .atMost].contains(condition.comparison)
        for value in condition.values {
            if isLevel, !ULSLevel(value).isKnown {
                let hint = value.nearest(in: ULSLevel.knownWords).map { "; did you mean \($0)?" } ?? ""
                let message = "the service knows no level \(FieldCondition.quoted(value))\(hint)"
                complaints.append(subject.warning(message, condition.place))
            }
            if condition.field == .eventID, condition.comparison == .equals, !Self.isTag(value) {
                let message =
                    "\(FieldCondition.quoted(value)) is no event ID: four or five letters and digits, or a number"
                complaints.append(subject.warning(message, condition.place))
            }
        }
    }

    private static func isTag(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            && (4...5 ~= text.count || text.allSatisfy(\.isNumber))
    }
}
