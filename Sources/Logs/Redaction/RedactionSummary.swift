/// What a redacted text names by a pseudonym; the pseudonym begins with it.
public enum NameClass: String, Sendable, Hashable, CaseIterable {
    case user, domain, host
    /// An IPv4 or IPv6 address.
    case ip
    case mac
    case sid
    /// A part of a path that the tenant named: a site, a library, a page.
    case path
}

/// What was masked in a report, and what was not looked for.
public struct RedactionSummary: Sendable, Hashable {
    /// Names of one class.
    public struct Count: Sendable, Hashable {
        public var nameClass: NameClass
        /// The number of different names.
        public var names: Int
    }

    /// False for a report that shows everything because that was asked for.
    public var isApplied: Bool
    /// Whether a key makes pseudonyms the same in every run; otherwise they count in order of appearance.
    public var isKeyed = false
    /// Values that were masked, each as often as it stands in the report.
    public var values = 0
    /// Classes with names that were masked, in the order of ``NameClass``.
    public var names: [Count] = []
    /// Passwords, tokens and keys that were removed, and values of queries, as often as they stood there.
    public var secrets = 0
    public var queryValues = 0
    /// Whether there were more names than the table holds: the others all have the pseudonym `user-?`, `host-?`, ….
    public var isFull = false

    public init(isApplied: Bool) { self.isApplied = isApplied }

    /// The summary of a report that is not redacted because that was asked for.
    public static let off = RedactionSummary(isApplied: false)

    /// What no redaction looks for.
    public static let notLookedFor = [
        "names that no account, address or field in this report gives away",
        "titles of documents, lists and sites in running text",
        "names of databases, custom code, folders and archives",
    ]
}
