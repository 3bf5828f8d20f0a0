import ArgumentParsing
import ReportRendering

/// The forms that a report on logs comes in.
enum LogReportFormat: String, CaseIterable, ArgumentValue {
    case text, json
}

/// The forms that events come in.
enum LogEventFormat: String, CaseIterable, ArgumentValue {
    case text, json, ndjson, csv, uls
}

/// The forms that the story of a request comes in.
enum LogTraceFormat: String, CaseIterable, ArgumentValue {
    case text, markdown, json, ndjson
}

extension LogOutputFormat {
    init(_ format: some RawRepresentable<String>) { self = Self(rawValue: format.rawValue) ?? .text }
}

/// What is printed of a report on logs.
struct LogReportOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The form of the results")
    var format = LogReportFormat.text

    @Option("--top", value: "N", help: "The most lines of a list")
    var top = 10

    @Option("--color", value: "WHEN", help: "Whether text has colors")
    var color = ColorChoice.auto

    func validate() throws {
        if top < 1 { throw ValidationError("--top must be at least 1") }
    }
}

/// What is printed of events.
struct LogEventOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The form of the results")
    var format = LogEventFormat.text

    @Option("--limit", value: "N", help: "Stop after so many events")
    var limit: Int?

    @Option("--color", value: "WHEN", help: "Whether text has colors")
    var color = ColorChoice.auto

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }
}

/// What is printed of the story of a request.
struct LogTraceOutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The form of the results")
    var format = LogTraceFormat.text

    @Option("--color", value: "WHEN", help: "Whether text has colors")
    var color = ColorChoice.auto
}
