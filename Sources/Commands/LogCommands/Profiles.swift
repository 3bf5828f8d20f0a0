import ArgumentParsing
import CommandKit
import ReportKit
import TextKit
import ULSLog

struct Profiles: CommandGroup {
    static let configuration = CommandConfiguration(
        "profiles",
        group: "Logs",
        summary: "Manage farm profiles: where a farm's logs are, and the settings for reading them.",
        discussion: """
            A profile specifies a farm's logs, its servers' time zones, rules, web.config files, farm.json, \
            suppressions, a baseline and the usual rates. 'fastctl diagnose --profile NAME' runs the daily check, and \
            'fastctl logs … --profile NAME' reads the same logs. Options on the command line override the profile, \
            setting by setting.

            Profiles are stored beside contexts, in $XDG_CONFIG_HOME/fastctl/config.yaml and in the project's \
            fastctl.yaml, whose paths must stay inside its folder. Relative paths are resolved from the file's folder. \
            A context may specify a profile: on a terminal, 'diagnose' without inputs then uses it.
            """,
        examples: [
            .init(
                "fastctl profiles add prod --logs '/logs/WFE*' --tz Europe/Vienna --web-config WFE1=/conf/WFE1",
                "Save where the farm's logs are"
            ),
            .init("fastctl diagnose --profile prod", "The daily check"),
            .init("fastctl logs summary --profile prod --since today", "The same logs"),
        ],
        subcommands: [ListProfiles.self, ShowProfile.self, AddProfile.self, RemoveProfile.self]
    )
}

private struct ListProfiles: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the profiles.",
        examples: [.init("fastctl profiles list -o name", "Only their names")]
    )

    @OptionGroup("Output") var output: ListOptions

    func run() async throws -> ExitCode {
        try output.check()
        let profiles = try LogProfiles.current.profiles()
        try output.print(profiles.map { ProfileDisplay(profile: $0) })
        if profiles.isEmpty {
            output.note("there are no profiles yet; add one: fastctl profiles add NAME --logs /logs")
        }
        return .success
    }
}

private struct ShowProfile: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show the settings of a profile, and where each is defined.",
        examples: [.init("fastctl profiles show prod", "Every setting, with its file and line")]
    )

    @OptionGroup("Output") var output: ListOptions
    @Argument("NAME", completion: .profiles, help: "The profile") var name: String

    func run() async throws -> ExitCode {
        try output.check()
        let profile = ProfileDisplay(profile: try LogProfiles.current.profile(named: name))
        try output.show(profile, lines: profile.lines, indent: 20)
        return .success
    }
}

private struct AddProfile: Command {
    static let configuration = CommandConfiguration(
        "add",
        summary: "Save a profile under a name.",
        discussion:
            "Inputs are not read; test with 'fastctl logs summary --profile NAME'. Quote globs to save them unexpanded.",
        examples: [
            .init(
                "fastctl profiles add prod --logs /logs/prod --suppress ~/prod-suppress.yaml",
                "Logs and suppressions"
            ),
            .init(
                "fastctl contexts add prod --target sqlite:prod.sqlite --profile prod",
                "Make 'fastctl diagnose' without inputs use it"
            ),
        ]
    )

    @Option("--logs", value: "PATH", completion: .files, help: "A folder, file or glob of logs; may be repeated")
    var logs: [String]

    @Option(
        "--tz",
        value: "[SERVER=]ZONE",
        completion: .zones.afterLabel,
        help: "The time zone of the servers' clocks, or of one server's; may be repeated"
    )
    var zones: [String]

    @Option("--rules", value: "DIR", completion: .files, help: "A folder with your own rules")
    var rules: String?

    @OptionGroup("Configuration") var configs: WebConfigOptions
    @OptionGroup("Farm") var farm: FarmOptions

    @Option("--suppress", value: "FILE", completion: .files, help: "A suppression file")
    var suppressions: String?

    @Option("--baseline", value: "FILE", completion: .files, help: "Known findings, from diagnose --write-baseline")
    var baseline: String?

    @Option(
        "--usual",
        formerly: "--normal",
        value: "FILE",
        completion: .files,
        help: "The usual rates, from 'fastctl logs usual'"
    )
    var normal: String?

    @Argument("NAME", completion: ArgumentCompletion.none, help: "The profile's name") var name: String

    func validate() throws {
        if values.allSatisfy(\.texts.isEmpty) {
            throw ValidationError("a profile needs at least one setting, such as --logs /logs")
        }
    }

    func run() async throws -> ExitCode {
        // A time zone that does not exist is refused before anything is written.
        do { _ = try ServerZones(zones) } catch { throw ValidationError("--tz: \(error)") }
        let path = try LogProfiles.current.add(name, values)
        StandardError.say("profile '\(name)' added to \(path)")
        return .success
    }

    private var values: [(key: LogProfile.Key, texts: [String])] {
        let written: [LogProfile.Key: [String]] = [
            .logs: logs, .zones: zones, .rules: [rules].compactMap(\.self), .webConfig: configs.paths,
            .farm: [farm.path].compactMap(\.self), .suppress: [suppressions].compactMap(\.self),
            .baseline: [baseline].compactMap(\.self), .normal: [normal].compactMap(\.self),
        ]
        return LogProfile.Key.allCases.map { ($0, written[$0] ?? []) }
    }
}

private struct RemoveProfile: Command {
    static let configuration = CommandConfiguration(
        "remove",
        foreignNames: ["rm", "delete"],
        summary: "Remove a profile.",
        discussion: "The files that the profile names are not changed.",
        examples: [.init("fastctl profiles remove old", "Remove one")]
    )

    @Argument("NAME", completion: .profiles, help: "The profile") var name: String

    func run() async throws -> ExitCode {
        try LogProfiles.current.remove(name)
        StandardError.say("profile '\(name)' removed")
        return .success
    }
}

/// A profile, as shown in lists and on single pages.
private struct ProfileDisplay: ListEntry {
    let profile: LogProfile

    static let titles = ["NAME", "LOGS", "WHERE"]
    static let alignments: [TextTable.Alignment] = []
    static let fieldTitles = ["name", "logs", "place"]

    var entryName: String? { profile.name }

    var row: [String] {
        let logs = profile.texts(.logs)
        let more = logs.count > 1 ? " and \(logs.count - 1) more" : ""
        return [profile.name, (logs.first ?? "-") + more, profile.origin.place ?? ""]
    }

    var fields: [String?] { [profile.name, profile.texts(.logs).joined(separator: "\n"), profile.origin.place] }

    /// The lines of a single profile's page: a title, and a value with its origin.
    var lines: [(String, String)] {
        var lines = [("profile", "\(profile.name)  (\(profile.origin))")]
        for key in LogProfile.Key.allCases {
            lines += profile[key].map { (key.rawValue, "\($0.text)  (\($0.origin))") }
        }
        return lines
    }

    func append(to bytes: inout [UInt8]) {
        ProfileObject(
            name: profile.name,
            origin: profile.origin.name,
            place: profile.origin.place,
            settings: LogProfile.Key.allCases.flatMap { key in
                profile[key].map { value in
                    ContextObject.Setting(
                        name: key.rawValue,
                        value: value.text,
                        origin: value.origin.name,
                        place: value.origin.place
                    )
                }
            }
        )
        .append(to: &bytes)
    }
}
