import Glibc
import TextKit
import Threads

/// The address of a host on a network.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// The 4 or 16 bytes, in network byte order.
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads an address in its usual form, as in `192.0.2.1` or `2001:db8::1`.
    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The address as it appears in a URL: an IPv6 address has brackets.
    var inURL: String { bytes.count == 4 ? description : "[\(description)]" }

    // MARK: Networks

    /// Whether the address itself is one of the public internet.
    ///
    /// An IPv6 address with an embedded IPv4 address is judged by the IPv4 address, because packets are delivered to
    /// it.
    package var isPublic: Bool {
        if let mapped = embeddedIPv4 { return mapped.isPublic }
        guard bytes.count == 4 else {
            // All addresses that the registries have assigned begin with 001.
            return isIn([0x20], 3) && !Self.specialIPv6.contains { isIn($0.bytes, $0.length) }
        }
        return !Self.specialIPv4.contains { isIn($0.bytes, $0.length) }
    }

    /// The IPv4 address that is embedded in an IPv6 address, as a mapped address or after the well-known prefix of
    /// NAT64.
    private var embeddedIPv4: NetworkAddress? {
        guard bytes.count == 16 else { return nil }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let isTranslated = bytes[..<4] == [0, 0x64, 0xFF, 0x9B] && bytes[4..<12].allSatisfy { $0 == 0 }
        return isMapped || isTranslated ? NetworkAddress(bytes: Array(bytes[12...])) : nil
    }

    private func isIn(_ prefix: [UInt8], _ length: Int) -> Bool {
        for bit in 0..<length {
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            guard bytes[bit / 8] & mask == prefix[bit / 8] & mask else { return false }
        }
        return true
    }

    private typealias Network = (bytes: [UInt8], length: Int)

    /// The networks of RFC 6890 and its successors, multicast, and the metadata service of one cloud, which has a
    /// public address.
    private static let specialIPv4: [Network] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4), ([168, 63, 129, 16], 32),
    ]

    /// The exceptions among addresses that begin with 001: protocol assignments (including Teredo), documentation, and
    /// 6to4, which leads to IPv4.
    private static let specialIPv6: [Network] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]
}

// MARK: - Addresses of targets

/// A URL of a target: `https://HOST[:PORT][/PATH]`, without a user and in plain ASCII.
///
/// Its parser is stricter than libcurl's, so both always find the same host in a URL.
package struct TargetURL: Sendable, Hashable {
    package let text: String
    package let scheme: String
    /// The host in lowercase letters; an IPv6 address without brackets.
    package let host: String
    package let port: Int
    /// The host and, if specified, the port, in the form used in a VAPID token.
    package let origin: String

    package static let maximumBytes = 2_048

    /// Reads a URL; returns `nil` if it is invalid or its scheme is not in `schemes`, which maps each scheme to its
    /// default port.
    package init?(_ text: String, schemes: [String: Int] = ["https": 443, "http": 80]) {
        let forbidden = "\"<>\\^`{|}#"
        guard text.utf8.count <= Self.maximumBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !forbidden.utf8.contains($0) }),
            let mark = text.firstRange(of: "://"), let usual = schemes[text[..<mark.lowerBound].lowercased()]
        else { return nil }
        scheme = text[..<mark.lowerBound].lowercased()
        let authority = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let port: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let inside = String(authority[authority.index(after: authority.startIndex)..<end])
            guard let address = NetworkAddress(inside), address.bytes.count == 16 else { return nil }
            host = inside.lowercased()
            port = authority[authority.index(after: end)...]
        } else {
            let name = authority.prefix { $0 != ":" }
            guard !name.isEmpty, name.utf8.count <= 253,
                name.utf8.allSatisfy({ $0.isLetterOrDigit || "-._".utf8.contains($0) })
            else { return nil }
            host = name.lowercased()
            port = authority[name.endIndex...]
        }
        if port.isEmpty {
            self.port = usual
        } else {
            let digits = port.dropFirst()
            guard port.hasPrefix(":"), digits.utf8.allSatisfy(\.isDigit), let number = UInt16(digits), number > 0
            else { return nil }
            self.port = Int(number)
        }
        let shown = host.contains(":") ? "[\(host)]" : host
        origin = "\(scheme)://\(shown)" + (self.port == usual ? "" : ":\(self.port)")
        self.text = text
    }

    /// Whether the host is this machine, by name or by address.
    package var isLoopback: Bool {
        if let address = NetworkAddress(host) { return address.isLoopback }
        return host == "localhost"
    }
}

extension NetworkAddress {
    /// Whether the address is this machine's own.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}

// MARK: - The guard

/// A guard that permits connections only to addresses of the public internet, and to hosts that the operator has named.
///
/// The guard resolves names itself, and a request is sent to the checked address, so a change of the name's address
/// after the check does not redirect the request.
package struct AddressGuard: Sendable {
    package typealias Resolver = @Sendable (_ host: String) async -> [NetworkAddress]

    /// The hosts that may have any address.
    package var allowed: Set<String>
    private let resolve: Resolver

    /// Creates a guard; `resolve` replaces the system's resolver in tests.
    package init(allowing allowed: Set<String> = [], resolve: @escaping Resolver = AddressGuard.systemAddresses) {
        self.allowed = Set(allowed.map { $0.lowercased() })
        self.resolve = resolve
    }

    package enum Decision: Sendable, Hashable {
        case addresses([NetworkAddress])
        /// The name can't be resolved at present.
        case unknown
        case refused(NetworkAddress)
    }

    /// Returns the addresses to connect to; if one of them is not public, none may be used.
    package func addresses(of url: TargetURL) async -> Decision {
        let found = await resolve(url.host)
        guard !found.isEmpty else { return .unknown }
        if !allowed.contains(url.host), let inner = found.first(where: { !$0.isPublic }) { return .refused(inner) }
        return .addresses(found)
    }

    /// Queries the system for the addresses of a name, or of a numeric address in any form that the system accepts.
    package static let systemAddresses: Resolver = { host in
        await onOwnThread {
            var hints = addrinfo()
            hints.ai_family = AF_UNSPEC
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
            defer { freeaddrinfo(list) }
            var addresses: [NetworkAddress] = []
            var entry = list
            while let info = entry?.pointee {
                if let address = NetworkAddress(info), !addresses.contains(address) { addresses.append(address) }
                entry = info.ai_next
            }
            return addresses
        }
    }
}

extension NetworkAddress {
    fileprivate init?(_ info: addrinfo) {
        guard let pointer = UnsafeRawPointer(info.ai_addr) else { return nil }
        switch info.ai_family {
        case AF_INET:
            let address = pointer.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
        case AF_INET6:
            let address = pointer.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
        default: return nil
        }
    }
}
