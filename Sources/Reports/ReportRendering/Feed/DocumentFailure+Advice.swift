public import ContentFeeding

extension DocumentFailure {
    /// What to do about it, in one sentence; `nil` for a code that we know nothing of.
    public var advice: String? {
        switch code {
        case .documentMissing: "Check the ID, or give --missing ignore if it may be gone already."
        case .idTooLong: "Give the document a shorter ID: this engine takes no longer one."
        case .documentTooLarge: "Make the document smaller: this engine takes no larger one."
        case .rejectedByEngine: "Read the description: the engine refused this operation for a reason of its own."
        case .attemptsExhausted: "Run the command again with this ID, or give more --retries."
        case .expired: "Run the command again with this ID, or give a longer --timeout."
        case .dropped: "The engine is configured to drop such operations; nothing has to be done."
        case .stale: "A newer operation on the document was first; nothing has to be done."
        default: nil
        }
    }
}
