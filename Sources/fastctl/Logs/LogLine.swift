import ArgumentParsing
import ReportRendering
import Threads
import ULSLog

/// A line of a log whose reading is to be explained.
struct LogLine {
    let place: LogPlace
    let reading: LogReadingOptions

    func explain() async throws -> ExitCode {
        Interruption.leaveAtOnce(saying: "interrupted")
        let reader = try reading.reader(of: [place.file], LogSelectionOptions(), example: "")
        let line = place.line
        let explanation = try await onOwnThread { Result { try reader.explanation(ofLine: line) } }.get()
        var bytes: [UInt8] = []
        ExplanationRenderer.append(explanation, layout: .standardOutput(.auto), to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
        StandardError.say("\(place.argumentText): \(explanation.kind)")
        return .success
    }
}
