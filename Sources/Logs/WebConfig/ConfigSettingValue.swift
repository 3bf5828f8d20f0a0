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
