import ContentFeeding
import Foundation
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor

/// All combinations of roles, scopes, verbs, rules and documents, in real requests whose results are compared with a
/// model.
@Suite(.timeLimit(.minutes(10)))
struct AuthorizationTests {
    // MARK: The tables

    private typealias Fields = [String: String]

    /// The rules of collections: most have the same rule for all verbs, and some have different ones.
    private static let collections: [String: [AccessVerb: String]] = {
        let texts = [
            "everyone", "users", "application-key", "admins", "user.tenant == document.tenant",
            "user.group == 'editors'", "document.status == 'public'",
            "user.tenant == document.tenant && document.status == 'public'",
        ]
        var all: [String: [AccessVerb: String]] = [:]
        for (number, text) in texts.enumerated() {
            all["C\(number)"] = Dictionary(uniqueKeysWithValues: AccessVerb.allCases.map { ($0, text) })
        }
        all["Locked"] = [:]
        all["Mixed"] = [
            .read: "everyone", .insert: "application-key", .update: "user.tenant == document.tenant",
            .delete: "document.status == 'public'",
        ]
        all["Inbox"] = [.insert: "users", .read: "user.tenant == document.tenant"]
        return all
    }()

    private enum Identity: CaseIterable {
        case none, ann, bob, stranger, application, applicationOfA, admin

        var role: AccessToken.Role? {
            switch self {
            case .none: nil
            case .ann, .bob, .stranger: .user
            case .application, .applicationOfA: .application
            case .admin: .admin
            }
        }

        var claims: [String: String] {
            switch self {
            case .ann: ["tenant": "a", "group": "editors"]
            case .bob: ["tenant": "b", "group": "readers"]
            case .applicationOfA: ["tenant": "a"]
            case .none, .stranger, .application, .admin: [:]
            }
        }
    }

    private enum Scope: CaseIterable {
        case all, here, elsewhere, reading, writing, expired, revoked
    }

    private struct Client {
        let identity: Identity
        let scope: Scope
        /// The secret; `nil` for a client without one.
        let secret: String?
    }

    private static let documents: [String: Fields] = [
        "own": ["tenant": "a", "status": "public", "note": "1"],
        "draft": ["tenant": "a", "status": "draft", "note": "1"],
        "foreign": ["tenant": "b", "status": "public", "note": "1"],
        "secret": ["tenant": "c", "status": "draft", "note": "1"],
    ]

    private enum Act: CaseIterable {
        case get, find, putOwn, putForeign, postOwn, postForeign, patch, give, delete

        var method: String {
            switch self {
            case .get, .find: "GET"
            case .putOwn, .putForeign: "PUT"
            case .postOwn, .postForeign: "POST"
            case .patch, .give: "PATCH"
            case .delete: "DELETE"
            }
        }

        var verbs: [AccessVerb] {
            switch self {
            case .get, .find: [.read]
            case .putOwn, .putForeign: [.insert, .update]
            case .postOwn, .postForeign: [.insert]
            case .patch, .give: [.update]
            case .delete: [.delete]
            }
        }

        var body: Fields? {
            switch self {
            case .putOwn, .postOwn: ["tenant": "a", "status": "public", "note": "2"]
            case .putForeign, .postForeign: ["tenant": "b", "status": "draft", "note": "2"]
            case .patch: ["note": "3"]
            case .give: ["tenant": "z", "status": "hidden"]
            case .get, .find, .delete: nil
            }
        }

        var isAboutOneDocument: Bool { ![.find, .postOwn, .postForeign].contains(self) }
    }

    // MARK: The model

    /// The response that the guide promises, and the resulting documents.
    private struct Promise: Equatable {
        var status: Int
        var documents: [String: Fields]
        /// The documents of a page.
        var shown: Set<String> = []
    }

    /// Reads a rule by the guide's table; `nil` if the client fails it for every document.
    private static func demands(_ rule: String, of identity: Identity) -> Fields? {
        if identity == .admin { return [:] }
        switch rule {
        case "everyone": return [:]
        case "users": return identity == .none ? nil : [:]
        case "application-key": return identity.role == .application ? [:] : nil
        case "user.group == 'editors'": return identity == .ann ? [:] : nil
        case "document.status == 'public'": return identity == .none ? nil : ["status": "public"]
        case "user.tenant == document.tenant": return identity.claims["tenant"].map { ["tenant": $0] }
        case "user.tenant == document.tenant && document.status == 'public'":
            return identity.claims["tenant"].map { ["tenant": $0, "status": "public"] }
        default: return nil
        }
    }

