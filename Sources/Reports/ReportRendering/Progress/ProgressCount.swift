/// How far a command is at one moment: what it has read and done, of how much.
public struct ProgressCount: Hashable, Sendable {
    /// What is counted besides bytes, as in `events` and `done`.
    public enum Items: String, Hashable, Sendable {
        case events, done, pulled, pushed, read, compared, reread, checked
    }

    /// What was read of two sides that are read at the same time; together they are the items.
    public struct Sides: Hashable, Sendable {
        /// Entries of the source.
        public var source: Int
        /// Documents of the collection.
        public var collection: Int
        /// All documents of the collection; `nil` if their number is not known.
        public var collectionTotal: Int?

        public init(source: Int, collection: Int, collectionTotal: Int? = nil) {
            (self.source, self.collection, self.collectionTotal) = (source, collection, collectionTotal)
        }
    }

    /// A time in which nothing is done although something is open.
    public struct Wait: Hashable, Sendable {
        /// When the last thing was done, as the time since the command began.
        public var since: Duration
        /// The last failure; `nil` if there was none, and simply no answer.
        public var reason: String?
        /// When the command gives up, as the time since it began; `nil` if it does not, or that is not known.
        public var givesUpAt: Duration?

        public init(since: Duration, reason: String? = nil, givesUpAt: Duration? = nil) {
            self.since = since
            self.reason = reason
            self.givesUpAt = givesUpAt
        }
    }

    /// Bytes of the input that are done; `nil` if they are not counted.
    public var bytes: Int?
    /// Bytes of the whole input; `nil` if that is unknown, as of a pipe.
    public var totalBytes: Int?
    public var items = 0
    /// The number of all items; `nil` if that is unknown.
    public var totalItems: Int?
    public let kind: Items
    /// Set as long as two sides are read.
    public var sides: Sides?
    public var errors = 0
    /// Items that were sent to an engine and are not answered.
    public var inFlight = 0
    /// Set as long as something waits for an engine.
    public var wait: Wait?

    public init(of kind: Items) { self.kind = kind }

    /// The share that is done, from 0 to 1; `nil` if the whole is unknown.
    var share: Double? {
        if let totalBytes, totalBytes > 0 { return min(1, Double(bytes ?? 0) / Double(totalBytes)) }
        guard let totalItems, totalItems > 0 else { return nil }
        return min(1, Double(items) / Double(totalItems))
    }

    /// The share in whole percent, which is 100 only at the end.
    var percent: Int? { share.map { Int($0 * 100) } }
}
