import YAML

/// The rules that come with the program, as `Rules/Prepared/rules.txt` stores them: read and checked once, by the test
/// that writes the file, so that no command reads YAML for them.
///
/// Each line of the file is one part of a value: values are written part by part, in the order of their declaration.
/// ``PreparedWriter`` and ``PreparedReader`` are the only ones that know the form of a line.
package enum PreparedRules {
    /// Returns the text of the file for these rules.
    package static func text(of rules: [Rule]) -> String {
        var writer = PreparedWriter()
        writer.add(rules)
        return writer.text
    }

    /// Reads rules from the text of the file.
    package static func rules(in text: String) throws(RuleError) -> [Rule] {
        var reader = PreparedReader(text)
        let rules: [Rule] = try reader.next()
        guard reader.isAtEnd else { throw reader.damage }
        return rules
    }
}

// MARK: - Lines

/// A value that consists of lines.
protocol PreparedValue {
    /// Reads the value as ``write(to:)`` wrote it.
    init(from reader: inout PreparedReader) throws(RuleError)
    func write(to writer: inout PreparedWriter)
}

struct PreparedWriter {
    private(set) var text = ""

    /// Adds values, one after the other.
    mutating func add<each Value: PreparedValue>(_ values: repeat each Value) {
        repeat (each values).write(to: &self)
    }

    fileprivate mutating func add(line: String) {
        // Lines within a text are rare; the sign for them occurs in no text.
        for scalar in line.unicodeScalars { text.unicodeScalars.append(scalar == "\n" ? "\u{1E}" : scalar) }
        text += "\n"
    }
}

struct PreparedReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    /// The error for a text that the writer did not write, which a test excludes for the one in the program.
    var damage: RuleError {
        let line = bytes[..<position].count { $0 == UInt8(ascii: "\n") } + 1
        return RuleError(
            file: "rules.txt",
            place: Place(line: line, column: 1),
            message: "the prepared rules are damaged; please report this"
        )
    }

    mutating func next<Value: PreparedValue>() throws(RuleError) -> Value { try Value(from: &self) }

    fileprivate mutating func line() throws(RuleError) -> ArraySlice<UInt8> {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { throw damage }
        defer { position = end + 1 }
        return bytes[position..<end]
    }
}

extension String: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        let line = try reader.line()
        let hasLines = line.contains(0x1E)
        self = String(
            decoding: hasLines ? ArraySlice(line.map { $0 == 0x1E ? UInt8(ascii: "\n") : $0 }) : line,
            as: UTF8.self
        )
    }

    func write(to writer: inout PreparedWriter) { writer.add(line: self) }
}

extension PreparedValue where Self: LosslessStringConvertible {
    init(from reader: inout PreparedReader) throws(RuleError) {
        guard let value = Self(try String(from: &reader)) else { throw reader.damage }
        self = value
    }

    func write(to writer: inout PreparedWriter) { writer.add(line: description) }
}

extension PreparedValue where Self: RawRepresentable, RawValue == String {
    init(from reader: inout PreparedReader) throws(RuleError) {
        guard let value = Self(rawValue: try String(from: &reader)) else { throw reader.damage }
        self = value
    }

    func write(to writer: inout PreparedWriter) { writer.add(line: rawValue) }
}

extension Int64: PreparedValue {}
extension Double: PreparedValue {}
extension Bool: PreparedValue {}

extension Int: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        var number = 0
        for byte in try reader.line() {
            guard byte &- 0x30 < 10, number < 1 << 32 else { throw reader.damage }
            number = number * 10 + Int(byte &- 0x30)
        }
        self = number
    }
}

extension Optional: PreparedValue where Wrapped: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self = try Int(from: &reader) == 0 ? nil : Wrapped(from: &reader)
    }

    func write(to writer: inout PreparedWriter) {
        writer.add(self == nil ? 0 : 1)
        if let self { writer.add(self) }
    }
}

