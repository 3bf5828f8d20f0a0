/// Text as its UTF-8 bytes: for text that a program only passes on.
///
/// It is stored as text, and saves the way through `String`.
public struct UTF8Text: Hashable, Sendable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
