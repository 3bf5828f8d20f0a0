/// A part of SharePoint, or of what it stands on, in which a failure may have happened.
public struct Component: Sendable, Hashable {
    /// A short name that stays the same: `secure-store`.
    public var id: String
    /// What people call it: "Secure Store service".
    public var name: String
    /// What it does.
    public var purpose: String
    /// What it can't work without: services, rights of accounts, databases, certificates, other servers.
    public var needs: [String]
    /// What to look at first; commands that change nothing.
    public var checks: [Check]
    /// What a refusal comes from here, where an account that lacks a right on a file or a site is not the usual reason.
    public var denied: String?
    /// What a missing file or assembly comes from here, where a solution that is not deployed is not the usual reason.
    public var absent: String?
    /// True for what half of all failures pass through, so that everything else tells more.
    public var isGeneric: Bool
}

/// A component, and what speaks for it: it is likely, or possible, not certain.
public struct FoundComponent: Sendable, Hashable {
    /// What speaks for a component, from the strongest to the weakest.
    public enum Evidence: Sendable, Hashable {
        /// A frame of the stack trace.
        case frame(String)
        /// The type of an exception.
        case exceptionType(String)
        /// Area and category of the row.
        case category(String)
        /// Words that only an activity of the component writes.
        case message(String)
        /// A word in the text.
        case text(String)
        /// The process that wrote the row, which runs the code of many components.
        case process(String)
    }

    public var component: Component
    public var evidence: Evidence

    /// The word of the text that speaks for it, if nothing else does: what a text mentions need not be what failed.
    public var mention: String? { if case .text(let word) = evidence { word } else { nil } }
}
