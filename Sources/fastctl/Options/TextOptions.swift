import ArgumentParsing
import ReportRendering

/// Options for text that people read: its colors, its width, and the pager.
struct TextOptions: OptionSetting {
    @Option("--color", value: "WHEN", help: "When to color text")
    var color = ColorChoice.auto

    @Flag("--wide", help: "Cut nothing at the edge of the terminal, however long")
    var isWide

    @Flag("--no-pager", help: "Print text at once, not through a pager ($FASTCTL_PAGER, $PAGER or less)")
    var isUnpaged

    /// The layout of text on this process's standard output.
    var layout: TextLayout {
        var layout = TextLayout.standardOutput(color)
        layout.isWide = isWide
        return layout
    }

    /// The pager for text on a terminal; `nil` for other formats, and where none is wanted.
    func pager(for isText: Bool) -> PagerCommand? {
        guard isText, !isUnpaged, FileDescriptor.standardOutput.isTerminal else { return nil }
        return PagerCommand(environment: ProcessEnvironment.values)
    }
}
