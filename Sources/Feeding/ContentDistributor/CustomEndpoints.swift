import ContentFeeding
import Files
import HTTPService
import Hooks
import JSONText
import TextKit

/// The operator's endpoints: `/v1/api/NAME`, each handled by a program.
extension ContentDistributor {
    /// The maximum number of bytes in the body of a request to an endpoint.
    static let endpointBody = 1 << 20

    /// Handles a request to an endpoint.
    func respond(_ request: ServedRequest) async throws -> ServedResponse {
        let name = try request.parameter("name")
        guard let endpoint = settings.endpoints[name] else {
            throw ServiceProblem(
                .notFound,
                "noEndpoint",
                "there is no endpoint '\(name)'",
                advice: "check the name against 'endpoints' in the server's settings"
            )
        }
        let method = request.method == .head ? .get : request.method
        guard endpoint.methods.contains(method) else {
            throw ServiceProblem(
                .methodNotAllowed,
                "methodNotAllowed",
                "the endpoint '\(name)' does not support \(method)",
                headers: ["Allow": endpoint.methods.map(\.rawValue).joined(separator: ", ")]
            )
        }
        let grant = try await grant(endpoint, method, request)
        guard method != .get else { return try await answer(request, name, endpoint) }
        return try await audited(request, method.rawValue.lowercased(), grant, "endpoint \(name)") {
            try await answer(request, name, endpoint)
        }
    }

    /// Returns the access of a request to an endpoint.
    ///
    /// A token that is restricted to certain collections is not valid for any endpoint; a token that is restricted to
    /// certain verbs is valid only for the corresponding methods.
    private func grant(
        _ endpoint: CustomEndpoint,
        _ method: RequestMethod,
        _ request: ServedRequest
    ) async throws -> AccessGrant {
        let token = try token
        let verb: AccessVerb =
            switch method {
            case .get: .read
            case .post: .insert
            case .delete: .delete
            default: .update
            }
        let principal = token?.principal ?? "everyone"
        if let token, !token.collections.isEmpty || !(token.verbs.isEmpty || token.verbs.contains(verb)) {
            throw await refused(request, principal, verb, "")
        }
        switch endpoint.access.decision(about: token) {
        case .allowed: break
        case .denied: throw await refused(request, principal, verb, "")
        case .unauthenticated: throw ServiceProblem.noToken
        }
        return AccessGrant(
            collection: CollectionName(rawValue: ""),
            principal: principal,
            filter: DocumentFilter(),
            limits: settings.limits
        )
    }

    /// Runs the program, and returns its response.
    private func answer(
        _ request: ServedRequest,
        _ name: String,
        _ endpoint: CustomEndpoint
    ) async throws -> ServedResponse {
        let body = try await EndpointBody(of: request, depth: settings.limits.depth)
        let facts = HookFacts(request, try token, address: address(of: request), at: ProcessFacts.now)
        let response: HookResponse
        do {
            response = try await programs.respond(endpoint.program, name, facts) { members in
                members.object("query") { query in
                    for name in request.query.map(\.name).uniqued {
                        let values = request.query.filter { $0.name == name }.map(\.value)
                        if values.count == 1 { query.member(name, values[0]) } else { query.member(name, values) }
                    }
                }
                members.object("headers") { headers in
                    let names = request.headers.fields.map { $0.name.lowercased() }.uniqued
                    for name in names where !Self.secretHeaders.contains(name) {
                        headers.member(name, request.headers.values(of: name).joined(separator: ", "))
                    }
                }
                switch body {
                case .none: members.member("body", String?.none)
                case .text(let text): members.member("body", text)
                case .json(let json): members.member("body", line: json)
                }
            }
        } catch let refusal as HookRefusal {
            throw ServiceProblem(of: refusal)
        }
        return ServedResponse(response)
    }

    /// The header fields that are withheld from programs, because they prove the client's identity to this server.
    private static let secretHeaders: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}

/// The body of a request in the form that a program receives.
private enum EndpointBody {
    case none
    case text(String)
    case json([UInt8])

    /// Reads a body as JSON if that is its type, and as text otherwise.
    init(of request: ServedRequest, depth: Int) async throws {
        let bytes = try await request.body.collect(upTo: ContentDistributor.endpointBody)
        guard !bytes.isEmpty else {
            self = .none
            return
        }
        let type = (request.headers["Content-Type"] ?? "").lowercased().prefix { $0 != ";" }
        guard type == "application/json" || type.hasSuffix("+json") else {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ServiceProblem(
                    .unsupportedMediaType,
                    "notText",
                    "the body is not UTF-8",
                    advice: "send JSON or text"
                )
            }
            self = .text(text)
            return
        }
        do throws(JSONError) {
            var scanner = JSONScanner(bytes.span, maximumDepth: depth)
            try scanner.skipValue()
            try scanner.end()
        } catch {
            let (line, column) = DocumentsAPI.place(of: error.offset, in: bytes)
            throw ServiceProblem(
                .badRequest,
                "notJSON",
                "line \(line), column \(column): \(error.message)",
                advice: "send one JSON value, or text with another content type"
            )
        }
        self = .json(bytes)
    }
}

extension ServedResponse {
    fileprivate init(_ response: HookResponse) {
        self.init(status: ResponseStatus(response.status))
        switch response.body {
        case .json(let json): self = .json(json, status: status)
        case .text(let text): self = .text(text, status: status)
        case nil: break
        }
        // Browsers must use the program's media type rather than guess one.
        headers["X-Content-Type-Options"] = "nosniff"
        for (name, value) in response.headers { headers[name] = value }
    }
}

extension [String] {
    /// The distinct strings, in the order of their first occurrence.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
