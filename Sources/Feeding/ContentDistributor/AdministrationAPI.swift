import ArgumentParsing
import ContentFeeding
import Files
import HTTPService
import JSONText
import ServerSecurity
import TextKit

/// The requests for administrators about the server itself: its audit log and its tokens.
extension ContentDistributor {
    /// Returns the administrator who sent a request; any other client is refused, and the refusal is recorded.
    ///
    /// An administrator's token for only some collections or verbs is not sufficient, because it could be used to
    /// create a token for all of them.
    @discardableResult
    func administrator(of request: ServedRequest, _ action: String) async throws -> AccessToken {
        guard let token = try token else { throw ServiceProblem.notAdministrator }
        guard token.role == .admin, token.collections.isEmpty, token.verbs.isEmpty else {
            _ = try await audited(request, action, .ofServer(token), "") { throw ServiceProblem.notAdministrator }
            throw ServiceProblem.notAdministrator
        }
        return token
    }

    // MARK: The audit log

    /// Responds with lines of the audit log, newest first.
    func readAudit(_ request: ServedRequest) async throws -> ServedResponse {
        try await administrator(of: request, "read audit")
        let limit = try pageSize(of: request)
        let before = try number(in: request, "before")
        let sought = Array((request.queryValue("text") ?? "").utf8.map(\.lowercased))
        let page: AuditLog.Page
        do {
            page = try await audit.page(before: before, limit: limit) { line in
                sought.isEmpty || Self.values(of: line).contains { $0.has(sought) }
            }
        } catch let error as AuditError {
            log("the audit log can't be read: \(error.failure.message)")
            throw ServiceProblem(
                .internalServerError,
                "auditUnreadable",
                "the audit log, or one of its lines, can't be read",
                advice: "check it on the server: content-distributor audit verify"
            )
        }
        return .json { object in
            object.array("lines") { array in
                for (number, json) in page.lines {
                    array.raw(Array("{\"line\":\(number),".utf8) + json.dropFirst())
                }
            }
            object.member("next", page.next)
        }
    }

    /// Returns the values in a line of the log, with ASCII letters in lowercase.
    private static func values(of line: [UInt8]) -> [[UInt8]] {
        guard let json = try? JSONValue(line) else { return [] }
        return json.members.map { member in
            switch member.value {
            case .string(let text), .number(let text): text.utf8.map(\.lowercased)
            case .object, .array, .bool, .null: []
            }
        }
    }

    // MARK: Tokens

    /// Responds with all tokens, oldest first, without their secrets.
    func listTokens(_ request: ServedRequest) async throws -> ServedResponse {
        try await administrator(of: request, "read tokens")
        let all = try await tokens.list()
        return .json { object in
            object.array("tokens") { array in
                for token in all { array.object { token.write(to: &$0) } }
            }
        }
    }

    /// Creates a token and responds with its secret, which no other response contains.
    func createToken(_ request: ServedRequest) async throws -> ServedResponse {
        let administrator = try await administrator(of: request, "create token")
        let new = try NewToken(try await request.body.collect(upTo: NewToken.maximumBytes))
        return try await audited(
            request,
            "create token",
            .ofServer(administrator),
            "\(new.role.rawValue) \(new.name.escapedForLog)"
        ) {
            let now = ProcessFacts.now
            let (secret, token) = try await tokens.create(
                new.name,
                new.role,
                collections: new.collections,
                verbs: new.verbs,
                claims: new.claims,
                expiresAt: new.lifetime.map { now + $0 },
                mayDerive: new.mayDerive,
                at: now
            )
            var response = ServedResponse.json(status: .created) { object in
                object.member("secret", secret)
                token.write(to: &object)
            }
            response.headers["Location"] = "/v1/tokens/\(token.id)"
            response.headers["Cache-Control"] = "no-store"
            return response
        }
    }

    /// Revokes a token and all tokens derived from it.
    func revokeToken(_ request: ServedRequest) async throws -> ServedResponse {
        let administrator = try await administrator(of: request, "revoke token")
        let id = try request.parameter("token")
        return try await audited(request, "revoke token", .ofServer(administrator), id.escapedForLog) {
            guard try await tokens.revoke(id) else {
                throw ServiceProblem(
                    .notFound,
                    "noToken",
                    "there is no unrevoked token with this ID",
                    advice: "GET /v1/tokens lists them"
                )
            }
            return ServedResponse(status: .noContent)
        }
    }
}

