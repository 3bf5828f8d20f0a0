/// A setting that matters when a site misbehaves, and what .NET takes when nobody has written it.
public struct ConfigSetting: Sendable, Hashable {
    /// What people call it.
    public var name: String
    /// The path of its element, such as `system.web/trace`.
    public var element: String
    /// Its attribute; `nil` where several decide together.
    public var attribute: String?
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
    /// All of them.
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

/// What a file says of one setting in one place.
public struct ConfigSettingValue: Sendable, Hashable {
    public var setting: ConfigSetting
    /// The `path` of the `location` it is for; `nil` outside of one.
    public var location: String?
    /// As written; `external` where another file has it, `encrypted` where it cannot be read; of a machine key only
    /// `explicit`, `generated` or `absent`.
    public var value: String
    /// Whether the file says so; else it is the default, which a file further up may have changed.
    public var isWritten: Bool
    /// Where it is written, in characters, from 1.
    public var line: Int?
    public var column: Int?

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

    public var name: String { setting.name }
    public var element: String { setting.element }
}
