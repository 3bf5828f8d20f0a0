/// A document on its way into a collection: its ID, and a JSON object that no one re-encodes.
///
/// The bytes are checked once, where they are read; an engine that takes JSON is sent them as they are.
public struct Document: Hashable, Sendable {
    public let id: DocumentID
    /// One JSON object in UTF-8, without a line end.
    public let json: [UInt8]

    /// The longest document, in bytes.
    public static let maximumByteCount = 16 << 20

    public init(id: DocumentID, json: [UInt8]) {
        self.id = id
        self.json = json
    }
}
