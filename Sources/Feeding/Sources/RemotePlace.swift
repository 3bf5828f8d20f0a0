/// A URL of a source, split before its parameters, in which there is no secret.
struct RemotePlace {
    let text: String
    let query: String?

    init(_ text: String, of kind: String) throws(SourceError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let lowercased = parts[0].lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowercased.hasPrefix),
            case let rest = parts[0].dropFirst(scheme.count), let host = rest.split(separator: "/").first,
            !rest.hasPrefix("/"), !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
        else {
            throw SourceError(.invalidAddress, "an address of the kind '\(kind)' is written \(kind)+https://HOST/…")
        }
        guard !text.contains("#") else {
            throw SourceError(.invalidAddress, "a source's address has no part after '#'")
        }
        try Self.refuseUser(in: host)
        query = parts.count > 1 ? String(parts[1]) : nil
        for parameter in query?.split(separator: "&") ?? [] {
            let name = parameter.prefix { $0 != "=" }
            if Self.isSecret(PercentEncoding.decoded(name) ?? "sig") { throw Self.secretRefusal }
        }
        self.text = scheme + rest
    }

    /// Refuses credentials before a host.
    static func refuseUser(in rest: Substring) throws(SourceError) {
        guard rest.prefix(while: { $0 != "/" }).contains("@") else { return }
        throw secretRefusal
    }

    /// Whether a parameter of this name may be a secret: those of a shared access signature, and what is called so.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["sig", "se", "sv", "sp", "sr", "st", "ss", "srt", "spr", "skoid", "accountkey", "key", "code"].contains(
            name
        )
            || ["password", "secret", "token", "signature", "apikey", "api-key", "api_key"].contains(
                where: name.contains
            )
    }

    static var secretRefusal: SourceError {
        SourceError(
            .invalidAddress,
            "credentials do not belong into an address, which every user of the machine can read",
            advice: "put them into a file that only you can read: --source-credentials-file FILE"
        )
    }
}
