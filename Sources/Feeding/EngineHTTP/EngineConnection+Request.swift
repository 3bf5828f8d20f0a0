import Gzip
import HTTPClient

extension EngineConnection {
    /// Bodies from this size on, in bytes, are compressed where the server is not on this machine.
    private static let compressedFrom = 1 << 10

    /// The request as it goes to this node.
    func httpRequest(
        _ request: EngineRequest,
        to node: NodeAddress,
        timeLimits: HTTPConfiguration.TimeLimits
    ) -> HTTPRequest {
        let method = HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get
        var http = HTTPRequest(method, node.description + request.path.description, body: request.body)
        http.timeLimits = timeLimits
        http.proxy = options.proxy(to: node)
        // On the same machine, compressing costs more than it saves.
        http.acceptsGzip = !node.isLoopback
        if let body = request.body {
            http.headers.append(HTTPHeader("Content-Type", request.contentType))
            if options.compressesRequests, !node.isLoopback, body.count >= Self.compressedFrom,
                let small = GzipCompressor.compress(body)
            {
                http.body = small
                http.headers.append(HTTPHeader("Content-Encoding", "gzip"))
            }
        }
        return http
    }
}
