import JSONText
public import LogDiagnosis

/// Lists rules: text for people, or `fastctl.rule/1` objects, one a line.
public enum RuleListRenderer {
    /// Appends the list, in its order.
    public static func append(
        _ entries: [RuleLibrary.Entry],
        isJSON: Bool,
        _ layout: TextLayout,
        to bytes: inout [UInt8]
    ) {
        if isJSON {
            for entry in entries { append(entry, to: &bytes) }
            return
        }
        var page = Page()
        var table = TextTable(columns: [
            .init(title: "ID"), .init(title: "WORST"), .init(title: "STATUS"), .init(title: "NEEDS"),
            .init(title: "TITLE", minimum: 24),
        ])
        for entry in entries {
            let rule = entry.rule
            table.append([
                "\(rule.id)", "\(rule.worstSeverity?.rawValue ?? "-")", "\(rule.status.rawValue)",
                "\(rule.needs.words)", .outside(rule.title),
            ])
        }
        page.table(table)
        page.append(to: &bytes, layout)
    }

    private static func append(_ entry: RuleLibrary.Entry, to bytes: inout [UInt8]) {
        let rule = entry.rule
        bytes.append(object: "fastctl.rule/1") { object in
            DiagnosisObject.writeName(of: rule, to: &object)
            object.member("revision", rule.revision)
            object.member("status", rule.status.rawValue)
            object.member("category", LogString(text: rule.category))
            object.member("severity", rule.worstSeverity?.rawValue)
            object.member("logs", rule.needs.logs?.rawValue)
            object.member("webConfig", rule.needs.webConfig?.rawValue)
            object.member("supersedes", rule.supersedes.map(\.text))
            object.member("builtIn", entry.isBuiltIn)
            object.member("file", LogString(text: entry.source.name))
        }
        bytes.append(0x0A)
    }
}

extension Rule {
    /// The worst that a verdict says.
    var worstSeverity: Severity? { verdicts.map(\.severity).max() }
}

extension Needs {
    /// `logs, web.config?`: what may be missing has a question mark.
    fileprivate var words: String {
        [(logs, "logs"), (webConfig, "web.config")].compactMap { need, name in
            need.map { $0 == .required ? name : "\(name)?" }
        }.joined(separator: ", ")
    }
}
