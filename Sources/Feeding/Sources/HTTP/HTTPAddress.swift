import EngineHTTP

/// The address of something on a web server, in the parts that requests are made of.
///
/// A name and a password are no part of it: an address that has them is none.
struct HTTPAddress: Hashable, Sendable {
    let node: NodeAddress
    /// The path as in a request, with its escapes; begins with a slash.
    var path: String
    /// What follows the question mark; empty if there is none.
    var query: String

    /// Reads an absolute address; `nil` if it is none that can be asked for.
    init?(_ text: String) {
        let text = text.trimmed()
        guard text.utf8.count <= Self.maximumByteCount, let mark = text.firstRange(of: "://"),
            let scheme = NodeAddress.Scheme(rawValue: text[..<mark.lowerBound].lowercased())
        else { return nil }
        let rest = text[mark.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        guard let (host, port) = Self.host(authority, standardPort: scheme == .http ? 80 : 443) else { return nil }
        node = NodeAddress(scheme: scheme, host: host, port: port)
        let path = target.prefix { $0 != "?" }
        self.path = path.isEmpty ? "/" : Self.escaped(path, keeping: "/:@!$&'()*+,;=%")
        query = Self.escaped(target.dropFirst(path.count + 1), keeping: "/?:@!$&'()*+,;=%")
    }

    /// The longest address, in bytes.
    static let maximumByteCount = 8 << 10

    private static func host(_ authority: Substring, standardPort: Int) -> (String, Int)? {
        let isBracketed = authority.first == "["
        let host = isBracketed ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(host.count)
        let name = isBracketed ? host.dropFirst().dropLast() : host
        let isHost = name.utf8.allSatisfy {
            switch $0 {
            case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            case UInt8(ascii: ":"): isBracketed
            default: false
            }
        }
        guard !name.isEmpty, isHost, authority.hasPrefix(host) else { return nil }
        guard !rest.isEmpty else { return (host.lowercased(), standardPort) }
        guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return (host.lowercased(), port)
    }

    /// The address of the server alone, without a port that the scheme has anyway.
    var server: String {
        let standardPort = node.scheme == .http ? 80 : 443
        return "\(node.scheme.rawValue)://\(node.host)" + (node.port == standardPort ? "" : ":\(node.port)")
    }

    /// The address as requests have it.
    var url: String { server + path + (query.isEmpty ? "" : "?" + query) }

    /// The address as messages have it: what follows the path may be secret.
    var name: String { server + path }

    /// Returns the address with one more parameter.
    func with(_ name: String, _ value: String) -> HTTPAddress {
        var copy = self
        copy.query += (query.isEmpty ? "" : "&") + Self.escaped(name, keeping: "$") + "=" + Self.escaped(value)
        return copy
    }

    /// Returns the address of something below this one, which may have slashes in its name.
    func appending(_ name: String) -> HTTPAddress {
        var copy = self
        // A segment of only dots would count as a step up or as none.
        let segments = name.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment == "." || segment == ".." ? String(segment).replacing(".", with: "%2E") : Self.escaped(segment)
        }
        copy.path += "/" + segments.joined(separator: "/")
        return copy
    }

    /// Escapes all but RFC 3986's unreserved characters and those to keep.
    static func escaped(_ text: some StringProtocol, keeping kept: String = "") -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                if kept.utf8.contains(byte) {
                    bytes.append(byte)
                } else {
                    bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text that an escaped one stands for; `nil` if that is no text.
    static func unescaped(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension String {
    /// The text without blanks at its ends.
    func trimmed() -> String {
        let start = drop(while: \.isWhitespace)
        return String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
    }
}
