import Digests
import LogDiagnosis
import TextKit
package import ULSLog
import YAML

/// The rows of a test, with omitted columns filled in.
private struct TestRows {
    private(set) var rows: [TestRow] = []

    init(_ written: [Located<TestDocument.Row>], _ texts: Placeholders) throws(YAMLError) {
        var next = TestTime.first
        for row in written {
            var time = try Self.time(texts.filling(row.value.t), at: row.place) ?? next
            let times = row.value.times ?? 1
            guard 1...TestRow.maximumTimes ~= times, row.value.every == nil || times > 1 else {
                let message = "times must be between 1 and \(TestRow.maximumTimes); every needs times"
                throw YAMLError(message: message, place: row.place)
            }
            for number in 1...times {
                if number > 1 { time = time.later(by: row.value.every ?? .second) }
                let counted = times > 1 ? texts.adding("n", "\(number)") : texts
                rows.append(Self.row(row.value, time, counted))
                try check(rows[rows.count - 1], at: row.place)
            }
            next = time.later(by: .second)
        }
    }

    private static func time(_ text: String?, at place: Place) throws(YAMLError) -> TestTime? {
        guard let text else { return nil }
        guard let time = TestTime(text) else {
            let message = "\u{201C}\(text)\u{201D} is not a time: write it like 10:00:00.00 or 2026-03-02 10:00:00.00"
            throw YAMLError(message: message, place: place)
        }
        return time
    }

    private static func row(_ row: TestDocument.Row, _ time: TestTime, _ texts: Placeholders) -> TestRow {
        TestRow(
            time: time,
            eventID: texts.filling(row.id) ?? "0000",
            level: texts.filling(row.level) ?? "Medium",
            area: texts.filling(row.area) ?? "SharePoint Foundation",
            category: texts.filling(row.category) ?? "General",
            message: texts.filling(row.msg),
            correlation: texts.filling(row.corr).map(TestCorrelation.guid),
            process: texts.filling(row.process) ?? "w3wp.exe",
            processID: texts.filling(row.pid) ?? "0x1A2C",
            threadID: texts.filling(row.thread) ?? "0x0A10",
            server: texts.filling(row.server),
            split: row.split ?? TestRow.nativeSplit
        )
    }

    /// Checks that a row can be written, because a tab would begin another column, and a line end another row.
    private func check(_ row: TestRow, at place: Place) throws(YAMLError) {
        let columns = [
            row.eventID, row.level, row.area, row.category, row.process, row.processID, row.threadID, row.server ?? "",
        ]
        if columns.contains(where: { $0.contains { $0 == "\t" || $0.isNewline } }) {
            throw YAMLError(message: "a column contains a tab or a line break", place: place)
        }
        if row.message.contains("\t") { throw YAMLError(message: "the message contains a tab", place: place) }
        if row.split < 1 {
            throw YAMLError(
                message: "split must be at least 1: it is the number of characters in each row",
                place: place
            )
        }
        if row.message.utf8.count / row.split >= TestRow.maximumParts {
            throw YAMLError(message: "the message fills more than \(TestRow.maximumParts) rows", place: place)
        }
    }
}

/// A test in a file, before `each` is applied.
struct WrittenTest {
    var document: TestDocument
    var place: Place
    /// The rule that the file tests.
    var rule: RuleID

    /// Calls `body` with the test, once for each combination of the values of `each`.
    func expand(_ body: (RuleTest) throws(YAMLError) -> Void) throws(YAMLError) {
        let names = document.each?.entries ?? []
        var combinations: [Placeholders] = [Placeholders()]
        for entry in names {
            guard !entry.value.values.isEmpty else {
                throw YAMLError(message: "each \(entry.key.value) needs a value", place: entry.key.place)
            }
            if entry.value.values.contains(where: { $0.utf8.count > Placeholders.maximumValue }) {
                let message = "a value of each is longer than \(Placeholders.maximumValue) bytes"
                throw YAMLError(message: message, place: entry.key.place)
            }
            guard combinations.count * entry.value.values.count <= RuleTestFile.maximumTests else {
                throw YAMLError(message: "more than \(RuleTestFile.maximumTests) tests", place: entry.key.place)
            }
            combinations = combinations.flatMap { combination in
                entry.value.values.map { combination.adding(entry.key.value, $0) }
            }
        }
        if let unused = names.first(where: { !uses("<\($0.key.value)>") }) {
            let message = "no text in the test uses <\(unused.key.value)>"
            throw YAMLError(message: message, place: unused.key.place)
        }
        for texts in combinations { try body(try test(texts)) }
    }

