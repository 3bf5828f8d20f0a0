import Spelling
public import WebConfig
import YAML

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
    /// - Throws: ``RuleError`` with what is wrong, and where.
    public static func read(_ path: String) throws(RuleError) -> ConfigExpectations {
        try ConfigExpectations(try CompanionFile(path: path, maximumBytes: maximumBytes).text(), path: path)
    }

    /// Reads the text of a file.
    public init(_ text: String, path: String) throws(RuleError) {
        let document: ExpectationDocument = try CompanionFile(path: path, maximumBytes: Self.maximumBytes).decode(text)
        self.init(path: path, entries: [])
        try add(document.expect, Scope())
        for server in document.servers?.entries ?? [] { try add(server.value, try scope(server.key)) }
        guard !entries.isEmpty else { throw RuleError(file: path, message: "it expects nothing: name a setting") }
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
                throw RuleError(file: path, place: written.key.place, message: "it names no value")
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

/// What files of web.config say now, to be expected of them later.
public struct WrittenExpectations: Sendable {
    /// The text of a file of expectations.
    public let text: String
    /// The number of values that are encrypted or in another file, and so are not expected to be anything.
    public let untold: Int

    /// Creates a file from the known settings of these files: what all of them have is expected of all, the rest of each
    /// server and zone.
    ///
    /// - Throws: ``RuleError`` if files differ that have no label.
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
            // Files of one label are one table.
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
                    "its settings differ from those of other files, and no server tells them apart: name them SERVER=PATH"
            )
        }
        var lines = [
            "# What web.config files must say: fastctl webconfig check --expect FILE PATH…",
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
