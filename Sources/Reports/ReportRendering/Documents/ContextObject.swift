import JSONText

/// `fastctl.context/1`: a target by its name, and where each setting comes from; never a secret.
public struct ContextObject: Sendable {
    /// A setting, or a collection's name, and who gave it.
    public struct Setting: Sendable {
        public var name: String
        public var value: String
        /// `option`, `environment`, `project-file`, `user-file` or `default`.
        public var origin: String
        /// The option, the variable, or file and line; `nil` for a default.
        public var place: String?

        public init(name: String, value: String, origin: String, place: String?) {
            self.name = name
            self.value = value
            self.origin = origin
            self.place = place
        }
    }

    /// `nil` for a target without a name.
    private let name: String?
    private let isCurrent: Bool
    private let target: String
    private let collection: String?
    private let isProtected: Bool
    private let settings: [Setting]
    private let collections: [Setting]

    public init(
        name: String?,
        isCurrent: Bool,
        target: String,
        collection: String?,
        isProtected: Bool,
        settings: [Setting],
        collections: [Setting]
    ) {
        self.name = name
        self.isCurrent = isCurrent
        self.target = target
        self.collection = collection
        self.isProtected = isProtected
        self.settings = settings
        self.collections = collections
    }

    /// Appends the object, without a line end.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.context/1") { object in
            object.member("name", name)
            object.member("current", isCurrent)
            object.member("target", target)
            object.member("collection", collection)
            object.member("protected", isProtected)
            object.array("settings") { array in for setting in settings { Self.append(setting, to: &array) } }
            object.array("collections") { array in for mapping in collections { Self.append(mapping, to: &array) } }
        }
    }

    private static func append(_ setting: Setting, to array: inout JSONWriter) {
        array.object { object in
            object.member("name", setting.name)
            object.member("value", setting.value)
            object.member("origin", setting.origin)
            object.member("place", setting.place)
        }
    }
}
