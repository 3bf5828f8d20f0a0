import Foundation

extension ProxiedReply {
    /// What a reverse proxy says in the server's place.
    public static func page(_ status: Int = 502, title: String = "502 Bad Gateway") -> ProxiedReply {
        let body = "<html>\r\n<head><title>\(title)</title></head>\r\n<body><h1>\(title)</h1></body>\r\n</html>\r\n"
        return ProxiedReply(status, title, headers: [ProxiedHeader("Content-Type", "text/html")], body: body)
    }

    public static func redirect(to location: String, status: Int = 307) -> ProxiedReply {
        ProxiedReply(status, "Redirect", headers: [ProxiedHeader("Location", location)])
    }

    /// Too much at a time: with or without the seconds to wait.
    public static func throttled(_ status: Int = 429, retryAfter: Int? = nil) -> ProxiedReply {
        let headers = retryAfter.map { [ProxiedHeader("Retry-After", "\($0)")] } ?? []
        return ProxiedReply(status, "Too Many Requests", headers: headers)
    }

    public static func json(_ status: Int, _ text: String) -> ProxiedReply {
        ProxiedReply(status, headers: [ProxiedHeader("Content-Type", "application/json")], body: text)
    }
}

/// A change to a server's reply, with a name for records.
public struct ReplyEdit: Sendable {
    public let name: String
    let apply: @Sendable (inout ProxiedReply) -> Void

    public init(_ name: String, _ apply: @escaping @Sendable (inout ProxiedReply) -> Void) {
        (self.name, self.apply) = (name, apply)
    }

    /// Changes a body that is a JSON object; another stays as it is.
    public static func json(
        _ name: String,
        _ apply: @escaping @Sendable (inout [String: Any]) -> Void
    ) -> ReplyEdit {
        ReplyEdit(name) { reply in
            guard let read = try? JSONSerialization.jsonObject(with: Data(reply.body)),
                var object = read as? [String: Any]
            else { return }
            apply(&object)
            guard let written = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else {
                return
            }
            reply.body = Array(written)
        }
    }

    /// Loses the last of the results, which are a list in the object's member `key`.
    public static func droppingLast(of key: String = "items") -> ReplyEdit {
        list("one result lost", key) { _ = $0.popLast() }
    }

    /// Repeats the last of the results.
    public static func repeatingLast(of key: String = "items") -> ReplyEdit {
        list("one result twice", key) { if let last = $0.last { $0.append(last) } }
    }

    /// Exchanges the first result and the last.
    public static func swappingEnds(of key: String = "items") -> ReplyEdit {
        list("results swapped", key) { if $0.count > 1 { $0.swapAt(0, $0.count - 1) } }
    }

    private static func list(
        _ name: String,
        _ key: String,
        _ apply: @escaping @Sendable (inout [Any]) -> Void
    ) -> ReplyEdit {
        json(name) { object in
            guard var list = object[key] as? [Any] else { return }
            apply(&list)
            object[key] = list
        }
    }
}
