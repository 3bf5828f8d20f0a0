public import LogDiagnosis
import ULSLog

extension DiagnosisNews {
    /// Appends a line on what has become known: `2024-03-11T11:03:00.200  error  FS1099  …`.
    public func appendLine(to bytes: inout [UInt8], _ layout: TextLayout) {
        switch self {
        case .finding(let finding, let before):
            // What is new is as old as its first row; a change has come with the last one.
            let time = before == nil ? finding.firstTime : finding.lastTime
            appendTime(time, to: &bytes)
            let was = before.map { $0 == finding.severity ? " (another verdict)" : " (was \($0.rawValue))" } ?? ""
            bytes.append(finding.severity.style, layout) { $0.append(text: finding.severity.rawValue) }
            bytes.append(text: "\(was)  \(finding.rule.id)  ")
            appendText(finding.message, to: &bytes, layout)
        case .unexplained(let cluster):
            appendTime(cluster.firstTime, to: &bytes)
            bytes.append(text: "unexplained  ")
            bytes.append(line: cluster.eventID.isEmpty ? "-" : cluster.eventID, layout)
            bytes.append(text: "  ")
            appendText(cluster.template, to: &bytes, layout)
        }
    }

    private func appendTime(_ time: LogTime?, to bytes: inout [UInt8]) {
        bytes.append(text: time?.iso8601 ?? "-")
        bytes.append(text: "  ")
    }

    private func appendText(_ text: String, to bytes: inout [UInt8], _ layout: TextLayout) {
        bytes.append(line: text, layout)
        bytes.append(0x0A)
    }
}
