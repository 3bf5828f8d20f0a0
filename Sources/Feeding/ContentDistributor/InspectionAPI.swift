import ContentFeeding
import HTTPService
import Hooks
import JSONText
import ServerSecurity
import TextKit

/// The requests about the current state: the client's own rights, its sessions and their failures, and the hooks.
extension ContentDistributor {
    // MARK: The client

    /// Responds with the client's name, its rights on each collection that it may use, and the end of these rights.
    func me() async throws -> ServedResponse {
        let (token, settings) = (try token, settings)
        // Rights depend only on the settings, so a client gets a response even while the engine does not respond.
        let existing = try? await existingCollections()
        let rights = (existing ?? settings.collections.keys.sorted()).map { name in
            let rules = settings.collections[name] ?? CollectionRules()
            return (name, AccessVerb.allCases.map { ($0, rules[$0].extent(for: $0, on: name, token)) })
        }
        return .json { object in
            object.member("kind", "me")
            object.member("name", token?.principal ?? "everyone")
            object.member("role", token?.role.rawValue ?? "none")
            object.object("claims") { claims in token?.writeClaims(to: &claims) }
            object.member("expires", token?.expiresAt.map { UTCTimestamp(since1970: $0).description })
            object.member("isWritable", rights.contains { $0.1.contains { $0 != .read && $1 != .none } })
            object.object("collections") { collections in
                for (name, extents) in rights where extents.contains(where: { $0.1 != .none }) {
                    collections.object(name) { rights in
                        for (verb, extent) in extents { rights.member(verb.rawValue, extent.rawValue) }
                    }
                }
            }
        }
    }

    // MARK: Sessions

    /// Responds with the sessions of the client, or of all clients for an administrator, newest first.
    func listSessions(_ request: ServedRequest) async throws -> ServedResponse {
        // A client without a token can use any session whose ID it has, so the IDs must not be listed.
        guard let token = try token else { throw ServiceProblem.noToken }
        let limit = try pageSize(of: request)
        let before = try number(in: request, "cursor") ?? .max
        let owner = token.role == .admin ? nil : token.principal
        let found = try await sessions.list(of: owner, before: before, limit: limit + 1)
        var objects: [[UInt8]] = []
        for (_, session) in found.prefix(limit) { objects.append(await sessions.object(of: session)) }
        return .json { object in
            object.array("sessions") { array in for session in objects { array.raw(session) } }
            object.member("next", found.count > limit ? "\(found[limit - 1].number)" : nil)
        }
    }

    /// Responds with the permanently failed operations of a session, and with those of their documents that are stored.
    func listFailures(
        _ request: ServedRequest,
        _ session: FeedSession,
        hidesVersions: Bool
    ) async throws
        -> ServedResponse
    {
        let limit = try pageSize(of: request)
        let done = try number(in: request, "cursor") ?? 0
        let isAdministrator = try token?.role == .admin
        // A hook may have added data that the client may not read.
        let rules = settings.collections[session.collection.rawValue] ?? CollectionRules()
        let hidesDocuments = !isAdministrator && rules.hooks != DocumentHooks()
        let page = try await session.failures(after: done, limit: limit, bytes: settings.limits.body)
        return .json { object in
            object.array("failures") { array in
                for failed in page.failures {
                    array.object { object in
                        let (outcome, failure) = (failed.outcome, failed.outcome.issue?.failure.shown(hidesVersions))
                        object.member("number", failed.number)
                        object.member("operation", outcome.operationID.rawValue)
                        object.member("id", outcome.documentID.text)
                        object.member("routing", outcome.routing?.text)
                        object.member("verb", outcome.kind.rawValue)
                        object.member("outcome", outcome.outcome.name)
                        object.member("code", failure?.code.rawValue)
                        object.member("message", failure?.message)
                        let state: String
                        if outcome.kind == .remove {
                            state = "none"
                        } else if failed.document == nil {
                            state = "notKept"
                        } else {
                            state = hidesDocuments ? "hidden" : "kept"
                        }
                        object.member("documentState", state)
                        if state == "kept", let document = failed.document {
                            object.member("document", raw: document)
                        } else {
                            object.member("document", nil as String?)
                        }
                    }
                }
            }
            object.member("next", page.next.map { "\($0)" })
        }
    }