extension [UInt8] {
    /// Returns whether the array contains the given sequence of bytes.
    fileprivate func has(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}

extension AccessGrant {
    /// Returns an administrator's access to the server itself, for the audit log.
    static func ofServer(_ token: AccessToken) -> AccessGrant {
        AccessGrant(collection: "", principal: token.principal, filter: DocumentFilter())
    }
}

extension ServiceProblem {
    /// The response to a client that is not an administrator.
    static let notAdministrator = ServiceProblem(
        .forbidden,
        "notAllowed",
        "only an administrator whose token covers all collections and verbs may do this",
        advice: "use an administrator's token"
    )
}

extension AccessToken {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("name", name)
        object.member("role", role.rawValue)
        object.member("collections", collections.sorted())
        object.member("verbs", verbs.map(\.rawValue).sorted())
        object.object("claims") { writeClaims(to: &$0) }
        object.member("created", UTCTimestamp(since1970: createdAt).description)
        object.member("expires", expiresAt.map { UTCTimestamp(since1970: $0).description })
        object.member("mayDerive", mayDerive)
        object.member("isRevoked", isRevoked)
    }
}

/// A token that an administrator requests.
private struct NewToken {
    var name = ""
    var role = AccessToken.Role.user
    var collections: Set<String> = []
    var verbs: Set<AccessVerb> = []
    var claims: [String: String] = [:]
    var lifetime: Duration?
    var mayDerive = false

    /// The maximum size of a request, which is much more than any token needs.
    static let maximumBytes = 64 << 10
    private static let maximumName = 200
    private static let example = "send {\"name\":\"ann\",\"role\":\"user\",\"expiresIn\":\"30d\"}"

    init(_ body: [UInt8]) throws(ServiceProblem) {
        guard let json = try? JSONValue(body), json.isObject else {
            throw .invalid("body", "it is not a JSON object", Self.example)
        }
        var seen: Set<String> = []
        for member in json.members {
            // If a member had two values, an administrator might see one and get the other.
            guard seen.insert(member.key).inserted else {
                throw .invalid(member.key, "it occurs twice", "write it once")
            }
            try set(member.key, member.value)
        }
        guard !name.isEmpty else { throw .invalid("name", "it is missing", Self.example) }
        guard seen.contains("role") else { throw .invalid("role", "it is missing", "use admin, application or user") }
        guard !mayDerive || role == .application else {
            throw .invalid("mayDerive", "only application tokens can derive others", "use the role application")
        }
    }

    private mutating func set(_ key: String, _ value: JSONValue) throws(ServiceProblem) {
        switch key {
        case "name":
            guard case .string(let text) = value, Self.isPlain(text), text.utf8.count <= Self.maximumName else {
                throw .invalid(key, "it is not a string of 1 to \(Self.maximumName) bytes on one line", Self.example)
            }
            name = text
        case "role":
            guard case .string(let text) = value, let role = AccessToken.Role(rawValue: text) else {
                throw .invalid(key, "it is not a role", "use admin, application or user")
            }
            self.role = role
        case "collections": collections = Set(try Self.texts(key, value))
        case "verbs":
            verbs = []
            for text in try Self.texts(key, value) {
                guard let verb = AccessVerb(rawValue: text) else {
                    throw .invalid(key, "an element is not a verb", "use read, insert, update and delete")
                }
                verbs.insert(verb)
            }
        case "claims":
            guard value.isObject else { throw .invalid(key, "it is not an object", "write {\"tenant\":\"a\"}") }
            for member in value.members {
                guard case .string(let text) = member.value, Self.isPlain(text), Self.isPlain(member.key),
                    claims.updateValue(text, forKey: member.key) == nil
                else {
                    throw .invalid(
                        key,
                        "its values are not strings, or a name occurs twice",
                        "write {\"tenant\":\"a\"}"
                    )
                }
            }
        case "expiresIn":
            if case .null = value { return }
            guard case .string(let text) = value, let lifetime = try? Duration(argument: text), lifetime > .zero,
                lifetime <= Self.longest
            else { throw .invalid(key, "it is not a duration of up to 36500d", "write 12h or 30d, or leave it out") }
            self.lifetime = lifetime
        case "mayDerive":
            guard case .bool(let isSet) = value else { throw .invalid(key, "it is not a Boolean", "leave it out") }
            mayDerive = isSet
        default:
            throw .invalid(
                key,
                "a token has no such key",
                "use name, role, collections, verbs, claims, expiresIn and mayDerive"
            )
        }
    }

    private static let longest = Duration.seconds(36_500 * 86_400)

    /// Returns the strings in a list, which must be omitted rather than empty, because an empty list would mean all.
    private static func texts(_ key: String, _ value: JSONValue) throws(ServiceProblem) -> [String] {
        let texts = value.elements.compactMap(\.text)
        guard !texts.isEmpty, texts.count == value.elements.count, texts.allSatisfy(isPlain) else {
            throw .invalid(key, "it is not a list of strings", "write [\"a\",\"b\"]; leave it out for all")
        }
        return texts
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
