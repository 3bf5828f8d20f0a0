/// Which file it is, and whose: a farm has one for each server and zone.
public struct WebConfigSource: Sendable, Hashable {
    public var path: String
    /// The server it was taken from, where that was said.
    public var server: String?
    /// `Default`, `Intranet`, `Internet`, `Custom` or `Extranet`, where that was said.
    public var zone: String?

    public init(path: String, server: String? = nil, zone: String? = nil) {
        self.path = path
        self.server = server
        self.zone = zone
    }
}
