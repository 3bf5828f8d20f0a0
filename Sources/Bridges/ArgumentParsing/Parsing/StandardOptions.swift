/// What every command understands without declaring it.
struct StandardOptions: OptionSetting {
    @Flag("--help", "-h", help: "Show this help")
    var isHelpWanted
    @Flag("--version", "-V", help: "Show the version")
    var isVersionWanted

    func arguments(hasVersion: Bool) -> [any DeclaredArgument] {
        hasVersion ? [_isHelpWanted, _isVersionWanted] : [_isHelpWanted]
    }
}
