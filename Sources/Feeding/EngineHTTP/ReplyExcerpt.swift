import ContentFeeding

/// An excerpt, for messages, of a reply that is not the engine's own.
///
/// Here the text is only cut to one short line; the code that prints it makes it safe.
enum ReplyExcerpt {
    /// The longest excerpt, in characters.
    private static let longest = 120
    fileprivate static let longestError = 500
    /// Bytes to examine at the start of a body.
    private static let lookedAt = 16 << 10

    static func description(of reply: EngineReply) -> String {
        let start = reply.cleaned(String(start(of: reply)))[...]
        guard !start.isEmpty else { return "an empty reply" }
        if isPage(reply) {
            if let title = title(of: start) { return "a web page with the title '\(short(title))'" }
            return "a web page: '\(short(withoutTags(start)))'"
        }
        return "a reply that is not in the engine's format: '\(short(String(start)))'"
    }

    /// Whether a reply is made for a browser.
    static func isPage(_ reply: EngineReply) -> Bool {
        let start = start(of: reply)
        return reply.mediaType.contains("html") || start.hasPrefix("<!") || start.prefix(5).lowercased() == "<html"
    }

    private static func start(of reply: EngineReply) -> Substring {
        let text = String(decoding: reply.body.prefix(lookedAt), as: UTF8.self)
        return text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    }

    /// Shortens text to one line of at most `limit` characters and an ellipsis, without control characters.
    static func short(_ text: String, to limit: Int = longest) -> String {
        // One character beyond the limit shows that there is more.
        let words = text.unicodeScalars.lazy
            .map { $0.properties.isWhitespace || $0.properties.generalCategory == .control ? " " : Character($0) }
        var line = ""
        var count = 0
        for character in words where !(character == " " && (line.isEmpty || line.last == " ")) {
            guard count < limit else { return line + "…" }
            line.append(character)
            count += 1
        }
        return line.last == " " ? String(line.dropLast()) : line
    }

    private static func title(of page: Substring) -> String? {
        let lowered = Array(page.utf8).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        guard let begin = lowered.firstRange(of: Array("<title".utf8)),
            let open = lowered[begin.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let end = lowered[open...].firstRange(of: Array("</title".utf8))
        else { return nil }
        let title = String(decoding: Array(page.utf8)[(open + 1)..<end.lowerBound], as: UTF8.self)
        return title.allSatisfy(\.isWhitespace) ? nil : title
    }

    private static func withoutTags(_ page: Substring) -> String {
        var isTag = false
        var text = ""
        for character in page {
            if character == "<" { isTag = true }
            if !isTag { text.append(character) }
            if character == ">" {
                isTag = false
                text.append(" ")
            }
        }
        return text
    }
}

/// Sentences about an unsuccessful reply: what happened, and where.
struct ReplySentences {
    let reply: EngineReply
    /// The engine's own words, or else a description of the reply.
    let said: String

    init(_ reply: EngineReply, _ error: ErrorReply?) {
        self.reply = reply
        if let error {
            let type = error.type.isEmpty || error.type == "error" ? "" : error.type + ": "
            said = ReplyExcerpt.short(reply.cleaned(type + error.reason), to: ReplyExcerpt.longestError)
        } else {
            said = ReplyExcerpt.description(of: reply)
        }
    }

    var answer: String { "\(reply.node) answered \(reply.status): \(said)" }

    var busy: String { "\(reply.node) is busy (\(reply.status)): \(said)" }

    /// A sentence on a refused signature and a clock that may explain it.
    var wrongClock: String {
        let lead = reply.clockLead?.components.seconds ?? 0
        let difference = "\(lead.magnitude / 60) min \(lead.magnitude % 60) s"
        return "\(reply.node) refused a signed request (\(reply.status)), and this machine's clock is \(difference) "
            + "\(lead < 0 ? "behind" : "ahead of") the server's: \(said)"
    }

    var unauthenticated: String {
        guard let source = reply.credentials else { return "\(reply.node) requires credentials (401): \(said)" }
        return "\(reply.node) refused the credentials from \(source) (401): \(said)"
    }

    var forbidden: String {
        guard let source = reply.credentials else {
            return "\(reply.node) does not allow this without credentials (\(reply.status)): \(said)"
        }
        return "the credentials from \(source) don't allow this at \(reply.node) (\(reply.status)): \(said)"
    }

    /// A sentence on where the redirect points; it says so if another server was sent nothing.
    var redirect: String {
        guard let location = reply.location else {
            return "\(reply.node) redirects (\(reply.status)) without saying where"
        }
        let isElsewhere = RedirectTarget.isElsewhere(location, than: reply.node)
        let place = isElsewhere ? "to another server, which was sent nothing" : "to another path"
        let shown = ReplyExcerpt.short(reply.cleaned(RedirectTarget.withoutQuery(location)))
        return "\(reply.node) redirects (\(reply.status)) \(place): \(shown)"
    }
}

/// The target of a redirect.
private enum RedirectTarget {
    /// Returns a `Location` fit to show: the part after the path can hold a token.
    static func withoutQuery(_ location: String) -> String {
        String(location.prefix { $0 != "?" && $0 != "#" })
    }

    /// Whether a `Location` names a server other than this node, or this node in another way.
    static func isElsewhere(_ location: String, than node: NodeAddress) -> Bool {
        let lowered = location.lowercased()
        // A reference with neither a scheme nor two slashes stays on the server.
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

extension EngineReply {
    /// Whether a signature may have been refused for its time: Amazon's services allow five minutes.
    var hasWrongClock: Bool { clockLead.map { $0 <= .seconds(-240) || $0 >= .seconds(240) } ?? false }
}