    private func test(_ texts: Placeholders) throws(YAMLError) -> RuleTest {
        guard document.uls == nil || document.paste == nil else {
            throw YAMLError(message: "a test can have uls or paste, but not both", place: place)
        }
        var log: TestLog?
        if let rows = document.uls { log = .rows(try TestRows(rows, texts).rows) }
        if let paste = document.paste { log = .paste(texts.filling(paste)) }
        let configs = document.webConfig?.values ?? []
        return RuleTest(
            name: texts.filling(document.name) + texts.suffix,
            place: place,
            with: document.with?.values ?? [],
            log: log,
            configs: configs.map {
                TestConfig(server: texts.filling($0.server), zone: texts.filling($0.zone), xml: texts.filling($0.xml))
            },
            farm: document.farm.map { texts.filling($0) },
            expectation: try expectation(texts),
            isKnownGap: document.isKnownGap ?? false
        )
    }

    private func expectation(_ texts: Placeholders) throws(YAMLError) -> TestExpectation {
        switch document.expect {
        case .notEvaluated: .notEvaluated
        case .findings(let findings):
            .findings(try findings.map { finding throws(YAMLError) in try self.finding(finding, texts) })
        }
    }

    private func finding(
        _ written: Located<TestDocument.FindingDocument>,
        _ texts: Placeholders
    ) throws(YAMLError) -> ExpectedFinding {
        let finding = written.value
        let other = texts.filling(finding.rule).map { ($0, RuleID($0)) }
        if let other, other.1 == nil {
            throw YAMLError(message: "\u{201C}\(other.0)\u{201D} is not a rule ID", place: written.place)
        }
        let captures = finding.captures?.entries ?? []
        let symptoms = finding.symptoms?.entries.map { (texts.filling($0.key.value), $0.value) }
        return ExpectedFinding(
            rule: other?.1 ?? rule,
            verdict: texts.filling(finding.verdict),
            severity: try choice(texts.filling(finding.severity), "severity", written.place),
            confidence: try choice(texts.filling(finding.confidence), "confidence", written.place),
            symptoms: symptoms.map { Dictionary($0) { first, _ in first } },
            captures: Dictionary(captures.map { ($0.key.value, texts.filling($0.value)) }) { first, _ in first },
            undecided: finding.undecided?.values.map(texts.filling),
            count: finding.count,
            message: texts.filling(finding.message),
            lead: texts.filling(finding.lead)
        )
    }

    /// Returns the value of an enumeration for a word, which may only be known once `each` is applied.
    private func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ word: String?,
        _ what: String,
        _ place: Place
    ) throws(YAMLError) -> Value? {
        guard let word else { return nil }
        guard let value = Value(rawValue: word) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw YAMLError(message: "\(what) \u{201C}\(word)\u{201D} is not one of \(known)", place: place)
        }
        return value
    }

    /// Returns whether the test's name or input contains a placeholder.
    private func uses(_ placeholder: String) -> Bool {
        var texts = [document.name, document.paste ?? "", document.farm ?? ""]
        for row in document.uls ?? [] { texts += row.value.texts }
        for config in document.webConfig?.values ?? [] {
            texts += [config.xml, config.server ?? "", config.zone ?? ""]
        }
        return texts.contains { $0.contains(placeholder) }
    }
}

extension TestDocument.Row {
    /// The texts of all columns.
    fileprivate var texts: [String] {
        [t, id, level, area, category, corr, msg, process, pid, thread, server].compactMap(\.self)
    }
}

/// A row as the service writes it: nine padded columns, separated by tabs.
private struct TestRowLine {
    /// The names of the columns, as they appear at the beginning of a file.
    static let header =
        [
            "Timestamp".padded(to: 23), "Process".padded(to: 40), "TID   ", "Area".padded(to: 30),
            "Category".padded(to: 30), "EventID", "Level     ", "Message ", "Correlation",
        ].joined(separator: "\t") + "\r\n"

    var row: TestRow
    /// The part of the message in this row.
    var message: String
    /// Whether the message began in another row.
    var isContinuation = false

    var text: String {
        let server = row.server.map { "\($0):" } ?? ""
        let columns = [
            row.time.native + (isContinuation ? "*" : " "),
            "\(row.process) (\(server)\(row.processID))".padded(to: 40),
            row.threadID.padded(to: 6),
            row.area.padded(to: 30),
            row.category.padded(to: 30),
            row.eventID,
            row.level.padded(to: 8),
            message,
            row.correlation ?? " ",
        ]
        return columns.joined(separator: "\t") + "\r\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - unicodeScalars.count))
    }
}

