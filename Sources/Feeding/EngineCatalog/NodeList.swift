import ContentFeeding
import EngineHTTP
import Glibc
import Spelling

/// A reader of `//host:9200[,host2:9201][/prefix]`: the part after the scheme in a server address.
///
/// No part of an address that may hold a secret ever appears in a message.
struct NodeListReader {
    private let scheme: NodeScheme

    /// The most nodes in one address.
    private static let maximumNodes = 100
    /// The longest host name, in bytes: the limit of DNS.
    private static let maximumHostBytes = 253

    init(_ scheme: NodeScheme) { self.scheme = scheme }

    func nodes(in rest: String) throws(EngineError) -> [NodeAddress] {
        try refuseSecrets(in: rest)
        guard rest.hasPrefix("//") else {
            throw error("no server follows '\(scheme.text):'", advice: "use \(scheme.text)://HOST:PORT")
        }
        guard rest.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw error(
                "the address has a character that is not printable ASCII",
                advice: "write a non-ASCII name as in DNS, xn--…; in a path, as %C3%A9"
            )
        }
        let bare = rest.dropFirst(2)
        let slash = bare.firstIndex(of: "/") ?? bare.endIndex
        let path = try prefix(bare[slash...])
        let places = bare[..<slash].split(separator: ",", omittingEmptySubsequences: false)
        guard places.count <= Self.maximumNodes else {
            throw error("the address has \(places.count) nodes; the maximum is \(Self.maximumNodes)")
        }
        var nodes: [NodeAddress] = []
        for place in places {
            let node = try node(place, path: path)
            if !nodes.contains(node) { nodes.append(node) }
        }
        return nodes
    }

    private func refuseSecrets(in rest: String) throws(EngineError) {
        if rest.utf8.contains(UInt8(ascii: "@")) {
            throw error(
                "the address contains a user or a password",
                advice: "credentials never go into an address: use --credentials-file FILE"
            )
        }
        if rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            throw error(
                "the address has a query or a fragment",
                advice: "an address ends with the server's path; everything else is an option"
            )
        }
    }

    private func node(_ text: Substring, path: String) throws(EngineError) -> NodeAddress {
        let (host, port) = text.hasPrefix("[") ? try bracketed(text) : try named(text)
        guard let port else {
            return NodeAddress(scheme: scheme.scheme, host: host, port: scheme.product.port, path: path)
        }
        guard port.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = UInt16(port),
            number > 0
        else {
            throw error("'\(port)' is not a valid port of \(host)", advice: "a port is a number from 1 to 65535")
        }
        return NodeAddress(scheme: scheme.scheme, host: host, port: Int(number), path: path)
    }

    private func bracketed(_ text: Substring) throws(EngineError) -> (host: String, port: Substring?) {
        guard let end = text.firstIndex(of: "]") else {
            throw error("'\(text)' opens a bracket but does not close it")
        }
        let inner = text[text.index(after: text.startIndex)..<end]
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(inner), &address) == 1 else {
            throw error("'\(inner)' is not a valid IPv6 address")
        }
        let rest = text[text.index(after: end)...]
        guard rest.isEmpty || rest.hasPrefix(":") else { throw error("'\(rest)' follows an IPv6 address") }
        return ("[\(inner.lowercased())]", rest.isEmpty ? nil : rest.dropFirst())
    }

    private func named(_ text: Substring) throws(EngineError) -> (host: String, port: Substring?) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else {
            throw error("'\(text)' has several colons", advice: "put an IPv6 address in brackets: [::1]:9200")
        }
        let host = parts[0].lowercased()
        guard !host.isEmpty else { throw error("a server has no name", advice: "use \(scheme.text)://HOST:PORT") }
        guard host.utf8.count <= Self.maximumHostBytes, host.utf8.allSatisfy(isHostByte) else {
            throw error("'\(host.prefix(Self.maximumHostBytes))' is not a valid host name")
        }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    private func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: ".-_".utf8.contains(byte)
        }
    }

    /// Returns the path without trailing slashes, or the engine's own if there is none.
    private func prefix(_ text: Substring) throws(EngineError) -> String {
        var path = text
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { return scheme.product.path }
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard !segment.isEmpty, segment != ".", segment != "..",
                !segment.contains(where: { #"\"<>^`{|}"#.contains($0) })
            else { throw error("'\(path)' is not a valid server path") }
        }
        return String(path)
    }

    private func error(_ message: String, advice: String? = nil) -> EngineError {
        EngineError(.missingTarget, message, advice: advice ?? "use \(scheme.text)://HOST:PORT")
    }
}

/// The part before `://` in a server address: the engine, and how to speak to it.
struct NodeScheme: Hashable, Sendable {
    /// The engines reached over HTTP, as addresses name them.
    enum Product: String, CaseIterable {
        case openSearch = "opensearch"
        case elasticsearch
        case solr

        /// The engine's own port, also over TLS: these engines are rarely found on 443.
        var port: Int {
            switch self {
            case .openSearch, .elasticsearch: 9200
            case .solr: 8983
            }
        }

        /// The prefix of all paths if an address has none.
        var path: String { self == .solr ? "/solr" : "" }
    }

    let product: Product
    let scheme: NodeAddress.Scheme

    var text: String { "\(product.rawValue)+\(scheme.rawValue)" }

    private static let all = Product.allCases.flatMap { ["\($0.rawValue)+https", "\($0.rawValue)+http"] }

    /// Returns the error for a `scheme` that this version can't open.
    static func refusal(of scheme: String, _ rest: String) -> EngineError {
        switch scheme {
        case "distributor":
            return EngineError(
                .unsupported,
                "'distributor:' targets are not supported in this version",
                advice: TargetAddress.supported
            )
        case "http", "https":
            let engines = Product.allCases.map { "\($0.rawValue)+\(scheme)" }
            return EngineError(
                .unsupported,
                "'\(scheme):' does not say which engine it is",
                advice: "use \(engines.dropLast().joined(separator: ", ")) or \(engines.last ?? "")"
            )
        default:
            let nearest = scheme.prefix(64).description.nearest(in: ["sqlite", "distributor"] + all)
            let question = nearest.map { "did you mean '\($0):'? " } ?? ""
            return EngineError(
                .unsupported,
                "there is no engine '\(scheme.prefix(64))'",
                advice: question + TargetAddress.supported
            )
        }
    }

    /// Returns the error for an engine's name alone, which is not a scheme.
    static func refusal(of product: Product, _ rest: String) -> EngineError {
        // The rest may hold a password, so only a plain host is repeated.
        let place = rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest
        let isPlain = !place.isEmpty && place.utf8.count <= 255 && place.utf8.allSatisfy(isPlain)
        let example = isPlain ? place : "HOST:\(product.port)"
        return EngineError(
            .unsupported,
            "'\(product.rawValue):' does not say how to connect to it",
            advice: "use \(product.rawValue)+https://\(example), or \(product.rawValue)+http:// without TLS"
        )
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"): true
        default: false
        }
    }
}
