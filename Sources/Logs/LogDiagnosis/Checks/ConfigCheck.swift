import TextKit
import ULSLog
public import WebConfig
import YAML

/// A check for a web.config element, in any of the files, that meets all conditions at once.
struct ConfigCheck {
    let definition: ConfigDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        var result = CheckResult(configs.isEmpty || hasRefused ? .unknown : .no)
        for file in configs {
            // The section that would contain the element cannot be read.
            if file.hidesElements(at: definition.element) { result.truth = max(result.truth, .unknown) }
            for element in file.elements(at: definition.element) {
                let truth = truth(of: element)
                result.truth = max(result.truth, truth)
                guard truth == .yes else { continue }
                result.count += 1
                result.config.append(
                    ConfigEvidence(
                        source: file.source,
                        element: element,
                        path: definition.element,
                        attributes: element.attributes.filter { definition.where?[$0.name] != nil }
                    )
                )
            }
        }
        return result
    }

    private func truth(of element: ConfigElement) -> Ternary {
        switch definition.location ?? "any" {
        case "any": break
        case "none": if !element.isForWholeSite { return .no }
        case let path: if element.location?.lowercased() != path.lowercased() { return .no }
        }
        if element.isElsewhere { return .unknown }
        let conditions = definition.where?.entries ?? []
        return conditions.reduce(.yes) { min($0, $1.value.truth(of: element[$1.key.value])) }
    }
}

extension Rule {
    /// Returns the changes that the rule would make in a file.
    ///
    /// The method throws if a wrong value is a default that is not in the file, because there is nothing to replace.
    public func changes(in file: WebConfigFile) throws(WebConfigError) -> [ConfigChange] {
        guard let repair, case .config(let definition)? = checks[repair.of.value]?.kind else { return [] }
        let found = ConfigCheck(definition: definition).result([file], hasRefused: false).config.compactMap(\.element)
        var changes: [ConfigChange] = []
        for element in found {
            for entry in repair.set.entries {
                guard let attribute = element.attributes.first(where: { $0.name == entry.key.value }) else {
                    throw WebConfigError(
                        code: .refused,
                        source: file.source,
                        line: element.line,
                        column: element.column,
                        message: "\(entry.key.value) is not set here, so it cannot be replaced; nothing was written",
                        advice: "write \(entry.key.value)=\"\(entry.value)\" into this element by hand"
                    )
                }
                changes.append(ConfigChange(element: element, attribute: attribute, value: entry.value))
            }
        }
        return changes
    }
}

extension AttributeCondition {
    /// Returns whether a value meets the condition; `nil` means that the file has no value.
    ///
    /// Surrounding blanks don't count. A truth value that is neither `true` nor `false` is unknown.
    func truth(of written: String?) -> Ternary {
        if let exists, exists != (written != nil) { return .no }
        let value = (written ?? `default`)?.lowercased().trimmingBlanks
        if let equals, !equals.values.contains(where: { $0.lowercased() == value }) { return .no }
        guard let bool, let value else { return Ternary(bool == nil) }
        return ["true", "false"].contains(value) ? Ternary(value == "\(bool)") : .unknown
    }
}

/// A check for an attribute that differs between servers.
///
/// A server whose section is encrypted or in another file is not compared.
struct DiffersCheck {
    let definition: DiffersDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        let zones = Dictionary(grouping: configs.filter { $0.source.server != nil }) { $0.source.zone?.lowercased() }
        var result = CheckResult(.unknown)
        var isCompared = false
        var hasHidden = false
        for (_, files) in zones.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
            let servers = Dictionary(grouping: files) { $0.source.server?.lowercased() ?? "" }
            guard servers.count >= 2 else { continue }
            isCompared = true
            let known = servers.values.filter { files in !files.contains(where: isHidden) }
            hasHidden = hasHidden || known.count < servers.count
            let values = Set(known.map { written(in: $0) })
            guard values.count > 1 else { continue }
            result.count += values.count
            result.config += files.filter { !isHidden($0) }.map { evidence(of: $0) }
        }
        guard isCompared else { return result }
        result.truth = result.count > 0 ? .yes : hasRefused || hasHidden ? .unknown : .no
        return result
    }

    /// Returns the values in a server's files; a file without the element contributes no value if another file has the
    /// element.
    private func written(in files: [WebConfigFile]) -> Set<String> {
        let elements = files.flatMap { $0.elements(at: definition.element) }
        let written = elements.map { ($0[definition.attribute] ?? definition.default ?? "").foldingKeys }
        return written.isEmpty ? [(definition.default ?? "").foldingKeys] : Set(written)
    }

    /// Returns whether a file hides its value of the attribute.
    private func isHidden(_ file: WebConfigFile) -> Bool {
        file.hidesElements(at: definition.element)
            || file.elements(at: definition.element).contains(where: \.isElsewhere)
    }

    private func evidence(of file: WebConfigFile) -> ConfigEvidence {
        let element = file.elements(at: definition.element).first
        return ConfigEvidence(
            source: file.source,
            element: element,
            path: definition.element,
            attributes: element?.attributes.filter { $0.name == definition.attribute } ?? []
        )
    }
}

