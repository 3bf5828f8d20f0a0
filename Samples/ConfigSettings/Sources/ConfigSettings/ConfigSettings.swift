import WebConfig

/// Prints the settings that web.config files contain, with their line numbers.
///
/// Usage: `ConfigSettings web.config...`
@main
struct ConfigSettings {
    static func main() throws {
        for path in CommandLine.arguments.dropFirst() {
            let file = try WebConfigFile.read(WebConfigSource(path: path))
            for setting in file.settings {
                guard let line = setting.line else { continue }
                print("line \(line): \(setting.name) = \(setting.value)")
            }
        }
    }
}
