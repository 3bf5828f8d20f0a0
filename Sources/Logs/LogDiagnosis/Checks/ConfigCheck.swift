import ULSLog
import WebConfig
import YAML

/// A check for an element of web.config that meets all conditions at once, in any of the files.
struct ConfigCheck {
    let definition: ConfigDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        var result = CheckResult(configs.isEmpty || hasRefused ? .unknown : .no)
        for file in configs {
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
        case "none": if element.location != nil { return .no }
        case let path: if element.location?.lowercased() != path.lowercased() { return .no }
        }
        // The element is in another file, which was not given.
        if element["configSource"] != nil { return .unknown }
        let conditions = definition.where?.entries ?? []
        return conditions.reduce(.yes) { min($0, $1.value.truth(of: element[$1.key.value])) }
    }
}

extension AttributeCondition {
    /// Returns whether a value meets the condition; `nil` is a value that is not written.
    ///
    /// Surrounding blanks don't count. A truth value that is neither `true` nor `false` is unknown.
    fileprivate func truth(of written: String?) -> Ternary {
        if let exists, exists != (written != nil) { return .no }
        let value = (written ?? `default`)?.lowercased().trimmingBlanks
        if let equals, !equals.values.contains(where: { $0.lowercased() == value }) { return .no }
        guard let bool, let value else { return Ternary(bool == nil) }
        return ["true", "false"].contains(value) ? Ternary(value == "\(bool)") : .unknown
    }
}

/// A check for an attribute that differs between servers.
struct DiffersCheck {
    let definition: DiffersDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        let zones = Dictionary(grouping: configs.filter { $0.source.server != nil }) { $0.source.zone?.lowercased() }
        var result = CheckResult(.unknown)
        var isCompared = false
        for (_, files) in zones.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
            let servers = Dictionary(grouping: files) { $0.source.server?.lowercased() ?? "" }
            guard servers.count >= 2 else { continue }
            isCompared = true
            let values = Set(servers.values.map { written(in: $0) })
            guard values.count > 1 else { continue }
            result.count += values.count
            result.config += files.map { evidence(of: $0) }
        }
        guard isCompared else { return result }
        result.truth = result.count > 0 ? .yes : hasRefused ? .unknown : .no
        return result
    }

    /// Returns the values in a server's files; a file without the element adds nothing if another file has it.
    private func written(in files: [WebConfigFile]) -> Set<String> {
        let elements = files.flatMap { $0.elements(at: definition.element) }
        let written = elements.map { $0[definition.attribute] ?? definition.default ?? "" }
        return written.isEmpty ? [definition.default ?? ""] : Set(written)
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
    /// The text without blanks and line ends at both ends.
    fileprivate var trimmingBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
        let start = utf8.firstIndex { !isBlank($0) } ?? endIndex
        let end = utf8.lastIndex { !isBlank($0) }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}
