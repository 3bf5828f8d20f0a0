extension FaultProxy {
    /// One request that the proxy read whole, in order.
    public struct Record: Sendable {
        /// How much of the request the server was given.
        public enum Seen: Sendable { case nothing, part, whole }

        public let method: String
        public let target: String
        /// `Fault.name`.
        public let fault: String
        public var seen = Seen.nothing
        /// The status of the server's own reply; `nil` where it gave none.
        public var serverStatus: Int?
        /// The bytes of a reply that were passed on to the client.
        public var replyBytes = 0
        /// Nothing more will happen to it.
        public var isOver = false
        /// When the request was read and when its reply began, as places in the order of both.
        let began: Int
        var answered: Int?
    }
}

extension Sequence<FaultProxy.Record> {
    /// The most requests that were under way together: read, and not answered yet.
    public var mostAtOnce: Int {
        var changes: [Int: Int] = [:]
        for record in self {
            changes[record.began] = 1
            if let answered = record.answered { changes[answered] = -1 }
        }
        var (underWay, most) = (0, 0)
        for (_, change) in changes.sorted(by: { $0.key < $1.key }) {
            underWay += change
            most = Swift.max(most, underWay)
        }
        return most
    }
}
