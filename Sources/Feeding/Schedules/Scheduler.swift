import Files
import Glibc
import Synchronization
import TextKit
package import TimeZones

/// A schedule, which consists of a command and the times at which it runs.
package struct Schedule: Sendable, Hashable {
    /// The policy for a run that is due while another run is in progress.
    package enum Overlap: String, Sendable { case skip, queue }
    /// The policy for due times at which no server was running, or the machine was asleep.
    package enum Missed: String, Sendable { case none, once }

    package let name: String
    package let expression: CronExpression
    package let zone: TimeZoneRules
    package var overlap = Overlap.skip
    package var missed = Missed.none

    package init(_ name: String, _ expression: CronExpression, in zone: TimeZoneRules = .utc) {
        (self.name, self.expression, self.zone) = (name, expression, zone)
    }

    /// The times in the form stored in the history; if they change, the timetable starts over.
    var times: String { "\(expression) \(zone.name)" }

    /// Returns the next times after an instant, in seconds since 1970.
    package func times(_ count: Int, after instant: Int64) -> [Int64] {
        expression.times(count, after: instant, in: zone)
    }

    /// Returns an instant as local time in the schedule's zone: `2026-11-28T03:00+01:00`.
    package func clock(_ instant: Int64) -> String {
        let offset = Int64(zone.offset(at: instant * 1000))
        let minutes = (instant + offset).flooredRemainder(by: 86_400) / 60
        let date = CivilDate(days: (instant + offset).flooredQuotient(by: 86_400))
        let sign = offset < 0 ? "-" : "+"
        let ahead = abs(offset) / 60
        return "\(date)T\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
            + "\(sign)\((ahead / 60).padded(to: 2)):\((ahead % 60).padded(to: 2))"
    }
}

/// The times at which a schedule has become due since a given instant.
struct DueTimes: Sendable, Hashable {
    /// The last of these times, in seconds since 1970.
    var last: Int64
    var count: Int
    /// Whether the last of these times is too long ago for a run to count as punctual.
    var isLate: Bool

    /// The delay beyond which a run does not count as punctual.
    static let grace: Int64 = 60
    /// The period for which missed times are counted.
    static let memory: Int64 = 366 * 86_400

    /// Finds the times after one instant and up to another; returns `nil` if there are none.
    init?(of schedule: Schedule, after handled: Int64, upTo now: Int64) {
        var found: (last: Int64, count: Int)?
        var instant = max(handled, now - Self.memory)
        while let next = schedule.expression.next(after: instant, in: schedule.zone), next <= now {
            found = (next, (found?.count ?? 0) + 1)
            instant = next
        }
        guard let found else { return nil }
        (last, count) = found
        isLate = now - last > Self.grace
    }
}

/// The clocks that a scheduler reads; tests can set them.
package protocol ScheduleClock: Sendable {
    /// The time since 1970, which may jump.
    var now: Duration { get }
    /// The time since the machine started, including time spent asleep; it never jumps back.
    var uptime: Duration { get }
    /// Waits; throws an error if the task is canceled.
    func sleep(for duration: Duration) async throws
}