/// A check on the quality of the log itself.
struct QualityCheck {
    let definition: QualityDefinition

    func result(_ extent: LogExtent) -> CheckResult {
        guard extent.isGiven || extent.isEmpty else { return CheckResult(.unknown) }
        let quality = extent.quality
        let value: Double =
            switch definition.metric {
            case .parseErrorPercent:
                quality.lines == 0 ? 0 : 100 * Double(quality.notUnderstood) / Double(quality.lines)
            case .orphans: Double(quality.orphans)
            case .clockSteps: Double(quality.clockSteps)
            case .gaps: Double(extent.gaps)
            case .limits: Double(quality.limits.reduce(0) { $0 + $1.count })
            }
        var result = CheckResult(Ternary(value >= definition.gte))
        result.count = Int(value.rounded())
        return result
    }
}

extension String {
    /// The text with its hexadecimal keys in lowercase: `0A1B,IsolateApps` and `0a1b,IsolateApps` are the same key.
    fileprivate var foldingKeys: String {
        split(separator: ",", omittingEmptySubsequences: false)
            .map { part in
                let key = String(part).trimmingBlanks
                return key.allSatisfy(\.isHexDigit) ? key.lowercased() : key
            }
            .joined(separator: ",")
    }

    /// The text without leading and trailing blanks and line ends.
    fileprivate var trimmingBlanks: String {
        let start = utf8.firstIndex { !$0.isBlank } ?? endIndex
        let end = utf8.lastIndex { !$0.isBlank }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}

/// The required values of web.config settings, for all files or for those of a server or zone.
///
/// Expectations for a server and zone override those for the server, which override those for all.
public struct ConfigExpectations: Sendable {
    /// The path of the file with the expectations.
    public var path: String
    var entries: [Entry]

    /// The files that an entry applies to; all files if it names no server.
    struct Scope: Sendable, Hashable {
        var server: String?
        var zone: String?

        func contains(_ source: WebConfigSource) -> Bool {
            guard let server else { return true }
            guard source.server?.lowercased() == server.lowercased() else { return false }
            return zone.map { $0 == source.zone } ?? true
        }

        var text: String { (server ?? "") + (zone.map { "/\($0)" } ?? "") }
    }

    struct Entry: Sendable {
        var scope: Scope
        var setting: ExpectedSetting
        /// The accepted values; the setting must have one of them.
        var values: [String]
        var place: FilePlace
    }

    /// The keyword for a setting that must not be in the file.
    static let absent = "absent"

    /// Returns the entries that apply to a file: for each setting, the most specific one.
    fileprivate func entries(for source: WebConfigSource) -> [Entry] {
        var found: [Entry] = []
        for entry in entries where entry.scope.contains(source) {
            guard let index = found.firstIndex(where: { $0.setting == entry.setting }) else {
                found.append(entry)
                continue
            }
            if entry.scope.rank >= found[index].scope.rank { found[index] = entry }
        }
        return found
    }
}

extension ConfigExpectations.Scope {
    fileprivate var rank: Int { server == nil ? 0 : zone == nil ? 1 : 2 }
}

/// A setting of web.config, as written in a file of expectations: `system.web/trace@enabled in _layouts/15`.
struct ExpectedSetting: Sendable, Hashable {
    var element: String
    /// The attribute; `nil` for a machine key, whose attributes are not examined individually.
    var attribute: String?
    /// The path of its `location`; `nil` for a setting everywhere except in locations that have their own entries.
    var location: String?

    /// Reads a setting; `nil` if the text is not a setting.
    init?(_ text: String) {
        let parts = text.split(by: " in ", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        guard (1...2).contains(names.count), names.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }),
            !names[0].hasPrefix("/"), !names[0].hasSuffix("/")
        else { return nil }
        element = String(names[0])
        attribute = names.count == 2 ? String(names[1]) : nil
        location = parts.count == 2 ? String(parts[1]) : nil
        if location == "" { return nil }
    }

