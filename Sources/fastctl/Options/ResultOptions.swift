import ArgumentParsing
import ReportRendering

/// The form of what a reading command finds.
struct ResultOptions: OptionSetting {
    @Option("--output", "-o", value: "FORMAT", help: "The form of the results")
    var format = OutputFormat.text

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    var isNullTerminated

    func validate() throws {
        if isNullTerminated, format != .name { throw ValidationError("--print0 needs -o name") }
    }

    var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
}
