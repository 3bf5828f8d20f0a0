/// What became of one file, archive entry or pipe.
public struct SourceReport: Sendable, Hashable {
    public var name: String
    /// The server that wrote it, by its name or by its rows; `nil` when unknown or when there are several.
    public var server: String?
    /// Bytes read, after unpacking.
    public var bytes: Int
    /// Rows in it, selected or not; zero where only a part was looked at.
    public var records: Int
    /// The times of its first and last row, as far as they were looked at.
    public var firstTime: LogTime?
    public var lastTime: LogTime?
    /// Whether it was left unopened because its name says that it lies outside of the window.
    public var isSkipped: Bool
    /// What happened to it meanwhile, in words for a person, each with what to do.
    public var notes: [String]
    /// Whether a part of it could not be read.
    public var isIncomplete: Bool

    public init(name: String, server: String? = nil) {
        self.name = name
        self.server = server
        bytes = 0
        records = 0
        isSkipped = false
        notes = []
        isIncomplete = false
    }
}