    init(_ value: ConfigSettingValue) {
        element = value.element
        attribute = value.setting.attribute
        // An empty path means the entire site, like a missing location.
        location = value.location.flatMap { ["", "."].contains($0) ? nil : $0 }
    }

    var text: String { element + (attribute.map { "@\($0)" } ?? "") + (location.map { " in \($0)" } ?? "") }

    /// The known setting with this element and attribute; `nil` if there is none.
    var known: ConfigSetting? { ConfigSetting.known.first { $0.element == element && $0.attribute == attribute } }
}

extension DiagnosisReport {
    /// Compares web.config files with expectations; each difference is a finding.
    ///
    /// A file that could not be read does not meet expectations, nor does a server without a file.
    public mutating func compare(with expectations: ConfigExpectations) {
        var deviations: [Finding] = []
        for file in configs {
            let entries = expectations.entries(for: file.source)
            let named = Set(entries.filter { $0.setting.location != nil }.map(\.setting))
            for entry in entries {
                deviations += ConfigDeviations(file, entry, others: named).findings
            }
        }
        for refused in refusedConfigs where !expectations.entries(for: refused.source).isEmpty {
            deviations.append(Finding(unreadable: refused))
        }
        let sources = configs.map(\.source) + refusedConfigs.map(\.source)
        var missing: Set<ConfigExpectations.Scope> = []
        for entry in expectations.entries where !sources.contains(where: entry.scope.contains) {
            guard missing.insert(entry.scope).inserted else { continue }
            deviations.append(Finding(missing: entry))
        }
        if deviations.isEmpty { passed.append(ProgramRule.expectation) }
        findings = (findings + deviations).sorted(by: Finding.isBefore)
    }
}

/// Places where one file differs from one entry.
private struct ConfigDeviations {
    private(set) var findings: [Finding] = []
    private let file: WebConfigFile
    private let entry: ConfigExpectations.Entry

    /// Compares a file with an entry; `others` are settings in a location that have their own entries.
    init(_ file: WebConfigFile, _ entry: ConfigExpectations.Entry, others: Set<ExpectedSetting>) {
        self.file = file
        self.entry = entry
        let setting = entry.setting
        var isWritten = false
        if file.hidesElements(at: setting.element) {
            add("unreadable", nil, found: "encrypted or in another file", attributes: [])
            return
        }
        for element in file.elements(at: setting.element) {
            if let location = setting.location {
                guard element.location == location else { continue }
            } else if !element.isForWholeSite {
                var own = setting
                own.location = element.location
                // A location with a different value overrides the setting outside of it.
                if others.contains(own) { continue }
            }
            guard let (value, attributes) = value(in: element) else { continue }
            if element.isForWholeSite || setting.location != nil { isWritten = true }
            if element.isElsewhere {
                add("unreadable", element, found: "encrypted or in another file", attributes: attributes)
            } else if !accepts(value) {
                let isShown = attributes.allSatisfy { !element.isSecret($0) }
                let verdict = entry.values == [ConfigExpectations.absent] ? "unexpected" : "different"
                add(verdict, element, found: isShown ? value : "another value", attributes: attributes)
            }
        }
        if !isWritten, !entry.values.contains(ConfigExpectations.absent) {
            add("absent", nil, found: "not written", attributes: [])
        }
    }

    /// Returns the value that an element gives the setting, and the attributes that the value is read from; `nil` if
    /// there is none.
    private func value(in element: ConfigElement) -> (String, [ConfigAttribute])? {
        if element.isElsewhere { return ("", []) }
        if let name = entry.setting.attribute {
            return element.attributes.first { $0.name == name }.map { ($0.value, [$0]) }
        }
        let known = file.settings.first {
            $0.element == element.path && $0.isWritten && $0.location == element.location
        }
        return known.map { ($0.value, []) }
    }

    /// Returns whether a value is among the expected ones; the case of Boolean values is ignored, as in .NET.
    private func accepts(_ value: String) -> Bool {
        entry.values.contains { expected in
            let (one, other) = (expected.lowercased(), value.lowercased())
            return ["true", "false"].contains(one) ? one == other : expected == value
        }
    }

    /// The default that applies if the file has no value, in words; empty if it is not known.
    private var standard: String {
        guard let known = entry.setting.known, !known.isMachineWide else { return "" }
        return " (.NET's default is \(known.defaultValue), unless a file higher up sets it)"
    }

