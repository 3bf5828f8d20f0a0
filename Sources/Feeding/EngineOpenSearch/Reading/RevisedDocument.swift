import ContentFeeding

/// A document as the engine has it, and which state of it that is.
struct RevisedDocument: Hashable, Sendable {
    let json: [UInt8]
    let version: Int64?
    /// `nil` where the engine tells none; then it can't be changed on condition.
    let revision: Revision?
}
