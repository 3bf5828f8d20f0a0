import JSONText

/// `fastctl.context/1`: a target by name, with the origin of each setting; it never contains a secret.
package struct ContextObject: Sendable {
    /// A setting or a collection's name, with its origin.
    package struct Setting: Sendable {
        package var name: String
        package var value: String
        /// `option`, `environment`, `project-file`, `user-file` or `default`.
        package var origin: String
        /// The option, the variable, or the file and line; `nil` for a default.
        package var place: String?

        package init(name: String, value: String, origin: String, place: String?) {
            self.name = name
            self.value = value
            self.origin = origin
            self.place = place
        }
    }

    /// The name of the target; `nil` if it has none.
    private let name: String?
    private let isCurrent: Bool
    private let target: String
    private let collection: String?
    private let isProtected: Bool
    private let settings: [Setting]
    private let collections: [Setting]

    package init(
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
    package func append(to bytes: inout [UInt8]) {
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

    fileprivate static func append(_ setting: Setting, to array: inout JSONWriter) {
        array.object { object in
            object.member("name", setting.name)
            object.member("value", setting.value)
            object.member("origin", setting.origin)
            object.member("place", setting.place)
        }
    }
}

/// `fastctl.profile/1`: a farm profile and the origin of each of its settings.
package struct ProfileObject: Sendable {
    private let name: String
    private let origin: String
    private let place: String?
    private let settings: [ContextObject.Setting]

    package init(name: String, origin: String, place: String?, settings: [ContextObject.Setting]) {
        self.name = name
        self.origin = origin
        self.place = place
        self.settings = settings
    }

    /// Appends the object, without a line end.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.profile/1") { object in
            object.member("name", name)
            object.member("origin", origin)
            object.member("place", place)
            object.array("settings") { array in
                for setting in settings { ContextObject.append(setting, to: &array) }
            }
        }
    }
}
