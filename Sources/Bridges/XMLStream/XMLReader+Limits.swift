extension XMLReader {
    /// What a document may cost.
    public struct Limits: Sendable {
        public var bytes = 16 << 20
        /// How many elements may be open at once.
        public var depth = 64
        /// Elements, attributes, comments and the like of the document.
        public var nodes = 250_000
        /// Attributes of one element, of which libxml2 compares each with all others.
        public var attributes = 256

        /// Declarations of namespaces that are in scope at once, which libxml2 goes through for each name.
        public var namespaces = 1000
        /// Bytes of one tag, comment or text; libxml2 itself gives up at 10 MB, and is not clear about it.
        public var token = 4 << 20

        public init() {}

        func check(_ document: [UInt8]) throws(XMLError) {
            // libxml2 counts bytes in 31 bits.
            guard document.count <= min(bytes, Int(CInt.max)) else {
                throw XMLError(code: .tooLarge, message: "more than \(bytes) bytes", line: 1)
            }
        }
    }
}