    private static func promise(
        _ act: Act,
        _ document: String,
        in collection: String,
        of client: Client,
        _ before: [String: Fields]
    ) -> Promise {
        var result = Promise(status: 0, documents: before)
        func ends(_ status: Int) -> Promise {
            result.status = status
            return result
        }
        if client.scope == .expired || client.scope == .revoked { return ends(401) }
        var demanded: [Fields] = []
        for verb in act.verbs {
            let isInScope =
                switch client.scope {
                case .elsewhere: false
                case .reading: verb == .read
                case .writing: verb != .read
                case .all, .here, .expired, .revoked: true
                }
            let demands = demands(collections[collection]?[verb] ?? "admins", of: client.identity)
            if client.identity == .none, demands == nil { return ends(401) }
            guard isInScope, let demands else { return ends(403) }
            demanded.append(demands)
        }
        let fits = { (fields: Fields) in
            demanded.allSatisfy { $0.allSatisfy { fields[$0.key] == $0.value } }
        }
        let current = before[document]
        let isSeen = current.map(fits) ?? false
        switch act {
        case .get: return ends(isSeen ? 200 : 404)
        case .find:
            result.shown = Set(before.filter { fits($0.value) }.keys)
            return ends(200)
        case .putOwn, .putForeign:
            guard let body = act.body, fits(body), current == nil || isSeen else { return ends(403) }
            result.documents[document] = body
            return ends(current == nil ? 201 : 204)
        case .postOwn, .postForeign:
            guard let body = act.body, fits(body) else { return ends(403) }
            result.documents["new"] = body
            return ends(201)
        case .patch, .give:
            guard isSeen, let current, let body = act.body else { return ends(404) }
            let merged = current.merging(body) { $1 }
            guard fits(merged) else { return ends(403) }
            result.documents[document] = merged
            return ends(204)
        case .delete:
            guard isSeen else { return ends(404) }
            result.documents[document] = nil
            return ends(204)
        }
    }

    // MARK: The matrix

