import ContentFeeding

/// How much of an input is held at once.
public struct InputLimits: Hashable, Sendable {
    /// The longest document ID, in bytes.
    public var id = DocumentID.maximumByteCount
    /// The longest line of an input of IDs, in bytes; what is longer is rejected without being held.
    public var line = 1 << 20
    /// The longest document, in bytes.
    public var document = Document.maximumByteCount
    /// The most columns of a table.
    public var columns = 1 << 16
    /// How many rejections are kept with their places; all are counted.
    public var rejections = 100
    /// A chunk is handed over when it holds this many operations.
    public var chunkCount = 1000
    /// A chunk is handed over when its IDs and documents weigh this many bytes.
    public var chunkBytes = 1 << 20
    /// The most that is read at once, in bytes.
    public var readBytes = 256 << 10

    public init() {}
}
