import ContentFeeding

/// The sentences about a reply that is no success: what happened, then where.
struct ReplyWords {
    let reply: EngineReply
    /// The engine's own words, else what the reply looks like.
    let said: String

    init(_ reply: EngineReply, _ complaint: EngineComplaint?) {
        self.reply = reply
        if let complaint {
            let type = complaint.type.isEmpty || complaint.type == "error" ? "" : complaint.type + ": "
            said = ReplyExcerpt.short(type + complaint.reason, to: ReplyExcerpt.longestComplaint)
        } else {
            said = ReplyExcerpt.description(of: reply)
        }
    }

    var answer: String { "\(reply.node) answered \(reply.status): \(said)" }

    var busy: String { "\(reply.node) is busy (\(reply.status)): \(said)" }

    var unauthenticated: String {
        guard let source = reply.credentials else { return "\(reply.node) wants credentials (401): \(said)" }
        return "the credentials of \(source) are refused by \(reply.node) (401): \(said)"
    }

    var forbidden: String {
        guard let source = reply.credentials else {
            return "\(reply.node) does not allow this without credentials (\(reply.status)): \(said)"
        }
        return "the credentials of \(source) don't allow this at \(reply.node) (\(reply.status)): \(said)"
    }

    /// Where it points to, and that nothing went there.
    var redirect: String {
        guard let location = reply.location else {
            return "\(reply.node) redirects (\(reply.status)), and says not where to"
        }
        let isElsewhere = RedirectTarget.isElsewhere(location, than: reply.node)
        let place = isElsewhere ? "to another server, which was sent nothing" : "to another path"
        let shown = ReplyExcerpt.short(RedirectTarget.withoutQuery(location))
        return "\(reply.node) redirects (\(reply.status)) \(place): \(shown)"
    }
}

/// Where a redirect points to.
enum RedirectTarget {
    /// A `Location` as it may be shown: what follows the path can hold a token.
    static func withoutQuery(_ location: String) -> String {
        String(location.prefix { $0 != "?" && $0 != "#" })
    }

    /// Whether a `Location` names another server than this node, or the same one in another way.
    static func isElsewhere(_ location: String, than node: NodeAddress) -> Bool {
        let lowered = location.lowercased()
        // A reference without a scheme and without two slashes stays on the server.
        guard lowered.hasPrefix("//") || lowered.contains("://") else { return false }
        let name = "\(node.scheme.rawValue)://\(node.host.lowercased())"
        let standardPort = node.scheme == .http ? 80 : 443
        let own = ["\(name):\(node.port)"] + (node.port == standardPort ? [name] : [])
        return !own.contains { own in
            let rest = lowered.dropFirst(own.count)
            return lowered.hasPrefix(own) && (rest.isEmpty || "/?#".contains(rest.prefix(1)))
        }
    }
}
