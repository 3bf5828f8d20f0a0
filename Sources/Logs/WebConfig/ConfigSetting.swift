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

    init(_ name: String, _ element: String, _ attribute: String?, default value: String, isMachineWide: Bool = false) {
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
