/// A page of the manual, in mdoc.
public struct ManualPage: Sendable {
    /// `fastctl-remove.1`.
    public let fileName: String
    public let text: String

    /// One row of the table of exit codes.
    public struct ExitStatus: Sendable {
        public var code: ExitCode
        public var meaning: String

        public init(_ code: ExitCode, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// The page of the program, and one of each command that is not hidden.
    ///
    /// `date` is as mdoc writes it, `November 21, 2026`; it is given, so that the same source makes the same page.
    /// With a `version`, `--version` is among the options.
    public static func pages(
        of root: any Command.Type,
        version: String? = nil,
        date: String,
        exitStatus: [ExitStatus]
    ) -> [ManualPage] {
        CommandPath(Program(root, version: version)).visibleTree.map { path in
            let writer = ManualWriter(path: path, date: date, exitStatus: exitStatus)
            return ManualPage(fileName: path.manualName + ".1", text: writer.lines.joined(separator: "\n") + "\n")
        }
    }
}

extension CommandPath {
    /// `fastctl-collections-create`.
    var manualName: String { name.replacing(" ", with: "-") }
}