/// The clocks of this machine.
package struct MachineClock: ScheduleClock {
    package init() {}

    package var now: Duration { ProcessFacts.now }

    package var uptime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// The result of a run, as reported by its program.
package struct RunEnding: Sendable, Hashable {
    package var state: ScheduledRun.State
    package var code: Int32?
    package var output: String
    package var report: String?

    package init(_ state: ScheduledRun.State, code: Int32? = nil, output: String = "", report: String? = nil) {
        (self.state, self.code, self.output, self.report) = (state, code, output, report)
    }
}

/// A scheduler that checks the clock each second and runs the schedules that are due.
///
/// Unlike sleeping until the next due time, checking the clock each second is correct even if the clock was set or the
/// machine was asleep. If several servers share a store, the one that holds the lease runs all schedules; if it is
/// gone, another server takes over.
package actor Scheduler {
    /// A schedule with its next due time and its last run.
    package struct Status: Sendable {
        package let schedule: Schedule
        /// The next due time, in seconds since 1970; `nil` if there is none.
        package let next: Int64?
        package let last: ScheduledRun?
    }

    private let history: RunHistory
    private let clock: any ScheduleClock
    private let holder: ScheduleHolder
    private let body: @Sendable (Schedule, ScheduledRun) async -> RunEnding
    private let note: @Sendable (ScheduledRun) async -> Void
    private let log: @Sendable (String) -> Void
    private var schedules: [Schedule]
    /// The instant up to which the due times of each schedule have been handled, while this server holds the lease.
    private var handled: [String: Int64]?
    /// The schedules with a run in progress on this server.
    private var running: Set<String> = []
    /// The runs that are in progress or ending, by number.
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// Whether the timetable on disk still has to be updated for the current schedules.
    private var hasNewSchedules = true
    /// The last check of the clock; the next check waits for it.
    private var lastLook: Task<Void, Never>?
    /// The runs that have ended, but whose results could not be stored yet.
    private var unstored: [ScheduledRun] = []
    private var lastFailure = ""
    private var isEnding = false

    /// The time between two checks of the clock.
    private static let interval = Duration.seconds(1)
    /// The maximum number of seconds for which setting the clock back counts as a correction, so no schedule runs
    /// twice.
    ///
    /// If the clock is set back further, it is assumed to have been wrong before. Vixie's cron has the same limit.
    private static let correction: Int64 = 3 * 3600

    /// Creates a scheduler; `body` runs a command, and `note` is called at the end of each run.
    package init(
        _ schedules: [Schedule],
        history: RunHistory,
        clock: any ScheduleClock = MachineClock(),
        holder: ScheduleHolder? = nil,
        log: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (ScheduledRun) async -> Void,
        body: @escaping @Sendable (Schedule, ScheduledRun) async -> RunEnding
    ) {
        (self.schedules, self.history, self.clock) = (schedules, history, clock)
        (self.log, self.note, self.body) = (log, note, body)
        self.holder = holder ?? Self.ownHolder()
    }

    /// A lease holder for this process, with a number that is never reused.
    private static func ownHolder() -> ScheduleHolder {
        let boot = (try? SmallFile.read("/proc/sys/kernel/random/boot_id", maximum: 100)) ?? []
        return ScheduleHolder(
            name: "\(getpid())-\(UInt64.random(in: .min ... .max))",
            boot: String(decoding: boot, as: UTF8.self)
        )
    }

    // MARK: Time passes

    /// Runs schedules until the task is canceled.
    package func run() async {
        while !Task.isCancelled, !isEnding {
            await look()
            try? await clock.sleep(for: Self.interval)
        }
    }

    /// Handles all schedules that are due now; a disk failure is logged, and the next check tries again.
    package func look() async {
        let look = Task { [lastLook] in
            await lastLook?.value
            do {
                try await handleDueTimes()
                lastFailure = ""
            } catch {
                // Each reason is logged once, not every second.
                if "\(error)" != lastFailure { log("the schedules can't be read or written: \(error)") }
                lastFailure = "\(error)"
            }
        }
        lastLook = look
        await look.value
    }

    private func handleDueTimes() async throws {
        while let run = unstored.first {
            remove(try await history.finish(run))
            unstored.removeFirst()
        }
        guard !isEnding, try await history.hold(holder, at: clock.uptime) else {
            handled = nil
            return
        }
        if handled == nil || hasNewSchedules {
            hasNewSchedules = false
            handled = nil
            try await history.begin(schedules, holder, at: clock.now)
            handled = try await history.handled()
        }
        let now = Int64(clock.now / .seconds(1))
        for schedule in schedules {
            guard let since = handled?[schedule.name] else { continue }
            if since - now > Self.correction {
                try await history.setBack(schedule.name, to: now, holder)
                handled?[schedule.name] = now
            } else if let due = DueTimes(of: schedule, after: since, upTo: now) {
                guard let old = try await history.handle(due, of: schedule, since: since, holder, at: clock.now) else {
                    // Another server has handled these times; the next check reads the results.
                    handled = nil
                    return
                }
                remove(old)
                handled?[schedule.name] = due.last
            }
        }
        for schedule in schedules where !running.contains(schedule.name) { try await start(schedule) }
    }

    /// Removes the reports of runs that are no longer kept.
    private func remove(_ reports: [String]) { for report in reports { unlink(report) } }

    private func start(_ schedule: Schedule) async throws {
        guard !isEnding, let run = try await history.start(schedule.name, holder, at: clock.now) else { return }
        running.insert(schedule.name)
        tasks[run.id] = Task { await finish(run, await body(schedule, run)) }
    }

    private func finish(_ run: ScheduledRun, _ ending: RunEnding) async {
        var run = run
        (run.state, run.code, run.output, run.report) = (ending.state, ending.code, ending.output, ending.report)
        run.ended = Int64(clock.now / .milliseconds(1))
        do {
            remove(try await history.finish(run))
        } catch {
            log("the end of run \(run.id) of \(run.schedule) (\(run.state.rawValue)) can't be stored yet: \(error)")
            unstored.append(run)
        }
        running.remove(run.schedule)
        await note(run)
        // Another run may have been waiting for this run to end.
        if !isEnding { await look() }
        tasks[run.id] = nil
    }

    // MARK: Changes and questions

    /// Replaces the schedules; runs of schedules that no longer exist are allowed to finish.
    package func use(_ schedules: [Schedule]) async {
        guard self.schedules != schedules else { return }
        self.schedules = schedules
        hasNewSchedules = true
        await look()
    }

    /// Starts a run of a schedule, and returns the number of the run; `nil` if a run is in progress and another run
    /// would overlap with it.
    ///
    /// If another server holds the lease, that server starts the run within a second.
    package func runNow(_ schedule: Schedule, for client: String) async throws -> Int? {
        guard let number = try await history.request(schedule, for: client) else { return nil }
        await look()
        return number
    }

    /// The schedules, each with its next due time and its last run.
    package func statuses() async throws -> [Status] {
        let now = Int64(clock.now / .seconds(1))
        var statuses: [Status] = []
        for schedule in schedules {
            let last = try await history.runs(of: schedule.name, atMost: 1).first
            let next = schedule.expression.next(after: now, in: schedule.zone)
            statuses.append(Status(schedule: schedule, next: next, last: last))
        }
        return statuses
    }

    /// The runs in progress on this server.
    package var runningCount: Int { running.count }

    /// Stops starting runs, stops the runs in progress, and releases the lease for the next server.
    package func stop() async {
        isEnding = true
        // A check of the clock may be about to start a run.
        await lastLook?.value
        let ending = Array(tasks.values)
        for task in ending { task.cancel() }
        for task in ending { await task.value }
        do {
            try await history.release(holder)
        } catch {
            log("the schedules' lease could not be released, and will expire on its own: \(error)")
        }
    }
}
