import WebConfig

/// The values that settings of web.config files must have, for all files or for those of a server or zone.
///
/// What is said for a server and zone takes the place of what is said for the server, and that of what is said for all.
public struct ConfigExpectations: Sendable {
    /// The path of the file with the expectations.
    public var path: String
    var entries: [Entry]

    /// The files that an entry is about; all of them if it names no server.
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
        /// Values of which it must have one.
        var values: [String]
        var place: FilePlace
    }

    /// The word for a setting that must not be written.
    static let absent = "absent"

    /// Returns what holds for a file: for each setting the entry that is most specific.
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
    /// The attribute; `nil` for a machine key, whose attributes are not looked at one by one.
    var attribute: String?
    /// The path of its `location`; `nil` outside of one, and wherever no other entry says otherwise.
    var location: String?

    /// Reads a setting; `nil` if the text is none.
    init?(_ text: String) {
        let parts = text.split(separator: " in ", maxSplits: 1, omittingEmptySubsequences: false)
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
        // An empty path stands for the whole site, as a missing location does.
        location = value.location.flatMap { ["", "."].contains($0) ? nil : $0 }
    }

    var text: String { element + (attribute.map { "@\($0)" } ?? "") + (location.map { " in \($0)" } ?? "") }

    /// The known setting that it is; `nil` if it is another one.
    var known: ConfigSetting? { ConfigSetting.known.first { $0.element == element && $0.attribute == attribute } }
}

extension DiagnosisReport {
    /// Compares the files of web.config with what they must say; what differs is a finding.
    ///
    /// A file that could not be read, and a server of which no file was given, are not as expected.
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

/// Where one file does not say what one entry expects.
private struct ConfigDeviations {
    private(set) var findings: [Finding] = []
    private let file: WebConfigFile
    private let entry: ConfigExpectations.Entry

    /// Compares; `others` are settings in a location that have entries of their own.
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
                // A location that sets it otherwise undoes what is outside of it.
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

    /// The value that an element gives the setting, and what it is read from; `nil` if it gives none.
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

    /// Whether a value is one of those expected; truth values in any case, as .NET reads them.
    private func accepts(_ value: String) -> Bool {
        entry.values.contains { expected in
            let (one, other) = (expected.lowercased(), value.lowercased())
            return ["true", "false"].contains(one) ? one == other : expected == value
        }
    }

    /// What applies where nothing is written, in words; empty if that is not known.
    private var standard: String {
        guard let known = entry.setting.known, !known.isMachineWide else { return "" }
        return " (.NET's default is \(known.defaultValue), unless a file higher up says otherwise)"
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
    /// What tells its file from others, the same on each machine if it has a label.
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
