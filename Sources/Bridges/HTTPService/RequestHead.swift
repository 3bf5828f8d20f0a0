import CHTTPDaemon
import TextKit

/// The head of a request: the values that the library parsed, copied out of its buffers and checked again.
///
/// The library is lenient in cases where two parsers may disagree, which would allow request smuggling.
struct RequestHead {
    let method: RequestMethod
    /// The path, without the scheme and the host of a target in absolute form.
    let path: String
    let query: [(name: String, value: String)]
    let headers: HeaderFields
    let contentLength: Int?
    let isChunked: Bool
    /// Whether the client reads a body in chunks.
    let readsChunks: Bool
    /// Whether the client waits for permission before it sends the body.
    let expectsContinue: Bool
    /// The reason to refuse the request, if any; the connection of a refused request is closed, because the start of
    /// the next request is uncertain.
    let refusal: ServiceProblem?

    var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }

    init(
        _ connection: OpaquePointer,
        method: UnsafePointer<CChar>,
        target: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>,
        limits: ServerLimits
    ) {
        self.method = RequestMethod(rawValue: String(cString: method))
        let target = String(cString: target)
        path = Self.path(of: target)
        var headers = HeaderFields()
        eachValue(of: connection, .HEADER_KIND) { headers.append($0, $1 ?? "") }
        self.headers = headers
        var items: [(name: String, value: String?)] = []
        eachValue(of: connection, .GET_ARGUMENT_KIND) { items.append(($0, $1)) }
        query = items.map { ($0.name.withoutEscapes ?? $0.name, $0.value.map { $0.withoutEscapes ?? $0 } ?? "") }
        contentLength = headers["Content-Length"].flatMap { $0.isDecimal ? Int($0) : nil }
        isChunked = headers["Transfer-Encoding"] != nil
        expectsContinue = headers["Expect"] != nil

        let version = String(cString: version)
        readsChunks = version == "HTTP/1.1"
        let refusal =
            Self.ambiguity(headers, version) ?? Self.fault(of: self.method, path, items, headers, version)
            ?? Self.excess(target, items, headers, limits)
        var closing = refusal
        closing?.headers.append("Connection", "close")
        self.refusal = closing
    }

    /// Returns the path of a target in origin form, or of one in absolute form, which servers have to accept
    /// (RFC 9112, section 3.2.2).
    private static func path(of target: String) -> String {
        for scheme in ["http://", "https://"]
        where target.utf8.count > scheme.utf8.count && target.prefix(scheme.count).equals(scheme) {
            let rest = target.dropFirst(scheme.count)
            return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
        }
        return target
    }

    // MARK: Refusals

    /// Returns the defect if the length of the body, or the host, is ambiguous.
    private static func ambiguity(_ headers: HeaderFields, _ version: String) -> ServiceProblem? {
        let lengths = headers.values(of: "Content-Length")
        let codings = headers.values(of: "Transfer-Encoding")
        let hosts = headers.values(of: "Host")
        let message: String? =
            if lengths.count > 1 {
                "the request has more than one Content-Length"
            } else if let length = lengths.first, !length.isDecimal {
                "Content-Length is not a number"
            } else if codings.count > 1 {
                "the request has more than one Transfer-Encoding"
            } else if let coding = codings.first, !coding.equalsIgnoringCase("chunked") {
                "Transfer-Encoding is not chunked"
            } else if !codings.isEmpty, !lengths.isEmpty {
                "the request has both Content-Length and Transfer-Encoding"
            } else if !codings.isEmpty, version != "HTTP/1.1" {
                "Transfer-Encoding needs HTTP/1.1"
            } else if hosts.count > 1 {
                "the request has more than one Host"
            } else if headers.values(of: "Authorization").count > 1 {
                "the request has more than one Authorization"
            } else if !headers.areWellFormed {
                "a header field is malformed"
            } else {
                nil
            }
        return message.map {
            ServiceProblem(.badRequest, "ambiguousRequest", $0, advice: "send each header field once (RFC 9112)")
        }
    }

    private static func fault(
        of method: RequestMethod,
        _ path: String,
        _ query: [(name: String, value: String?)],
        _ headers: HeaderFields,
        _ version: String
    ) -> ServiceProblem? {
        if version == "HTTP/1.1", headers["Host"] == nil {
            return ServiceProblem(
                .badRequest,
                "missingHost",
                "the request has no Host",
                advice: "send the header field"
            )
        }
        let isAsterisk = path == "*" && method == .options
        let texts = [path] + query.flatMap { [$0.name, $0.value ?? ""] }
        // The library has converted each + in the query to a space.
        let areVisible = path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f } && texts.allSatisfy(\.hasNoControls)
        guard path.hasPrefix("/") || isAsterisk, areVisible else {
            return ServiceProblem(
                .badRequest,
                "malformedTarget",
                "the target is not a path of visible characters",
                advice: "escape other characters with a percent sign"
            )
        }
        guard query.allSatisfy({ $0.name.withoutEscapes != nil && ($0.value ?? "").withoutEscapes != nil }) else {
            return ServiceProblem(
                .badRequest,
                "malformedQuery",
                "an escape in the query is malformed",
                advice: "escape bytes of UTF-8 with a percent sign and two digits"
            )
        }
        if let expectation = headers["Expect"], !expectation.equalsIgnoringCase("100-continue") {
            return ServiceProblem(
                .expectationFailed,
                "unknownExpectation",
                "the server does not support this value of Expect",
                advice: "send 100-continue, or no Expect"
            )
        }
        return nil
    }

    private static func excess(
        _ target: String,
        _ query: [(name: String, value: String?)],
        _ headers: HeaderFields,
        _ limits: ServerLimits
    ) -> ServiceProblem? {
        let length = query.reduce(target.utf8.count) {
            $0 + 1 + $1.name.utf8.count + ($1.value.map { $0.utf8.count + 1 } ?? 0)
        }
        if length > limits.target {
            return ServiceProblem(
                .targetTooLong,
                "targetTooLong",
                "the target has more than \(limits.target) bytes",
                advice: "send long values in the body"
            )
        }
        if headers.fields.count > limits.headerFields {
            return ServiceProblem(
                .headersTooLarge,
                "tooManyHeaderFields",
                "the request has more than \(limits.headerFields) header fields",
                advice: "send fewer"
            )
        }
        return nil
    }
}

// MARK: Values of the library

/// Passes names and values; a value is nil if the query has a name without `=`.
private func eachValue(of connection: OpaquePointer, _ kind: MHD_ValueKind, _ body: (String, String?) -> Void) {
    // The check for an escape contains the path of the file, and thus the folder of the build; this is its name alone.
    #sourceLocation(file:"RequestHead",line:181)
    withoutActuallyEscaping(body) { body in
        withUnsafePointer(to: body) { pointer in
            http_connection_values(
                connection,
                kind,
                { context, _, key, keySize, value, valueSize in
                    guard let context else { return .NO }
                    let body = context.assumingMemoryBound(to: ((String, String?) -> Void).self).pointee
                    body(String(key, keySize), value.map { String($0, valueSize) })
                    return .YES
                },
                UnsafeMutableRawPointer(mutating: pointer)
            )
        }
    }
    #sourceLocation()
}

extension String {
    fileprivate init(_ start: UnsafePointer<CChar>?, _ count: Int) {
        self = String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    fileprivate var isDecimal: Bool { (1...18).contains(utf8.count) && utf8.allSatisfy(\.isDigit) }

    fileprivate var hasNoControls: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
}

extension Substring {
    fileprivate func equals(_ other: String) -> Bool { String(self).equalsIgnoringCase(other) }
}
