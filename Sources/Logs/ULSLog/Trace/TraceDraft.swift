/// A scope of a trace that is being put together.
struct TraceDraft {
    /// What stands in a scope, or in a thread outside of all scopes.
    enum Item {
        case event(Int)
        /// The number of a draft.
        case scope(Int)
    }

    /// As written; nil as long as no row says it.
    var name: String?
    var entering: Int?
    var leaving: Int?
    /// Microseconds.
    var duration: Int64?
    /// When it began, in microseconds, where that is known.
    var start: Int64?
    /// The first event in it.
    var first: Int
    /// The draft it stands in.
    var parent: Int?
    /// How many scopes it stands in.
    var level: Int
    /// How many scopes stand in each other in it.
    var height = 0
    /// In the order of their first events.
    var items: [Item] = []

    /// Whether it is a whole request or a job.
    var isRequest: Bool {
        guard let name else { return false }
        return RequestName.isRequest(name.utf8.span)
    }
}
