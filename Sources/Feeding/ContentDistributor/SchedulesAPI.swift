import ContentFeeding
import Files
import Glibc
import HTTPService
import JSONText
import Reconciliation
import Schedules
import ServerSecurity
import Synchronization
import TextKit
import Threads
import TimeZones

/// The schedules of a server, and the address at which their commands reach it.
final class ScheduleService: Sendable {
    /// A function that creates a plan for a collection from the report of a run, and returns the plan's ID, if any.
    typealias PlanOfRun = @Sendable (ScheduledRun, _ report: String, _ collection: String) async throws -> String?

    /// The state that the schedules share with the server: its address, and its counters of runs.
    private struct State {
        var settings: [ScheduleSettings]
        var address = ""
        var planning: PlanOfRun?
        var runs: [ScheduledRun.State: Int] = [:]
        /// The schedules whose commands are currently comparing for a plan.
        var comparing: Set<String> = []
        var ticking: Task<Void, Never>?
    }

    /// A container for the state, because the scheduler's closures need the state before the service exists.
    private final class Box: Sendable {
        let state: Mutex<State>

        init(_ settings: [ScheduleSettings]) { state = Mutex(State(settings: settings)) }
    }

    let scheduler: Scheduler
    let history: RunHistory
    private let box: Box

    /// Creates the scheduler, which is idle until ``begin(at:)``, and starts a run only if `audit` can record it.
    init(
        _ settings: DistributorSettings,
        _ tokens: AccessTokens,
        clock: any ScheduleClock,
        audit: @escaping @Sendable (AuditLog.Entry) async throws -> Void,
        note: @escaping @Sendable (ScheduledRun) async -> Void,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        let (history, box) = (try RunHistory(path: "\(settings.state)/schedules.sqlite"), Box(settings.schedules))
        let reports = "\(settings.state)/reports"
        (self.history, self.box) = (history, box)
        scheduler = Scheduler(settings.schedules.map(\.schedule), history: history, clock: clock, log: log) { run in
            box.state.withLock { $0.runs[run.state, default: 0] += 1 }
            if run.state.isFailure {
                let code = run.code.map { " with exit code \($0)" } ?? ""
                log("run \(run.id) of schedule '\(run.schedule)' ended as \(run.state.rawValue)\(code)")
            }
            await note(run)
        } body: { schedule, run in
            let (all, address) = box.state.withLock { ($0.settings, $0.address) }
            guard let settings = all.first(where: { $0.schedule.name == schedule.name }) else {
                return RunEnding(.skipped, output: "this schedule is no longer in the settings\n")
            }
            do {
                try await audit(AuditLog.Entry(run, nil))
            } catch {
                return RunEnding(.failed, output: "nothing was run, because the audit log can't be written: \(error)\n")
            }
            mkdir(reports, 0o700)
            var ending = await settings.run(tokens, at: address, reportingTo: "\(reports)/\(schedule.name)-\(run.id)")
            // The collection and its source are in sync, or differ.
            if let code = ending.code, (0...1).contains(code), let report = ending.report,
                let collection = settings.command.plannedCollection,
                let planning = box.state.withLock({ $0.planning })
            {
                do {
                    if let id = try await planning(run, report, collection) {
                        ending.output += "plan \(id) was created for review\n"
                    }
                } catch {
                    ending.state = .failed
                    ending.output += "no plan was created: \((error as? ServiceProblem)?.message ?? "\(error)")\n"
                }
            }
            do {
                try await audit(AuditLog.Entry(run, ending))
            } catch {
                log("the end of run \(run.id) of schedule '\(run.schedule)' is not in the audit log: \(error)")
            }
            return ending
        }
    }

    /// Begins to run schedules that are due, now that the server listens at an address and can create plans.
    func begin(at address: String, _ planning: @escaping PlanOfRun) {
        box.state.withLock { [scheduler] state in
            (state.address, state.planning) = (address, planning)
            state.ticking = state.ticking ?? Task { await scheduler.run() }
        }
    }

    /// Replaces the schedules.
    func use(_ settings: [ScheduleSettings]) {
        box.state.withLock { $0.settings = settings }
        // The later of two reloads takes effect, regardless of the order of their tasks.
        Task { [scheduler, box] in await scheduler.use(box.state.withLock { $0.settings.map(\.schedule) }) }
    }

