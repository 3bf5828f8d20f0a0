extension WebConfigFile {
    /// The largest file that is read, in bytes; IIS itself takes 250 KB by default.
    public static let maximumBytes = 16 << 20

    /// Reads a file.
    public static func read(_ source: WebConfigSource) throws(WebConfigError) -> WebConfigFile {
        try WebConfigFile(try RegularFile.bytes(of: source, maximum: maximumBytes), source: source)
    }

    /// Reads the bytes of a file.
    ///
    /// A file with a DOCTYPE, in an encoding that is not known, or not well-formed is refused.
    public init(_ bytes: [UInt8], source: WebConfigSource) throws(WebConfigError) {
        self.init(source: source, elements: try ConfigReader.elements(of: bytes, source: source))
    }
}
