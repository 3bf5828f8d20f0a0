import ContentFeeding
import ReportRendering

/// One line on the terminal that is written anew a few times a second.
struct ProgressLine {
    private var last = Duration.zero
    private var isShown = false

    private static let interval = Duration.milliseconds(250)

    mutating func show(_ report: StatusReport) {
        guard report.duration - last >= Self.interval else { return }
        last = report.duration
        isShown = true
        let errors = report.errorCount > 0 ? ", \(Quantity(report.errorCount, "error", "errors"))" : ""
        let seconds = max(report.duration / .seconds(1), 0.001)
        let rate = Int(Double(report.counts.settled) / seconds)
        StandardError.write(
            "\r\u{1B}[K\(report.counts.settled) done\(errors), \(rate)/s, \(ShortDuration(report.duration))"
        )
    }

    mutating func clear() {
        guard isShown else { return }
        isShown = false
        StandardError.write("\r\u{1B}[K")
    }
}
