import ULSLog

/// The columns that rows share with thousands of others: what is decided for them is decided once.
struct EventColumns: Hashable, Sendable {
    var area: [UInt8]
    var category: [UInt8]
    var eventID: [UInt8]
    var level: [UInt8]

    /// Whether it is a bare message, of which nobody knows event ID and level.
    var isBare: Bool { eventID.isEmpty && level.isEmpty }

    var rank: Int { ULSLevel(level.span.text).rank }

    init(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, level: Span<UInt8>) {
        self.area = area.array
        self.category = category.array
        self.eventID = eventID.array
        self.level = level.array
    }

    init(_ event: borrowing ULSEvent) {
        self.init(
            area: event[.area],
            category: event[.category],
            eventID: event[.eventID],
            level: event[.level]
        )
    }
}
