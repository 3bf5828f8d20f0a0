import ContentFeeding
import Digests
import HTTPClient

/// A part of an account of Azure Storage, which requests are signed for.
package struct AzureStorage: Hashable, Sendable {
    package enum Service: Hashable, Sendable { case table, blob }

    package let service: Service
    /// The account's name, as the address tells it.
    package let account: String

    package init(_ service: Service, account: String) { (self.service, self.account) = (service, account) }
}

/// A signer of requests by Azure's "Shared Key".
struct SharedKeySigner {
    let storage: AzureStorage
    let key: [UInt8]

    /// Adds the headers of a signature to a request that is complete otherwise.
    func sign(_ request: inout HTTPRequest, at time: WallTime) {
        request.headers.append(HTTPHeader("x-ms-date", time.httpDate))
        var function = HMACSHA256(key: key)
        let signature = Base64.text(function.digest(of: text(of: request).utf8).bytes)
        request.headers.append(HTTPHeader("Authorization", "SharedKey \(storage.account):\(signature)"))
    }

    /// Returns what is signed of a request.
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
        // The time is that of `x-ms-date`.
        let values = standard.map { $0.isEmpty ? length : $0 == "date" ? "" : headers[$0] }
        let own = headers.own.map { "\($0.name):\($0.value)" }
        let query = parameters(of: request).sorted { $0.name < $1.name }.map { "\($0.name):\($0.value)" }
        return ([request.method.rawValue] + values + own + [resource(of: request)] + query).joined(separator: "\n")
    }

    /// Returns the path with the account's name before it, which the emulator's paths begin with already.
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