extension Array: PreparedValue where Element: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self = []
        for _ in 0..<(try Int(from: &reader)) { append(try Element(from: &reader)) }
    }

    func write(to writer: inout PreparedWriter) {
        writer.add(count)
        for element in self { writer.add(element) }
    }
}

extension Place: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(line: try reader.next(), column: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(line, column) }
}

extension Located: PreparedValue where Value: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) { self.init(try reader.next(), at: try reader.next()) }
    func write(to writer: inout PreparedWriter) { writer.add(value, place) }
}

extension OneOrMany: PreparedValue where Value: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) { self.init(try reader.next()) }
    func write(to writer: inout PreparedWriter) { writer.add(values) }
}

extension YAMLMapping.Entry: PreparedValue where Value: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(key: try reader.next(), value: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(key, value) }
}

extension YAMLMapping: PreparedValue where Value: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) { self.init(entries: try reader.next()) }
    func write(to writer: inout PreparedWriter) { writer.add(entries) }
}

// MARK: - Rules

extension Rule: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        id = try reader.next()
        slug = try reader.next()
        revision = try reader.next()
        status = try reader.next()
        kind = try reader.next()
        title = try reader.next()
        category = try reader.next()
        tags = try reader.next()
        needs = try reader.next()
        supersedes = try reader.next()
        per = try reader.next()
        lead = try reader.next()
        selectors = try reader.next()
        checks = try reader.next()
        verdicts = try reader.next()
        explanation = try reader.next()
        fix = try reader.next()
        repair = try reader.next()
        verify = try reader.next()
        references = try reader.next()
    }

    func write(to writer: inout PreparedWriter) {
        writer.add(id, slug, revision, status, kind, title, category, tags, needs, supersedes, per, lead)
        writer.add(selectors, checks, verdicts, explanation, fix, repair, verify, references)
    }
}

extension RuleID: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        guard let id = RuleID(try String(from: &reader)) else { throw reader.damage }
        self = id
    }

    func write(to writer: inout PreparedWriter) { writer.add(text) }
}

extension Rule.Status: PreparedValue {}
extension Rule.Kind: PreparedValue {}
extension Rule.Lead: PreparedValue {}
extension Needs.Need: PreparedValue {}

extension Needs: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(logs: try reader.next(), webConfig: try reader.next(), farm: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(logs, webConfig, farm) }
}

extension FindingExplanation: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(what: try reader.next(), why: try reader.next(), impact: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(what, why, impact) }
}

extension FixStep: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        step = try reader.next()
        location = try reader.next()
        effect = try reader.next()
        undo = try reader.next()
        verdicts = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(step, location, effect, undo, verdicts) }
}

extension RepairDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(of: try reader.next(), set: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(of, set) }
}

extension Reference: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(title: try reader.next(), url: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(title, url) }
}

// MARK: - Selectors

extension Selector: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) { cases = try reader.next() }
    func write(to writer: inout PreparedWriter) { writer.add(cases) }
}

extension SelectorCase: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(conditions: try reader.next(), captures: try reader.next(), place: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(conditions, captures, place) }
}

extension EventField: PreparedValue {}
extension FieldCondition.Comparison: PreparedValue {}
extension FieldCondition.Quantifier: PreparedValue {}

extension FieldCondition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        field = try reader.next()
        comparison = try reader.next()
        quantifier = try reader.next()
        values = try reader.next()
        place = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(field, comparison, quantifier, values, place) }
}

// MARK: - Checks

extension CheckDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        label = try reader.next()
        kind =
            switch try reader.next() as String {
            case "count": .count(try reader.next())
            case "sequence": .sequence(try reader.next())
            case "absence": .absence(try reader.next())
            case "config": .config(try reader.next())
            case "differs": .differs(try reader.next())
            case "quality": .quality(try reader.next())
            case "farm": .farm(try reader.next())
            default: throw reader.damage
            }
    }

    func write(to writer: inout PreparedWriter) {
        writer.add(label)
        switch kind {
        case .count(let count): writer.add("count", count)
        case .sequence(let sequence): writer.add("sequence", sequence)
        case .absence(let absence): writer.add("absence", absence)
        case .config(let config): writer.add("config", config)
        case .differs(let differs): writer.add("differs", differs)
        case .quality(let quality): writer.add("quality", quality)
        case .farm(let farm): writer.add("farm", farm)
        }
    }
}

