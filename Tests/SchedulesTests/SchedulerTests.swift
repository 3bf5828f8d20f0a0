import Foundation
import Synchronization
import TestSupport
import Testing
import TextKit
import TimeZones

@testable import Schedules

/// Clocks that the tests set.
private final class TestClock: ScheduleClock {
    private let state: Mutex<(now: Duration, uptime: Duration)>

    init(_ now: Int64) { state = Mutex((.seconds(now), .seconds(1000))) }

    var now: Duration { state.withLock { $0.now } }
    var uptime: Duration { state.withLock { $0.uptime } }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: .milliseconds(1)) }

    /// Advances both clocks.
    func advance(_ seconds: Int64) {
        state.withLock { state in
            state.now += .seconds(seconds)
            state.uptime += .seconds(seconds)
        }
    }

    /// Sets the wall clock, as a user would.
    func jump(_ seconds: Int64) { state.withLock { $0.now += .seconds(seconds) } }
}

/// Commands that run until a test ends them.
private actor Commands {
    private(set) var begun: [ScheduledRun] = []
    private(set) var ended: [ScheduledRun] = []
    private var waiting: [CheckedContinuation<RunEnding, Never>] = []
    var endAtOnce = true

    func holdAll() { endAtOnce = false }

    func run(_ run: ScheduledRun) async -> RunEnding {
        begun.append(run)
        if endAtOnce { return RunEnding(.succeeded, code: 0, output: "done\n") }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func note(_ run: ScheduledRun) { ended.append(run) }

    func endOne(_ ending: RunEnding = RunEnding(.succeeded, code: 0)) {
        waiting.removeFirst().resume(returning: ending)
    }
}

/// A server's scheduler on a store, with its clocks and its commands.
private struct Server {
    /// All schedulers, by their files, which the schedulers must not outlive.
    static let all = Mutex<[String: [Scheduler]]>([:])

    let scheduler: Scheduler
    let history: RunHistory
    let commands: Commands

    init(_ schedules: [Schedule], _ path: String, _ clock: TestClock, name: String = "a", boot: String = "1") throws {
        let (history, commands) = (try RunHistory(path: path), Commands())
        (self.history, self.commands) = (history, commands)
        scheduler = Scheduler(
            schedules,
            history: history,
            clock: clock,
            holder: ScheduleHolder(name: name, boot: boot),
            log: { Issue.record("\($0)") },
            note: { await commands.note($0) },
            body: { await commands.run($1) }
        )
        Self.all.withLock { [scheduler] in $0[path, default: []].append(scheduler) }
    }

    /// Makes the scheduler check the clock, and waits until all runs that began have ended or are being held.
    func look() async throws {
        await scheduler.look()
        try await settle()
    }

    func settle() async throws {
        for _ in 0..<5_000 {
            let running = await scheduler.runningCount
            let (begun, ended, isHeld) = await (commands.begun.count, commands.ended.count, !commands.endAtOnce)
            if begun - ended == running, running == 0 || isHeld { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("the scheduler does not come to rest")
    }

    func states(_ schedule: String = "job") async throws -> [String] {
        try await history.runs(of: schedule).reversed().map { "\($0.state.rawValue) \($0.passedOver)" }
    }
}

struct SchedulerTests {
    /// A Saturday at 12:00 in UTC.
    private static let noon: Int64 = 1_795_867_200

    private func schedule(
        _ cron: String,
        _ zone: TimeZoneRules = .utc,
        overlap: Schedule.Overlap = .skip,
        missed: Schedule.Missed = .none
    ) throws -> Schedule {
        var schedule = Schedule("job", try CronExpression(cron), in: zone)
        (schedule.overlap, schedule.missed) = (overlap, missed)
        return schedule
    }

    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("schedules.sqlite")
        try await body(path)
        for server in Server.all.withLock({ $0.removeValue(forKey: path) }) ?? [] { await server.stop() }
    }

    @Test func `A run begins once, at its time, and its end is recorded in the history`() async throws {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 2)
            let server = try Server([try schedule("0 12 * * *")], path, clock)
            try await server.look()
            #expect(await server.commands.begun.isEmpty)
            for _ in 0..<10 {
                clock.advance(1)
                try await server.look()
            }
            let run = try #require(try await server.history.runs(of: "job").first)
            #expect(try await server.states() == ["succeeded 0"])
            #expect(run.due == Self.noon && run.began == Self.noon * 1000 && run.output == "done\n" && run.code == 0)
            #expect(await server.commands.ended == [run])
            #expect(try await server.scheduler.statuses().first?.next == Self.noon + 86_400)
        }
    }

    @Test(arguments: [
        (Schedule.Overlap.skip, ["succeeded 0", "skipped 0", "skipped 0"]),
        (.queue, ["succeeded 0", "succeeded 1"]),
    ])
    func `Times that occur during a run are skipped, or result in a single run afterward`(
        overlap: Schedule.Overlap,
        states: [String]
    ) async throws {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let server = try Server([try schedule("* * * * *", overlap: overlap)], path, clock)
            await server.commands.holdAll()
            try await server.look()
            for _ in 0..<3 {
                clock.advance(60)
                try await server.look()
                #expect(await server.commands.begun.count == 1)
            }
            await server.commands.endOne()
            if overlap == .queue {
                while await server.commands.begun.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
                await server.commands.endOne()
            }
            while await server.scheduler.runningCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await server.states() == states)
        }
    }

    // MARK: Clocks that jump

    @Test(arguments: [(Schedule.Missed.none, ["missed 2"]), (.once, ["succeeded 2"])])
    func `After a machine slept, one run or none catches up, and every missed time is counted`(
        missed: Schedule.Missed,
        states: [String]
    ) async throws {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let server = try Server([try schedule("@hourly", missed: missed)], path, clock)
            try await server.look()
            // 12:00, 13:00 and 14:00 pass.
            clock.advance(2 * 3600 + 600)
            try await server.look()
            #expect(try await server.states() == states)
            clock.advance(3010)
            try await server.look()
            #expect(try await server.states() == states + ["succeeded 0"])
        }
    }

    @Test func `A time that was a few seconds ago is not missed`() async throws {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let server = try Server([try schedule("@hourly")], path, clock)
            try await server.look()
            clock.advance(3600 + 30)
            try await server.look()
            #expect(try await server.states() == ["succeeded 1"])
        }
    }

    @Test func `A clock set back slightly repeats no run, and a clock set back further does not stop schedules`()
        async throws
    {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let server = try Server([try schedule("@hourly")], path, clock)
            try await server.look()
            clock.advance(2)
            try await server.look()
            clock.jump(-1800)
            for _ in 0..<35 {
                clock.advance(60)
                try await server.look()
            }
            #expect(try await server.states() == ["succeeded 0"])
            // The clock was a day ahead.
            clock.jump(-86_400)
            try await server.look()
            clock.advance(3300)
            try await server.look()
            #expect(try await server.states() == ["succeeded 0", "succeeded 0"])
        }
    }

    @Test(arguments: [
        ("Europe/Vienna", 2), ("Europe/Vienna", 10), ("Australia/Lord_Howe", 3), ("Australia/Lord_Howe", 9),
    ])
    func `Each day has one run, even when daylight saving time begins or ends`(name: String, month: Int) async throws {
        try await inFolder { path in
            let zone = try TimeZoneRules(named: name)
            // Forty days around the change, with times that one change skips and the other repeats.
            let start = CivilDate.days(year: 2026, month: month, day: 20) * 86_400
            let clock = TestClock(start)
            var schedule = Schedule("job", try CronExpression("45,59 1-2 * * *"), in: zone)
            schedule.missed = .once
            let server = try Server([schedule], path, clock)
            try await server.look()
            let end = start + 40 * 86_400
            // The clocks advance from one time to the next, as the machine's clock shows them.
            while let next = schedule.times(1, after: Int64(clock.now / .seconds(1))).first, next < end {
                clock.advance(next - Int64(clock.now / .seconds(1)))
                try await server.look()
            }
            var days: [String: Int] = [:]
            let runs = await server.commands.ended
            for run in runs { days[String(schedule.clock(try #require(run.due)).prefix(10)), default: 0] += 1 }
            // Two times that are skipped come together with a third one, at the first instant after them.
            #expect(days.count >= 40 && days.values.allSatisfy { (2...4).contains($0) })
            #expect(Set(runs.map(\.due)).count == runs.count)
            #expect(runs.allSatisfy { $0.state == .succeeded && $0.passedOver == 0 })
        }
    }

    // MARK: Several servers

    @Test func `If two servers share a store, one runs all schedules, and the other takes over when the first is gone`()
        async throws
    {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let schedules = [try schedule("* * * * *")]
            let one = try Server(schedules, path, clock, name: "one")
            let other = try Server(schedules, path, clock, name: "other")
            for _ in 0..<10 {
                // The servers check the clock at the same time, in any order.
                async let first: Void = one.look()
                async let second: Void = other.look()
                _ = try await (first, second)
                clock.advance(5)
            }
            for _ in 0..<12 {
                async let first: Void = other.look()
                async let second: Void = one.look()
                _ = try await (first, second)
                clock.advance(5)
            }
            let begun = (await one.commands.begun.count, await other.commands.begun.count)
            #expect(begun == (2, 0) || begun == (0, 2))
            let (heir, late) = begun.0 == 2 ? (other, one) : (one, other)
            // One server hangs. The end of the lease is determined by the machine's monotonic clock, not by the wall
            // clock.
            clock.jump(60)
            try await heir.look()
            #expect(await heir.commands.begun.isEmpty)
            clock.advance(11)
            try await heir.look()
            #expect(await heir.commands.begun.count == 1)
            try await late.look()
            #expect(await late.commands.begun.count == 2)
            #expect(try await heir.states().allSatisfy { $0.hasPrefix("succeeded") })
        }
    }

    @Test func `Runs in progress on a server that died are recorded as lost, and waiting runs are started`()
        async throws
    {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let schedules = [try schedule("0 12 * * *", overlap: .queue)]
            let dead = try Server(schedules, path, clock, name: "dead")
            await dead.commands.holdAll()
            try await dead.look()
            clock.advance(1)
            try await dead.look()
            _ = try await dead.scheduler.runNow(schedules[0], for: "ann")
            // The machine was restarted, so the time since its start begins at zero again, and so does the lease.
            let next = try Server(schedules, path, TestClock(Self.noon + 5), name: "next", boot: "2")
            try await next.look()
            #expect(try await next.states() == ["lost 0", "succeeded 0"])
            #expect(try await next.history.runs(of: "job").map(\.client) == ["ann", nil])
            await dead.commands.endOne()
        }
    }

    @Test func `When a server ends, it stops its runs, and the next server gets the lease immediately`() async throws {
        try await inFolder { path in
            let clock = TestClock(Self.noon - 1)
            let schedules = [try schedule("* * * * *")]
            let first = try Server(schedules, path, clock, name: "first")
            try await first.look()
            await first.scheduler.stop()
            clock.advance(2)
            try await first.look()
            let second = try Server(schedules, path, clock, name: "second")
            try await second.look()
            #expect(await first.commands.begun.isEmpty)
            #expect(try await second.states() == ["succeeded 0"])
        }
    }

    // MARK: Demands and changes

    @Test func `A run on demand is refused while another is in progress, unless runs are queued`() async throws {
        for overlap in [Schedule.Overlap.skip, .queue] {
            try await inFolder { path in
                let schedule = try schedule("on-demand", overlap: overlap)
                let server = try Server([schedule], path, TestClock(Self.noon))
                await server.commands.holdAll()
                #expect(try await server.scheduler.runNow(schedule, for: "ann") == 1)
                try await server.settle()
                #expect(try await server.scheduler.runNow(schedule, for: "bob") == (overlap == .skip ? nil : 2))
                await server.commands.endOne(RunEnding(.failed, code: 3, output: "no\n"))
                if overlap == .queue {
                    while await server.commands.begun.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
                    await server.commands.endOne()
                }
                while await server.scheduler.runningCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
                let first = try #require(try await server.history.runs(of: "job").last)
                #expect(first.client == "ann" && first.due == nil && first.code == 3 && first.state == .failed)
            }
        }
    }

    @Test func `Changed times take effect immediately, and a removed schedule no longer runs`() async throws {
        try await inFolder { path in
            let clock = TestClock(Self.noon + 1)
            let server = try Server([try schedule("@hourly", missed: .once)], path, clock)
            try await server.look()
            clock.advance(1800)
            // The new time was half an hour ago, before the schedule was changed.
            await server.scheduler.use([try schedule("15 * * * *", missed: .once)])
            try await server.settle()
            #expect(try await server.states().isEmpty)
            clock.advance(2700)
            try await server.look()
            #expect(try await server.states() == ["succeeded 0"])
            await server.scheduler.use([])
            clock.advance(7200)
            try await server.look()
            await server.scheduler.use([try schedule("15 * * * *", missed: .once)])
            try await server.settle()
            #expect(try await server.states() == ["succeeded 0"])
        }
    }

    @Test func `The history keeps the last runs of a schedule, and removes older ones with their reports`() async throws
    {
        let folder = try TemporaryFolder()
        let history = try RunHistory(path: folder.path("schedules.sqlite"))
        let clock = TestClock(Self.noon - 1)
        let reports = folder.path("report-")
        let scheduler = Scheduler(
            [try schedule("* * * * *")],
            history: history,
            clock: clock,
            log: { Issue.record("\($0)") },
            note: { _ in },
            body: { _, run in
                let report = "\(reports)\(run.id)"
                _ = FileManager.default.createFile(atPath: report, contents: nil)
                return RunEnding(.succeeded, code: 0, report: report)
            }
        )
        await scheduler.look()
        for _ in 0..<RunHistory.kept + 5 {
            clock.advance(60)
            await scheduler.look()
            while await scheduler.runningCount > 0 { await Task.yield() }
        }
        await scheduler.stop()
        let runs = try await history.runs(of: "job", atMost: 1000)
        #expect(runs.count == RunHistory.kept && runs.first?.id == RunHistory.kept + 5)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        let files = names.filter { $0.hasPrefix("report-") }
        #expect(Set(files) == Set(runs.map { "report-\($0.id)" }))
    }

    @Test func `The missed times of a long absence are counted for at most a year, at little cost`() throws {
        let schedule = try schedule("* * * * *")
        let started = ContinuousClock.now
        let due = try #require(DueTimes(of: schedule, after: 0, upTo: Self.noon))
        #expect(due.last == Self.noon && due.count == 366 * 1440 && !due.isLate)
        #expect(ContinuousClock.now - started < .seconds(30))
    }
}