    // MARK: Hooks

    /// Responds with the programs, their statistics, and the hooks of each collection, for administrators.
    func listHooks(_ request: ServedRequest) async throws -> ServedResponse {
        try await administrator(of: request, "read hooks")
        let (settings, programs) = (settings, programs)
        let uses = programs.uses
        return .json { object in
            object.array("programs") { array in
                for (name, program) in programs.settings.sorted(by: { $0.key < $1.key }) {
                    array.object { object in
                        object.member("name", name)
                        // The arguments are omitted, because one of them may be a secret.
                        object.member("file", program.command.first)
                        object.member("processes", program.processes)
                        object.member("timeoutMilliseconds", Int(program.timeout / .milliseconds(1)))
                        object.member("memory", program.memory)
                        object.member("calls", uses[name]?.calls ?? 0)
                        object.member("failures", uses[name]?.failures ?? 0)
                    }
                }
            }
            object.array("endpoints") { array in
                for (name, endpoint) in settings.endpoints.sorted(by: { $0.key < $1.key }) {
                    array.object { object in
                        object.member("path", "/v1/api/\(name)")
                        object.member("methods", endpoint.methods.map(\.rawValue))
                        object.member("access", endpoint.access.text)
                        object.member("program", endpoint.program)
                    }
                }
            }
            object.object("collections") { collections in
                for (name, rules) in settings.collections.sorted(by: { $0.key < $1.key }) {
                    collections.array(name) { array in
                        for hook in rules.hooks.all { array.object { hook.write(to: &$0) } }
                    }
                }
            }
        }
    }

    // MARK: Parameters

    /// Returns the maximum number of elements on a page.
    func pageSize(of request: ServedRequest) throws(ServiceProblem) -> Int {
        let most = settings.limits.page
        let usual = min(100, most)
        guard let text = request.queryValue("limit") else { return usual }
        guard let limit = Int(text), (1...most).contains(limit) else {
            throw .invalid("limit", "it is not a number from 1 to \(most)", "write limit=\(usual)")
        }
        return limit
    }

    /// Returns the place from which a page continues; `nil` for the first page.
    func number(in request: ServedRequest, _ name: String) throws(ServiceProblem) -> Int? {
        guard let text = request.queryValue(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw .invalid(name, "it is not a page's position", "use 'next' from the previous page, or leave it out")
        }
        return number
    }
}

// MARK: - Rights

/// The documents of a collection that a client may use in one way.
enum AccessExtent: String {
    case all
    /// The documents whose contents satisfy a condition.
    case some
    case none
}

extension AccessRule {
    /// Returns the documents to which the rule gives a client access; `nil` represents a client without a token.
    fileprivate func extent(for verb: AccessVerb, on collection: String, _ token: AccessToken?) -> AccessExtent {
        guard token?.isFor(verb, on: collection) ?? true, case .allowed(let filter) = decision(about: token) else {
            return .none
        }
        return filter.isEmpty ? .all : .some
    }
}

extension AccessToken {
    /// Writes the claims, which are strings and lists of strings, by their names.
    func writeClaims(to object: inout JSONWriter) {
        for (name, value) in claims.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .text(let text): object.member(name, text)
            case .list(let texts): object.member(name, texts)
            }
        }
    }
}

extension DocumentHook {
    /// Writes the members of the hook as in the settings, but omits the values of fields, which may be secret.
    fileprivate func write(to object: inout JSONWriter) {
        object.member("on", verbs.map(\.rawValue).sorted())
        switch action {
        case .require(let fields): object.member("require", fields)
        case .fill(let assignments): object.member("default", assignments.map(\.field))
        case .set(let assignments): object.member("set", assignments.map(\.field))
        case .drop(let fields): object.member("drop", fields)
        case .refuse(let message): object.member("refuse", message)
        case .program(let name): object.member("program", name)
        }
        object.member("if", condition?.text)
    }
}
