/// A record on its way to become an event.
struct EventItem: Sendable {
    /// What its message says.
    enum Role: Sendable {
        case whole
        /// It may go on in other rows.
        case head
        /// It goes on with another row's message; see ``SplitMessage``.
        case part(isMarked: Bool, hasMore: Bool)
    }

    var event: ULSEvent
    var role: Role
    /// What the parts of one message have in common.
    var key: UInt64
    /// Where its row begins in its text, in bytes from the unit's beginning.
    var position: Int64
    /// What its message must match when it is whole, as the matcher knows it; `nil` if nothing.
    var pattern: Int?
}

/// The selected records of a part of a unit, in order.
struct EventBatch: Sendable {
    var items: [EventItem] = []
    /// Where requests begin and end; see ``RequestEdge``.
    var edges: [RequestEdge] = []
    /// The times of the unit's rows so far, selected or not.
    var times = TimeSpan()
    /// The same for each server; known at the end of a unit.
    var serverTimes: [(server: String?, times: TimeSpan)] = []
    /// When servers wrote these rows; known at the end of a unit.
    var servers: [ServerActivity] = []
    /// Rows that the filter and the window want, as far as columns and time say it.
    var lookedAt = 0
    /// What the chooser's matcher has counted; known at the end of a unit.
    var tally: (any Sendable)?
    /// Rows whose time does not say whether they are in the window.
    var incomparable = 0
}