/// The correlations that tests write as a letter or a word.
package enum TestCorrelation {
    /// Returns a GUID that depends only on the word; a GUID is returned unchanged.
    package static func guid(_ word: String) -> String {
        if isGUID(word) { return word }
        var function = SHA256()
        let digits = Array(function.digest(of: word.utf8.span).hexadecimal)
        let parts: [Range<Int>] = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return parts.map { String(digits[$0]) }.joined(separator: "-")
    }

    private static func isGUID(_ text: String) -> Bool {
        text.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
            && text.allSatisfy { $0 == "-" || $0.isHexDigit }
    }
}

extension TestLog {
    /// The name of a log made of rows, which contains the server's name: TEST.
    package static let fileName = "TEST-20260302-1000.log"
    /// The name of a pasted text, which has no significance.
    private static let pasteName = "paste.txt"

    /// A reader that treats the log like a file.
    package var reader: LogReader {
        switch self {
        case .rows: LogReader(text: Array(text.utf8), name: Self.fileName)
        case .paste: LogReader(text: Array(text.utf8), name: Self.pasteName)
        }
    }

    /// The log as the text of a file.
    package var text: String {
        switch self {
        case .rows(let rows): TestRowLine.header + rows.map(\.text).joined()
        case .paste(let text): text
        }
    }
}

extension TestRow {
    /// The rows that the service would write; a long message is split, with another thread's row between its parts.
    fileprivate var text: String {
        let parts = messageParts
        guard parts.count > 1 else { return TestRowLine(row: self, message: message).text }
        var foreign = self
        foreign.threadID = "0x0FFF"
        foreign.eventID = "zzzz"
        foreign.level = "Verbose"
        foreign.correlation = TestCorrelation.guid("another request")
        let between = TestRowLine(row: foreign, message: "A row of another request").text
        return parts.indices.map { index in
            let head = index == 0 ? "" : "..."
            let tail = index == parts.count - 1 ? "" : "..."
            return TestRowLine(row: self, message: head + parts[index] + tail, isContinuation: index > 0).text
        }.joined(separator: between)
    }

    private var messageParts: [Substring] {
        var parts: [Substring] = []
        var rest = message[...]
        while !rest.isEmpty {
            parts.append(rest.prefix(split))
            rest = rest.dropFirst(split)
        }
        return parts
    }
}

extension RuleDuration {
    fileprivate static let second = RuleDuration(milliseconds: 1000)
}

/// The time at which a row of a test was written, on the server's clock.
package struct TestTime: Sendable, Hashable {
    /// The date as the service writes it: `03/02/2026`.
    private var date: String
    /// The hundredths of a second since midnight.
    private var hundredths: Int

    /// The time of a first row without a time.
    package static let first = TestTime(date: "03/02/2026", hundredths: 10 * hour)

    private static let hour = 360_000

    private init(date: String, hundredths: Int) {
        self.date = date
        self.hundredths = hundredths
    }

    /// Reads `10:00:00.00`, which is taken to be on March 2, 2026, or `2026-03-02 10:00:00.00`; the hundredths are
    /// optional.
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let clock = parts.last, parts.count <= 2 else { return nil }
        date = Self.first.date
        if parts.count == 2 {
            let numbers = Self.numbers(parts[0], separator: "-", widths: [4, 2, 2])
            guard let numbers, 1...12 ~= numbers[1], 1...31 ~= numbers[2] else { return nil }
            let digits = parts[0].split(separator: "-")
            date = "\(digits[1])/\(digits[2])/\(digits[0])"
        }
        let halves = clock.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count == 2 ? Self.numbers(halves[1], separator: ".", widths: [2])?[0] : 0
        guard halves.count <= 2, let fraction,
            let numbers = Self.numbers(halves[0], separator: ":", widths: [2, 2, 2]), numbers[0] < 24, numbers[1] < 60,
            numbers[2] < 60
        else { return nil }
        hundredths = numbers[0] * Self.hour + numbers[1] * 6000 + numbers[2] * 100 + fraction
    }

    /// Returns a later time, but at most the last moment of the day.
    fileprivate func later(by duration: RuleDuration) -> TestTime {
        let end = hundredths + Int(duration.milliseconds / 10)
        return TestTime(date: date, hundredths: min(end, 24 * Self.hour - 1))
    }

    /// The time as the service writes it: `03/02/2026 10:00:00.00`.
    package var native: String {
        let numbers = [hundredths / Self.hour, hundredths / 6000 % 60, hundredths / 100 % 60, hundredths % 100]
        let digits = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(date) \(digits[0]):\(digits[1]):\(digits[2]).\(digits[3])"
    }

    /// Returns the numbers of fixed widths in a text; `nil` if the text is anything else.
    private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            return nil
        }
        return parts.compactMap { Int($0) }
    }
}
