import HTTPClient

extension ConnectionOptions {
    /// The most connections to one node; more requests than that wait.
    private static let connectionsPerNode = 64

    /// What holds for all requests of a connection.
    func configuration(nodeCount: Int) -> HTTPConfiguration {
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

    /// The limits of one attempt that may take so long, while so many nodes are left to try.
    func timeLimits(_ left: Duration, nodesLeft: Int) -> HTTPConfiguration.TimeLimits {
        var limits = HTTPConfiguration.TimeLimits()
        limits.total = max(left, .milliseconds(1))
        // The total ends a stalled request; a server that thinks for long is no failure before.
        limits.stall = limits.total
        limits.connect = min(connectTimeout, limits.total / max(1, nodesLeft))
        return limits
    }

    /// Through which proxy a node is reached.
    func proxy(to node: NodeAddress) -> HTTPConfiguration.Proxy {
        switch proxy {
        case .none: .none
        case .environment: node.isLoopback ? .none : .environment
        case .url(let url): .url(url)
        }
    }
}
