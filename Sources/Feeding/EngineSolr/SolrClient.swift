import ContentFeeding
import EngineHTTP
import JSONText

/// A client that asks Solr, and tells its successes from everything else.
struct SolrClient: Sendable {
    let connection: EngineConnection

    /// A successful reply: HTTP and Solr both say so, and no part of it is missing.
    struct Reply {
        let body: [UInt8]
        let header: ReplyHeader?
        let http: EngineReply

        /// Parses the reply as JSON.
        func tree() throws(RequestFailure) -> JSONValue {
            do {
                return try JSONValue(body)
            } catch {
                throw RequestFailure.unreadable(http, "it is not valid JSON: \(error)")
            }
        }

        /// Returns how many documents a search found.
        func found() throws(RequestFailure) -> Int {
            guard let count = try tree()["response"]["numFound"].int, count >= 0 else {
                throw RequestFailure.unreadable(http, "Solr does not report how many documents there are")
            }
            return count
        }
    }

    func send(_ request: EngineRequest) async throws(RequestFailure) -> Reply {
        let reply: EngineReply
        do {
            reply = try await connection.send(request)
        } catch {
            throw RequestFailure.noReply(error)
        }
        return try Self.success(reply)
    }

    /// Sends a form with a request that only reads; `isOfCore` if its path is a core's (see ``statusElsewhere``).
    func ask(_ path: EnginePath, _ form: FormBody, isOfCore: Bool = false) async throws(RequestFailure) -> Reply {
        var request = EngineRequest(.post, path, body: form.bytes)
        request.contentType = FormBody.contentType
        request.isReading = true
        if isOfCore { request.statusesOfOthers = [Self.statusElsewhere] }
        return try await send(request)
    }

    /// What a node of SolrCloud answers about a core that another one has.
    ///
    /// Up to version 9 a node asks the other one itself; since 10, whoever asks has to find the right one (SOLR-17568).
    static let statusElsewhere = 404

    /// Sends a `GET` request, and parses the reply as JSON; `isOfCore` if its path is a core's (see
    /// ``statusElsewhere``).
    func tree(
        _ path: EnginePath,
        timeout: Duration? = nil,
        isOfCore: Bool = false
    ) async throws(RequestFailure) -> JSONValue {
        var request = EngineRequest(.get, path.with("wt", "json"))
        request.timeout = timeout
        if isOfCore { request.statusesOfOthers = [Self.statusElsewhere] }
        return try await send(request).tree()
    }

    private static func success(_ reply: EngineReply) throws(RequestFailure) -> Reply {
        guard reply.isSuccess else { throw RequestFailure.refused(reply, ErrorReply(solr: reply)) }
        let header: ReplyHeader?
        do {
            header = try ReplyHeader.read(reply.body)
        } catch {
            throw RequestFailure.unreadable(reply, "it is not a reply from Solr: \(error)")
        }
        if let header, header.status != 0 {
            throw RequestFailure.unreadable(reply, "Solr reports status \(header.status) in a successful reply")
        }
        if header?.isPartial == true {
            throw RequestFailure.unreadable(reply, "part of the collection did not answer")
        }
        return Reply(body: reply.body, header: header, http: reply)
    }
}

extension RequestFailure {
    /// Whether the reply was larger than allowed, or was not HTTP: asking for less may help.
    var isReplyTooLarge: Bool { isReplyLost && EngineError(self).code == .unusable }
}

extension ErrorReply {
    /// Reads Solr's error from an unsuccessful reply; `nil` for a body that is not Solr's, such as a proxy's page.
    init?(solr reply: EngineReply) {
        self.init(status: reply.status, body: reply.body)
    }

    init?(status: Int, body: [UInt8]) {
        guard let answer = try? JSONValue(body), answer["responseHeader"] != .null else { return nil }
        let error = answer["error"]
        guard error != .null else { return nil }
        let reason = error["msg"].text ?? error["trace"].text ?? "no reason given"
        let type = Self.rootClass(error["metadata"].elements) ?? "error"
        self.init(Kind(status: status), type: type, reason: Self.line(reason))
    }

    /// Returns the last class that `metadata`, a list of alternating names and values, gives as the root, without its
    /// package.
    private static func rootClass(_ metadata: [JSONValue]) -> String? {
        guard let key = metadata.dropLast().lastIndex(where: { $0.text == "root-error-class" }) else { return nil }
        return metadata[key + 1].text?.split(separator: ".").last.map { String($0) }
    }

    /// Puts a reason into one line.
    ///
    /// A node that passes on what another said wraps it; only the other's words help.
    private static func line(_ reason: String) -> String {
        let own = reason.range(of: "Remote error message: ").map { reason[$0.upperBound...] } ?? reason[...]
        return own.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension String {
    /// Returns the first range of `other`, compared by bytes.
    fileprivate func range(of other: String) -> Range<Index>? {
        utf8.firstRange(of: other.utf8)
    }
}

/// The body of a form: parameters that are too long or too delicate for a URL.
///
/// Solr splits its `ids` parameter at commas, but accepts any number of `id` parameters, so an ID goes in as it is.
struct FormBody {
    fileprivate static let contentType = "application/x-www-form-urlencoded"

    private(set) var bytes: [UInt8] = []

    init(_ parameters: [(name: String, value: String)] = []) {
        for (name, value) in parameters { append(name, value) }
    }

    private mutating func append(_ name: String, _ value: String) { append(name, utf8: value.utf8.span) }

    mutating func append(_ name: String, utf8 value: Span<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(escaping: name.utf8.span)
        bytes.append(UInt8(ascii: "="))
        append(escaping: value)
    }

    /// Appends text, escaping all but RFC 3986's unreserved characters.
    private mutating func append(escaping text: Span<UInt8>) {
        for place in text.indices {
            let byte = text[place]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "."):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            }
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
