import EngineHTTP
import JSONText

extension EngineComplaint {
    /// The longest words of Solr's that are passed on, in characters; some errors quote a whole document.
    static let maximumReasonLength = 500

    /// What Solr says in a reply that is no success; `nil` for a body that is not Solr's, as a proxy's page.
    init?(solr reply: EngineReply) {
        self.init(status: reply.status, body: reply.body)
    }

    init?(status: Int, body: [UInt8]) {
        guard let answer = try? JSONValue(body), answer["responseHeader"] != .null else { return nil }
        let error = answer["error"]
        guard error != .null else { return nil }
        let reason = error["msg"].text ?? error["trace"].text ?? "no reason given"
        let type = Self.rootClass(error["metadata"].elements) ?? "error"
        self.init(Kind(status: status), type: type, reason: Self.short(reason))
    }

    /// The last class that `metadata`, a list of names and values in turn, gives as the root, without its package.
    private static func rootClass(_ metadata: [JSONValue]) -> String? {
        guard let key = metadata.dropLast().lastIndex(where: { $0.text == "root-error-class" }) else { return nil }
        return metadata[key + 1].text?.split(separator: ".").last.map { String($0) }
    }

    /// A node that passes on what another said wraps it; only the other's words help.
    private static func short(_ reason: String) -> String {
        let own = reason.range(of: "Remote error message: ").map { reason[$0.upperBound...] } ?? reason[...]
        let line = own.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard line.count > maximumReasonLength else { return line }
        return line.prefix(maximumReasonLength) + "…"
    }
}

extension String {
    /// Where `other` occurs first, compared by bytes.
    fileprivate func range(of other: String) -> Range<Index>? {
        utf8.firstRange(of: other.utf8)
    }
}
