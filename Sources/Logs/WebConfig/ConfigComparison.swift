/// The known settings of several files side by side, and where they differ.
public struct ConfigComparison: Sendable, Hashable {
    /// Files whose settings have the same values, in the order in which they were given.
    public struct Group: Sendable, Hashable {
        /// The files that are the same in all settings.
        public fileprivate(set) var files: [WebConfigFile]
    }

    /// One setting in one place: outside `location`, or in the one of a path.
    public struct Row: Sendable, Hashable {
        /// The setting.
        public let setting: ConfigSetting
        /// The path of the `location` element; `nil` outside of one.
        public let location: String?
        /// What the files of each group have; `nil` where they don't have the location.
        public let values: [ConfigSettingValue?]

        /// Whether the values are known and not the same.
        public var differs: Bool {
            let known = Set(values.filter { $0?.isTold ?? true }.map { $0?.comparable })
            return known.count > 1
        }
    }

    /// Files with the same settings, together.
    public let groups: [Group]
    /// The settings that differ.
    public let rows: [Row]

    /// Compares files with each other.
    public init(_ files: [WebConfigFile]) {
        var groups: [Group] = []
        var places: [[Key: String?]: Int] = [:]
        for file in files {
            let values = file.valuesByKey.mapValues { Optional($0.comparable) }
            if let place = places[values] {
                groups[place].files.append(file)
            } else {
                places[values] = groups.count
                groups.append(Group(files: [file]))
            }
        }
        let tables = groups.compactMap(\.files.first?.valuesByKey)
        let locations = Set(tables.flatMap(\.keys).compactMap(\.location)).sorted()
        self.groups = groups
        rows = ConfigSetting.known.flatMap { setting in
            ([nil] + locations).compactMap { location in
                let key = Key(name: setting.name, location: location)
                let values = tables.map { $0[key] }
                return values.allSatisfy { $0 == nil } ? nil : Row(setting: setting, location: location, values: values)
            }
        }
    }

    /// What tells one row from another.
    fileprivate struct Key: Hashable {
        var name: String
        var location: String?
    }
}

extension WebConfigFile {
    fileprivate var valuesByKey: [ConfigComparison.Key: ConfigSettingValue] {
        Dictionary(settings.map { (ConfigComparison.Key(name: $0.name, location: $0.location), $0) }) { first, _ in
            first
        }
    }
}

extension ConfigSettingValue {
    /// Whether the file itself tells the value: not one that is encrypted, or in another file.
    public var isTold: Bool { !["external", "encrypted"].contains(value) }

    /// The value as .NET compares it: truth values in any case.
    fileprivate var comparable: String {
        let folded = value.lowercased()
        return ["true", "false"].contains(folded) ? folded : value
    }
}