    private mutating func add(
        _ verdict: String,
        _ element: ConfigElement?,
        found: String,
        attributes: [ConfigAttribute]
    ) {
        let setting = entry.setting
        let expected = entry.values.joined(separator: " or ")
        var finding = Finding(
            of: ProgramRule.expectation,
            verdict: verdict,
            [
                Capture(name: "setting", value: setting.text), Capture(name: "file", value: file.source.path),
                Capture(name: "found", value: found), Capture(name: "expected", value: expected),
                Capture(name: "standard", value: verdict == "absent" ? standard : ""),
            ].filter { !$0.value.isEmpty },
            identity: [verdict == "absent" ? "" : element?.location ?? ""] + file.source.identity + [setting.text],
            at: entry.place
        )
        finding.config = [
            ConfigEvidence(source: file.source, element: element, path: setting.element, attributes: attributes)
        ]
        finding.servers = [file.source.server].compactMap(\.self)
        findings.append(finding)
    }
}

extension WebConfigSource {
    /// The identity of the file, which is the same on every machine if the file has a label.
    fileprivate var identity: [String] { server.map { [$0.lowercased(), zone ?? ""] } ?? [path] }
}

extension Finding {
    fileprivate init(unreadable refused: WebConfigError) {
        let place = FilePlace(file: refused.source.path, line: refused.line ?? 1, column: refused.column ?? 1)
        self.init(
            of: ProgramRule.expectation,
            verdict: "refused",
            [Capture(name: "file", value: refused.source.path), Capture(name: "found", value: refused.message)],
            identity: ["refused"] + refused.source.identity,
            at: place
        )
    }

    fileprivate init(missing entry: ConfigExpectations.Entry) {
        let server = entry.scope.server == nil ? "any server" : entry.scope.text
        self.init(
            of: ProgramRule.expectation,
            verdict: "missing",
            [Capture(name: "server", value: server)],
            identity: ["missing", entry.scope.text.lowercased()],
            at: entry.place
        )
    }
}

extension ConfigExpectations {
    /// The schema of the file.
    public static let schema = "fastctl.expect/1"
    private static let maximumBytes = 4 << 20
    private static let maximumEntries = 20_000

    /// Reads a file of expectations.
    ///
    /// ```yaml
    /// schema: fastctl.expect/1
    /// expect:
    ///   system.web/trace@enabled: "false"
    /// servers:
    ///   WFE1/Intranet:
    ///     system.web/customErrors@mode: [RemoteOnly, absent]
    /// ```
    ///
    /// - Throws: ``RuleError`` with the problem and its place.
    public static func read(_ path: String) throws(RuleError) -> ConfigExpectations {
        try ConfigExpectations(try CompanionFile(path: path, maximumBytes: maximumBytes).text(), path: path)
    }

    /// Reads the text of a file.
    public init(_ text: String, path: String) throws(RuleError) {
        let document: ExpectationDocument = try CompanionFile(path: path, maximumBytes: Self.maximumBytes).decode(text)
        self.init(path: path, entries: [])
        try add(document.expect, Scope())
        for server in document.servers?.entries ?? [] { try add(server.value, try scope(server.key)) }
        guard !entries.isEmpty else { throw RuleError(file: path, message: "it expects nothing; specify a setting") }
        guard entries.count <= Self.maximumEntries else {
            throw RuleError(
                file: path,
                message: "it has \(entries.count) values; at most \(Self.maximumEntries) are read"
            )
        }
    }

    private mutating func add(_ settings: YAMLMapping<OneOrMany<String>>?, _ scope: Scope) throws(RuleError) {
        for written in settings?.entries ?? [] {
            let setting = try setting(written.key)
            guard !written.value.values.isEmpty else {
                throw RuleError(file: path, place: written.key.place, message: "it has no value")
            }
            let place = FilePlace(file: path, line: written.key.place.line, column: written.key.place.column)
            entries.append(Entry(scope: scope, setting: setting, values: written.value.values, place: place))
        }
    }

    private func setting(_ key: Located<String>) throws(RuleError) -> ExpectedSetting {
        func refusal(_ message: String) -> RuleError { RuleError(file: path, place: key.place, message: message) }
        guard let setting = ExpectedSetting(key.value) else {
            throw refusal(
                "\u{201C}\(key.value.prefix(80))\u{201D} is not a setting: write ELEMENT@ATTRIBUTE, such as "
                    + "system.web/trace@enabled, and ' in PATH' for one in a location"
            )
        }
        guard let name = setting.attribute else {
            guard setting.known != nil else { throw refusal("name an attribute: \(setting.element)@ATTRIBUTE") }
            return setting
        }
        let element = ConfigElement(path: setting.element, line: 1, column: 1, lineEnd: 1, columnEnd: 1)
        guard !element.isSecret(ConfigAttribute(name: name, value: "", line: 1, column: 1)) else {
            throw refusal(
                "'\(name.prefix(80))' is secret and is not compared; for a machine key, expect system.web/machineKey "
                    + "to be explicit, generated or absent"
            )
        }
        return setting
    }

