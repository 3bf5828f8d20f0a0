extension LogReader {
    /// How the reader took one physical line of the one input, counted from 1.
    public func explanation(ofLine line: Int) throws -> ParseExplanation {
        var reader = self
        reader.filter = EventFilter()
        reader.window = .all
        reader.jobs = 1
        // One unit: lines count from the beginning of the text.
        reader.sizes.unitBytes = .max
        let plan = try LogPlan(reader)
        guard plan.sources.count == 1 else {
            throw LogError(
                code: .usage,
                message: "a line of one file can be explained, and here are \(plan.sources.count)",
                advice: "name one file and one of its lines, as FILE:LINE"
            )
        }
        let zones = zones
        let queue = reader.start([plan.items[0]]) { ExplanationSink($0, line: line, zones: zones) }
        defer { queue.cancel() }
        var lines = 0
        do {
            while let output = try queue.next(lane: 0) {
                if let explanation = output.payload { return explanation }
                lines += output.end?.quality.lines ?? 0
            }
        } catch let failure as SourceFailure {
            throw LogError(code: .cannotRead, message: failure.reason)
        }
        guard line >= 1, line <= lines else {
            throw LogError(
                code: .usage,
                message: "\(plan.sources[0].name) has \(lines) lines, and no line \(line)"
            )
        }
        return try StrayLine.explanation(of: plan.sources[0], line: line)
    }
}
