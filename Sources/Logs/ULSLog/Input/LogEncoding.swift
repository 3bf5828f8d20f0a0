public import UnicodeText

/// The encoding of a log without a byte-order mark.
public typealias TextEncoding = UnicodeText.TextEncoding

extension UnicodeText.TextEncoding {
    /// Finds an encoding by any of its names, as an input of logs.
    ///
    /// - Throws: A ``LogSourceError`` that suggests a name.
    public init(named name: String) throws(LogSourceError) {
        do throws(UnknownEncoding) {
            self = try TextEncoding(of: name)
        } catch {
            throw LogSourceError(
                .unknownEncoding,
                source: name,
                reason: "there is no such encoding",
                advice: error.advice
            )
        }
    }
}
