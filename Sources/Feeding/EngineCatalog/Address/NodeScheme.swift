import ContentFeeding
import EngineHTTP
import Spelling

/// What stands before `://` in the address of servers: the engine, and how to speak to it.
struct NodeScheme: Hashable, Sendable {
    /// The engines that are spoken to over HTTP, as addresses call them.
    enum Product: String, CaseIterable {
        case openSearch = "opensearch"
        case elasticsearch
        case solr

        /// The engine's own port, also over TLS: these engines are seldom found on 443.
        var port: Int {
            switch self {
            case .openSearch, .elasticsearch: 9200
            case .solr: 8983
            }
        }

        /// The prefix of all paths where an address has none.
        var path: String { self == .solr ? "/solr" : "" }
    }

    let product: Product
    let scheme: NodeAddress.Scheme

    var text: String { "\(product.rawValue)+\(scheme.rawValue)" }

    private static let all = Product.allCases.flatMap { ["\($0.rawValue)+https", "\($0.rawValue)+http"] }

    /// Why `scheme` is none that this version opens.
    static func refusal(of scheme: String, _ rest: String) -> EngineError {
        switch scheme {
        case "distributor":
            return EngineError(
                .unsupported,
                "'distributor:' targets are not in this version",
                advice: TargetAddress.supported
            )
        case "http", "https":
            let engines = Product.allCases.map { "\($0.rawValue)+\(scheme)" }
            return EngineError(
                .unsupported,
                "'\(scheme):' does not say which engine answers there",
                advice: "write \(engines.dropLast().joined(separator: ", ")) or \(engines.last ?? "")"
            )
        default:
            let nearest = scheme.prefix(64).description.nearest(in: ["sqlite", "distributor"] + all)
            let question = nearest.map { "did you mean '\($0):'? " } ?? ""
            return EngineError(
                .unsupported,
                "no engine is called '\(scheme.prefix(64))'",
                advice: question + TargetAddress.supported
            )
        }
    }

    /// Why the engine's name alone is no scheme.
    static func refusal(of product: Product, _ rest: String) -> EngineError {
        // What follows may hold a password, so only a plain host is shown again.
        let place = rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest
        let isPlain = !place.isEmpty && place.utf8.count <= 255 && place.utf8.allSatisfy(isPlain)
        let example = isPlain ? place : "HOST:\(product.port)"
        return EngineError(
            .unsupported,
            "'\(product.rawValue):' does not say how to speak to it",
            advice: "write \(product.rawValue)+https://\(example), or \(product.rawValue)+http:// where there is no TLS"
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