    private static func json(_ fields: Fields) -> String {
        "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }

    private static func path(_ collection: String, _ document: String? = nil) -> String {
        "/v1/collections/\(collection)/documents" + (document.map { "/\($0)" } ?? "")
    }

    private func clients(_ place: LiveDistributor, of collection: String) async throws -> [Client] {
        var clients: [Client] = [Client(identity: .none, scope: .all, secret: nil)]
        for identity in Identity.allCases {
            guard let role = identity.role else { continue }
            for scope in Scope.allCases {
                let (secret, token) = try await place.tokens.create(
                    "\(identity) \(scope)",
                    role,
                    collections: scope == .here ? [collection] : scope == .elsewhere ? ["Elsewhere"] : [],
                    verbs: scope == .reading ? [.read] : scope == .writing ? [.insert, .update, .delete] : [],
                    claims: identity.claims,
                    expiresAt: scope == .expired ? .seconds(2) : nil,
                    at: .seconds(1)
                )
                if scope == .revoked { #expect(try await place.tokens.revoke(token.id)) }
                clients.append(Client(identity: identity, scope: scope, secret: secret))
            }
        }
        return clients
    }

    /// Returns the documents of a collection as an administrator sees them; documents with a generated ID appear as
    /// `new`.
    private static func contents(
        _ collection: String,
        _ admin: DistributorClient,
        _ token: String
    ) throws -> (
        documents: [String: Fields], made: String?
    ) {
        let page = try admin.send("GET", path(collection) + "?limit=1000", token: token)
        var (documents, made): ([String: Fields], String?) = ([:], nil)
        for entry in page.json["documents"].elements {
            guard let id = entry["id"].text else { continue }
            let isKnown = Self.documents[id] != nil || id == "absent"
            if !isKnown { made = id }
            documents[isKnown ? id : "new"] = ["tenant", "status", "note"].reduce(into: [:]) {
                $0[$1] = entry["document"][$1].text
            }
        }
        return (documents, made)
    }

    @Test(arguments: collections.keys.sorted())
    func `Each role, scope and verb gets the response and the effect that the rule promises`(
        collection: String
    ) async throws {
        let place = try await LiveDistributor([collection: Self.collections[collection] ?? [:]])
        let admin = try await place.token(.admin)
        let clients = try await clients(place, of: collection)
        let cases = try await place.client { connection in
            for (id, fields) in Self.documents {
                let answer = try connection.send("PUT", Self.path(collection, id), Self.json(fields), token: admin)
                #expect(answer.status == 201)
            }
            var cases = 0
            for client in clients {
                for act in Act.allCases {
                    // The scope of a token does not depend on the document, so one document is enough.
                    let all = client.scope == .all && act.isAboutOneDocument
                    for document in all ? ["own", "draft", "foreign", "secret", "absent"] : ["own"] {
                        try Self.check(act, document, in: collection, of: client, connection, admin)
                        cases += 1
                    }
                }
            }
            return cases
        }
        #expect(cases == 7 * (6 * 5 + 3) + 6 * 6 * 9)
        await place.end()
    }

    private static func check(
        _ act: Act,
        _ document: String,
        in collection: String,
        of client: Client,
        _ connection: DistributorClient,
        _ admin: String
    ) throws {
        let words = "\(client.identity), \(client.scope): \(act) \(document) in \(collection)"
        let promise = promise(act, document, in: collection, of: client, documents)
        let target = path(collection, act.isAboutOneDocument ? document : nil) + (act == .find ? "?limit=2" : "")
        let answer = try connection.send(act.method, target, act.body.map(json), token: client.secret)
        #expect(answer.status == promise.status, "\(words): \(answer.text)")
        if act == .get, answer.status == 200 {
            #expect(answer.text == documents[document].map(json), "\(words)")
        }
        if act == .find, answer.status == 200 {
            let shown = try allPages(of: target, answer, connection, client.secret, words)
            #expect(shown == promise.shown, "\(words)")
        }
        // The response for another client's document is exactly that for a missing document.
        if answer.status == 404, document != "absent" {
            let absent = try connection.send(
                act.method,
                path(collection, "absent"),
                act.body.map(json),
                token: client.secret
            )
            #expect(signature(answer) == signature(absent), "\(words)")
        }
        // The promised effect has occurred, and no other effect.
        let (after, made) = try contents(collection, connection, admin)
        #expect(after == promise.documents, "\(words)")
        guard after != documents else { return }
        if let made { _ = try connection.send("DELETE", path(collection, made), token: admin) }
        if documents["absent"] == nil, after["absent"] != nil {
            _ = try connection.send("DELETE", path(collection, "absent"), token: admin)
        }
        for (id, fields) in documents where after[id] != fields {
            _ = try connection.send("PUT", path(collection, id), json(fields), token: admin)
        }
        try #require(contents(collection, connection, admin).documents == documents, "restored after \(words)")
    }

    /// Everything that a response reveals, apart from the ID of its request.
    private static func signature(_ answer: DistributorClient.Answer) -> [String] {
        let fields = answer.fields.filter { !["date", "x-request-id", "content-length"].contains($0.key) }
        return [
            "\(answer.status)", answer.json["code"].text ?? "", answer.json["message"].text ?? "",
            answer.json["advice"].text ?? "",
        ] + fields.map { "\($0): \($1)" }.sorted()
    }

    private static func allPages(
        of target: String,
        _ first: DistributorClient.Answer,
        _ connection: DistributorClient,
        _ token: String?,
        _ words: String
    ) throws -> Set<String> {
        var (shown, page) = (Set<String>(), first)
        while true {
            let ids = page.json["documents"].elements.compactMap { $0["id"].text }
            for id in ids { #expect(shown.insert(id).inserted, "\(words): \(id) comes twice") }
            guard let next = page.json["next"].text else { return shown }
            #expect(ids.count == 2, "\(words): a short page")
            page = try connection.send("GET", target + "&cursor=\(next)", token: token)
            try #require(page.status == 200, "\(words): \(page.text)")
        }
    }

    // MARK: Tenants

    /// The values that a tenant's field may have: some look alike, and some contain characters that a query might
    /// interpret.
    private static let tenants = [
        "a", "A", "a b", "ab", "b", "\u{E1}", "a\u{301}", "", "a'", "a\\\"", "0", "1", "1.0", "true", "null", "a*",
        "OR",
        "a,b", "\u{FF41}", "a-b", String(repeating: "x", count: 600), "a ", " a", "-", "a=b", "a&b", "%61", "NEAR(a)",
    ]

    /// Values that are not strings: a number or Boolean counts as the text that represents it, and other values count
    /// as absent.
    private static let otherValues = ["1", "1.0", "0", "true", "null", "[\"a\"]", "{\"a\":\"a\"}"]

    private struct TenantDocument {
        let tenant: String?
        let kind: String
        let word: String
    }

    /// The number of documents in a fifth of each run; FASTCTL_TENANT_DOCUMENTS=1000 makes ten thousand in total.
    private static let batchCount =
        ProcessInfo.processInfo.environment["FASTCTL_TENANT_DOCUMENTS"].flatMap { Int($0) } ?? 200

    @Test(arguments: [20_261_128 as UInt64, 43])
    func `A tenant finds exactly its own documents, and no page is short`(seed: UInt64) async throws {
        let rules: [AccessVerb: String] = [.read: "user.tenant == document.tenant"]
        let place = try await LiveDistributor(["Web": rules])
        let admin = try await place.token(.admin)
        var random = SplitMix64(seed: seed)
        var (documents, batches): ([String: TenantDocument], [String]) = ([:], [])
        for _ in 0..<5 {
            var lines = ""
            for _ in 0..<Self.batchCount {
                let id = "d\(documents.count)"
                let kind = "k\(Int.random(in: 0..<5, using: &random))"
                let word = ["ember", "frost", "gale"][Int.random(in: 0..<3, using: &random)]
                let isOther = Int.random(in: 0..<10, using: &random) == 0
                let values = isOther ? Self.otherValues : Self.tenants
                let value = values[Int.random(in: 0..<values.count, using: &random)]
                let isText = !isOther || ["1", "1.0", "0", "true"].contains(value)
                documents[id] = TenantDocument(
                    tenant: isText ? value.replacing("\\\"", with: "\"") : nil,
                    kind: kind,
                    word: word
                )
                let field = isOther ? value : "\"\(value)\""
                lines += "{\"id\":\"\(id)\",\"tenant\":\(field),\"kind\":\"\(kind)\",\"text\":\"some \(word)\"}\n"
            }
            batches.append(lines)
        }
        // Not a dictionary: two ways to encode the same letter are two tenants, but equal strings to Swift.
        var secrets: [(tenant: String, token: String)] = []
        for tenant in Self.tenants {
            let claim = tenant.replacing("\\\"", with: "\"")
            secrets.append((claim, try await place.token(.user, ["tenant": claim])))
        }
        let (all, feed, tokens, start) = (documents, batches, secrets, random)
        let pages = try await place.client { connection in
            let begun = try connection.send("POST", "/v1/collections/Web/sessions", "", token: admin)
            let session = try #require(begun.json["session"].text, "\(begun.text)")
            for (number, batch) in feed.enumerated() {
                let target = "/v1/sessions/\(session)/batches/\(number + 1)"
                let answer = try connection.send("PUT", target, batch, token: admin)
                try #require(answer.status == 202, "\(answer.text)")
            }
            let state = try connection.send("GET", "/v1/sessions/\(session)?wait=live&timeout=60", token: admin)
            try #require(state.json["outcomes"]["added"].int == all.count, "\(state.text)")
            var (pages, random) = (0, start)
            for (tenant, token) in tokens {
                // Each tenant requests everything, and then sends random queries.
                for turn in 0..<6 {
                    pages += try Self.query(turn, as: tenant, token, all, connection, &random)
                }
                for id in all.keys.sorted().shuffled(using: &random).prefix(20) {
                    let answer = try connection.send("GET", Self.path("Web", id), token: token)
                    let isOwn = all[id]?.tenant.map { Array($0.utf8) == Array(tenant.utf8) } ?? false
                    #expect(answer.status == (isOwn ? 200 : 404), "\(tenant): \(id)")
                }
            }
            return pages
        }
        #expect(pages > Self.tenants.count * 6)
        await place.end()
    }

    /// Reads all pages of a random query, and compares them with the model; returns the number of pages.
    private static func query(
        _ turn: Int,
        as tenant: String,
        _ token: String,
        _ documents: [String: TenantDocument],
        _ connection: DistributorClient,
        _ random: inout SplitMix64
    ) throws -> Int {
        let kind = turn > 0 && Bool.random(using: &random) ? "k\(Int.random(in: 0..<6, using: &random))" : nil
        let words = ["ember", "frost", "none"]
        let word = turn > 0 && Bool.random(using: &random) ? words.randomElement(using: &random) : nil
        let other = turn > 3 ? ["b", "1", "zz"].randomElement(using: &random) : nil
        let limit = Int.random(in: 1...60, using: &random)
        var target = path("Web") + "?limit=\(limit)"
        if let kind { target += "&where=kind=\(kind)" }
        if let word { target += "&words=\(word)" }
        if let other { target += "&where=tenant=\(other)" }
        let expected = documents.filter { _, document in
            document.tenant.map { Array($0.utf8) } == Array(tenant.utf8)
                && (kind == nil || document.kind == kind) && (word == nil || document.word == word)
                && (other == nil || document.tenant == other)
        }
        var (found, cursor, pages): (Set<String>, String?, Int) = ([], nil, 0)
        repeat {
            let page = try connection.send("GET", target + (cursor.map { "&cursor=\($0)" } ?? ""), token: token)
            try #require(page.status == 200, "\(target): \(page.text)")
            let ids = page.json["documents"].elements.compactMap { $0["id"].text }
            cursor = page.json["next"].text
            #expect(ids.count == limit || cursor == nil, "\(tenant): \(target) has a short page")
            for id in ids { #expect(found.insert(id).inserted, "\(tenant): \(target) shows \(id) twice") }
            pages += 1
        } while cursor != nil && pages < 5_100
        #expect(found == Set(expected.keys), "\(tenant): \(target)")
        return pages
    }
}
