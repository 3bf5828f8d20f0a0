public import LogDiagnosis

/// Shows what a diagnosis found, in any of the forms.
///
/// ```swift
/// let renderer = DiagnosisRenderer(report, options)
/// renderer.append(as: .text, to: &standardOutput)
/// renderer.append(as: .junit, to: &file)
/// ```
public struct DiagnosisRenderer: Sendable {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    public init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    /// Appends the whole report.
    public func append(as format: DiagnosisFormat, to bytes: inout [UInt8]) {
        switch format {
        case .text: DiagnosisText(report, options.layout).append(to: &bytes)
        case .json: DiagnosisObject.append(report, options, to: &bytes)
        case .ndjson: DiagnosisRecords(report, options).append(to: &bytes)
        case .markdown: DiagnosisMarkdown(report).append(to: &bytes)
        case .junit: JUnitReport(report, options).append(to: &bytes)
        case .sarif: SARIFLog(report, options).append(to: &bytes)
        case .github: WorkflowCommands(report, options).append(to: &bytes)
        }
    }
}
