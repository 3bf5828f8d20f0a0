/// What the process tells its caller.
///
/// A program adds its own meanings as static members.
public struct ExitCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let success = ExitCode(rawValue: 0)
    /// The command line was wrong (`EX_USAGE`).
    public static let usage = ExitCode(rawValue: 64)
}
