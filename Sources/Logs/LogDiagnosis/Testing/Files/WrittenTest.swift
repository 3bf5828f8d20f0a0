import YAML

/// A test of a file, before `each` is applied.
struct WrittenTest {
    var document: TestDocument
    var place: Place
    /// The rule that the file is for.
    var rule: RuleID

    /// Hands over the test, once for each combination of the values of `each`.
    func expand(_ body: (RuleTest) throws(YAMLError) -> Void) throws(YAMLError) {
        let names = document.each?.entries ?? []
        var combinations: [Placeholders] = [Placeholders()]
        for entry in names {
            guard !entry.value.values.isEmpty else {
                throw YAMLError(message: "each \(entry.key.value) needs a value", place: entry.key.place)
            }
            if entry.value.values.contains(where: { $0.utf8.count > Placeholders.maximumValue }) {
                let message = "a value of each has more than \(Placeholders.maximumValue) bytes"
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
            let message = "no text of the test has <\(unused.key.value)>"
            throw YAMLError(message: message, place: unused.key.place)
        }
        for texts in combinations { try body(try test(texts)) }
    }

    private func test(_ texts: Placeholders) throws(YAMLError) -> RuleTest {
        guard document.uls == nil || document.paste == nil else {
            throw YAMLError(message: "a test has uls or paste, not both", place: place)
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
            throw YAMLError(message: "\u{201C}\(other.0)\u{201D} is no rule ID", place: written.place)
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

    /// One of the words of an enumeration, known only when `each` is applied.
    private func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ word: String?,
        _ what: String,
        _ place: Place
    ) throws(YAMLError) -> Value? {
        guard let word else { return nil }
        guard let value = Value(rawValue: word) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw YAMLError(message: "\(what) \u{201C}\(word)\u{201D} is none of \(known)", place: place)
        }
        return value
    }

    /// Whether a text of the test holds a placeholder.
    private func uses(_ placeholder: String) -> Bool {
        var texts = [document.name, document.paste ?? ""]
        for row in document.uls ?? [] { texts += row.value.texts }
        for config in document.webConfig?.values ?? [] {
            texts += [config.xml, config.server ?? "", config.zone ?? ""]
        }
        return texts.contains { $0.contains(placeholder) }
    }
}

extension TestDocument.Row {
    /// What it says in all columns.
    fileprivate var texts: [String] {
        [t, id, level, area, category, corr, msg, process, pid, thread, server].compactMap(\.self)
    }
}
