/// Operations that travel to the engine together; no two of them are on the same document.
public struct ContentBatch: Sendable {
    public struct Item: Hashable, Sendable {
        public let id: OperationID
        public let operation: ContentOperation

        public init(id: OperationID, operation: ContentOperation) {
            self.id = id
            self.operation = operation
        }
    }

    /// Unique within a job; a batch that is sent again has a new one.
    public let id: BatchID
    public let items: [Item]
    /// Where the job stands once this batch is settled whole; `nil` for an engine that does not keep progress.
    ///
    /// Such an engine settles every operation of a batch or none, and stores the union with what it has.
    public let progress: FeedProgress?

    public init(id: BatchID, items: [Item], progress: FeedProgress? = nil) {
        self.id = id
        self.items = items
        self.progress = progress
    }

    public var byteCount: Int { items.reduce(0) { $0 + $1.operation.byteCount } }
}

/// Counts the batches of one run, from 1.
public struct BatchID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
