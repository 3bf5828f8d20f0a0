/// Another version of a product than the one that runs, as far as the two answer the same requests differently.
///
/// A ``FaultProxy`` wears it before a real engine: `FaultPlan.always(.disguise(.elasticsearch(9, 2)))`. Requests are put into
/// the engine's words, and its replies into those of the version that it plays; what that version would refuse is refused.
/// Each difference names its source. What is in no difference is believed to be the same, which only that version itself
/// can prove.
///
/// Replies are changed as text, not written anew: the bytes of a document have to stay as they are.
public struct Disguise: Sendable {
    /// The product and its version.
    public let name: String
    /// Puts a request into the engine's words; returns what the version answers to one that it does not know.
    let translate: @Sendable (_ request: inout ProxiedRequest, _ engine: UInt16) -> ProxiedReply?
    /// Puts the reply to a request into the version's words.
    let dress: @Sendable (_ reply: inout ProxiedReply, _ request: ProxiedRequest) -> Void
}

extension ProxiedRequest {
    /// The path without the query.
    var path: Substring { target.prefix { $0 != "?" } }

    /// The value of a parameter, as it was sent.
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
