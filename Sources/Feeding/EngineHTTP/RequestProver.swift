package import ContentFeeding
import Digests
package import HTTPClient
import TextKit

/// The authentication of requests to a server that is not an engine.
package struct RequestProver: Sendable {
    /// The version of the credentials in a request, so they are renewed only once when several requests with the same
    /// credentials are refused.
    package struct Version: Sendable {
        fileprivate let loaded: CredentialKeeper.Version?
    }

    private let keeper: CredentialKeeper?
    private let storage: AzureStorage?

    /// Reads the credentials of a connection; `storage` is the Azure Storage account that receives the requests, if
    /// any.
    package init(_ options: ConnectionOptions, for storage: AzureStorage? = nil) async throws(EngineError) {
        self.storage = storage
        do throws(EngineError) { keeper = try await options.loadedKeeper() } catch {
            guard storage != nil, let advice = error.advice, advice.hasSuffix(CredentialText.forms) else { throw error }
            let own = advice.dropLast(CredentialText.forms.count) + AzureCredentials.forms
            throw EngineError(error.code, error.message, advice: String(own), cause: error)
        }
        guard let keeper else { return }
        let proof = await keeper.current.proof
        switch (proof, storage) {
        case (.azure, .some), (.sent, nil): break
        case (_, .some):
            throw EngineError(
                .permission,
                "the credentials from \(keeper.source) are not for Azure Storage",
                advice: "expected \(AzureCredentials.forms)"
            )
        case (_, nil):
            throw EngineError(
                .permission,
                "the credentials from \(keeper.source) can't be used for this server",
                advice: "expected \(CredentialText.forms)"
            )
        }
    }

    /// The source of the credentials; `nil` if the connection has none.
    package var source: CredentialSource? { keeper?.source }

    /// Adds authentication to a request that is otherwise complete.
    package func prove(_ request: inout HTTPRequest, at time: WallTime) async -> Version {
        guard let keeper else { return Version(loaded: nil) }
        let version = await keeper.inUse()
        switch version.proof {
        case .sent(let credentials): request.credentials = credentials
        case .azure(let credentials): prove(credentials, in: &request, at: time)
        case .aws: break
        }
        return Version(loaded: version)
    }

    private func prove(_ credentials: AzureCredentials, in request: inout HTTPRequest, at time: WallTime) {
        guard let storage else { return }
        switch credentials.secret {
        case .key(let key):
            let signed = AzureStorage(storage.service, account: credentials.account ?? storage.account)
            SharedKeySigner(storage: signed, key: key).sign(&request, at: time)
        case .signature(let query):
            request.url += (request.url.contains("?") ? "&" : "?") + query
        }
    }

    /// Returns whether the source has credentials other than the refused ones.
    package func renews(_ refused: Version) async -> Bool {
        guard let keeper, let loaded = refused.loaded else { return false }
        return await keeper.renewed(after: loaded) != nil
    }

    /// Returns the declared expiry of a signature that was sent.
    package func end(of version: Version) -> String? {
        if case .azure(let credentials)? = version.loaded?.proof { credentials.end } else { nil }
    }
}

/// The part of an Azure Storage account that signed requests are for.
package struct AzureStorage: Hashable, Sendable {
    package enum Service: Hashable, Sendable { case table, blob }

    package let service: Service
    /// The account's name, from the address.
    package let account: String

    package init(_ service: Service, account: String) { (self.service, self.account) = (service, account) }
}

/// Signs requests with Azure's "Shared Key".
struct SharedKeySigner {
    let storage: AzureStorage
    let key: [UInt8]

    /// Adds the headers of a signature to a request that is otherwise complete.
    func sign(_ request: inout HTTPRequest, at time: WallTime) {
        request.headers.append(HTTPHeader("x-ms-date", time.httpDate))
        var function = HMACSHA256(key: key)
        let signature = Base64.text(function.digest(of: text(of: request).utf8).bytes)
        request.headers.append(HTTPHeader("Authorization", "SharedKey \(storage.account):\(signature)"))
    }

    /// Returns the text to be signed for a request.
    func text(of request: HTTPRequest) -> String {
        switch storage.service {
        case .table: tableText(of: request)
        case .blob: blobText(of: request)
        }
    }

    private func tableText(of request: HTTPRequest) -> String {
        let headers = Headers(request)
        let comp = parameters(of: request).first { $0.name == "comp" }.map { "?comp=\($0.value)" }
        return [
            request.method.rawValue, headers["content-md5"], headers["content-type"], headers["x-ms-date"],
            resource(of: request) + (comp ?? ""),
        ]
        .joined(separator: "\n")
    }

