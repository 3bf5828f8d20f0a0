import ULSLog
public import WebConfig
import YAML

/// A check for an element of web.config that meets all conditions at once, in any of the files.
struct ConfigCheck {
    let definition: ConfigDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        var result = CheckResult(configs.isEmpty || hasRefused ? .unknown : .no)
        for file in configs {
            // The section that would hold it cannot be read.
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
    /// Returns what the rule would change in a file.
    ///
    /// Throws if a wrong value is not written there, but a default: then there is none to replace.
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
                        message: "\(entry.key.value) is not written here, so it can't be replaced; nothing was written",
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
    /// Returns whether a value meets the condition; `nil` is a value that is not written.
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

    /// Returns the values in a server's files; a file without the element adds nothing if another file has it.
    private func written(in files: [WebConfigFile]) -> Set<String> {
        let elements = files.flatMap { $0.elements(at: definition.element) }
        let written = elements.map { ($0[definition.attribute] ?? definition.default ?? "").foldingKeys }
        return written.isEmpty ? [(definition.default ?? "").foldingKeys] : Set(written)
    }

    /// Returns whether a file does not show what it says of the attribute.
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
    /// The text with hexadecimal keys in it in lower case: `0A1B,IsolateApps` and `0a1b,IsolateApps` are one key.
    fileprivate var foldingKeys: String {
        split(separator: ",", omittingEmptySubsequences: false)
            .map { part in
                let key = String(part).trimmingBlanks
                return key.allSatisfy(\.isHexDigit) ? key.lowercased() : key
            }
            .joined(separator: ",")
    }

    /// The text without blanks and line ends at both ends.
    fileprivate var trimmingBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
        let start = utf8.firstIndex { !isBlank($0) } ?? endIndex
        let end = utf8.lastIndex { !isBlank($0) }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}
