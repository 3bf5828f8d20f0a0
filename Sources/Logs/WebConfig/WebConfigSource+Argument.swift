import Spelling

extension WebConfigSource {
    /// The zones of a web application, as SharePoint calls them.
    public static let zones = ["Default", "Intranet", "Internet", "Custom", "Extranet"]

    /// Reads `[SERVER[/ZONE]=]PATH`.
    ///
    /// What is before the first `=` is a label only if it looks like one, and if no file has the whole for its name.
    public init(argument: String) throws(WebConfigError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, names.count <= 2, names.allSatisfy(Self.isName), FileKind(path: argument) == nil else {
            self.init(path: argument)
            return
        }
        let path = String(parts[1])
        self.init(path: path, server: String(names[0]))
        guard !path.isEmpty else {
            throw badLabel("no path is after '\(parts[0])='", "write '\(parts[0])=web.config'", argument)
        }
        if names.count == 2 { zone = try Self.zone(String(names[1]), in: argument) }
    }

    private static func zone(_ name: String, in argument: String) throws(WebConfigError) -> String {
        if let zone = zones.first(where: { $0.lowercased() == name.lowercased() }) { return zone }
        let list = zones.joined(separator: ", ")
        throw WebConfigSource(path: argument).badLabel(
            "'\(name)' is no zone",
            name.nearest(in: zones).map { "did you mean '\($0)'?" } ?? "the zones are \(list)",
            argument
        )
    }

    private func badLabel(_ message: String, _ advice: String, _ argument: String) -> WebConfigError {
        WebConfigError(
            code: .badLabel,
            source: WebConfigSource(path: argument),
            message: message,
            advice: advice
        )
    }

    /// Whether a text may be the name of a server or a zone: `.` and `..` in front of a `/` are no servers.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetterOrDigit(first) else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || "-_.".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
