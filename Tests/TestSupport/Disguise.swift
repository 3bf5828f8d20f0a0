/// A different version of a product than the running one, to the extent that the two respond differently to the same
/// requests.
///
/// A disguise is used by a ``FaultProxy`` in front of a real engine: `FaultPlan.always(.disguise(.elasticsearch(9,
/// 2)))`. Requests are translated for the engine, and its replies into the replies of the imitated version; requests
/// that this version would refuse are refused. Each difference names its source. Everything else is assumed to be the
/// same, which only that version itself could confirm.
///
/// Replies are edited as text, not re-encoded: the bytes of a document must stay unchanged.
public struct Disguise: Sendable {
    /// The product and its version.
    public let name: String
    /// Translates a request for the engine; returns the version's reply to a request that it does not support.
    let translate: @Sendable (_ request: inout ProxiedRequest, _ engine: UInt16) -> ProxiedReply?
    /// Translates the reply to a request into the reply of the imitated version.
    let dress: @Sendable (_ reply: inout ProxiedReply, _ request: ProxiedRequest) -> Void
}

extension ProxiedRequest {
    /// The path without the query.
    var path: Substring { target.prefix { $0 != "?" } }

    /// Returns the value of a parameter, as sent.
    func parameter(_ name: String) -> Substring? {
        target.drop { $0 != "?" }.dropFirst().split(separator: "&").first { $0.hasPrefix(name + "=") }?
            .dropFirst(name.count + 1)
    }

    mutating func remove(parameter name: String) {
        let rest = target.drop { $0 != "?" }.dropFirst().split(separator: "&").filter { !$0.hasPrefix(name + "=") }
        target = path + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
    }

    var text: String {
        get { String(decoding: body, as: UTF8.self) }
        set { body = Array(newValue.utf8) }
    }
}

extension ProxiedReply {
    var text: String {
        get { String(decoding: body, as: UTF8.self) }
        set { body = Array(newValue.utf8) }
    }
}
