/// What one web.config says, element by element, each with its place.
public struct WebConfigFile: Sendable, Hashable {
    public var source: WebConfigSource

    /// All elements below `configuration`, in document order.
    public var elements: [ConfigElement]

    public init(source: WebConfigSource, elements: [ConfigElement]) {
        self.source = source
        self.elements = elements
    }

    /// The elements with a path such as `system.web/trace`, inside of `location` elements too.
    ///
    /// Section and element names are compared as they are written: .NET's configuration is case-sensitive.
    public func elements(at path: String) -> [ConfigElement] { elements.filter { $0.path == path } }
}

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

/// An element of a web.config.
public struct ConfigElement: Sendable, Hashable {
    /// Local names from below `configuration`, without `location`: `system.web/trace`.
    public var path: String
    /// The `path` of the `location` element it stands in; `nil` outside of one, empty for a location without path.
    public var location: String?
    public var attributes: [ConfigAttribute]
    /// Where its start tag begins: line and column, in characters, from 1.
    public var line: Int
    public var column: Int
    /// Where its start tag ends: the last character's place.
    public var lineEnd: Int
    public var columnEnd: Int

    public init(
        path: String,
        location: String? = nil,
        attributes: [ConfigAttribute] = [],
        line: Int,
        column: Int,
        lineEnd: Int,
        columnEnd: Int
    ) {
        self.path = path
        self.location = location
        self.attributes = attributes
        self.line = line
        self.column = column
        self.lineEnd = lineEnd
        self.columnEnd = columnEnd
    }

    /// The value of an attribute; `nil` when it is not there.
    public subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

/// An attribute of an element, and where its value stands.
public struct ConfigAttribute: Sendable, Hashable {
    public var name: String
    public var value: String
    public var line: Int
    public var column: Int

    public init(name: String, value: String, line: Int, column: Int) {
        self.name = name
        self.value = value
        self.line = line
        self.column = column
    }

    /// Whether the value is a key, a password or a connection string, which no report may show.
    public var isSecret: Bool {
        let name = name.lowercased()
        return name.contains("key") && name != "key" || name.contains("password") || name.contains("connectionstring")
            || name.contains("secret") || name.contains("token")
    }
}

/// Why a file was refused: it is never guessed at.
public struct WebConfigError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case cannotOpen, notFound, refused, malformed, tooLarge, notWebConfig, badLabel }
        private let wrapped: Wrapped

        /// It cannot be opened or read.
        public static let cannotOpen = Code(wrapped: .cannotOpen)
        /// There is no web.config in the folder.
        public static let notFound = Code(wrapped: .notFound)
        /// It has a DOCTYPE or an encoding that is not read.
        public static let refused = Code(wrapped: .refused)
        /// It is not well-formed.
        public static let malformed = Code(wrapped: .malformed)
        /// It is larger or deeper than a web.config may be.
        public static let tooLarge = Code(wrapped: .tooLarge)
        /// Its root element is not `configuration`.
        public static let notWebConfig = Code(wrapped: .notWebConfig)
        /// The label before the `=` is not SERVER or SERVER/ZONE.
        public static let badLabel = Code(wrapped: .badLabel)
    }

    public var code: Code
    public var source: WebConfigSource
    /// Where, as far as it is known, from 1.
    public var line: Int?
    /// What is wrong, without the file's name.
    public var message: String
    /// What to do next.
    public var advice: String?

    public init(code: Code, source: WebConfigSource, line: Int? = nil, message: String, advice: String? = nil) {
        self.code = code
        self.source = source
        self.line = line
        self.message = message
        self.advice = advice
    }
}

extension WebConfigError: CustomStringConvertible {
    public var description: String { "\(source.path)\(line.map { ":\($0)" } ?? ""): \(message)" }
}
