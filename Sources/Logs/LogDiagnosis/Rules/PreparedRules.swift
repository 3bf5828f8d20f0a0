package import YAML

/// The rules that come with the program, as stored in `Rules/Prepared/rules.txt`: the test that writes the file has
/// read and checked them, so that no command has to read them as YAML.
///
/// See ``PreparedValue`` for the format.
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
        do {
            let rules: [Rule] = try reader.next()
            guard reader.isAtEnd else { throw reader.damage }
            return rules
        } catch let error as YAMLError {
            throw RuleError(error, file: "rules.txt")
        } catch {
            throw RuleError(file: "rules.txt", message: "\(error)")
        }
    }
}

// MARK: - Rules

extension Rule: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
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

    package func write(to writer: inout PreparedWriter) {
        writer.add(id, slug, revision, status, kind, title, category, tags, needs, supersedes, per, lead)
        writer.add(selectors, checks, verdicts, explanation, fix, repair, verify, references)
    }
}

extension RuleID: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        guard let id = RuleID(try String(from: &reader)) else { throw reader.damage }
        self = id
    }

    package func write(to writer: inout PreparedWriter) { writer.add(text) }
}

extension Rule.Status: PreparedValue {}
extension Rule.Kind: PreparedValue {}
extension Rule.Lead: PreparedValue {}
extension Needs.Need: PreparedValue {}

extension Needs: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(logs: try reader.next(), webConfig: try reader.next(), farm: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(logs, webConfig, farm) }
}

extension FindingExplanation: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(what: try reader.next(), why: try reader.next(), impact: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(what, why, impact) }
}

extension FixStep: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        step = try reader.next()
        location = try reader.next()
        effect = try reader.next()
        undo = try reader.next()
        verdicts = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) { writer.add(step, location, effect, undo, verdicts) }
}

extension RepairDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(of: try reader.next(), set: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(of, set) }
}

extension Reference: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(title: try reader.next(), url: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(title, url) }
}

// MARK: - Selectors

extension Selector: PreparedValue {
    package init(from reader: inout PreparedReader) throws { cases = try reader.next() }
    package func write(to writer: inout PreparedWriter) { writer.add(cases) }
}

extension SelectorCase: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(conditions: try reader.next(), captures: try reader.next(), place: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(conditions, captures, place) }
}

extension EventField: PreparedValue {}
extension FieldCondition.Comparison: PreparedValue {}
extension FieldCondition.Quantifier: PreparedValue {}

extension FieldCondition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        field = try reader.next()
        comparison = try reader.next()
        quantifier = try reader.next()
        values = try reader.next()
        place = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) { writer.add(field, comparison, quantifier, values, place) }
}

// MARK: - Checks

extension CheckDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
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

    package func write(to writer: inout PreparedWriter) {
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
    package init(from reader: inout PreparedReader) throws { self.init(milliseconds: try reader.next()) }
    package func write(to writer: inout PreparedWriter) { writer.add(milliseconds) }
}

extension CountDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        of = try reader.next()
        gte = try reader.next()
        lte = try reader.next()
        eq = try reader.next()
        within = try reader.next()
        by = try reader.next()
        distinct = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) { writer.add(of, gte, lte, eq, within, by, distinct) }
}

extension SequenceDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        steps = try reader.next()
        by = try reader.next()
        within = try reader.next()
        notBetween = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) { writer.add(steps, by, within, notBetween) }
}

extension AbsenceDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        after = try reader.next()
        expect = try reader.next()
        by = try reader.next()
        within = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) { writer.add(after, expect, by, within) }
}

extension ConfigDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(element: try reader.next(), location: try reader.next(), where: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(element, location, `where`) }
}

extension AttributeCondition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        bool = try reader.next()
        equals = try reader.next()
        exists = try reader.next()
        `default` = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) { writer.add(bool, equals, exists, `default`) }
}

extension DiffersDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(element: try reader.next(), attribute: try reader.next(), default: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(element, attribute, `default`) }
}

extension QualityDefinition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        self.init(metric: try reader.next(), gte: try reader.next())
    }

    package func write(to writer: inout PreparedWriter) { writer.add(metric, gte) }
}

extension BuildNumber: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
        guard let build = BuildNumber(try String(from: &reader)) else { throw reader.damage }
        self = build
    }

    package func write(to writer: inout PreparedWriter) { writer.add(description) }
}

extension FarmCondition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
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

    package func write(to writer: inout PreparedWriter) {
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
    package init(from reader: inout PreparedReader) throws {
        id = try reader.next()
        when = try reader.next()
        symptoms = try reader.next()
        severity = try reader.next()
        confidence = try reader.next()
        message = try reader.next()
    }

    package func write(to writer: inout PreparedWriter) {
        writer.add(id, when, symptoms, severity, confidence, message)
    }
}

extension VerdictCondition: PreparedValue {
    package init(from reader: inout PreparedReader) throws {
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

    package func write(to writer: inout PreparedWriter) {
        switch self {
        case .check(let name): writer.add("check", name)
        case .all(let parts): writer.add("all", parts)
        case .any(let parts): writer.add("any", parts)
        case .not(let part): writer.add("not", part)
        case .unknown(let part): writer.add("unknown", part)
        }
    }
}
