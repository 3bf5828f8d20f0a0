extension WebConfigFile {
    /// The known settings: each where it is written, and its default where the file is silent outside of `location`.
    public var settings: [ConfigSettingValue] {
        ConfigSetting.known.flatMap { setting -> [ConfigSettingValue] in
            let written = elements(at: setting.element).compactMap { ConfigSettingValue(setting, in: $0) }
            if setting.isMachineWide || written.contains(where: \.isForWholeSite) { return written }
            return [ConfigSettingValue(setting: setting, value: setting.defaultValue, isWritten: false)] + written
        }
    }
}

extension ConfigSettingValue {
    /// Whether it holds outside of `location`, or in one that stands for the whole site.
    fileprivate var isForWholeSite: Bool { location.map { ["", "."].contains($0) } ?? true }

    /// What an element says; `nil` if it says nothing of the setting.
    fileprivate init?(_ setting: ConfigSetting, in element: ConfigElement) {
        let elsewhere = ["configSource": "external", "configProtectionProvider": "encrypted"]
        if let attribute = element.attributes.first(where: { elsewhere[$0.name] != nil }) {
            self.init(setting, in: element, value: elsewhere[attribute.name] ?? "", at: attribute)
        } else if setting.element == MachineKey.element {
            let summary = MachineKey.summary(of: element)
            self.init(setting, in: element, value: summary.value, at: summary.attribute)
        } else if let attribute = element.attributes.first(where: { $0.name == setting.attribute }) {
            self.init(setting, in: element, value: attribute.value, at: attribute)
        } else {
            return nil
        }
    }

    private init(_ setting: ConfigSetting, in element: ConfigElement, value: String, at attribute: ConfigAttribute?) {
        self.init(
            setting: setting,
            location: element.location,
            value: value,
            isWritten: true,
            line: attribute?.line ?? element.line,
            column: attribute?.column ?? element.column
        )
    }
}
