/// Event IDs that mean nothing by themselves, whatever level they are written at.
///
/// Each was seen in healthy farms; comments give the reasons.
enum Noise {
    private static let eventIDs: Set<[UInt8]> = Set(
        [
            // Trace of the co-authoring protocol, written as Unexpected.
            "abnwk",
            // "Output parameter not used", written as High.
            "7v48",
            // Publishing navigation that includes and excludes pages.
            "6wzd", "6wze",
            // Rows of custom code without an event ID.
            "0000", "00000",
            // A server with the role Custom is left out of a role check.
            "a75h7",
            // No workflow service is registered, and none is used.
            "aighj",
            // The logging service has started.
            "b8fx",
            // Hints that all sites are enumerated.
            "4ohp", "4ohq",
        ].map { Array($0.utf8) }
    )

    static func contains(eventID: [UInt8]) -> Bool { eventIDs.contains(eventID.map(\.folded)) }
}