    /// Compares a collection with its source, using the command of a schedule, which writes a plan to a file.
    ///
    /// The file is removed, but the plan can still be read.
    func compare(
        _ settings: ScheduleSettings,
        _ tokens: AccessTokens,
        writingTo path: String
    ) async throws -> PlanFile {
        let name = settings.schedule.name
        let address = box.state.withLock { $0.address }
        guard !address.isEmpty else { throw ServiceProblem.unavailable("the server is not listening yet") }
        guard box.state.withLock({ $0.comparing.insert(name).inserted }) else {
            throw ServiceProblem(
                .conflict,
                "running",
                "the schedule '\(name)' is already running a comparison for another plan",
                advice: "send the request again when that plan has been made"
            )
        }
        defer {
            _ = box.state.withLock { $0.comparing.remove(name) }
            unlink(path)
            unlink("\(path).report")
        }
        let result = await settings.compare(tokens, at: address, writingTo: path)
        let reason: String
        switch result.ending {
        // The collection and its source are in sync, or differ.
        case .exit(0), .exit(1):
            return try await onOwnThread { Result { try PlanFile(path, allowsEdits: false) } }.get()
        case .exit(let code): reason = "ended with exit code \(code)"
        case .signal(let number): reason = "was terminated by signal \(number)"
        case .timeout: reason = "took too long"
        case .cancelled: throw CancellationError()
        case .unstarted(let words): reason = "can't be started: \(words)"
        }
        let output = result.output.split(separator: "\n").suffix(10).joined(separator: "; ")
        throw ServiceProblem(
            .unprocessable,
            "noComparison",
            "the command of the schedule '\(name)' \(reason)" + (output.isEmpty ? "" : ": \(output)"),
            advice: "correct it, and run the schedule once to see its whole output"
        )
    }

    /// Stops all runs; the next server process continues with the next times.
    func end() async {
        box.state.withLock { $0.ticking?.cancel() }
        await scheduler.stop()
    }

    /// The numbers of ended runs since the server started, by their final states.
    var runs: [(state: ScheduledRun.State, count: Int)] {
        let runs = box.state.withLock { $0.runs }
        return ScheduledRun.State.allCases.compactMap { state in runs[state].map { (state, $0) } }
    }
}

extension AuditLog.Entry {
    /// Creates the entry for the beginning or the end of a run.
    fileprivate init(_ run: ScheduledRun, _ ending: RunEnding?) {
        let code = ending?.code.map { ", exit code \($0)" } ?? ""
        let state = ending.map { ": \($0.state.rawValue)\(code)" } ?? ""
        self.init(
            principal: run.client ?? "timetable",
            action: ending == nil ? "run begins" : "run ends",
            collection: "",
            subject: "schedule \(run.schedule), run \(run.id)\(state)",
            status: ending == nil ? 202 : ending?.state == .succeeded ? 200 : 500,
            request: "",
            address: ""
        )
    }
}

extension ScheduleSettings {
    /// The server's environment variables that its commands don't inherit, because they concern only the server.
    private static let ownVariables = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_PID"]

    /// Runs the command, with a token that is valid until the command ends and is not stored anywhere.
    func run(_ tokens: AccessTokens, at address: String, reportingTo report: String) async -> RunEnding {
        guard let file = program else { return RunEnding(.failed, output: "\(warning ?? "")\n") }
        let words = command.words.dropFirst().map { Self.filled($0, report) }
        let result = await run(file, words, tokens, at: address, within: timeout)
        let output = result.output
        let written = access(report, F_OK) == 0 ? report : nil
        switch result.ending {
        case .exit(let code):
            let state: ScheduledRun.State = successCodes.contains(code) ? .succeeded : .failed
            return RunEnding(state, code: code, output: output, report: written)
        case .signal(let number): return RunEnding(.failed, code: 128 + number, output: output, report: written)
        case .timeout: return RunEnding(.timedOut, output: output, report: written)
        case .cancelled: return RunEnding(.stopped, output: output, report: written)
        case .unstarted(let reason): return RunEnding(.failed, output: "'\(file)' can't be started: \(reason)\n")
        }
    }

    /// The time limit of a comparison whose schedule has no limit.
    private static let longestComparison = Duration.seconds(3_600)

    /// Runs the command, which is a comparison, with a separate file for its plan.
    fileprivate func compare(
        _ tokens: AccessTokens,
        at address: String,
        writingTo plan: String
    ) async -> ScheduledProgram.Result {
        let words = command.wordsWithoutPlan.dropFirst().map { Self.filled($0, "\(plan).report") }
        let limit = timeout ?? Self.longestComparison
        return await run(program ?? command.words[0], words + ["--plan", plan], tokens, at: address, within: limit)
    }

    /// Runs a program with the rights of the schedule.
    private func run(
        _ file: String,
        _ words: [String],
        _ tokens: AccessTokens,
        at address: String,
        within limit: Duration?
    ) async -> ScheduledProgram.Result {
        var environment: [String: String] = [:]
        for name in Self.inheritedNames() { environment[name] = getenv(name).flatMap { String(validatingCString: $0) } }
        let token = AccessToken(id: "", name: "schedule \(schedule.name)", role: role, collections: collections)
        let secret = tokens.lend(token)
        defer { tokens.takeBack(secret) }
        environment["FASTCTL_TARGET"] = "distributor+\(address)"
        environment["FASTCTL_CREDENTIALS"] = "Bearer \(secret)"
        var result = await ScheduledProgram(
            [file] + words,
            environment: environment,
            folder: folder,
            timeout: limit
        ).run()
        result.output = Self.withoutSecret(result.output, secret)
        return result
    }

