public import ArgumentParsing
public import ReportRendering

extension ProgressChoice: ArgumentValue {}

/// The option for how a command says how far it is.
struct ProgressOptions: OptionSetting {
    @Option(
        "--progress",
        value: "WHEN",
        help: """
            Say on standard error how far the command is: auto is a line on a terminal, and plain in CI; plain is a line \
            every 30 s, json an object every second
            """
    )
    var choice = ProgressChoice.auto
}
