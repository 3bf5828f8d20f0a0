import ULSLog
import WebConfig
import YAML

/// Looks for an element of web.config that meets all conditions at once, in any of the files.
struct ConfigCheck {
    let definition: ConfigDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        var result = CheckResult(configs.isEmpty || hasRefused ? .unknown : .no)
        for file in configs {
            for element in file.elements(at: definition.element) where isMet(by: element) {
                result.truth = .yes
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

    private func isMet(by element: ConfigElement) -> Bool {
        switch definition.location ?? "any" {
        case "any": break
        case "none": if element.location != nil { return false }
        case let path: if element.location?.lowercased() != path.lowercased() { return false }
        }
        return definition.where?.entries.allSatisfy { $0.value.isMet(by: element[$0.key.value]) } ?? true
    }
}

extension AttributeCondition {
    /// Whether a value meets it; `nil` is one that is not written.
    func isMet(by written: String?) -> Bool {
        if let exists, exists != (written != nil) { return false }
        let value = (written ?? `default`)?.lowercased()
        if let bool, value != "\(bool)" { return false }
        if let equals, !equals.values.contains(where: { $0.lowercased() == value }) { return false }
        return true
    }
}

/// Looks for an attribute that differs between servers.
struct DiffersCheck {
    let definition: DiffersDefinition

    func result(_ configs: [WebConfigFile], hasRefused: Bool) -> CheckResult {
        let servers = Set(configs.compactMap { $0.source.server?.lowercased() })
        guard servers.count >= 2 else { return CheckResult(.unknown) }
        var values: Set<String> = []
        var result = CheckResult(.unknown)
        for file in configs where file.source.server != nil {
            let element = file.elements(at: definition.element).first
            let value = element?[definition.attribute] ?? definition.default
            values.insert(value ?? "")
            result.config.append(
                ConfigEvidence(
                    source: file.source,
                    element: element,
                    path: definition.element,
                    attributes: element?.attributes.filter { $0.name == definition.attribute } ?? []
                )
            )
        }
        result.truth = values.count > 1 ? .yes : hasRefused ? .unknown : .no
        result.count = values.count
        if result.truth != .yes { result.config = [] }
        return result
    }
}

/// Looks at how good the log itself is.
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
