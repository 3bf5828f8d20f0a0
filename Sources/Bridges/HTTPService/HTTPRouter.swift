import TextKit

/// A function that handles a request; an error that it throws is sent as a problem.
package typealias RouteHandler = @Sendable (ServedRequest) async throws -> ServedResponse

/// A function that wraps a handler in another one.
package typealias RouteMiddleware = @Sendable (@escaping RouteHandler) -> RouteHandler

/// A function that adds the common parts of all responses to a response, given the header fields of the request.
package typealias AnswerCompletion = @Sendable (ServedResponse, HeaderFields) -> ServedResponse

/// The handlers of a service, by method and path.
///
/// This is a value: it is built once, then passed to a server or a test.
package struct HTTPRouter: Sendable {
    private struct Route: Sendable {
        let pattern: RoutePattern
        let method: RequestMethod
        let isQuick: Bool
        let mediaTypes: [String]
        let maximumBody: Int?
        let handler: RouteHandler
    }

    private var routes: [Route] = []
    private var middlewares: [RouteMiddleware] = []
    /// The function that completes every response.
    private(set) var completion: AnswerCompletion = { response, _ in response }

    package init() {}

    // MARK: Building

    /// Adds a middleware; requests pass through middlewares in the order in which they were added.
    package mutating func use(_ middleware: @escaping RouteMiddleware) { middlewares.append(middleware) }

    /// Adds a middleware that receives requests before all others.
    package mutating func useFirst(_ middleware: @escaping RouteMiddleware) { middlewares.insert(middleware, at: 0) }

    /// Completes every response, including errors and refusals of requests that reach no handler.
    package mutating func complete(_ completion: @escaping AnswerCompletion) { self.completion = completion }

    /// Adds a route for paths such as `/collections/{collection}/batches`; the first matching route is used.
    ///
    /// The pattern's literal segments are unescaped; a path may contain escapes. A last segment such as `{file...}` is
    /// a parameter for the rest of the path, including slashes; its value ends with a slash if the path does, and may
    /// be empty.
    ///
    /// `HEAD` is supported wherever `GET` is, and `OPTIONS` everywhere.
    ///
    /// - Parameters:
    ///   - method: The method that the handler supports.
    ///   - pattern: The path, with names in braces for the segments that are parameters.
    ///   - isQuick: Whether the handler begins on the event loop itself, which saves two thread switches but blocks all
    ///     other connections. This is suitable for assets, health checks, and handlers that soon call another thread,
    ///     but not for actual work.
    ///   - mediaTypes: The allowed media types of a body, in lowercase; empty for any type.
    ///   - maximumBody: The maximum size of a body in bytes, if it differs from the general limit.
    ///   - handler: The function that handles the request.
    package mutating func on(
        _ method: RequestMethod,
        _ pattern: String,
        isQuick: Bool = false,
        accepting mediaTypes: [String] = [],
        maximumBody: Int? = nil,
        _ handler: @escaping RouteHandler
    ) {
        routes.append(
            Route(
                pattern: RoutePattern(pattern),
                method: method,
                isQuick: isQuick,
                mediaTypes: mediaTypes,
                maximumBody: maximumBody,
                handler: handler
            )
        )
    }

    /// The methods and paths of all routes, as OpenAPI writes them.
    package var paths: [(method: RequestMethod, path: String)] { routes.map { ($0.method, $0.pattern.text) } }

    // MARK: Responding

    /// A response, and the underlying error if that is hidden from the client.
    struct Answer: Sendable {
        let response: ServedResponse
        var failure: String?
    }

    /// Handles a request without a server.
    package func respond(to request: ServedRequest, maximumBody: Int = .max) async -> ServedResponse {
        await answering { maximumBody }(request).response
    }

    /// Returns the whole chain as one function that does not throw; the limit of the body is determined for each
    /// request.
    func answering(maximumBody: @escaping @Sendable () -> Int) -> @Sendable (ServedRequest) async -> Answer {
        let routes = self.routes
        let dispatch: RouteHandler = { try await Self.dispatch($0, among: routes, maximumBody: maximumBody()) }
        let chain = middlewares.reversed().reduce(dispatch) { $1($0) }
        return { [completion] request in
            let answer = await Self.answer(request, chain)
            return Answer(response: completion(answer.response, request.headers), failure: answer.failure)
        }
    }

    private static func answer(_ request: ServedRequest, _ chain: RouteHandler) async -> Answer {
        do {
            let response = try await chain(request)
            guard response.headers.areWellFormed else {
                let failure = "a header field of the response is malformed"
                return Answer(response: ServiceProblem.internalError.response(to: request.id), failure: failure)
            }
            return Answer(response: response)
        } catch let problem as ServiceProblem where problem.headers.areWellFormed {
            return Answer(response: problem.response(to: request.id))
        } catch {
            return Answer(response: ServiceProblem.internalError.response(to: request.id), failure: "\(error)")
        }
    }

    private static func dispatch(
        _ request: ServedRequest,
        among routes: [Route],
        maximumBody: Int
    ) async throws -> ServedResponse {
        let segments = RoutePattern.segments(of: request.path)
        let wanted = request.method == .head ? .get : request.method
        var allowed: [RequestMethod] = []
        for route in routes {
            guard let parameters = route.pattern.match(segments) else { continue }
            guard route.method == wanted else {
                allowed.append(route.method)
                continue
            }
            var request = request
            request.parameters = parameters
            try restrict(&request, route, maximumBody)
            // Even calling a `@concurrent` function would not leave the event loop, but yielding does.
            if !route.isQuick { await Task.yield() }
            return try await route.handler(request)
        }
        guard !allowed.isEmpty else {
            throw ServiceProblem(
                .notFound,
                "notFound",
                "there is nothing at this path",
                advice: "check the path against the service's documentation"
            )
        }
        return try refuse(request.method, allowed: allowed)
    }

    /// Refuses a body that the route does not accept, and limits the size of any other.
    private static func restrict(
        _ request: inout ServedRequest,
        _ route: Route,
        _ maximumBody: Int
    ) throws(ServiceProblem) {
        guard !request.body.isEmpty else { return }
        if !route.mediaTypes.isEmpty, !route.mediaTypes.contains(request.mediaType ?? "") {
            let types = route.mediaTypes.joined(separator: ", ")
            throw ServiceProblem(
                .unsupportedMediaType,
                "unsupportedMediaType",
                "the body is \(request.mediaType ?? "of no type"), which is not accepted here",
                advice: "send Content-Type with one of: \(types)",
                headers: ["Accept": types]
            )
        }
        let limit = route.maximumBody ?? maximumBody
        if let length = request.body.declaredLength, length > limit { throw .bodyTooLarge(limit: limit) }
        request.body = request.body.limited(to: limit)
    }

    private static func refuse(
        _ method: RequestMethod,
        allowed: [RequestMethod]
    ) throws(ServiceProblem) -> ServedResponse {
        var methods = Set(allowed.map(\.rawValue)).union(["OPTIONS"])
        if methods.contains("GET") { methods.insert("HEAD") }
        let list = methods.sorted().joined(separator: ", ")
        guard method != .options else { return ServedResponse(status: .noContent, headers: ["Allow": list]) }
        throw ServiceProblem(
            .methodNotAllowed,
            "methodNotAllowed",
            "\(method) is not allowed here",
            advice: "use one of: \(list)",
            headers: ["Allow": list]
        )
    }
}