    private func blobText(of request: HTTPRequest) -> String {
        let headers = Headers(request)
        let length = request.body.map { $0.isEmpty ? "" : "\($0.count)" } ?? ""
        let standard = [
            "content-encoding", "content-language", "", "content-md5", "content-type", "date", "if-modified-since",
            "if-match", "if-none-match", "if-unmodified-since", "range",
        ]
        // The time is already in `x-ms-date`.
        let values = standard.map { $0.isEmpty ? length : $0 == "date" ? "" : headers[$0] }
        let own = headers.own.map { "\($0.name):\($0.value)" }
        let query = parameters(of: request).sorted { $0.name < $1.name }.map { "\($0.name):\($0.value)" }
        return ([request.method.rawValue] + values + own + [resource(of: request)] + query).joined(separator: "\n")
    }

    /// Returns the path with the account's name prepended, even though the emulator's paths already begin with it.
    private func resource(of request: HTTPRequest) -> String {
        let start = request.url.firstRange(of: "://").map { request.url[$0.upperBound...] } ?? request.url[...]
        let path = start.drop { $0 != "/" }.prefix { $0 != "?" }
        return "/\(storage.account)\(path)"
    }

    private func parameters(of request: HTTPRequest) -> [(name: String, value: String)] {
        let query = request.url.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            return (Self.unescaped(name).lowercased(), Self.unescaped(part.dropFirst(name.count + 1)))
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A request's headers by their names in lower case.
    private struct Headers {
        private let values: [String: String]

        init(_ request: HTTPRequest) {
            values = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        }

        subscript(name: String) -> String { values[name] ?? "" }

        /// Azure's own headers, in the order of their names.
        var own: [(name: String, value: String)] {
            values.filter { $0.key.hasPrefix("x-ms-") }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
}

/// Credentials for an Azure Storage account.
package struct AzureCredentials: Hashable, Sendable {
    enum Secret: Hashable {
        /// The account's key, which is used to sign requests and is never sent.
        case key([UInt8])
        /// A shared access signature: parameters that are sent with each request.
        case signature(String)
    }

    /// The account's name; `nil` if the credentials don't name it, and the address's is used.
    let account: String?
    let secret: Secret

    /// The form of the credentials, as named in advice.
    package static let forms = "a connection string, AccountKey=KEY or a SAS such as sv=…&sig=…"

    /// The environment variables of Azure's own tools; the first one that is set is used.
    package static let variables = [
        "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN",
    ]

    /// Returns the value of a variable in a form that this type parses: one of the variables holds a bare key.
    static func text(_ value: [UInt8], ofVariable variable: String) -> [UInt8] {
        variable == "AZURE_STORAGE_KEY" ? Array("AccountKey=".utf8) + value : value
    }

    /// Parses a connection string, a part of it, or the parameters of a signature.
    ///
    /// Returns `nil` if the line is none of these; throws if the line is one of these, but unusable.
    init?(_ line: Substring) throws(Problem) {
        var fields: [String: Substring] = [:]
        for part in line.split(separator: ";") {
            guard let sign = part.firstIndex(of: "=") else { continue }
            fields[part[..<sign].lowercased().filter { $0 != " " }] = part[part.index(after: sign)...]
        }
        account = fields["accountname"].map(String.init)
        if let text = fields["accountkey"] {
            guard let key = Base64.bytes(text), (1...256).contains(key.count) else {
                throw Problem(words: "contain an account key that is not base64")
            }
            secret = .key(key)
        } else if let text = fields["sharedaccesssignature"] ?? (Self.isSignature(line) ? line : nil) {
            let text = text.first == "?" ? text.dropFirst() : text
            guard Self.isSignature(text) else { throw Problem(words: "contain a SAS without sv or sig") }
            secret = .signature(String(text))
        } else {
            return nil
        }
        guard account.map(Self.isAccount) ?? true else {
            throw Problem(words: "contain an account name that is not valid")
        }
    }

    /// The defect of the credentials, as text that can follow their source.
    struct Problem: Error { let words: String }

    private static func isSignature(_ text: Substring) -> Bool {
        let text = text.first == "?" ? text.dropFirst() : text
        // A `#` would turn everything after it into a fragment, which is not sent.
        guard text.utf8.count <= 4_096, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 }) else {
            return false
        }
        let names = text.split(separator: "&").map { $0.prefix { $0 != "=" } }
        return names.contains("sv") && names.contains("sig")
            && names.allSatisfy { $0.utf8.count <= 6 && $0.utf8.allSatisfy(\.isLowercase) }
    }

    private static func isAccount(_ text: String) -> Bool {
        (3...24).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLowercase || $0.isDigit }
    }

    /// The declared expiry of a signature.
    var end: String? {
        guard case .signature(let query) = secret else { return nil }
        guard let part = query.split(separator: "&").first(where: { $0.hasPrefix("se=") }) else { return nil }
        return String(part.dropFirst(3)).replacing("%3A", with: ":").replacing("%3a", with: ":")
    }
}

/// Hides the secret in every printed form.
extension AzureCredentials: CustomStringConvertible, CustomReflectable {
    package var description: String { "(credentials)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
