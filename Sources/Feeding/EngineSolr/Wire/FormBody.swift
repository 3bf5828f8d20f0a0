/// The body of a form: parameters that are too long or too delicate for an address.
///
/// Solr splits its `ids` parameter at commas, but takes `id` as often as it comes, so an ID goes in as it is.
struct FormBody {
    static let contentType = "application/x-www-form-urlencoded"

    private(set) var bytes: [UInt8] = []

    init(_ parameters: [(name: String, value: String)] = []) {
        for (name, value) in parameters { append(name, value) }
    }

    mutating func append(_ name: String, _ value: String) { append(name, utf8: value.utf8.span) }

    mutating func append(_ name: String, utf8 value: Span<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(escaping: name.utf8.span)
        bytes.append(UInt8(ascii: "="))
        append(escaping: value)
    }

    /// What RFC 3986 calls unreserved stays as it is.
    private mutating func append(escaping text: Span<UInt8>) {
        for place in text.indices {
            let byte = text[place]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "."):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            }
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
