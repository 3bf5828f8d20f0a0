/// Paragraphs that are messages if the text turns out to have no rows.
struct HeldMessages {
    private(set) var messages: [OpenMessage] = []
    private var bytes = 0

    /// Whether they were let go: from then on paragraphs are messages at once.
    private(set) var isDecided = false

    /// Holds a paragraph; true when they are more than `limit` bytes.
    mutating func hold(_ message: OpenMessage, limit: Int) -> Bool {
        bytes += message.record.message.count + Self.overhead
        messages.append(message)
        return bytes > limit
    }

    /// Lets all go, as messages or as nothing.
    mutating func release(decided: Bool) -> [OpenMessage] {
        defer {
            messages = []
            bytes = 0
            isDecided = isDecided || decided
        }
        return messages
    }

    /// What a held paragraph costs beside its text, so that a million short ones are bounded too.
    private static let overhead = 256
}