// MARK: Patterns

/// A path such as `/sessions/{session}/batches/{batch}`.
private struct RoutePattern: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
        /// The last segment, which matches the rest of the path.
        case rest(String)
    }

    private let segments: [Segment]

    /// The path with each parameter in braces.
    var text: String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/\(text)"
            case .parameter(let name), .rest(let name): "/{\(name)}"
            }
        }
        .joined()
    }

    init(_ text: String) {
        guard text.hasPrefix("/") else { fatalError("the pattern \(text) does not begin with a slash") }
        segments = Self.segments(of: text).map { segment in
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return .literal(String(segment)) }
            let name = segment.dropFirst().dropLast()
            return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }

    /// Returns the parts between slashes, including empty ones, without the part before the first slash.
    static func segments(of path: String) -> [Substring] {
        Array(path.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
    }

    /// Returns the parameters of a matching path, or nil.
    ///
    /// Segments are decoded after the path is split, so an escaped slash becomes part of a value. A value must not be
    /// empty or a dot segment, whether escaped or not.
    func match(_ path: [Substring]) -> [String: String]? {
        var path = path
        var rest: String?
        if case .rest? = segments.last, path.count >= segments.count {
            guard let text = Self.rest(of: path.dropFirst(segments.count - 1)) else { return nil }
            path.removeSubrange(segments.count...)
            rest = text
        }
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            guard let text = String(text).withoutEscapes else { return nil }
            switch segment {
            case .literal(let literal):
                guard text == literal else { return nil }
            case .parameter(let name):
                guard !["", ".", ".."].contains(text) else { return nil }
                parameters[name] = text
            case .rest(let name): parameters[name] = rest
            }
        }
        return parameters
    }

    /// Returns segments joined by slashes; nil if a decoded segment contains a slash or is a dot segment, or if a
    /// segment other than the last is empty.
    private static func rest(of segments: ArraySlice<Substring>) -> String? {
        var names: [String] = []
        for segment in segments {
            guard let name = String(segment).withoutEscapes, !name.utf8.contains(UInt8(ascii: "/")),
                ![".", ".."].contains(name), !name.isEmpty || names.count == segments.count - 1
            else { return nil }
            names.append(name)
        }
        return names.joined(separator: "/")
    }
}

extension String {
    /// The string with `%XX` replaced; nil if an escape is malformed, hides a NUL, or is not UTF-8.
    var withoutEscapes: String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
        guard let bytes = Percent.strictlyDecoded(utf8), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