extension Grouping: PreparedValue {}
extension QualityDefinition.Metric: PreparedValue {}
extension FarmFacts.Edition: PreparedValue {}

extension RuleDuration: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) { self.init(milliseconds: try reader.next()) }
    func write(to writer: inout PreparedWriter) { writer.add(milliseconds) }
}

extension CountDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        of = try reader.next()
        gte = try reader.next()
        lte = try reader.next()
        eq = try reader.next()
        within = try reader.next()
        by = try reader.next()
        distinct = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(of, gte, lte, eq, within, by, distinct) }
}

extension SequenceDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        steps = try reader.next()
        by = try reader.next()
        within = try reader.next()
        notBetween = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(steps, by, within, notBetween) }
}

extension AbsenceDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        after = try reader.next()
        expect = try reader.next()
        by = try reader.next()
        within = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(after, expect, by, within) }
}

extension ConfigDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(element: try reader.next(), location: try reader.next(), where: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(element, location, `where`) }
}

extension AttributeCondition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        bool = try reader.next()
        equals = try reader.next()
        exists = try reader.next()
        `default` = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(bool, equals, exists, `default`) }
}

extension DiffersDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(element: try reader.next(), attribute: try reader.next(), default: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(element, attribute, `default`) }
}

extension QualityDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self.init(metric: try reader.next(), gte: try reader.next())
    }

    func write(to writer: inout PreparedWriter) { writer.add(metric, gte) }
}

extension BuildNumber: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        guard let build = BuildNumber(try String(from: &reader)) else { throw reader.damage }
        self = build
    }

    func write(to writer: inout PreparedWriter) { writer.add(description) }
}

extension FarmCondition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self =
            switch try reader.next() as String {
            case "edition": .edition(try reader.next())
            case "build": .build(from: try reader.next(), below: try reader.next())
            case "builds": .builds(differ: try reader.next())
            case "service": .service(try reader.next(), runs: try reader.next())
            case "application": .application(try reader.next(), online: try reader.next())
            case "authentication": .authentication(try reader.next(), used: try reader.next())
            default: throw reader.damage
            }
    }

    func write(to writer: inout PreparedWriter) {
        switch self {
        case .edition(let editions): writer.add("edition", editions)
        case .build(let from, let below): writer.add("build", from, below)
        case .builds(let differ): writer.add("builds", differ)
        case .service(let name, let runs): writer.add("service", name, runs)
        case .application(let name, let online): writer.add("application", name, online)
        case .authentication(let name, let used): writer.add("authentication", name, used)
        }
    }
}

// MARK: - Verdicts

extension Severity: PreparedValue {}
extension Confidence: PreparedValue {}

extension VerdictDefinition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        id = try reader.next()
        when = try reader.next()
        symptoms = try reader.next()
        severity = try reader.next()
        confidence = try reader.next()
        message = try reader.next()
    }

    func write(to writer: inout PreparedWriter) { writer.add(id, when, symptoms, severity, confidence, message) }
}

extension VerdictCondition: PreparedValue {
    init(from reader: inout PreparedReader) throws(RuleError) {
        self =
            switch try reader.next() as String {
            case "check": .check(try reader.next())
            case "all": .all(try reader.next())
            case "any": .any(try reader.next())
            case "not": .not(try reader.next())
            case "unknown": .unknown(try reader.next())
            default: throw reader.damage
            }
    }

    func write(to writer: inout PreparedWriter) {
        switch self {
        case .check(let name): writer.add("check", name)
        case .all(let parts): writer.add("all", parts)
        case .any(let parts): writer.add("any", parts)
        case .not(let part): writer.add("not", part)
        case .unknown(let part): writer.add("unknown", part)
        }
    }
}
