import ArgumentParsing
import CommandKit
import EngineCatalog
import FeedCommands
import LogCommands
import TextKit

/// The profiles in the settings files, which are used by the log commands, but can be read only by the target commands.
struct UserProfiles: LogProfileSettings {
    func names(environment: [String: String]) -> [String] { UserSettings.profileNames(environment: environment) }

    func profiles() throws -> [LogProfile] {
        let settings = try UserSettings()
        return try settings.files.profileNames.map { try profile(named: $0, in: settings) }
    }

    func profile(named name: String) throws -> LogProfile { try profile(named: name, in: UserSettings()) }

    func profileOfContext() throws -> (profile: LogProfile, origin: String)? {
        let target = try TargetResolver(environment: CommandContext.current.environment).resolve()
        guard let setting = target.allSettings.first(where: { $0.key == .profile }) else { return nil }
        return (try profile(named: setting.value), "\(setting.origin)")
    }

    func add(_ name: String, _ values: [(key: LogProfile.Key, texts: [String])]) throws -> String {
        let settings = try UserSettings(forWriting: true)
        let written = values.compactMap { value in
            ProfileKey(rawValue: value.key.rawValue).map { key in
                // The paths do not depend on where the command was run.
                (key, value.texts.map { text in key.split(text).map { $0.label + AbsolutePath.of($0.path) } ?? text })
            }
        }
        try settings.write(try settings.edit().addingProfile(name, written))
        return settings.path
    }

    func remove(_ name: String) throws {
        let settings = try UserSettings(forWriting: true)
        if let project = settings.files.project, project.profileNames.contains(name),
            settings.files.user?.profileNames.contains(name) != true
        {
            throw Failure(
                .configuration,
                "the profile '\(name)' exists only in '\(project.path)', the project file",
                advice: "remove it there"
            )
        }
        try settings.write(try settings.edit().removingProfile(name))
    }

    private func profile(named name: String, in settings: UserSettings) throws -> LogProfile {
        let found = try settings.files.profile(named: name, home: CommandContext.current.environment["HOME"])
        let values = LogProfile.Key.allCases.map { key in
            let values = ProfileKey(rawValue: key.rawValue).map { found[$0] } ?? []
            return (key, values.map { LogProfile.Value($0.text, LogProfile.Origin($0.origin)) })
        }
        return LogProfile(found.name, LogProfile.Origin(found.origin), Dictionary(uniqueKeysWithValues: values)) {
            try found.check(found: $0)
        }
    }
}

extension LogProfile.Origin {
    fileprivate init(_ origin: SettingOrigin) { self.init(origin.description, name: origin.name, place: origin.place) }
}