    private func scope(_ key: Located<String>) throws(RuleError) -> Scope {
        let names = key.value.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(names.count), names.allSatisfy({ !$0.isEmpty }) else {
            throw RuleError(file: path, place: key.place, message: "name a server, or SERVER/ZONE")
        }
        guard names.count == 2 else { return Scope(server: names[0]) }
        let zones = WebConfigSource.zones
        guard let zone = zones.first(where: { $0.lowercased() == names[1].lowercased() }) else {
            let hint =
                names[1].prefix(64).description.nearest(in: zones).map { "did you mean \u{201C}\($0)\u{201D}?" }
                ?? "the zones are " + zones.joined(separator: ", ")
            throw RuleError(
                file: path,
                place: key.place,
                message: "\u{201C}\(names[1].prefix(64))\u{201D} is not a zone; \(hint)"
            )
        }
        return Scope(server: names[0], zone: zone)
    }
}

/// A file of expectations, as written.
private struct ExpectationDocument: Decodable {
    private enum Schema: String, Decodable, CaseIterable { case one = "fastctl.expect/1" }

    private var schema: Schema
    var expect: YAMLMapping<OneOrMany<String>>?
    var servers: YAMLMapping<YAMLMapping<OneOrMany<String>>>?
}

/// The current values of web.config files, for later use as expectations.
public struct WrittenExpectations: Sendable {
    /// The text of a file of expectations.
    public let text: String
    /// The number of values without an expectation, because they are encrypted or in another file.
    public let untold: Int

    /// Creates a file from the known settings of these files: values that all files share are expected for all, other
    /// values for each server and zone.
    ///
    /// - Throws: ``RuleError`` if files without labels differ.
    public init(_ files: [WebConfigFile]) throws(RuleError) {
        var tables: [(scope: String?, values: [String: Set<String>])] = []
        var (names, untold): ([String], Int) = ([], 0)
        for file in files {
            let scope = file.source.server.map { $0 + (file.source.zone.map { "/\($0)" } ?? "") }
            var values: [String: Set<String>] = [:]
            for value in file.settings {
                guard value.isTold else {
                    untold += 1
                    continue
                }
                let name = ExpectedSetting(value).text
                if !names.contains(name) { names.append(name) }
                values[name, default: []].insert(value.isWritten ? value.value : ConfigExpectations.absent)
            }
            // Files with the same label share a table.
            if scope != nil, let index = tables.firstIndex(where: { $0.scope == scope }) {
                tables[index].values.merge(values) { $0.union($1) }
            } else {
                tables.append((scope, values))
            }
        }
        self.untold = untold
        let common = names.filter { name in
            tables.allSatisfy { $0.values[name] != nil && $0.values[name] == tables[0].values[name] }
        }
        let own = names.filter { !common.contains($0) }
        if !own.isEmpty, let index = tables.firstIndex(where: { $0.scope == nil }) {
            throw RuleError(
                file: files[min(index, files.count - 1)].source.path,
                message:
                    "its settings differ from those of other files, but their servers are unknown; name them SERVER=PATH"
            )
        }
        var lines = [
            "# Expected values of web.config files: fastctl webconfig check --expect FILE PATH…",
            "schema: \(ConfigExpectations.schema)",
        ]
        if !common.isEmpty { lines.append("expect:") }
        lines += common.map { Self.line($0, tables[0].values[$0] ?? [], indentation: 2) }
        if !own.isEmpty { lines.append("servers:") }
        for table in tables where own.contains(where: { table.values[$0] != nil }) {
            lines.append("  \((table.scope ?? "").yamlQuoted):")
            lines += own.compactMap { name in table.values[name].map { Self.line(name, $0, indentation: 4) } }
        }
        text = lines.map { $0 + "\n" }.joined()
    }

    private static func line(_ name: String, _ values: Set<String>, indentation: Int) -> String {
        let texts = values.sorted().map(\.yamlQuoted)
        let value = texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
        return String(repeating: " ", count: indentation) + "\(name.yamlQuoted): \(value)"
    }
}
