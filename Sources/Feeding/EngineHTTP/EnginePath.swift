/// The path and query of a request: names go in as they are, and are escaped here and nowhere else.
public struct EnginePath: Hashable, Sendable {
    private var path = ""
    private var query = ""

    /// `EnginePath("a b", "_bulk")` is `/a%20b/_bulk`; without a segment it is `/`.
    public init(_ segments: String...) {
        for segment in segments { path += "/" + Self.escaped(segment) }
        if segments.isEmpty { path = "/" }
    }

    /// The same with one more parameter.
    public func with(_ name: String, _ value: String) -> EnginePath {
        var copy = self
        copy.query += (query.isEmpty ? "?" : "&") + Self.escaped(name) + "=" + Self.escaped(value)
        return copy
    }

    /// What RFC 3986 calls unreserved stays, and a comma, which engines separate names with.
    private static func escaped(_ text: String) -> String {
        // A segment that is only dots would be taken for a step up or none.
        let isDots = text == "." || text == ".."
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: ","):
                bytes.append(byte)
            case UInt8(ascii: ".") where !isDots: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension EnginePath: CustomStringConvertible {
    public var description: String { path + query }
}
