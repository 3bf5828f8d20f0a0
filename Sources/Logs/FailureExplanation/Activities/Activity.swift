/// Something SharePoint does, such as creating the columns of a feature, and what that usually fails of.
public struct Activity: Sendable, Hashable {
    /// A short name that stays the same: `provision-fields`.
    public var id: String
    /// What is done, in a few words: "creating the site columns and content types of a feature".
    public var name: String
    /// The ID of the component that does it; `nil` if several do.
    public var component: String?
    /// What it usually fails of, the most frequent first.
    public var causes: [String]
    /// What to look at first; nothing changes.
    public var checks: [Check]
    /// True for what many others are done within, such as the run of a timer job, so that everything else tells more.
    public var isGeneric: Bool
}

/// An activity that a failure happened in, and what gives it away.
public struct FoundActivity: Sendable, Hashable {
    public enum Evidence: Sendable, Hashable {
        /// A frame of the stack trace: certain.
        case frame(StackFrame)
        /// Words that only this activity writes: likely.
        case text(String)
    }

    /// The activity, with only those causes that go with the codes and exceptions of this failure.
    public var activity: Activity
    public var evidence: Evidence
    /// What it was done within, further out in the stack trace; `nil` if nothing else is known there.
    public var outer: Activity?
    /// True if a cause was written for a code or an exception of this failure.
    public var isSpecific: Bool
}