    private static func inheritedNames() -> [String] {
        var names: [String] = []
        var next = environ
        while let variable = next.pointee {
            let name = String(cString: variable).split(separator: "=", maxSplits: 1).first.map(String.init) ?? ""
            if !name.hasPrefix("FASTCTL_"), !ownVariables.contains(name) { names.append(name) }
            next += 1
        }
        return names
    }

    /// Returns a word of a command, with the path of the run's report in place of `{report}`.
    static func filled(_ word: String, _ report: String) -> String { word.replacing("{report}", with: report) }

    /// Returns an output in which the token of the run is masked, because a program may print its environment.
    static func withoutSecret(_ output: String, _ secret: String) -> String {
        output.replacing(secret, with: "[token]")
    }
}

// MARK: - Requests

extension ContentDistributor {
    /// Runs the schedules of the settings, now that the server listens at an address such as `http://127.0.0.1:13391`.
    package func beginSchedules(at address: String) {
        schedules.begin(at: address) { [weak self] run, report, collection in
            guard let self else { throw CancellationError() }
            return try await makePlan(of: run, report, on: collection)
        }
    }

    /// Stops the active runs; a server does this before it ends, because the runs are its clients.
    package func endSchedules() async { await schedules.end() }

    /// Responds with the schedules, each with its next times and its last run, for administrators.
    func listSchedules() async throws -> ServedResponse {
        try requireAdministrator()
        let compared = Dictionary(settings.schedules.map { ($0.schedule.name, $0.command.comparedCollection) }) { $1 }
        let statuses = try await schedules.scheduler.statuses()
        return .json { object in
            object.array("schedules") { array in
                for status in statuses {
                    array.object { object in
                        let schedule = status.schedule
                        object.member("name", schedule.name)
                        object.member("cron", schedule.expression.description)
                        object.member("timeZone", schedule.zone.name)
                        object.member("reconciles", compared[schedule.name] ?? nil)
                        object.member("next", status.next.map { schedule.clock($0) })
                        if let last = status.last {
                            object.object("last") { Self.write(last, of: schedule, to: &$0) }
                        } else {
                            object.member("last", nil as String?)
                        }
                    }
                }
            }
        }
    }

    /// Responds with the runs of a schedule, newest first.
    func listRuns(_ request: ServedRequest) async throws -> ServedResponse {
        try requireAdministrator()
        let schedule = try schedule(of: request)
        let runs = try await schedules.history.runs(of: schedule.name)
        return .json { object in
            object.array("runs") { array in
                for run in runs { array.object { Self.write(run, of: schedule, to: &$0) } }
            }
        }
    }

    /// Runs a schedule immediately.
    func runNow(_ request: ServedRequest) async throws -> ServedResponse {
        let token = try requireAdministrator()
        let schedule = try schedule(of: request)
        let grant = AccessGrant(collection: "", principal: token.principal, filter: DocumentFilter())
        return try await audited(request, "run", grant, "schedule \(schedule.name)") {
            guard let number = try await schedules.scheduler.runNow(schedule, for: token.principal) else {
                throw ServiceProblem(
                    .conflict,
                    "running",
                    "the schedule '\(schedule.name)' is already running",
                    advice: "send the request again when it has ended, or set overlap: queue"
                )
            }
            var response = ServedResponse.json(status: .accepted) { $0.member("run", number) }
            response.headers["Location"] = "/v1/schedules/\(schedule.name)/runs"
            return response
        }
    }

    @discardableResult
    private func requireAdministrator() throws -> AccessToken {
        guard let token = try token, token.role == .admin else { throw ServiceProblem.notAllowed }
        return token
    }

    private func schedule(of request: ServedRequest) throws -> Schedule {
        let name = try request.parameter("schedule")
        guard let schedule = settings.schedules.first(where: { $0.schedule.name == name })?.schedule else {
            throw ServiceProblem(
                .notFound,
                "noSchedule",
                "there is no schedule '\(name)'",
                advice: "GET /v1/schedules lists them"
            )
        }
        return schedule
    }

    private static func write(_ run: ScheduledRun, of schedule: Schedule, to object: inout JSONWriter) {
        object.member("run", run.id)
        object.member("state", run.state.rawValue)
        object.member("due", run.due.map { schedule.clock($0) })
        object.member("passedOver", run.passedOver)
        object.member("client", run.client)
        object.member("began", run.began.map { UTCTimestamp(since1970: .milliseconds($0)).description })
        object.member("ended", run.ended.map { UTCTimestamp(since1970: .milliseconds($0)).description })
        object.member("exitCode", run.code.map { Int($0) })
        object.member("output", run.output)
        object.member("report", run.report)
    }

    /// Adds the metrics of the schedules to a page.
    func addScheduleMetrics(to page: inout MetricsPage) async {
        let running = await schedules.scheduler.runningCount
        page.add("distributor_schedules_running", .gauge, "Schedule runs in progress.", running)
        page.begin("distributor_schedule_runs_total", .counter, "Ended schedule runs, by result.")
        for (state, count) in schedules.runs {
            page.add("distributor_schedule_runs_total", [("state", state.rawValue)], count)
        }
    }
}
