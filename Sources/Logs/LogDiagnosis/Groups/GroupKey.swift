import ULSLog

/// What events have in common that belong together.
enum GroupKey: Hashable, Sendable {
    case correlation(CorrelationID)
    /// Rows of one thread that follow each other, numbered.
    case thread(Int)
    /// All of a paste whose rows say neither correlation nor thread.
    case paste(String)
    case server(String)
    /// An event by itself.
    case alone(Int)

    var isCorrelation: Bool {
        if case .correlation = self { true } else { false }
    }
}

/// Which groups an event belongs to.
struct EventGroups: Sendable {
    /// Its correlation, or itself alone.
    var correlation: GroupKey
    /// See ``Grouping/request``.
    var request: GroupKey
    var server: GroupKey

    subscript(grouping: Grouping) -> GroupKey {
        switch grouping {
        case .correlation: correlation
        case .request: request
        case .server: server
        }
    }
}
