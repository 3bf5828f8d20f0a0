import SQLiteStore
import TextKit

/// A run of a schedule, which is waiting, in progress or ended.
package struct ScheduledRun: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case waiting, running, succeeded, failed
        /// The run exceeded its time limit and was stopped.
        case timedOut = "timed-out"
        /// The server shut down and stopped the run.
        case stopped
        /// The run was due while an earlier run was in progress.
        case skipped
        /// The run was due while no server was running, or while the machine was asleep.
        case missed
        /// The server exited without recording the end of the run.
        case lost

        /// Whether the state is final.
        package var isFinal: Bool { self != .waiting && self != .running }
        /// Whether the run counts as a failure.
        package var isFailure: Bool { [.failed, .timedOut, .lost].contains(self) }
    }

    package let id: Int
    package let schedule: String
    package var state: State
    /// The time at which the run was due, in seconds since 1970; `nil` for a run on demand.
    package var due: Int64?
    /// The number of due times before ``due`` that had no run of their own.
    package var passedOver = 0
    /// The client that requested the run; `nil` for a run from the timetable.
    package var client: String?
    /// The times at which the run began and ended, in milliseconds since 1970.
    package var began: Int64?
    package var ended: Int64?
    /// The program's exit code, or 128 plus the number of the signal that ended the program.
    package var code: Int32?
    /// The last lines of the program's output, with unsafe characters escaped.
    package var output = ""
    /// The file with the run's report, if the program wrote one.
    package var report: String?
}

/// A server that may run the schedules of a store.
package struct ScheduleHolder: Sendable, Hashable {
    /// A name that is unique among all servers.
    package let name: String
    /// An identifier of the machine's boot, at which its monotonic time starts over.
    package let boot: String

    package init(name: String, boot: String) { (self.name, self.boot) = (name, boot) }
}

