/// The severity that the writer of a row gave it: the word in the row's `Level` column.
///
/// The type is open. Trace levels and event levels share the column, other products write their own words, and an
/// unknown word is kept as written. It ranks with `Medium`; but a filter by level selects it too, because nobody knows
/// that it is not as bad.
public struct ULSLevel: Hashable, Sendable {
    /// The word as it was written, without padding; empty when the row has none.
    public let word: String

    /// Rank of the level: 1 is the worst, 9 the most verbose.
    ///
    /// Source: "Configure diagnostic logging" (Microsoft Learn): the threshold `Unexpected` logs Unexpected, Exception,
    /// Assert and Critical. The numeric IDs mix two scales in one column and are not an order.
    public let rank: Int

    /// Creates a level from its word; any word is a level.
    public init(_ word: String) {
        self.word = word
        rank = Self.ranks[word.lowercased()] ?? 6
    }

    /// Creates the level that stands for a rank: the first of ``knownWords`` with that rank.
    public init(rank: Int) { self.init(Self.knownWords.first { Self.ranks[$0.lowercased()] == rank } ?? "") }

    /// The level of a row whose level is unknown: a message without columns.
    public static let unknown = ULSLevel("")

    /// The worst level: the service can't go on.
    public static let critical = ULSLevel("Critical")
    /// The second of the service's own levels: something that should not happen.
    public static let unexpected = ULSLevel("Unexpected")
    /// An exception, in the scale of traces.
    public static let exception = ULSLevel("Exception")
    /// A broken assertion, in the scale of traces.
    public static let assert = ULSLevel("Assert")
    /// An error, in the scale of events.
    public static let error = ULSLevel("Error")
    /// The mildest level that the writer considered a problem.
    public static let monitorable = ULSLevel("Monitorable")
    /// A warning, in the scale of events.
    public static let warning = ULSLevel("Warning")
    /// What happens seldom; many writers log here what they consider an expected failure.
    public static let high = ULSLevel("High")
    /// The usual level.
    public static let medium = ULSLevel("Medium")
    /// Information, in the scale of events.
    public static let information = ULSLevel("Information")
    /// What is logged only if an administrator asked for it.
    public static let verbose = ULSLevel("Verbose")
    /// The most verbose level.
    public static let verboseEx = ULSLevel("VerboseEx")

    /// Whether the word is one of the service's own.
    public var isKnown: Bool { Self.ranks[word.lowercased()] != nil }

    /// The word as the service writes it, whatever its case was; an unknown word as it was written.
    public var name: String { Self.names[word.lowercased()] ?? word }

    /// Whether the writer considered it a problem: Monitorable or worse.
    public var isAbnormal: Bool { rank <= 3 }

    /// The words the service writes, worst first.
    public static let knownWords = [
        "Critical", "Unexpected", "Exception", "Assert", "Error", "Monitorable", "Warning", "High", "Medium",
        "Information", "Verbose", "VerboseEx",
    ]

    private static let names = Dictionary(uniqueKeysWithValues: knownWords.map { ($0.lowercased(), $0) })

    private static let ranks: [String: Int] = [
        "critical": 1, "errorcritical": 1, "unexpected": 2, "exception": 2, "assert": 2, "error": 2, "monitorable": 3,
        "warning": 4, "high": 5, "medium": 6, "information": 7, "verbose": 8, "verboseex": 9,
    ]
}

extension ULSLevel: CustomStringConvertible {
    public var description: String { word }
}
