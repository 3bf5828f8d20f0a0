public import ArgumentParsing
public import ReportRendering

extension OutputFormat: ArgumentValue {}
extension ReportFormat: ArgumentValue {}
extension ExplanationFormat: ArgumentValue {}
extension LogEventFormat: ArgumentValue {}
extension LogTraceFormat: ArgumentValue {}
extension RequestFormat: ArgumentValue {}
extension ComparisonFormat: ArgumentValue {}
extension ColorChoice: ArgumentValue {}

/// Options for what a feed prints, and where.
struct OutputOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = OutputFormat.text

    @Flag("--print0", help: "With -o name: end each ID with a NUL byte")
    var isNullTerminated

    @Flag("--quiet", "-q", help: "Omit the lines about each item; keep errors and totals")
    var isQuiet

    @Flag("--verbose", "-v", help: "Report on standard error what is sent and retried")
    var isVerbose

    @Option(
        "--report",
        value: "FILE",
        completion: .files,
        help: "Write the status report to this file, whole or not at all"
    )
    var report: String?

    func validate() throws {
        if isNullTerminated, format != .name { throw ValidationError("--print0 needs -o name") }
        if report == "" { throw ValidationError("--report needs the name of a file") }
    }

    var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
    var transcript: FeedTranscript { FeedTranscript(format, isQuiet: isQuiet, nameEnd: nameEnd) }
}

/// Options for the form of a reading command's results.
struct ResultOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The format of the results")
    var format = OutputFormat.text

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    var isNullTerminated

    func validate() throws {
        if isNullTerminated, format != .name { throw ValidationError("--print0 needs -o name") }
    }

    var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
}
