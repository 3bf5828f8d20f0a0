public import ContentFeeding

/// The command behind a feed or a dry run, as its report names it.
///
/// It says more than what is done with documents: a plan adds and removes, an undo too.
public enum FeedCommand: String, Hashable, Sendable, CaseIterable {
    case add
    case update
    case remove
    case copy
    case apply
    case undo

    /// The command that does nothing but this.
    public init(_ kind: ContentOperation.Kind) {
        switch kind {
        case .add: self = .add
        case .update: self = .update
        case .remove: self = .remove
        }
    }
}
