package import LogDiagnosis
package import ULSLog
import YAML

/// A new rule and its tests, created from an observed event.
///
/// Both files load, and the tests pass; the event is the first test. Texts that only the author can write begin with
/// "Fill in", and lint reports any that remain.
package struct RuleSkeleton: Sendable {
    /// The rule's file, `FSnnnn.yaml`.
    package let rule: RuleFile
    /// The file of its tests, `FSnnnn.tests.yaml`.
    package let tests: RuleFile

    /// The beginning of a text that has yet to be written.
    private static let mark = "Fill in"

    /// Creates a rule from the event that best shows its failure.
    package init(event: borrowing ULSEvent, id: RuleID) {
        let facts = SkeletonFacts(event)
        rule = RuleFile(name: "\(id).yaml", text: Self.rule(id, facts))
        tests = RuleFile(name: "\(id).tests.yaml", text: Self.tests(id, facts))
    }

    private static func rule(_ id: RuleID, _ facts: SkeletonFacts) -> String {
        """
        schema: fastctl.rule/1
        id: \(id)
        slug: fill-in-what-breaks
        revision: 1 # increase it with every change of meaning
        status: experimental # stable once its signature is known from a log or a source and its tests are complete
        title: "\(mark) the problem, as a heading"
        category: fill-in # such as configuration, database, search, permissions, timer
        needs: {uls: required}

        select:
          # Conditions on one event, narrow enough to match nothing else: an event ID, and text that is never
          # translated, such as an exception's type or a stack frame. All keys must match, and one value of each list.
          failed:
        \(facts.conditions.map { "    \($0)\n" }.joined())\
            # Parts of the message that help the reader; refer to them in sentences as {name}:
            # capture: "text before '{name}' text after"

        check:
          # Other kinds: sequence, absence, config, differs, quality and farm.
          seen:
            count: {of: failed, gte: 1}
            label: "{count} such events"

        verdicts:
          # The first that is true wins.
          - id: seen
            when: seen
            symptoms: [seen]
            severity: warning # error if users see failures; an experimental rule can only warn
            confidence: likely # certain when logs and configuration agree
            message: "\(mark) the problem, in one sentence, with {count}."

        explain:
          what: "\(mark) the failure."
          why: "\(mark) its cause."
          impact: "\(mark) its effect on users."

        fix:
          - step: "\(mark) the action."
            where: "\(mark) on which machines, or in which places"
            effect: "\(mark) its side effects, such as recycling an application pool"
            undo: "\(mark) how to undo it"

        verify: "\(mark) how to check that it is fixed."

        references:
          - title: "\(mark) the source of these facts"

        """
    }

    private static func tests(_ id: RuleID, _ facts: SkeletonFacts) -> String {
        """
        schema: fastctl.rule-tests/1
        rule: \(id)
        tests:
          # Remove the names of people, servers and customers before you share this.
          - name: the event as it was seen
        \(facts.log())\
            expect:
              - {verdict: seen, severity: warning, confidence: likely, symptoms: {seen: 1}, count: 1}
        \(facts.nearMisses)\
          - name: PASS an ordinary log
            uls:
              - {id: \(facts.otherEventID), level: Verbose, msg: Nothing happens here.}
            expect: []
          - name: NOT EVALUATED no logs are given
            web_config: <configuration/>
            expect: not_evaluated

        """
    }
}

/// Facts that a new rule and its tests take from an event.
private struct SkeletonFacts {
    private let event: ULSEvent
    /// The beginning of the message, on one line.
    private let message: String
    /// The phrase that the rule looks for in messages; `nil` if there is none.
    private let phrase: String?

    /// The maximum number of characters of a message that a test repeats.
    private static let maximumMessage = 400

    init(_ event: borrowing ULSEvent) {
        self.event = copy event
        let whole = String(event.text(.message).prefix(Self.maximumMessage))
        // A phrase that crosses a line end would not be found in the log.
        phrase = DistinctivePhrase.of(whole)
        message = Self.onOneLine(whole)
    }

    /// An event ID that the event does not have.
    var otherEventID: String { event.text(.eventID).lowercased() == "zzz1" ? "zzz2" : "zzz1" }

    /// Whether the event is a message without columns.
    private var isBare: Bool { event.text(.eventID).isEmpty && event.text(.level).isEmpty }

