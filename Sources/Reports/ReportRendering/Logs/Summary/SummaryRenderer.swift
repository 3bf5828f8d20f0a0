public import ULSLog

/// Shows what is in the logs.
public enum SummaryRenderer {
    /// The forms a summary comes in.
    public static let formats: [LogOutputFormat] = [.text, .json, .ndjson, .markdown]

    /// Appends the summary; text lists the first `rows` of everything, JSON all there is.
    public static func append(
        _ summary: LogSummary,
        as format: LogOutputFormat = .text,
        layout: TextLayout = TextLayout(),
        rows: Int = 10,
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .json, .ndjson: SummaryObject.append(summary, to: &bytes)
        case .markdown: SummaryPage.page(of: summary, rows: rows, TextLayout()).appendMarkdown(to: &bytes)
        case .text, .csv, .uls: SummaryPage.page(of: summary, rows: rows, layout).append(to: &bytes, layout)
        }
    }
}
