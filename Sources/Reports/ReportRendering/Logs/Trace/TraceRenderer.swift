public import ULSLog

/// Shows the stories of requests.
public enum TraceRenderer {
    /// The forms a trace comes in; the last three are its events.
    public static let formats: [LogOutputFormat] = [.text, .json, .markdown, .ndjson, .csv, .uls]

    /// Appends the traces, one after the other; JSON is an array of them, also of none.
    public static func append(
        _ traces: [RequestTrace],
        as format: LogOutputFormat = .text,
        layout: TextLayout = TextLayout(),
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        switch format {
        case .text:
            for (index, trace) in traces.enumerated() {
                if index > 0 { bytes.append(0x0A) }
                try TraceText(trace, layout).append(to: &bytes, drain: drain)
            }
        case .markdown:
            for (index, trace) in traces.enumerated() {
                if index > 0 { bytes.append(0x0A) }
                try TraceMarkdown.append(trace, to: &bytes)
                try drain(&bytes)
            }
        case .json:
            bytes.append(text: "[" as StaticString)
            for (index, trace) in traces.enumerated() {
                if index > 0 { bytes.append(text: ",\n " as StaticString) }
                try TraceObject.append(trace, to: &bytes, drain: drain)
            }
            bytes.append(text: "]\n" as StaticString)
        case .ndjson, .csv, .uls:
            var writer = LogEventWriter(format)
            writer.begin(in: &bytes)
            for event in traces.flatMap(\.events) {
                writer.append(event, to: &bytes)
                if bytes.count >= drainThreshold { try drain(&bytes) }
            }
            writer.end(in: &bytes)
        }
    }
}
