/// A setting that matters when a site misbehaves, and .NET's default for it.
public struct ConfigSetting: Sendable, Hashable {
    /// The setting's common name.
    public var name: String
    /// The path of its element, such as `system.web/trace`.
    public var element: String
    /// Its attribute; `nil` where several decide together.
    public var attribute: String?
    /// The value that holds where nothing is written.
    public var defaultValue: String
    /// Whether only machine.config can hold it, so that its absence says nothing.
    public var isMachineWide: Bool

    private init(
        _ name: String,
        _ element: String,
        _ attribute: String?,
        default value: String,
        isMachineWide: Bool = false
    ) {
        self.name = name
        self.element = element
        self.attribute = attribute
        defaultValue = value
        self.isMachineWide = isMachineWide
    }
}

extension ConfigSetting {
    /// All known settings.
    ///
    /// Defaults as documented by Microsoft: "trace Element", "compilation Element", "customErrors Element", "machineKey
    /// Element" and "deployment Element", each in "ASP.NET Settings Schema"; `SafeMode` in "Working with Web.config
    /// Files" of the SharePoint SDK.
    public static let known = [
        ConfigSetting("ASP.NET tracing", "system.web/trace", "enabled", default: "false"),
        ConfigSetting("trace output on pages", "system.web/trace", "pageOutput", default: "false"),
        ConfigSetting("trace viewer on the server only", "system.web/trace", "localOnly", default: "true"),
        ConfigSetting("debug compilation", "system.web/compilation", "debug", default: "false"),
        ConfigSetting("custom errors", "system.web/customErrors", "mode", default: "RemoteOnly"),
        ConfigSetting("call stack on error pages", "SharePoint/SafeMode", "CallStack", default: "false"),
        ConfigSetting("machine key", MachineKey.element, nil, default: MachineKey.absent),
        ConfigSetting("retail deployment", "system.web/deployment", "retail", default: "false", isMachineWide: true),
    ]
}

extension ConfigSetting {
    /// Returns the names of an element's attributes that settings depend on.
    static func attributes(of element: String) -> [String] {
        known.filter { $0.element == element }
            .flatMap { $0.attribute.map { [$0] } ?? ["validationKey", "decryptionKey"] }
    }
}

/// The value of one setting in one place of a file.
public struct ConfigSettingValue: Sendable, Hashable {
    /// The setting.
    public var setting: ConfigSetting
    /// The `path` of the `location` it applies to; `nil` outside of one.
    public var location: String?
    /// Value as written; `external` if it is in another file, `encrypted` if it cannot be read; for a machine key only
    /// `explicit`, `generated` or `absent`.
    public var value: String
    /// Whether the file sets it; otherwise it is the default, which a file higher up may have changed.
    public var isWritten: Bool
    /// Place where it is written, in characters, from 1.
    public var line: Int?
    /// The column where it is written; `nil` if it is not.
    public var column: Int?

    /// Creates a setting's value.
    public init(
        setting: ConfigSetting,
        location: String? = nil,
        value: String,
        isWritten: Bool,
        line: Int? = nil,
        column: Int? = nil
    ) {
        self.setting = setting
        self.location = location
        self.value = value
        self.isWritten = isWritten
        self.line = line
        self.column = column
    }

    /// The attribute's name.
    public var name: String { setting.name }
    /// The element's path.
    public var element: String { setting.element }
}
