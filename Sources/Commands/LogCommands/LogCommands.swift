package import ArgumentParsing
import CommandKit
import Files
import LogDiagnosis
import TextKit
import ULSLog

/// The commands for logs and the problems found in them.
package enum LogCommandSet {
    package static let all: [any Command.Type] = [
        Logs.self, Diagnose.self, WriteBundle.self, Suppress.self, Profiles.self, Explain.self, WebConfigCommands.self,
        Rules.self,
    ]
}

/// A farm's profile in the settings files: the locations of its logs, and the options for examining them.
package struct LogProfile: Sendable {
    /// A value in the form in which it is used, with full paths, and the place where it is defined.
    package struct Value: Sendable {
        package let text: String
        package let origin: Origin

        package init(_ text: String, _ origin: Origin) { (self.text, self.origin) = (text, origin) }
    }

    /// The place in a settings file.
    package struct Origin: Sendable, CustomStringConvertible {
        package let description: String
        /// The kind of place, as named in machine formats.
        package let name: String
        /// The file and line; `nil` if the value is in no file.
        package let place: String?

        package init(_ description: String, name: String, place: String?) {
            (self.description, self.name, self.place) = (description, name, place)
        }
    }

    /// A setting, by its key in the settings file.
    package enum Key: String, CaseIterable, Sendable {
        case logs, zones, rules
        case webConfig = "web-config"
        case farm, suppress, baseline, normal
    }

    package let name: String
    package let origin: Origin
    private let values: [Key: [Value]]
    private let checkPath: @Sendable (String) throws -> Void

    /// Creates a profile; `checkPath` throws if a file that was found through the profile is in a forbidden place.
    package init(
        _ name: String,
        _ origin: Origin,
        _ values: [Key: [Value]],
        checkPath: @escaping @Sendable (String) throws -> Void
    ) {
        self.name = name
        self.origin = origin
        self.values = values
        self.checkPath = checkPath
    }

    /// The values of a key, in the order of the file; empty if it is not set.
    subscript(key: Key) -> [Value] { values[key] ?? [] }

    /// Returns the texts of a key's values.
    func texts(_ key: Key) -> [String] { self[key].map(\.text) }

    /// Throws if a file that was found through the profile is in a place that is not allowed.
    func check(found path: String) throws { try checkPath(path) }
}

/// The profiles in the settings files, which also define targets; the main program reads these files for the log
/// commands.
package protocol LogProfileSettings: Sendable {
    /// Returns the names of all profiles, for completion; empty if the settings can't be read.
    func names(environment: [String: String]) -> [String]
    func profiles() throws -> [LogProfile]
    func profile(named name: String) throws -> LogProfile
    /// Returns the profile that the current context names, and the place where it is named; `nil` if the context names
    /// none.
    func profileOfContext() throws -> (profile: LogProfile, origin: String)?
    /// Adds a profile, and returns the path of the file that contains it.
    func add(_ name: String, _ values: [(key: LogProfile.Key, texts: [String])]) throws -> String
    func remove(_ name: String) throws
}

/// The settings of the running program.
package enum LogProfiles {
    /// Settings without any profile, as in unit tests.
    private struct None: LogProfileSettings {
        func names(environment: [String: String]) -> [String] { [] }
        func profiles() throws -> [LogProfile] { [] }
        func profile(named name: String) throws -> LogProfile { throw missing(name) }
        func profileOfContext() throws -> (profile: LogProfile, origin: String)? { nil }
        func add(_ name: String, _ values: [(key: LogProfile.Key, texts: [String])]) throws -> String {
            throw missing(name)
        }
        func remove(_ name: String) throws { throw missing(name) }

        private func missing(_ name: String) -> Failure {
            Failure(.configuration, "there are no settings for the profile '\(name)'", advice: nil)
        }
    }

    @TaskLocal package static var current: any LogProfileSettings = None()
}

extension ArgumentCompletion {
    /// The names of farm profiles.
    static let profiles = live { context in LogProfiles.current.names(environment: context.environment) }

    /// The IDs of the rules that come with the program, and of those in the user's folder.
    static let rules = live { ruleIDs($0).sorted().map(\.text) }

    /// The IDs of all rules, including those that the program applies automatically.
    static let allRules = live { context in
        ruleIDs(context).union(ProgramRule.all.map(\.id)).sorted().map(\.text)
    }

    private static func ruleIDs(_ context: CompletionContext) -> Set<RuleID> {
        let folder = context.values["--rules"]?.last ?? context.environment["FASTCTL_RULES"]
        let names = folder.flatMap { try? Folder.names($0, maximum: 1000) } ?? []
        return Set(RuleLibrary.builtInIDs + names.compactMap { RuleFile(name: $0, text: "").nominal?.id })
    }

    /// The names of time zones.
    static let zones = live { _ in TimeZoneRules.names }
}
