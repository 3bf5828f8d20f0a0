/// What an engine itself says in the body of a reply that is no success.
///
/// An engine makes one only of a body that it recognises as its own: a proxy's page is no word of the engine.
public struct EngineComplaint: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Too much at a time: later.
        case throttled
        /// Nobody can write until someone has acted: a full disk, a block on the collection.
        case blocked
        case missingCollection
        /// The request is larger than the engine takes.
        case tooLarge
        /// Something in the request can't be read, and the rest of it suffers for that.
        case malformed
        case conflict
        case forbidden
        case other

        /// What a status alone says, where the engine's own name for the failure is not known.
        public init(status: Int) {
            self =
                switch status {
                case 400: .malformed
                case 401, 403: .forbidden
                case 409: .conflict
                case 413: .tooLarge
                case 429: .throttled
                default: .other
                }
        }
    }

    public let kind: Kind
    /// The engine's own name for it, as `index_not_found_exception`.
    public let type: String
    /// The engine's own words.
    public let reason: String

    public init(_ kind: Kind, type: String, reason: String) {
        self.kind = kind
        self.type = type
        self.reason = reason
    }
}
