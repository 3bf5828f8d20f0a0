public import ULSLog
public import WebConfig

/// An event that a finding rests on.
public struct Evidence: Sendable, Hashable {
    /// What it is to the finding.
    public enum Role: String, Sendable {
        case match
        /// The first row at Monitorable or worse of the same request: where reading begins.
        case lead
    }

    public var role: Role
    public var place: ULSEvent.Place
    public var time: LogTime
    public var server: String?
    public var eventID: String
    public var level: String
    public var category: String
    /// In lower case; `nil` when the row has none.
    public var correlation: String?
    /// The message, or its beginning.
    public var text: String
    public var isTruncated: Bool

    /// The most bytes of a message that evidence keeps.
    public static let maximumText = 600

    public init(
        role: Role = .match,
        place: ULSEvent.Place,
        time: LogTime,
        server: String? = nil,
        eventID: String,
        level: String,
        category: String = "",
        correlation: String? = nil,
        text: String,
        isTruncated: Bool = false
    ) {
        self.role = role
        self.place = place
        self.time = time
        self.server = server
        self.eventID = eventID
        self.level = level
        self.category = category
        self.correlation = correlation
        self.text = text
        self.isTruncated = isTruncated
    }
}

/// An element of a web.config that a finding rests on.
public struct ConfigEvidence: Sendable, Hashable {
    public var source: WebConfigSource
    /// `nil` where a file has no such element and the default speaks.
    public var element: ConfigElement?
    /// The path of the element, also of one that is not there.
    public var path: String
    /// The attributes that were looked at and are written; values of secrets are left out by the element.
    public var attributes: [ConfigAttribute]

    public init(source: WebConfigSource, element: ConfigElement?, path: String, attributes: [ConfigAttribute]) {
        self.source = source
        self.element = element
        self.path = path
        self.attributes = attributes
    }

    /// File and line, as `wfe01/web.config:87`.
    public var at: String { element.map { "\(source.path):\($0.line)" } ?? source.path }
}
