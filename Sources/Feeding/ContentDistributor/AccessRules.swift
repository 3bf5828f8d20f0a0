import ContentFeeding
import HTTPService
import Hooks
import JSONText
import ServerSecurity
import TextKit

/// An action on a collection that a rule allows or denies.
package enum AccessVerb: String, Sendable, CaseIterable {
    case read, insert, update, delete
}

/// The rule of a collection for one verb: the clients that may perform the action, and on which documents.
///
/// A rule is `everyone`, `application-key` (tokens of applications and administrators), `users` (every token) or
/// `admins`, or a list of conditions joined by `&&`: `user.NAME == document.NAME`, `user.NAME == 'TEXT'`,
/// `document.NAME == 'TEXT'`.
struct AccessRule: Sendable, Hashable {
    private enum Audience: String, CaseIterable {
        case everyone
        case applicationKey = "application-key"
        case users
        case admins
    }

    private enum Condition: Hashable {
        /// The document's field equals the user's claim.
        case same(claim: String, field: String)
        case claim(String, is: String)
        case field(String, is: String)
    }

    private enum Body: Hashable {
        case audience(Audience)
        case conditions([Condition])
    }

    /// The rule as it was written.
    let text: String
    private let body: Body

    /// The rule for every action that has no rule of its own.
    static let locked = AccessRule("admins", .audience(.admins))

    private init(_ text: String, _ body: Body) { (self.text, self.body) = (text, body) }

    /// Whether the rule depends on the contents of a document.
    var isAboutDocuments: Bool {
        guard case .conditions(let conditions) = body else { return false }
        return conditions.contains {
            if case .claim = $0 { false } else { true }
        }
    }

    /// The decision about a client.
    enum Decision: Sendable, Hashable {
        case allowed(DocumentFilter)
        case denied
        /// The client did not send a token, and might be allowed with one.
        case unauthenticated
    }

    /// Returns the decision about a client; `nil` represents a client without a token.
    func decision(about token: AccessToken?) -> Decision {
        guard let token else { return body == .audience(.everyone) ? .allowed(DocumentFilter()) : .unauthenticated }
        if token.role == .admin { return .allowed(DocumentFilter()) }
        switch body {
        case .audience(.everyone), .audience(.users): return .allowed(DocumentFilter())
        case .audience(.applicationKey): return token.role == .application ? .allowed(DocumentFilter()) : .denied
        case .audience(.admins): return .denied
        case .conditions(let conditions):
            var filter = DocumentFilter()
            for condition in conditions {
                switch condition {
                case .same(let claim, let field):
                    // A query can't express alternatives, so a list with several elements does not match anything.
                    guard let values = token.claims[claim]?.texts, values.count == 1 else { return .denied }
                    filter.fields.append((field, values[0]))
                case .claim(let claim, let value):
                    guard token.claims[claim]?.contains(value) == true else { return .denied }
                case .field(let field, let value): filter.fields.append((field, value))
                }
            }
            return .allowed(filter)
        }
    }

    // MARK: Reading

    /// Reads a rule.
    init(_ text: String) throws(HookDefect) {
        let trimmed = text.drop { $0 == " " }
        if let audience = Audience.allCases.first(where: { $0.rawValue == text }) {
            self.init(text, .audience(audience))
            return
        }
        guard ["user.", "document.", "'"].contains(where: trimmed.hasPrefix) else {
            let names = Audience.allCases.map(\.rawValue).joined(separator: ", ")
            throw HookDefect(
                column: 1,
                message: "'\(text)' is not a rule; use one of \(names), or user.NAME == document.NAME"
            )
        }
        var scanner = ConditionScanner(text)
        var conditions = [try Self.condition(&scanner)]
        while !scanner.isAtEnd {
            guard scanner.take("&&") else { throw scanner.defect("'&&' is expected here") }
            conditions.append(try Self.condition(&scanner))
        }
        self.init(text, .conditions(conditions))
    }

