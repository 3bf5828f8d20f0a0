extension FaultProxy {
    /// One request that the proxy read completely; records are in order.
    public struct Record: Sendable {
        /// The part of the request that was passed on to the server.
        public enum Seen: Sendable { case nothing, part, whole }

        public let method: String
        public let target: String
        /// `Fault.name`.
        public let fault: String
        public var seen = Seen.nothing
        /// The status of the server's own reply; `nil` if there was none.
        public var serverStatus: Int?
        /// The bytes of a reply that were passed on to the client.
        public var replyBytes = 0
        /// Whether the request is settled, so that nothing more will happen to it.
        public var isOver = false
        /// The positions of the reading of the request and of the start of its reply in the common order of such
        /// events.
        let began: Int
        var answered: Int?
    }
}

extension Sequence<FaultProxy.Record> {
    /// The maximum number of simultaneous requests, which were read but not answered yet.
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
