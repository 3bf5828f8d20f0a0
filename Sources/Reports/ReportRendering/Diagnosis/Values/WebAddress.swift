/// Addresses that a rule's author gives, and that others may follow.
enum WebAddress {
    /// Whether it is an address of the web, made of nothing but the characters that such addresses have.
    ///
    /// Source of the characters: RFC 3986, section 2, without quotes, brackets and what Markdown takes for markup.
    static func isPlain(_ url: String) -> Bool {
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf8.count <= maximumLength else {
            return false
        }
        return url.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-._~:/?#@!$&()+,;=%".utf8.contains(byte)
            }
        }
    }

    /// Longer ones are text.
    static let maximumLength = 2000
}
