import ArgumentParsing
import Glibc
package import Schedules
import TextKit
import TimeZones
import YAML

/// A schedule in the settings: its times, its command, and the rights granted to the command.
package struct ScheduleSettings: Sendable, Hashable {
    package var schedule: Schedule
    package var command: ScheduledCommand
    /// The folder in which the command runs, which is the folder of the settings file.
    var folder: String
    var timeout: Duration?
    /// The role and the collections of the token that the command gets; an empty set means all collections.
    var role = AccessToken.Role.application
    var collections: Set<String> = []
    /// The exit codes that indicate success.
    var successCodes: Set<Int32> = [0]

    /// A schedule in its written form.
    struct File: Decodable {
        var cron: Located<String>
        var timeZone: Located<String>?
        var command: [Located<String>]
        var overlap: Located<String>?
        var missed: Located<String>?
        var timeout: Located<String>?
        var role: Located<String>?
        var collections: OneOrMany<String>?
        var exitCodes: [Located<Int>]?
        var unguarded: Bool?

        enum CodingKeys: String, CodingKey {
            case cron, command, overlap, missed, timeout, unguarded
            case timeZone = "time-zone"
            case role = "as"
            case collections = "for"
            case exitCodes = "exit-codes"
        }
    }

    /// The maximum time limit of a run.
    private static let longestTimeout = Duration.seconds(7 * 86_400)

    init(
        _ entry: YAMLMapping<File>.Entry,
        in folder: String,
        _ wrong: (Place?, String, String) -> SettingsError
    ) throws(SettingsError) {
        let (name, file) = (entry.key, entry.value)
        let isName = !name.value.isEmpty && name.value.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) }
        // The name becomes part of URLs and file names.
        guard isName, name.value.utf8.count <= 64, !name.value.hasPrefix(".") else {
            throw wrong(name.place, "'\(name.value)' is not a name for a schedule", "use letters, digits, '-' and '_'")
        }
        let expression: CronExpression
        do throws(CronExpression.Defect) {
            expression = try CronExpression(file.cron.value)
        } catch {
            let place = Place(line: file.cron.place.line, column: file.cron.place.column + error.column - 1)
            throw wrong(place, error.message, error.advice)
        }
        var zone = TimeZoneRules.utc
        if let written = file.timeZone {
            do throws(TimeZoneError) {
                zone = try TimeZoneRules(named: written.value)
            } catch {
                throw wrong(written.place, error.message, "write a zone such as time-zone: Europe/Vienna")
            }
        }
        schedule = Schedule(name.value, expression, in: zone)
        if let word = file.overlap {
            guard let overlap = Schedule.Overlap(rawValue: word.value) else {
                throw wrong(
                    word.place,
                    "'\(word.value)' is not a valid value of 'overlap'",
                    "write overlap: skip, or queue"
                )
            }
            schedule.overlap = overlap
        }
        if let word = file.missed {
            guard let missed = Schedule.Missed(rawValue: word.value) else {
                throw wrong(
                    word.place,
                    "'\(word.value)' is not a valid value of 'missed'",
                    "write missed: none, or once"
                )
            }
            schedule.missed = missed
        }
        if let written = file.timeout {
            guard let time = try? Duration(argument: written.value), time > .zero, time <= Self.longestTimeout else {
                throw wrong(written.place, "'\(written.value)' is not a duration of at most 7d", "write timeout: 1h")
            }
            timeout = time
        }
        if let word = file.role {
            guard let role = AccessToken.Role(rawValue: word.value), role != .user else {
                throw wrong(
                    word.place,
                    "'\(word.value)' is not a role for a schedule",
                    "write as: application, or admin"
                )
            }
            self.role = role
        }
        collections = Set(file.collections?.values ?? [])
        for code in file.exitCodes ?? [] {
            guard (0...255).contains(code.value) else {
                throw wrong(code.place, "\(code.value) is not an exit code", "write numbers from 0 to 255")
            }
        }
        if let codes = file.exitCodes { successCodes = Set(codes.map { Int32($0.value) }) }
        guard let program = file.command.first, !program.value.isEmpty else {
            throw wrong(name.place, "the schedule '\(name.value)' has no command", "write command: [fastctl, …]")
        }
        if let word = file.command.first(where: { $0.value.utf8.contains(0) }) {
            throw wrong(word.place, "a word contains a NUL byte, which a command can't contain", "leave it out")
        }
        command = ScheduledCommand(file.command.map(\.value))
        self.folder = folder
        if file.unguarded != true, let (reason, advice) = command.danger {
            throw wrong(program.place, reason, "\(advice), or write unguarded: true if this is intended")
        }
    }

    /// A warning about a part of the schedule that does not work now, but may work after a later installation; `nil` if
    /// there is no such problem.
    package var warning: String? {
        guard program == nil else { return nil }
        return
            "\(schedule.name): there is no program '\(command.words[0])' that can be run, neither beside content-distributor nor in PATH"
    }

    /// Returns the next times in local time: `nightly: 2026-11-29T03:00+01:00, …`.
    package func nextTimes(_ count: Int, after now: Duration) -> String {
        let times = schedule.times(count, after: Int64(now / .seconds(1))).map { schedule.clock($0) }
        let text = schedule.expression.isOnDemand ? "on demand" : times.joined(separator: ", ")
        return "\(schedule.name): \(text)"
    }

    /// Returns the last run and its result, from the history in a state folder; `nil` if there is none.
    package func lastRun(in state: String) async throws -> String? {
        let path = "\(state)/schedules.sqlite"
        guard access(path, F_OK) == 0,
            let run = try await RunHistory(path: path).runs(of: schedule.name, atMost: 1).first
        else { return nil }
        let at = (run.ended ?? run.began).map { " at \(schedule.clock($0 / 1000))" } ?? ""
        let code = run.code.map { ", exit code \($0)" } ?? ""
        return "run \(run.id) \(run.state.rawValue)\(at)\(code)"
    }

    /// The path of the program's file; `nil` if there is none.
    var program: String? {
        ScheduledProgram.find(command.words[0], in: folder, besides: ScheduledProgram.ownFolder)
    }
}
