/// How text for people is laid out: for a terminal of some width, or for a pipe or file.
public struct TextLayout: Hashable, Sendable {
    /// The columns of the terminal; `nil` in a pipe or a file, where nothing is cut and columns are tab-separated.
    public var width: Int?
    public var isColored: Bool
    /// Whether bars, arrows and tree lines may be other than ASCII: the locale is UTF-8.
    public var isUnicode: Bool
    /// Whether what a CI runner takes for its commands is broken up.
    ///
    /// `##[group]`, `##vso[…]` and `##teamcity[…]` are printed as `# #…`, and text that begins with `::` as `: :`.
    public var neutralizesRunnerCommands: Bool

    public init(
        width: Int? = nil,
        isColored: Bool = false,
        isUnicode: Bool = true,
        neutralizesRunnerCommands: Bool = false
    ) {
        self.width = width.map { max($0, Self.minimumWidth) }
        self.isColored = isColored
        self.isUnicode = isUnicode
        self.neutralizesRunnerCommands = neutralizesRunnerCommands
    }

    /// Narrower terminals are taken to be this wide.
    public static let minimumWidth = 40

    /// How wide paragraphs are in a pipe or a file.
    static let pipeWidth = 80
}
