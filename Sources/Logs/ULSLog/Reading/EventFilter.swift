/// Which events are wanted.
///
/// Everything that is given must hold; of several values of one kind, one.
public struct EventFilter: Sendable {
    /// Servers, without regard to ASCII case.
    public var servers: [String] = []
    /// Programs (`w3wp`, `w3wp.exe`) or process ids (`0x1790`), without regard to ASCII case.
    public var processes: [String] = []
    /// This level and worse.
    public var level: ULSLevel?
    /// Categories, or `AREA/CATEGORY`, without regard to ASCII case; `*` and `?` stand for any text, any character.
    public var categories: [String] = []
    /// Event IDs, as written.
    public var eventIDs: [String] = []
    public var correlations: [CorrelationPattern] = []
    /// Texts that must all occur in the message, without regard to ASCII case.
    public var contains: [String] = []

    public init() {}

    /// Whether every event is wanted, as far as this filter goes.
    public var isEmpty: Bool {
        servers.isEmpty && processes.isEmpty && level == nil && categories.isEmpty && eventIDs.isEmpty
            && correlations.isEmpty && contains.isEmpty
    }
}
