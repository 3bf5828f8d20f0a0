/// `%XX` in addresses.
enum PercentEncoding {
    /// Returns the text with its escapes resolved; a `%` that no two digits follow stands for itself; `nil` if that is not
    /// UTF-8, or has a NUL byte.
    static func decoded(_ text: some StringProtocol) -> String? {
        bytes(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the bytes that a text stands for; `nil` if one is NUL.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded.contains(0) ? nil : decoded
    }

    /// Escapes all but unreserved characters and slashes, as paths in URLs need it.
    static func encoded(path bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16).uppercased()
                text += digits.utf8.count < 2 ? "%0" + digits : "%" + digits
            }
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