    private enum Operand {
        case claim(String)
        case field(String)
        case literal(String)

        init(_ scanner: inout ConditionScanner) throws(HookDefect) {
            if let text = try scanner.quoted() {
                self = .literal(text)
            } else if scanner.take("user.") {
                self = .claim(try scanner.name())
            } else if scanner.take("document.") {
                self = .field(try scanner.name())
            } else {
                throw scanner.defect("user.NAME, document.NAME or 'TEXT' is expected here")
            }
        }
    }

    private static func condition(_ scanner: inout ConditionScanner) throws(HookDefect) -> Condition {
        let start = scanner.column
        let left = try Operand(&scanner)
        guard scanner.take("==") else { throw scanner.defect("'==' is expected here") }
        switch (left, try Operand(&scanner)) {
        case (.claim(let claim), .field(let field)), (.field(let field), .claim(let claim)):
            return .same(claim: claim, field: field)
        case (.claim(let claim), .literal(let value)), (.literal(let value), .claim(let claim)):
            return .claim(claim, is: value)
        case (.field(let field), .literal(let value)), (.literal(let value), .field(let field)):
            return .field(field, is: value)
        default:
            throw HookDefect(
                column: start,
                message: "a condition compares user.NAME, document.NAME or 'TEXT' with another of these"
            )
        }
    }
}

/// The fields that a document must have for a client to see or write it; empty for all documents.
struct DocumentFilter: Sendable, Hashable {
    var fields: [(field: String, value: String)] = []

    var isEmpty: Bool { fields.isEmpty }

    /// Returns whether a document has all of the fields; a document that is not JSON has no fields.
    func admits(_ json: Span<UInt8>) -> Bool {
        fields.allSatisfy { field, value in
            do throws(JSONError) {
                return try JSONStrings.field(field, of: json, equals: value)
            } catch {
                return false
            }
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        for (field, value) in fields {
            hasher.combine(field)
            hasher.combine(value)
        }
    }
}

/// The rules of one collection, and the form of its documents.
package struct CollectionRules: Sendable, Hashable {
    var rules: [AccessVerb: AccessRule] = [:]
    var keeping = DocumentKeeping()
    /// The claim whose value must begin every ID that a client may write if its rule depends on documents' contents;
    /// `nil` if the client may write any ID.
    var ownIDs: String?

    /// Returns the prefix of the IDs that a client may write; throws if the client's claim can't be used as one.
    func ownIDs(of token: AccessToken?) throws(ServiceProblem) -> String? {
        guard let ownIDs else { return nil }
        // If the claim of one tenant contained a colon, it could match the prefix of another tenant's IDs.
        guard let values = token?.claims[ownIDs]?.texts, values.count == 1, !values[0].utf8.contains(UInt8(ascii: ":"))
        else { throw .notAllowed }
        return values[0] + ":"
    }
    var hooks = DocumentHooks()

    /// The rule for a verb; without one, only administrators may perform the action.
    subscript(verb: AccessVerb) -> AccessRule { rules[verb] ?? .locked }
}

/// The access that a client has to a collection, for one request.
struct AccessGrant: Sendable {
    let collection: CollectionName
    /// The client's name for the audit log.
    let principal: String
    let filter: DocumentFilter
    var isAdmin = false
    /// The fields that a document must have for the client to read it; `nil` if the client may not read any document.
    var readable: DocumentFilter?
    /// The prefix of the IDs that the client may write; `nil` if it may write any ID.
    var ownIDs: String?
    /// The form of the collection's documents.
    var keeping = DocumentKeeping()
    /// The hooks of the collection; `nil` if it has none.
    var hooks: CollectionHooks?
    var limits = DistributorLimits()

    /// Whether the client may write a document with this ID.
    func owns(_ id: DocumentID) -> Bool { ownIDs.map { id.text.utf8.starts(with: $0.utf8) } ?? true }
}
