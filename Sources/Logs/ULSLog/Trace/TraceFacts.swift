/// What rows of "Logging Correlation Data" say of a request: the first of each kind counts.
struct TraceFacts {
    /// The name of the request or job, and the thread that said it: the one that began it.
    private(set) var name: (text: String, thread: TraceThread)?
    private(set) var site: String?
    private(set) var user: String?

    mutating func add(_ row: TraceRow) {
        guard row.event[.eventID].equals("xmnv".utf8.span) else { return }
        let message = row.event[.message]
        if name == nil, let place = RequestName.parse(message) {
            name = (message.extracting(place).text, row.thread)
        }
        if site == nil, let place = RequestSite.parse(message) { site = message.extracting(place).text }
        if user == nil, let place = Self.user(in: message) { user = message.extracting(place).text }
    }

    /// Where the user stands in `User=CONTOSO\joe`.
    private static func user(in message: Span<UInt8>) -> Range<Int>? {
        let key = "user="
        guard message.reads(key, at: 0) else { return nil }
        let start = message.skippingBlanks(from: key.utf8.count)
        let end = message.endWithoutBlanks(from: start)
        return start < end ? start..<end : nil
    }
}
