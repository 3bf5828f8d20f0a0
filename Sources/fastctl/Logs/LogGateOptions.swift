import ArgumentParsing
import ReportRendering

/// Options for what a search means for the exit code.
struct LogGateOptions: OptionSetting {
    @Flag("--fail-if-none", help: "Exit with code 1 if nothing was found")
    var failsIfNone

    @Flag("--fail-if-any", help: "Exit with code 1 if anything was found")
    var failsIfAny

    static let exclusive = [["--fail-if-none", "--fail-if-any"]]

    var gate: LogGate? { failsIfNone ? .failIfNone : failsIfAny ? .failIfAny : nil }
}
