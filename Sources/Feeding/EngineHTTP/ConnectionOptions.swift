public import ContentFeeding
import Files
package import HTTPClient

/// Options for connecting to an engine's nodes.
public struct ConnectionOptions: Sendable {
    public var credentials: CredentialSource?
    /// The keeper of the credentials, if they have already been read.
    var keeper: CredentialKeeper?
    public var tls = TLSOptions()
    public var proxy = ProxyChoice.environment
    /// Time from sending a request to the last byte of its reply.
    public var requestTimeout = Duration.seconds(60)
    public var connectTimeout = Duration.seconds(10)
    public var limits = ReplyLimits()
    /// Whether large requests to other machines may be compressed: not every engine can inflate them.
    package var compressesRequests = true

    /// The most connections to one node; further requests wait.
    private static let connectionsPerNode = 64

    public init() {}

    /// Reads the credentials now, so that no connection waits for them: a helper may prompt its user.
    public mutating func loadCredentials() async throws(EngineError) {
        try tls.refusePipes()
        keeper = try await loadedKeeper()
    }

    /// Returns the existing keeper if it has the same source, else a new one.
    func loadedKeeper() async throws(EngineError) -> CredentialKeeper? {
        guard let credentials else { return nil }
        if let keeper, keeper.source == credentials { return keeper }
        return try await CredentialKeeper(credentials)
    }

    /// Returns the configuration shared by all requests of a connection.
    package func configuration(nodeCount: Int) -> HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.limits.responseBodyBytes = limits.bodyBytes
        configuration.limits.responseHeaderBytes = limits.headerBytes
        configuration.limits.connectionsPerHost = Self.connectionsPerNode
        configuration.limits.connections = Self.connectionsPerNode * min(max(1, nodeCount), 16)
        configuration.tls.authorityFile = tls.authorityFile
        configuration.tls.clientCertificateFile = tls.clientCertificateFile
        configuration.tls.clientKeyFile = tls.clientKeyFile
        configuration.tls.pinnedPublicKey = tls.pinnedPublicKey
        return configuration
    }

    /// Returns the limits of one attempt, given the time left and the number of nodes left to try.
    package func timeLimits(_ left: Duration, nodesLeft: Int) -> HTTPConfiguration.TimeLimits {
        var limits = HTTPConfiguration.TimeLimits()
        limits.total = max(left, .milliseconds(1))
        // The total ends a stalled request; until then, a slow server is not a failure.
        limits.stall = limits.total
        limits.connect = min(connectTimeout, limits.total / max(1, nodesLeft))
        return limits
    }

    /// Returns the proxy for requests to a node.
    package func proxy(to node: NodeAddress) -> HTTPConfiguration.Proxy {
        switch proxy {
        case .none: .none
        case .environment: node.isLoopback ? .none : .environment
        case .url(let url): .url(url)
        }
    }

    /// Size limits of a reply, in bytes.
    public struct ReplyLimits: Hashable, Sendable {
        public var bodyBytes = 64 << 20
        public var headerBytes = 64 << 10

        public init() {}
    }
}

/// TLS settings: whom to trust, and how to prove who we are.
public struct TLSOptions: Hashable, Sendable {
    /// A PEM file of authorities to trust in place of the system's.
    public var authorityFile: String?
    /// PEM files of our own certificate and its key.
    public var clientCertificateFile: String?
    public var clientKeyFile: String?
    /// `sha256//BASE64` of the server's public key, checked in addition to the certificate; `;` separates several.
    public var pinnedPublicKey: String?

    fileprivate init() {}

    /// Refuses a pipe or a device in place of a file: libcurl would wait for its other end, with no limit.
    fileprivate func refusePipes() throws(EngineError) {
        for path in [authorityFile, clientCertificateFile, clientKeyFile].compactMap(\.self) {
            do throws(FileError) {
                _ = try SmallFile(path)
            } catch {
                // Whatever else is wrong with it, libcurl says when it reads it.
                guard error.reason == .special else { continue }
                throw EngineError(.rejected, "'\(path)' can't be used: \(error.reason)", advice: "use a regular file")
            }
        }
    }
}

/// The proxy to connect through.
public enum ProxyChoice: Hashable, Sendable {
    case none
    /// The proxy from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl reads them; never for loopback.
    case environment
    case url(String)
}

/// A proxy's URL may hold a password, so no URL is printed.
extension ProxyChoice: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .none: "no proxy"
        case .environment: "the environment's proxy"
        case .url: "(a proxy)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