/// The runs of all schedules, stored on disk, with the lease that determines which of several servers runs the
/// schedules.
///
/// The lease is based on the time since the machine started, which can't be set by hand. The servers of a store always
/// run on the same machine, because SQLite's write-ahead log requires shared memory.
package struct RunHistory: Sendable {
    /// The number of finished runs that are kept for each schedule.
    package static let kept = 100
    /// The time after which another server may take a lease that has not been renewed.
    package static let leaseTime = Duration.seconds(10)

    private let database: Database

    /// Opens the history at a path, creating it if necessary.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.access = .create
        configuration.permissions = 0o600
        database = try Database(path: path, configuration) { try $0.migrate(Self.migrations) }
    }

    /// The existing migrations of the history; new migrations must be appended.
    private static let migrations = [
        """
        CREATE TABLE lease(
            number INTEGER PRIMARY KEY CHECK (number = 1),
            holder TEXT NOT NULL,
            boot TEXT NOT NULL,
            until INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE timetable(
            schedule TEXT PRIMARY KEY,
            times TEXT NOT NULL,
            handled INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE run(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            schedule TEXT NOT NULL,
            state TEXT NOT NULL,
            due INTEGER,
            passed INTEGER NOT NULL DEFAULT 0,
            client TEXT,
            holder TEXT,
            began INTEGER,
            ended INTEGER,
            code INTEGER,
            output TEXT NOT NULL DEFAULT '',
            report TEXT
        ) STRICT;
        CREATE INDEX run_schedule ON run(schedule, id);
        """
    ]

    // MARK: The lease

    /// Takes or renews the lease, and returns whether the server holds it.
    func hold(_ holder: ScheduleHolder, at uptime: Duration) async throws -> Bool {
        let now = Int64(uptime / .milliseconds(1))
        let until = now + Int64(Self.leaseTime / .milliseconds(1))
        let found = try await database.read { connection in
            try connection.prepare("SELECT holder, boot, until FROM lease").first { row throws(SQLiteError) in
                (
                    holder: try row.column(0, as: String.self), boot: try row.column(1, as: String.self),
                    until: try row.column(2, as: Int64.self)
                )
            }
        }
        // Usually, no change has to be written.
        if let found, found.boot == holder.boot {
            if found.holder != holder.name, found.until > now, found.until <= until { return false }
            if found.holder == holder.name, found.until > now + (until - now) / 2 { return true }
        }
        return try await database.write { connection in
            try connection.prepare(
                """
                INSERT INTO lease VALUES (1, ?1, ?2, ?4) ON CONFLICT DO UPDATE SET holder = ?1, boot = ?2, until = ?4
                WHERE holder = ?1 OR boot <> ?2 OR until <= ?3 OR until > ?4
                """
            ).run(holder.name, holder.boot, now, until) > 0
        }
    }

    /// Releases the lease.
    func release(_ holder: ScheduleHolder) async throws {
        _ = try await database.write { connection in
            try connection.prepare("DELETE FROM lease WHERE holder = ?").run(holder.name)
        }
    }

    /// Makes a change if the server still holds the lease.
    private func change<Result: Sendable>(
        _ holder: ScheduleHolder,
        _ body: @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result? {
        try await database.write { connection in
            let isHeld = try connection.prepare("SELECT 1 FROM lease WHERE holder = ?").with(holder.name).first {
                row throws(SQLiteError) in try row.column(0, as: Int.self)
            }
            return isHeld == nil ? nil : try body(connection)
        }
    }

    // MARK: The timetable

    /// Prepares the history for a server that has taken the lease: runs of another server are marked as lost, and
    /// waiting runs of schedules that no longer exist are marked as skipped.
    func begin(_ schedules: [Schedule], _ holder: ScheduleHolder, at now: Duration) async throws {
        let milliseconds = Int64(now / .milliseconds(1))
        _ = try await change(holder) { connection in
            try connection.prepare("UPDATE run SET state = 'lost', ended = ? WHERE state = 'running' AND holder <> ?")
                .run(milliseconds, holder.name)
            let names = Set(schedules.map(\.name))
            var others: Set<String> = []
            try connection.prepare(
                "SELECT schedule FROM timetable UNION SELECT schedule FROM run WHERE state = 'waiting'"
            ).eachRow { row throws(SQLiteError) in
                let name: String = try row.column(0)
                if !names.contains(name) { others.insert(name) }
            }
            for name in others {
                try connection.prepare("DELETE FROM timetable WHERE schedule = ?").run(name)
                try connection.prepare(
                    "UPDATE run SET state = 'skipped', ended = ?, output = ? WHERE schedule = ? AND state = 'waiting'"
                ).run(milliseconds, "this schedule is no longer in the settings\n", name)
            }
            for schedule in schedules where !schedule.expression.isOnDemand {
                // A changed timetable takes effect now, so no runs were missed.
                try connection.prepare(
                    """
                    INSERT INTO timetable VALUES (?1, ?2, ?3)
                    ON CONFLICT DO UPDATE SET times = ?2, handled = ?3 WHERE times <> ?2
                    """
                ).run(schedule.name, schedule.times, milliseconds / 1000)
            }
        }
    }

    /// Returns the instant up to which the times of each schedule have been handled, in seconds since 1970.
    func handled() async throws -> [String: Int64] {
        try await database.read { connection in
            var handled: [String: Int64] = [:]
            try connection.prepare("SELECT schedule, handled FROM timetable").eachRow { row throws(SQLiteError) in
                handled[try row.column(0)] = try row.column(1)
            }
            return handled
        }
    }

    /// Handles the times at which a schedule has become due: adds a waiting run, or records why there is none.
    ///
    /// This function does nothing and returns `nil` if the server does not hold the lease, or if the times have been
    /// handled in the meantime; otherwise, it returns the reports of runs that are no longer kept.
    func handle(
        _ due: DueTimes,
        of schedule: Schedule,
        since handled: Int64,
        _ holder: ScheduleHolder,
        at now: Duration
    ) async throws -> [String]? {
        let milliseconds = Int64(now / .milliseconds(1))
        return try await change(holder) { connection -> [String]? in
            let isFirst =
                try connection.prepare("UPDATE timetable SET handled = ? WHERE schedule = ? AND handled = ?").run(
                    due.last,
                    schedule.name,
                    handled
                ) > 0
            guard isFirst else { return nil }
            if due.isLate, schedule.missed == .none {
                try Self.insert(connection, schedule.name, .missed, due, endedAt: milliseconds)
                return try Self.forgetOld(connection, schedule.name)
            }
            let waits = try Self.count(connection, schedule.name, "'waiting'") > 0
            let isBusy = try waits || Self.count(connection, schedule.name, "'running'") > 0
            switch schedule.overlap {
            case .skip where isBusy:
                try Self.insert(connection, schedule.name, .skipped, due, endedAt: milliseconds)
            case .queue where waits:
                // One run is enough for all times that became due in the meantime.
                try connection.prepare(
                    """
                    UPDATE run SET passed = passed + ?, due = ?
                    WHERE id = (SELECT max(id) FROM run WHERE schedule = ? AND state = 'waiting')
                    """
                ).run(due.count, due.last, schedule.name)
            default: try Self.insert(connection, schedule.name, .waiting, due, endedAt: nil)
            }
            return try Self.forgetOld(connection, schedule.name)
        } ?? nil
    }

    /// If the clock was set back, moves the instant up to which times have been handled back to the clock's new time.
    func setBack(_ schedule: String, to now: Int64, _ holder: ScheduleHolder) async throws {
        _ = try await change(holder) { connection in
            try connection.prepare("UPDATE timetable SET handled = ? WHERE schedule = ?").run(now, schedule)
        }
    }

    private static func insert(
        _ connection: borrowing Connection,
        _ schedule: String,
        _ state: ScheduledRun.State,
        _ due: DueTimes,
        endedAt ended: Int64?
    ) throws(SQLiteError) {
        try connection.prepare("INSERT INTO run(schedule, state, due, passed, ended) VALUES (?, ?, ?, ?, ?)")
            .run(schedule, state.rawValue, due.last, due.count - 1, ended)
    }

    private static func count(
        _ connection: borrowing Connection,
        _ schedule: String,
        _ states: String
    ) throws(SQLiteError) -> Int {
        try connection.prepare("SELECT count(*) FROM run WHERE schedule = ? AND state IN (\(states))").with(schedule)
            .first { row throws(SQLiteError) in try row.column(0, as: Int.self) } ?? 0
    }

    // MARK: Runs

    /// Adds a waiting run on demand, and returns its number; `nil` if a run is in progress or waiting and another run
    /// would overlap with it.
    func request(_ schedule: Schedule, for client: String) async throws -> Int? {
        try await database.write { connection in
            if schedule.overlap == .skip, try Self.count(connection, schedule.name, "'waiting', 'running'") > 0 {
                return nil
            }
            try connection.prepare("INSERT INTO run(schedule, state, client) VALUES (?, 'waiting', ?)").run(
                schedule.name,
                client
            )
            return try connection.integer("SELECT last_insert_rowid()")
        }
    }

    /// Begins the oldest waiting run of a schedule that has no run in progress; `nil` if there is none.
    func start(_ schedule: String, _ holder: ScheduleHolder, at now: Duration) async throws -> ScheduledRun? {
        let milliseconds = Int64(now / .milliseconds(1))
        return try await change(holder) { connection -> ScheduledRun? in
            guard try Self.count(connection, schedule, "'running'") == 0 else { return nil }
            let oldest = try Self.runs(
                connection,
                "schedule = ? AND state = 'waiting' ORDER BY id LIMIT ?",
                schedule,
                1
            )
            guard var run = oldest.first else { return nil }
            try connection.prepare("UPDATE run SET state = 'running', began = ?, holder = ? WHERE id = ?").run(
                milliseconds,
                holder.name,
                run.id
            )
            (run.state, run.began) = (.running, milliseconds)
            return run
        } ?? nil
    }

    /// Records the end of a run, and returns the reports of runs that are no longer kept.
    func finish(_ run: ScheduledRun) async throws -> [String] {
        try await database.write { connection in
            try connection.prepare("UPDATE run SET state = ?, ended = ?, code = ?, output = ?, report = ? WHERE id = ?")
                .run(run.state.rawValue, run.ended, run.code.map { Int64($0) }, run.output, run.report, run.id)
            return try Self.forgetOld(connection, run.schedule)
        }
    }

    /// Removes the runs of a schedule that are no longer kept, and returns their reports.
    private static func forgetOld(
        _ connection: borrowing Connection,
        _ schedule: String
    ) throws(SQLiteError) -> [String] {
        let old = try runs(
            connection,
            "schedule = ? AND state NOT IN ('waiting', 'running') ORDER BY id DESC LIMIT -1 OFFSET ?",
            schedule,
            kept
        )
        for run in old { try connection.prepare("DELETE FROM run WHERE id = ?").run(run.id) }
        return old.compactMap(\.report)
    }

    /// Returns the latest runs of a schedule, newest first.
    package func runs(of schedule: String, atMost count: Int = kept) async throws -> [ScheduledRun] {
        try await database.read { connection in
            try Self.runs(connection, "schedule = ? ORDER BY id DESC LIMIT ?", schedule, count)
        }
    }

    private static func runs(
        _ connection: borrowing Connection,
        _ condition: String,
        _ schedule: String,
        _ number: Int
    ) throws(SQLiteError) -> [ScheduledRun] {
        var runs: [ScheduledRun] = []
        try connection.prepare(
            "SELECT id, state, due, passed, client, began, ended, code, output, report FROM run WHERE \(condition)"
        ).with(schedule, number).eachRow { row throws(SQLiteError) in
            runs.append(
                ScheduledRun(
                    id: try row.column(0),
                    schedule: schedule,
                    // A state that was recorded by a later version does not count as a success.
                    state: ScheduledRun.State(rawValue: try row.column(1)) ?? .lost,
                    due: try row.column(2),
                    passedOver: try row.column(3),
                    client: try row.column(4),
                    began: try row.column(5),
                    ended: try row.column(6),
                    code: try row.column(7, as: Int64?.self).map { Int32(truncatingIfNeeded: $0) },
                    output: try row.column(8),
                    report: try row.column(9)
                )
            )
        }
        return runs
    }
}