    /// The conditions of the selector, as written in the rule.
    var conditions: [String] {
        var conditions: [String] = []
        if let eventID = exact(.eventID) {
            conditions.append("event_id: \(eventID.yamlWord)")
        } else if let level = exact(.level) {
            conditions.append("level: \(level.yamlWord)")
        } else if isBare {
            conditions.append("level|gte: Monitorable # a message without columns matches this too")
        } else {
            conditions.append("level|gte: VerboseEx # any level")
        }
        if let phrase { conditions.append("message|contains: \(phrase.yamlQuoted)") }
        return conditions
    }

    /// Returns the log of a test: the event, or an event that differs from it.
    func log(eventID: String? = nil, message: String? = nil) -> String {
        let text = message ?? self.message
        guard !isBare else { return "    paste: \(text.yamlQuoted)\n" }
        var columns = [("t", time)]
        columns.append(("id", (eventID ?? column(.eventID)).yamlWord))
        for (key, name) in [("level", ULSEvent.Column.level), ("area", .area), ("category", .category)] {
            columns.append((key, column(name).yamlWord))
        }
        let others = [("corr", ULSEvent.Column.correlation), ("process", .process), ("pid", .processID)]
        for (key, name) in others + [("thread", .threadID)] {
            let text = column(name)
            columns.append((key, text.isEmpty ? nil : text.yamlWord))
        }
        columns.append(("msg", text.yamlQuoted))
        let row = columns.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: ", ")
        return "    uls:\n      - {\(row)}\n"
    }

    /// Two tests of near misses, one with a different message and one with a different event ID.
    var nearMisses: String {
        var tests = ""
        if phrase != nil { tests += nearMiss("NEAR MISS another message", log(message: "Another error message")) }
        if exact(.eventID) != nil { tests += nearMiss("NEAR MISS another event ID", log(eventID: otherEventID)) }
        return tests
    }

    private func nearMiss(_ name: String, _ log: String) -> String { "  - name: \(name)\n\(log)    expect: []\n" }

    /// The date and time, such as `2026-03-02 10:00:00.00`; `nil` without a date.
    private var time: String? {
        var text: [UInt8] = []
        event.time.appendNative(isUTCLayout: true, to: &text)
        let time = String(decoding: text.prefix(22), as: UTF8.self)
        return TestTime(time) == nil ? nil : time.yamlQuoted
    }

    private func column(_ column: ULSEvent.Column) -> String { Self.onOneLine(event.text(column)) }

    /// Returns a column that a condition can name unchanged; `nil` if it is empty or has control characters or outer
    /// blanks, which a test's row cannot repeat.
    private func exact(_ column: ULSEvent.Column) -> String? {
        let text = event.text(column)
        guard !text.isEmpty, text == Self.onOneLine(text), text.first?.isWhitespace == false,
            text.last?.isWhitespace == false
        else { return nil }
        return text
    }

    private static func onOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
    }
}

/// A part of a message that all messages of its kind share.
package enum DistinctivePhrase {
    /// The minimum and maximum length of a phrase, in bytes.
    private static let shortest = 8
    private static let longest = 60

    /// Returns the type of an exception, if any, or else the first text of sufficient length without numbers, quoted
    /// names, or paths; `nil` if there is none.
    package static func of(_ message: String) -> String? {
        let words = message.split { !isNameCharacter($0) }.map(trimmed)
        if let exception = words.first(where: { $0.hasSuffix("Exception") && $0.contains(".") }) { return exception }
        let runs = message.split { !isTextCharacter($0) }.map(shortened).filter { $0.utf8.count >= shortest }
        return runs.first { $0.utf8.count >= 2 * shortest } ?? runs.first
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "." || character == "_")
    }

    private static func isTextCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || " .,_-()".contains(character))
    }

    private static func trimmed(_ name: Substring) -> String {
        var name = name
        while name.last == "." { name.removeLast() }
        while name.first == "." { name.removeFirst() }
        return String(name)
    }

    /// Returns complete words from the beginning of a text, without surrounding blanks.
    private static func shortened(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        if text.count > longest {
            text = text.prefix(longest)
            if let blank = text.lastIndex(of: " ") { text = text[..<blank] }
        }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// The text in a form that YAML reads back: in quotes unless it consists only of ASCII letters and digits.
    fileprivate var yamlWord: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? self : yamlQuoted
    }
}
