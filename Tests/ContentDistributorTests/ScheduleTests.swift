import FeedJobs
import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor
@testable import Schedules

/// Schedules in the settings file, and the commands that they run against the server.
struct ScheduleTests {
    private func schedules(_ text: String, in folder: TemporaryFolder) throws -> [ScheduleSettings] {
        try "target: a\nschedules:\n\(text)\n".write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
        return try DistributorSettings.read(folder.path("d.yaml")).schedules
    }

    // MARK: Settings

    @Test func `Every key of a schedule is read`() throws {
        let folder = try TemporaryFolder()
        let found = try schedules(
            """
              nightly:
                cron: 30 2 * * mon-fri
                time-zone: Europe/Vienna
                command: [fastctl, remove, -c, Web, --where, state=old, --max-remove, 5%]
                overlap: queue
                missed: once
                timeout: 1h30m
                as: admin
                for: [Web, Other]
                exit-codes: [0, 1]
              plain: {cron: on-demand, command: [sh, -c, exit]}
            """,
            in: folder
        )
        let (nightly, plain) = (found[0], found[1])
        #expect(nightly.schedule.overlap == .queue && nightly.schedule.missed == .once)
        #expect(nightly.timeout == .seconds(5400) && nightly.role == .admin && nightly.successCodes == [0, 1])
        #expect(nightly.collections == ["Web", "Other"] && nightly.command.words.count == 8)
        // A Saturday, in November.
        #expect(
            nightly.nextTimes(3, after: .seconds(1_795_867_200))
                == "nightly: 2026-11-30T02:30+01:00, 2026-12-01T02:30+01:00, 2026-12-02T02:30+01:00"
        )
        #expect(plain.schedule.overlap == .skip && plain.schedule.missed == .none && plain.timeout == nil)
        #expect(plain.role == .application && plain.collections.isEmpty && plain.successCodes == [0])
        #expect(plain.nextTimes(3, after: .zero) == "plain: on demand" && plain.warning == nil)
    }

    @Test(arguments: [
        ("{cron: 0 3 * *, command: [sh]}", "3:15: there are 4 fields instead of 5"),
        ("{cron: 0 3 30 feb *, command: [sh]}", "3:15: no year has such a day"),
        ("{cron: 0 25 * * *, command: [sh]}", "3:17: '25' is not valid as the hour"),
        ("{cron: '@daily', time-zone: Europe/Wien, command: [sh]}", "3:36: there is no time zone 'Europe/Wien'"),
        ("{cron: '@daily', command: []}", "3:3: the schedule 'job' has no command"),
        ("{cron: '@daily', command: [sh], overlap: both}", "3:49: 'both' is not a valid value of 'overlap'"),
        ("{cron: '@daily', command: [sh], missed: all}", "3:48: 'all' is not a valid value of 'missed'"),
        ("{cron: '@daily', command: [sh], timeout: 8d}", "3:49: '8d' is not a duration"),
        ("{cron: '@daily', command: [sh], as: user}", "3:44: 'user' is not a role for a schedule"),
        ("{cron: '@daily', command: [sh], exit-codes: [256]}", "3:53: 256 is not an exit code"),
        ("{cron: '@daily', command: [sh], retries: 3}", "retries"),
        ("{cron: '@daily'}", "command"),
        ("{command: [sh]}", "cron"),
        ("{cron: '@daily', command: [fastctl, apply, p]}", "3:35: 'fastctl apply' has no --max-remove"),
        ("{cron: '@daily', unguarded: false, command: [fastctl, undo, p]}", "3:53: 'fastctl undo' has no --max-remove"),
        (
            "{cron: '@daily', command: [/opt/fastctl, collections, clear, Web, --confirm, Web]}",
            "3:35: 'fastctl collections clear' removes all documents"
        ),
        (
            "{cron: '@daily', command: [fastctl, collections, delete, Web, --confirm=Web]}",
            "3:35: 'fastctl collections delete' removes all documents"
        ),
        (
            "{cron: '@daily', command: [fastctl, replicas, empty, Web, --force]}",
            "3:35: 'fastctl replicas empty --force' discards changes that were never sent"
        ),
        ("{cron: '@daily', unguarded: 1, command: [sh]}", "3:36: "),
    ])
    func `A nonsensical schedule is refused with the location of the defect`(text: String, reason: String) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SettingsError.self) { try schedules("  job: \(text)", in: folder) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(throws: SettingsError.self) { try schedules("  a/b: {cron: '@daily', command: [sh]}", in: folder) }
    }

    @Test(arguments: [
        ("fastctl remove -c Web --where a=b", false), ("fastctl remove -c Web --where a=b --max-remove 10", true),
        ("/usr/bin/fastctl remove --query x --max-remove=1%", true), ("fastctl apply plan", false),
        ("fastctl undo job", false), ("fastctl apply plan --max-remove 1", true), ("fastctl remove --where=a=b", false),
        ("fastctl reconcile -c Web --source s", true), ("remove everything", true),
        ("fastctl remove -c Web --where a=b --dry-run", true), ("fastctl --quiet remove --query x", false),
        ("fastctl remove -c Web --query x -n", true), ("fastctl collections clear Web --confirm Web", false),
        ("fastctl collections delete Web --confirm=Web", false), ("fastctl collections optimize Web", true),
        ("fastctl collections create clear", true), ("fastctl replicas remove a", true),
        ("fastctl replicas remove a --force", false), ("fastctl replicas purge --force a", false),
        ("fastctl replicas push a", true), ("fastctl jobs discard --copy a --force", false),
        ("fastctl jobs discard K7Z3", true), ("fastctl jobs forget --older 7d", true),
    ])
    func `A command that may remove any number of documents requires a limit`(command: String, isAllowed: Bool) {
        #expect((ScheduledCommand(command.split(separator: " ").map(String.init)).danger == nil) == isAllowed)
    }

    @Test func `A schedule that is explicitly unlimited runs`() throws {
        let folder = try TemporaryFolder()
        let command = "[fastctl, collections, clear, Web, --confirm, Web]"
        let found = try schedules("  job: {cron: '@daily', unguarded: true, command: \(command)}", in: folder)
        #expect(found.map(\.command.words.count) == [6])
    }

    @Test func `A missing program causes only a warning, because it may be installed later`() throws {
        let folder = try TemporaryFolder()
        let found = try schedules("  job: {cron: '@daily', command: [./none]}", in: folder)
        #expect(found[0].warning?.contains("'./none'") == true)
    }

    @Test func `In an argument, only the placeholder for the report is replaced`() {
        #expect(ScheduleSettings.filled("a{report}b{report}", "/r") == "a/rb/r")
        #expect(ScheduleSettings.filled("{rep}{{report}", "/r") == "{rep}{/r")
        #expect(ScheduleSettings.withoutSecret("x fcd_1 y\n", "fcd_1") == "x [token] y\n")
    }

    // MARK: Runs

    /// Begins the schedules of a server, as if its file had been reloaded.
    private func begin(_ text: String, on live: LiveDistributor) throws {
        var settings = live.distributor.settings
        settings.schedules = try schedules(text, in: live.folder)
        try live.distributor.reload(settings, from: "d.yaml")
        live.distributor.beginSchedules(at: "http://127.0.0.1:\(live.server.port)")
    }

    private func runs(_ name: String, on live: LiveDistributor, _ token: String) async throws -> [JSONValue] {
        let answer = try await live.client { try $0.send("GET", "/v1/schedules/\(name)/runs", token: token) }
        #expect(answer.status == 200)
        guard case .array(let runs) = answer.json["runs"] else { return [] }
        return runs
    }

    /// Makes a schedule run, and returns the run once it has ended.
    private func run(_ name: String, on live: LiveDistributor, _ token: String) async throws -> JSONValue {
        let answer = try await live.client { try $0.send("POST", "/v1/schedules/\(name)/runs", token: token) }
        #expect(answer.status == 202)
        for _ in 0..<1_000 {
            if let last = try await runs(name, on: live, token).first,
                last["state"] != .string("running"), last["state"] != .string("waiting")
            {
                return last
            }
            try await Task.sleep(for: .milliseconds(30))
        }
        Issue.record("the run does not end")
        return .null
    }

    /// A program that puts a document, prints its token, and keeps it.
    private static let putter = """
        import os, sys, urllib.request
        url = os.environ["FASTCTL_TARGET"].removeprefix("distributor+")
        token = os.environ["FASTCTL_CREDENTIALS"]
        open(sys.argv[1], "w").write(token)
        for name in sys.argv[3:]:
            request = urllib.request.Request(
                url + "/v1/collections/" + name + "/documents/a", b'{"x":1}', method="PUT",
                headers={"Authorization": token, "Content-Type": "application/json"})
            try:
                print(name, urllib.request.urlopen(request).status)
            except urllib.error.HTTPError as error:
                print(name, error.code)
        print(token)
        open(sys.argv[2], "w").write("a report")
        """

    @Test func `A run has an application's rights on its collections, and its token expires with the run`() async throws
    {
        let verbs: [AccessVerb] = [.read, .insert, .update]
        let rules = Dictionary(uniqueKeysWithValues: verbs.map { ($0, "application-key") })
        let live = try await LiveDistributor(["Web": rules, "Other": rules, "Locked": [:]])
        try Self.putter.write(toFile: live.folder.path("put.py"), atomically: true, encoding: .utf8)
        let kept = live.folder.path("kept")
        try begin(
            """
              job:
                cron: on-demand
                command: [python3, put.py, \(kept), "{report}", Web, Other, Locked]
                for: [Web, Locked]
            """,
            on: live
        )
        let admin = try await live.token(.admin)
        let last = try await run("job", on: live, admin)
        #expect(last["state"] == .string("succeeded"), "\(last)")
        #expect(last["output"] == .string("Web 201\nOther 403\nLocked 403\nBearer [token]\n"), "\(last)")
        guard case .string(let report) = last["report"] else {
            Issue.record("there is no report")
            return
        }
        #expect(try String(contentsOfFile: report, encoding: .utf8) == "a report")
        // The token was valid, but no longer is.
        let token = try String(contentsOfFile: kept, encoding: .utf8).replacing("Bearer ", with: "")
        #expect(AccessTokens.isSecret(token))
        let answer = try await live.client { try $0.send("GET", "/v1/collections/Web/documents/a", token: token) }
        #expect(answer.status == 401)
        // The token does not appear in any list, and its actions are in the audit log.
        #expect(try await live.tokens.list().map(\.name) == ["test"])
        let log = try String(contentsOfFile: live.distributor.settings.state + "/audit.log", encoding: .utf8)
        #expect(log.contains("schedule job") && log.contains("\"run\""))
        await live.end()
    }

    @Test func `Only administrators can start runs, and runs do not overlap`() async throws {
        let live = try await LiveDistributor(["Web": [:]])
        try begin("  job: {cron: on-demand, command: [sleep, '600'], timeout: 1h}", on: live)
        let (admin, user) = (try await live.token(.admin), try await live.token(.user))
        for (method, path) in [("GET", ""), ("GET", "/job/runs"), ("POST", "/job/runs")] {
            for token in [user, nil] {
                let answer = try await live.client { try $0.send(method, "/v1/schedules" + path, token: token) }
                #expect(answer.status == 403)
            }
        }
        let statuses = try await live.client { client in
            try (0..<2).map { _ in try client.send("POST", "/v1/schedules/job/runs", token: admin).status }
                + [client.send("POST", "/v1/schedules/none/runs", token: admin).status]
        }
        #expect(statuses == [202, 409, 404])
        let list = try await live.client { try $0.send("GET", "/v1/schedules", token: admin) }
        #expect(list.text.contains("\"name\":\"job\"") && list.text.contains("\"next\":null"))
        // When the server ends, the run ends as well, and the next server reports its final state.
        let state = live.distributor.settings.state
        await live.distributor.endSchedules()
        let history = try RunHistory(path: state + "/schedules.sqlite")
        #expect(try await history.runs(of: "job").map(\.state) == [.stopped])
        await live.end()
    }

    @Test func `A run that hangs is stopped, and a run that fails is recorded as failed, with its output`() async throws
    {
        let live = try await LiveDistributor(["Web": [:]])
        try begin(
            """
              hangs: {cron: on-demand, command: [sh, -c, 'echo begun; sleep 600'], timeout: 500ms}
              fails: {cron: on-demand, command: [sh, -c, 'echo no >&2; exit 3']}
              drift: {cron: on-demand, command: [sh, -c, 'exit 1'], exit-codes: [0, 1]}
              none: {cron: on-demand, command: [./none]}
            """,
            on: live
        )
        let admin = try await live.token(.admin)
        let hangs = try await run("hangs", on: live, admin)
        #expect(hangs["state"] == .string("timed-out") && hangs["exitCode"] == .null, "\(hangs)")
        let fails = try await run("fails", on: live, admin)
        #expect(fails["state"] == .string("failed") && fails["output"] == .string("no\n"), "\(fails)")
        #expect(try await run("drift", on: live, admin)["state"] == .string("succeeded"))
        #expect(try await run("none", on: live, admin)["state"] == .string("failed"))
        let metrics = try await live.client { try $0.send("GET", "/metrics", token: admin) }.text
        #expect(metrics.contains("distributor_schedule_runs_total{state=\"failed\"} 2\n"))
        #expect(metrics.contains("distributor_schedule_runs_total{state=\"timed-out\"} 1\n"))
        await live.end()
    }

    /// Returns the lines of the audit log about runs: the responsible name, the action, and the status.
    private func auditedRuns(on live: LiveDistributor) throws -> [String] {
        let log = try String(contentsOfFile: live.distributor.settings.state + "/audit.log", encoding: .utf8)
        return try log.split(separator: "\n").compactMap { line in
            let entry = try JSONValue(Array(line.drop { $0 != "{" }.utf8))
            guard let action = entry["action"].text, action.hasPrefix("run ") else { return nil }
            let name = entry["principal"].text?.split(separator: " ").first.map(String.init)
            return [name, action, entry["subject"].text, entry["status"].int.map(String.init)]
                .compactMap(\.self).joined(separator: " | ")
        }
    }

    @Test func `The audit log records the beginning and end of each run, and the responsible name`() async throws {
        let live = try await LiveDistributor(["Web": [:]])
        try begin(
            """
              good: {cron: on-demand, command: [sh, -c, 'exit 0']}
              bad: {cron: on-demand, command: [sh, -c, 'exit 3']}
              slow: {cron: on-demand, command: [sleep, '600'], timeout: 100ms}
            """,
            on: live
        )
        let admin = try await live.token(.admin)
        for name in ["good", "bad", "slow"] { _ = try await run(name, on: live, admin) }
        let lines = try auditedRuns(on: live)
        #expect(
            lines == [
                "test | run begins | schedule good, run 1 | 202",
                "test | run ends | schedule good, run 1: succeeded, exit code 0 | 200",
                "test | run begins | schedule bad, run 2 | 202",
                "test | run ends | schedule bad, run 2: failed, exit code 3 | 500",
                "test | run begins | schedule slow, run 3 | 202",
                "test | run ends | schedule slow, run 3: timed-out | 500",
            ],
            "\(lines)"
        )
        await live.end()
    }

    @Test func `A schedule that runs every minute starts automatically after a reload`() async throws {
        let live = try await LiveDistributor(["Web": [:]], clock: ForwardClock(secondsBeforeMinute: 4))
        let admin = try await live.token(.admin)
        try begin("  other: {cron: on-demand, command: [sh]}", on: live)
        try begin("  minutely: {cron: '* * * * *', command: [sh, -c, 'echo ran']}", on: live)
        var found: [JSONValue] = []
        for _ in 0..<800 where found.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
            found = try await runs("minutely", on: live, admin).filter { $0["state"] == .string("succeeded") }
        }
        #expect(found.first?["output"] == .string("ran\n") && found.first?["client"] == .null)
        #expect(try auditedRuns(on: live).first?.hasPrefix("timetable | run begins | schedule minutely, run ") == true)
        await live.end()
    }

    @Test(.enabled(if: ChildProgram.fastctl != nil, "the program fastctl is not built"))
    func `fastctl removes documents by a condition through the server, within its limit`() async throws {
        let fastctl = try #require(ChildProgram.fastctl).path
        let live = try await LiveDistributor(
            ["Web": [.read: "application-key", .insert: "application-key", .delete: "application-key"]]
        )
        let admin = try await live.token(.admin)
        try await live.client { client in
            for number in 1...4 {
                let body = "{\"state\":\"\(number < 3 ? "old" : "new")\"}"
                let answer = try client.send("PUT", "/v1/collections/Web/documents/\(number)", body, token: admin)
                #expect(answer.status == 201)
            }
        }
        let words = "\(fastctl), remove, -c, Web, --where, state=old, --max-remove"
        try begin(
            """
              careful: {cron: on-demand, command: [\(words), '1']}
              clean: {cron: on-demand, command: [\(words), '2']}
            """,
            on: live
        )
        func remaining() async throws -> [Int] {
            try await live.client { client in
                try (1...4).filter { number in
                    try client.send("GET", "/v1/collections/Web/documents/\(number)", token: admin).status == 200
                }
            }
        }
        let careful = try await run("careful", on: live, admin)
        #expect(careful["state"] == .string("failed"), "\(careful)")
        #expect(try await remaining() == [1, 2, 3, 4])
        let clean = try await run("clean", on: live, admin)
        #expect(clean["state"] == .string("succeeded"), "\(clean)")
        #expect(try await remaining() == [3, 4])
        await live.end()
    }

    // MARK: Plans

    @Test(arguments: [
        ("fastctl reconcile -c Web --source s", "Web"), ("/usr/bin/fastctl reconcile --source s --collection=A", "A"),
        ("fastctl reconcile --collection A -c Web --source s", "Web"), ("fastctl reconcile --source s", nil),
        ("fastctl reconcile -c", nil), ("fastctl feed reconcile -c Web", nil), ("reconcile -c Web", nil),
        ("fastctl reconcile -c Web --source s --target=sqlite:x", nil),
        ("fastctl reconcile -c Web --source s --context other", nil),
    ])
    func `Only a comparison with one of this server's collections can become a plan`(
        command: String,
        collection: String?
    ) throws {
        let folder = try TemporaryFolder()
        let words = command.split(separator: " ").joined(separator: ", ")
        let found = try schedules("  job: {cron: on-demand, command: [\(words)]}", in: folder)
        #expect(found[0].command.comparedCollection == collection)
        let planned = try schedules(
            "  job: {cron: on-demand, command: [fastctl, --plan, a, reconcile, --plan=b, -c, Web, --plan]}",
            in: folder
        )
        #expect(planned[0].command.wordsWithoutPlan == ["fastctl", "reconcile", "-c", "Web"])
        for (option, isOffered) in [("--plan {report}", true), ("--plan={report}", true), ("--plan {report}x", false)] {
            let words = "\(command) \(option)".split(separator: " ").map(String.init)
            #expect(ScheduledCommand(words).plannedCollection == (isOffered ? collection : nil))
        }
    }

    private func post(
        _ path: String,
        _ body: String,
        on live: LiveDistributor,
        _ token: String
    ) async throws -> DistributorClient.Answer {
        try await live.client { client in
            try client.send("POST", path, body, token: token, headers: [("Content-Type", "application/json")])
        }
    }

    /// Returns a plan once it is in the given state.
    private func plan(
        _ id: String,
        as state: String,
        on live: LiveDistributor,
        _ token: String
    ) async throws -> JSONValue {
        for _ in 0..<2_000 {
            let answer = try await live.client { try $0.send("GET", "/v1/plans/\(id)", token: token) }
            if answer.json["state"].text == state { return answer.json }
            try await Task.sleep(for: .milliseconds(30))
        }
        Issue.record("the plan does not become \(state)")
        return .null
    }

    /// Returns the current numbers in the documents `a` to `d`; `nil` for a missing document.
    private func documents(on live: LiveDistributor, _ token: String) async throws -> [Int?] {
        try await live.client { client in
            try ["a", "b", "c", "d"].map { id in
                let answer = try client.send("GET", "/v1/collections/Web/documents/\(id)", token: token)
                return answer.status == 200 ? answer.json["n"].int : nil
            }
        }
    }

    @Test(.enabled(if: ChildProgram.fastctl != nil, "the program fastctl is not built"))
    func `A scheduled reconciliation becomes a plan that is reviewed, applied and undone`() async throws {
        let fastctl = try #require(ChildProgram.fastctl).path
        let rules = Dictionary(uniqueKeysWithValues: AccessVerb.allCases.map { ($0, "application-key") })
        let live = try await LiveDistributor(["Web": rules, "Other": rules])
        let (admin, application) = (try await live.token(.admin), try await live.token(.application))
        let before = [1, 2, 3, nil]
        try await live.client { client in
            for (id, number) in zip(["a", "b", "c"], 1...3) {
                let json = "{\"n\":\(number)}"
                let answer = try client.send("PUT", "/v1/collections/Web/documents/\(id)", json, token: admin)
                #expect(answer.status == 201)
            }
        }
        // One document is stale, one the same, one orphaned, and one missing.
        let source = live.folder.path("pages.jsonl")
        let lines = [#"{"id":"a","n":10}"#, #"{"id":"b","n":2}"#, #"{"id":"d","n":4}"#]
        try (lines.joined(separator: "\n") + "\n").write(toFile: source, atomically: true, encoding: .utf8)
        let words = "\(fastctl), reconcile, -c, Web, --source, 'jsonl:pages.jsonl'"
        try begin(
            """
              drift: {cron: on-demand, command: [\(words), --plan, "{report}"], exit-codes: [0, 1]}
              lost: {cron: on-demand, command: [\(fastctl), reconcile, -c, Web, --source, 'jsonl:none.jsonl']}
              other: {cron: on-demand, command: [\(fastctl), remove, -c, Web, --where, a=b, --max-remove, '1']}
            """,
            on: live
        )
        let list = try await live.client { try $0.send("GET", "/v1/schedules", token: admin) }
        #expect(list.json["schedules"].elements.map { $0["reconciles"].text } == ["Web", "Web", nil])

        let path = "/v1/collections/Web/plans"
        let made = try await post(path, #"{"reconcile":"drift"}"#, on: live, admin)
        try #require(made.status == 201, "\(made.text)")
        let plan = made.json
        let id = try #require(plan["plan"].text)
        #expect(plan["operation"].text == "reconcile" && plan["schedule"].text == "drift")
        for (name, count) in [("add", 1), ("replace", 1), ("remove", 1), ("unchanged", 1), ("missing", 0)] {
            #expect(plan["counts"][name].int == count, "\(name): \(made.text)")
        }
        let samples = plan["samples"].elements.map { "\($0["operation"].text ?? "") \($0["id"].text ?? "")" }
        #expect(Set(samples) == ["replace a", "remove c", "add d"])
        #expect(try await documents(on: live, admin) == before, "a plan changes nothing")
        let files = try FileManager.default.contentsOfDirectory(atPath: live.distributor.settings.state + "/plans")
        #expect(files.allSatisfy { !$0.contains("compared") }, "\(files)")

        // A request about any other schedule, or by a client without the right, is refused.
        for (name, collection, token, status) in [
            ("other", "Web", admin, 422), ("drift", "Other", admin, 422), ("none", "Web", admin, 422),
            ("drift", "Web", application, 403),
        ] {
            let body = "{\"reconcile\":\"\(name)\"}"
            let answer = try await post("/v1/collections/\(collection)/plans", body, on: live, token)
            #expect(answer.status == status, "\(name) \(collection): \(answer.text)")
        }
        let lost = try await post(path, #"{"reconcile":"lost"}"#, on: live, admin)
        #expect(lost.status == 422 && lost.json["code"].text == "noComparison", "\(lost.text)")
        #expect(lost.text.contains("none.jsonl"), "\(lost.text)")

        // The limits in the settings apply, and a document that is changed in the meantime is kept.
        let settings = live.distributor.settings
        var strict = settings
        strict.plans.maximumRemovals = RemovalLimit(text: "0")
        try live.distributor.reload(strict, from: "d.yaml")
        let guarded = try await self.plan(id, as: "planned", on: live, admin)
        #expect(guarded["guards"].elements.contains { $0["name"].text == "max-remove" && $0["holds"].bool == false })
        #expect(!guarded["possible"].elements.contains(.string("apply")))
        try live.distributor.reload(settings, from: "d.yaml")
        let digest = plan["digest"].text ?? ""
        let body = "{\"collection\":\"Web\",\"digest\":\"\(digest)\"}"
        #expect(try await post("/v1/plans/\(id)/application", body, on: live, admin).status == 202)
        let applied = try await self.plan(id, as: "applied", on: live, admin)
        #expect(applied["application"]["errors"].int == 0, "\(applied)")
        #expect(try await documents(on: live, admin) == [10, 2, nil, 4])
        #expect(try await post("/v1/plans/\(id)/undo", "{}", on: live, admin).status == 202)
        _ = try await self.plan(id, as: "undone", on: live, admin)
        #expect(try await documents(on: live, admin) == before)
        let log = try String(contentsOfFile: live.distributor.settings.state + "/audit.log", encoding: .utf8)
        #expect(log.contains("plan to reconcile") && log.contains("plan \(id), schedule drift"))

        // A run offers a plan: of the client that started it, or of the schedule.
        let ended = try await run("drift", on: live, admin)
        let output = try #require(ended["output"].text).split(separator: " ").map(String.init)
        #expect(ended["state"].text == "succeeded" && output.suffix(4) == ["was", "created", "for", "review\n"])
        let own = try await self.plan(output[output.count - 5], as: "planned", on: live, admin)
        #expect(own["author"].text == plan["author"].text && !own["possible"].elements.contains(.string("approve")))
        var timed = try #require(try await live.distributor.schedules.history.runs(of: "drift").first)
        timed.client = nil
        let report = try #require(timed.report)
        let old = try #require(try await live.distributor.makePlan(of: timed, report, on: "Web"))
        let approved = try #require(try await live.distributor.makePlan(of: timed, report, on: "Web"))
        let offered = try await self.plan(approved, as: "planned", on: live, admin)
        #expect(offered["author"].text == "schedule drift" && offered["counts"]["remove"].int == 1, "\(offered)")
        #expect(offered["possible"].elements == ["approve", "apply", "delete"].map { .string($0) }, "\(offered)")
        #expect(try await post("/v1/plans/\(approved)/approval", "{}", on: live, admin).status == 200)
        let last = try await live.distributor.makePlan(of: timed, report, on: "Web")
        let listed = try await live.client { try $0.send("GET", "/v1/plans", token: admin) }.json["plans"].elements
        #expect(listed.prefix(3).map { $0["plan"].text } == [last, approved, own["plan"].text], "not \(old)")
        let wanted = "{\"collection\":\"Web\",\"digest\":\"\(offered["digest"].text ?? "")\"}"
        #expect(try await post("/v1/plans/\(approved)/application", wanted, on: live, admin).status == 202)
        _ = try await self.plan(approved, as: "applied", on: live, admin)
        #expect(try await documents(on: live, admin) == [10, 2, nil, 4])
        // Without a difference there is nothing to review; a report that is not a plan makes the run fail.
        let inSync = try await run("drift", on: live, admin)
        #expect(inSync["output"].text?.contains("for review") == false)
        let empty = try #require(inSync["report"].text)
        #expect(try await live.distributor.makePlan(of: timed, empty, on: "Web") == nil)
        // The schedule's last plan is out of date now, but a plan that was approved remains.
        let rest = try await live.client { try $0.send("GET", "/v1/plans", token: admin) }.json["plans"].elements
        #expect(rest.prefix(2).map { $0["plan"].text } == [approved, own["plan"].text], "not \(last ?? "")")
        try live.folder.writeScript("fastctl", "echo x >\"$5\"; exit 1")
        try begin(
            "  drift: {cron: on-demand, command: [./fastctl, reconcile, -c, Web, --plan, '{report}'], exit-codes: [1]}",
            on: live
        )
        let failed = try await run("drift", on: live, admin)
        #expect(failed["state"].text == "failed" && failed["exitCode"].int == 1)
        #expect(failed["output"].text?.hasPrefix("no plan was created: '") == true, "\(failed)")
        await live.end()
    }

    @Test func `A comparison writes its own plan, and ends when its request ends`() async throws {
        let rules = Dictionary(uniqueKeysWithValues: AccessVerb.allCases.map { ($0, "application-key") })
        let live = try await LiveDistributor(["Web": rules])
        let admin = try await live.token(.admin)
        // A program with this name that only records how it was started.
        try live.folder.writeScript("fastctl", "echo \"$$ $*\" >begun.new; mv begun.new begun; exec sleep 600")
        try begin("  drift: {cron: on-demand, command: [./fastctl, reconcile, -c, Web, --plan=old]}", on: live)
        let body = #"{"reconcile":"drift"}"#
        let begun = live.folder.path("begun")
        try await live.client { client in
            let head =
                "POST /v1/collections/Web/plans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(admin)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            #expect(client.socket.send(Array((head + body).utf8)))
            for _ in 0..<600 where !FileManager.default.fileExists(atPath: begun) { usleep(50_000) }
        }
        let words = try String(contentsOfFile: begun, encoding: .utf8).split(separator: " ").map(String.init)
        #expect(Array(words[1...4]) == ["reconcile", "-c", "Web", "--plan"] && words.count == 6, "\(words)")
        let number = try #require(Int32(words[0]))
        for _ in 0..<1_200 where kill(number, 0) == 0 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(kill(number, 0) != 0)
        await live.end()
    }
}

/// This machine's clock, set forward so that a minute begins soon.
private struct ForwardClock: ScheduleClock {
    private let machine = MachineClock()
    private let shift: Duration

    init(secondsBeforeMinute seconds: Int64) {
        shift = .seconds((120 - seconds - machine.now.components.seconds % 60) % 60)
    }

    var now: Duration { machine.now + shift }
    var uptime: Duration { machine.uptime }

    func sleep(for duration: Duration) async throws { try await machine.sleep(for: duration) }
}
