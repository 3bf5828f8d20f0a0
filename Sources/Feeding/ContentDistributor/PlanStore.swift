import ContentFeeding
import Files
import Glibc
import JSONText
import Reconciliation
import SQLiteStore
import TextKit
import Threads

/// A plan in its stored form: its author, the people who approved, applied and undid it, and its progress.
struct StoredPlan: Sendable, Hashable {
    /// The kind of a plan's operations.
    enum Kind: String, Sendable {
        case remove, put, reconcile

        /// The actions on the collection that applying the plan requires.
        var verbs: [AccessVerb] {
            switch self {
            case .remove: [.read, .delete]
            case .put: [.read, .insert, .update]
            case .reconcile: [.read, .insert, .update, .delete]
            }
        }

        /// The actions on the collection that undoing the plan requires.
        var undoingVerbs: [AccessVerb] {
            switch self {
            case .remove: [.read, .insert]
            case .put: [.read, .update, .delete]
            case .reconcile: verbs
            }
        }
    }

    /// The state that a plan has reached; ``expired`` is never stored, because it follows from the time.
    enum State: String, Sendable {
        case planned, approved, applying, applied, failed, undone, expired
    }

    /// The results for the documents that the author specified, each of which is counted once.
    struct Counts: Sendable, Hashable {
        var add = 0
        var replace = 0
        var remove = 0
        /// The number of documents that do not exist, or that the author may not see.
        var missing = 0
        /// The number of documents that are already in the requested state.
        var unchanged = 0
        /// The number of documents that a hook of the collection protects.
        var refused = 0
        /// The number of documents that can't be read, and therefore can't be backed up.
        var unreadable = 0

        static var all: [(name: String, path: WritableKeyPath<Counts, Int>)] {
            [
                ("add", \.add), ("replace", \.replace), ("remove", \.remove), ("missing", \.missing),
                ("unchanged", \.unchanged), ("refused", \.refused), ("unreadable", \.unreadable),
            ]
        }

        var operations: Int { add + replace + remove }
        /// Whether there is nothing to do, and nothing that a client has to know.
        var isIdle: Bool { operations + refused + unreadable == 0 }
    }

    /// A person who acted on the plan, and the time of the act.
    struct Act: Sendable, Hashable {
        let principal: String
        let at: Duration
    }

    /// A job that applies or undoes the plan.
    struct Run: Sendable, Hashable {
        let by: Act
        /// The job; `nil` before it has begun.
        var job: String?
        var ended: Duration?
        /// The reason why the job could not be completed; `nil` if it was completed or is still running.
        var failure: String?
    }

    /// A document that a hook or a rule protects.
    struct Refusal: Sendable, Hashable {
        let id: String
        let reason: String
    }

    let id: String
    let collection: CollectionName
    let kind: Kind
    let author: Act
    let expires: Duration
    let digest: String
    let counts: Counts
    /// The fields that every document of the plan has, both before and after its application, under the author's rules.
    let filter: DocumentFilter
    /// The prefix of all IDs in the plan; `nil` if the author may write any ID.
    let ownIDs: String?
    /// The schedule whose command has compared the collection with its source; `nil` for other plans.
    var schedule: String?
    /// The first operations that were refused, with the reasons.
    var refusals: [Refusal] = []
    var approval: Act?
    var application: Run?
    var undoing: Run?
    fileprivate(set) var storedState = State.planned

    /// The state at a given time.
    func state(at now: Duration) -> State {
        [.planned, .approved].contains(storedState) && expires <= now ? .expired : storedState
    }

    /// Whether a job of the plan is running, or will resume with the server.
    var isRunning: Bool { storedState == .applying || isBeingUndone }
    var isBeingUndone: Bool { undoing.map { $0.ended == nil } ?? false }
    /// Whether an undo can begin; an earlier attempt that has failed does not count.
    var canBeUndone: Bool {
        [.applied, .failed].contains(storedState) && application?.job != nil && !isBeingUndone
    }

    /// The time of the plan's last change, after which the plan is kept for a while.
    fileprivate var end: Duration { undoing?.ended ?? application?.ended ?? expires }
}

/// The plans of a server: a database of their states and, next to it, a file of operations and backups for each plan.
actor PlanStore {
    private let database: Database
    private let folder: String
    /// The most recently read files of plans, cached because each file is checked as a whole when it is opened.
    private var files: [(id: String, file: PlanFile)] = []
    private static let maximumFiles = 8

    /// Opens the plan store in a state folder, or creates it.
    init(state: String) throws {
        folder = "\(state)/plans"
        mkdir(folder, 0o700)
        var configuration = Configuration()
        configuration.access = .create
        configuration.permissions = 0o600
        database = try Database(path: "\(state)/plans.sqlite", configuration) { connection in
            try connection.migrate(Self.migrations)
        }
    }

    /// The existing migrations of the store; new ones may only be appended.
    private static let migrations = [
        """
        CREATE TABLE plan(
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            collection TEXT NOT NULL,
            kind TEXT NOT NULL,
            author TEXT NOT NULL,
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            digest TEXT NOT NULL,
            counts TEXT NOT NULL,
            filter TEXT NOT NULL,
            own_ids TEXT,
            refusals TEXT NOT NULL,
            state TEXT NOT NULL,
            approver TEXT, approved INTEGER,
            applicant TEXT, applied INTEGER, job TEXT, ended INTEGER, failure TEXT,
            undoer TEXT, undone INTEGER, undo_job TEXT, undo_ended INTEGER, undo_failure TEXT
        ) STRICT;
        """,
        "ALTER TABLE plan ADD COLUMN schedule TEXT",
    ]

    // MARK: Files

    /// The file of a plan's operations: `fastctl.plan/1`.
    nonisolated func path(of id: String) -> String { "\(folder)/\(id).plan" }

    /// The file to which the previous versions of documents are written before the plan changes them.
    nonisolated func backup(of id: String) -> String { "\(folder)/\(id).backup.jsonl" }

    /// Returns the operations of a plan; throws if its file is missing or was changed.
    func file(of id: String) async throws -> PlanFile {
        if let known = files.first(where: { $0.id == id }) { return known.file }
        let path = path(of: id)
        let file = try await onOwnThread { Result { try PlanFile(path, allowsEdits: false) } }.get()
        files = (files + [(id, file)]).suffix(Self.maximumFiles)
        return file
    }

    private func removeFiles(of id: String) {
        files.removeAll { $0.id == id }
        unlink(path(of: id))
        unlink(backup(of: id))
        // A resumed run writes an additional backup.
        var number = 2
        while unlink("\(backup(of: id)).\(number)") == 0 { number += 1 }
    }

    // MARK: Plans

    /// Adds a plan whose file is complete.
    func add(_ plan: StoredPlan) async throws {
        _ = try await database.write { connection in
            try connection.prepare(
                """
                INSERT INTO plan(
                    id, collection, kind, author, created, expires, digest, counts, filter, own_ids, refusals, state,
                    schedule
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            ).run(
                plan.id,
                plan.collection.rawValue,
                plan.kind.rawValue,
                plan.author.principal,
                plan.author.at.milliseconds,
                plan.expires.milliseconds,
                plan.digest,
                plan.counts.json,
                plan.filter.json,
                plan.ownIDs,
                plan.refusalsJSON,
                plan.storedState.rawValue,
                plan.schedule
            )
        }
    }

    /// Returns the plans before a given number, newest first, each with its number.
    func plans(before number: Int = .max, limit: Int) async throws -> [(number: Int, plan: StoredPlan)] {
        try await plans("number < ? ORDER BY number DESC LIMIT ?", number, limit)
    }

    /// Returns the plan with this ID; `nil` if there is none.
    func plan(_ id: String) async throws -> StoredPlan? {
        try await plans("id = ? LIMIT ?", id, 1).first?.plan
    }

    /// Returns the plans whose jobs are running, or were running when the server ended.
    func running() async throws -> [StoredPlan] {
        try await plans("number > ? AND (state = ? OR undoer IS NOT NULL AND undo_ended IS NULL)", 0, "applying")
            .map(\.plan)
    }

    /// Returns the number of plans.
    func count() async throws -> Int {
        try await database.read { connection in try connection.integer("SELECT count(*) FROM plan") }
    }

    private func plans(
        _ condition: String,
        _ first: some Bindable & Sendable,
        _ second: some Bindable & Sendable
    ) async throws -> [(number: Int, plan: StoredPlan)] {
        try await database.read { connection in
            var plans: [(number: Int, plan: StoredPlan)] = []
            try connection.prepare("SELECT \(Self.columns) FROM plan WHERE \(condition)").with(first, second).eachRow {
                row throws(SQLiteError) in
                let created = StoredPlan.Act(
                    principal: try row.column(4),
                    at: .milliseconds(try row.column(5, as: Int.self))
                )
                var plan = StoredPlan(
                    id: try row.column(1),
                    collection: CollectionName(rawValue: try row.column(2)),
                    kind: StoredPlan.Kind(rawValue: try row.column(3)) ?? .remove,
                    author: created,
                    expires: .milliseconds(try row.column(6, as: Int.self)),
                    digest: try row.column(7),
                    counts: StoredPlan.Counts(json: try row.column(8)),
                    filter: DocumentFilter(json: try row.column(9)),
                    ownIDs: try row.column(10, as: String?.self)
                )
                plan.setRefusals(try row.column(11))
                plan.storedState = StoredPlan.State(rawValue: try row.column(12)) ?? .failed
                plan.approval = try Self.act(row, 13)
                plan.application = try Self.run(row, 15)
                plan.undoing = try Self.run(row, 20)
                plan.schedule = try row.column(25, as: String?.self)
                plans.append((try row.column(0, as: Int.self), plan))
            }
            return plans
        }
    }

    private static func act(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> StoredPlan.Act? {
        guard let principal = try row.column(column, as: String?.self),
            let at = try row.column(column + 1, as: Int?.self)
        else { return nil }
        return StoredPlan.Act(principal: principal, at: .milliseconds(at))
    }

    private static func run(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> StoredPlan.Run? {
        guard let by = try act(row, column) else { return nil }
        return StoredPlan.Run(
            by: by,
            job: try row.column(column + 2, as: String?.self),
            ended: try row.column(column + 3, as: Int?.self).map { .milliseconds($0) },
            failure: try row.column(column + 4, as: String?.self)
        )
    }

    private static let columns = """
        number, id, collection, kind, author, created, expires, digest, counts, filter, own_ids, refusals, state,
        approver, approved, applicant, applied, job, ended, failure, undoer, undone, undo_job, undo_ended, undo_failure,
        schedule
        """

    // MARK: Steps

    /// Records an approval, and returns whether the plan was still waiting for one.
    func approve(_ id: String, _ act: StoredPlan.Act) async throws -> Bool {
        try await change(id, "state = 'approved', approver = ?, approved = ?", if: "state = 'planned'") {
            try $0.run(act.principal, act.at.milliseconds, id)
        }
    }

    /// Records that the plan is being applied, and returns whether it was in the given state.
    func beginApplication(_ id: String, from state: StoredPlan.State, _ act: StoredPlan.Act) async throws -> Bool {
        let condition = "state = '\(state.rawValue)'"
        return try await change(id, "state = 'applying', applicant = ?, applied = ?", if: condition) {
            try $0.run(act.principal, act.at.milliseconds, id)
        }
    }

    /// Records that the plan is being undone, and returns whether this was possible.
    ///
    /// An earlier attempt that has failed does not count.
    func beginUndoing(_ id: String, _ act: StoredPlan.Act) async throws -> Bool {
        try await change(
            id,
            "undoer = ?, undone = ?, undo_job = NULL, undo_ended = NULL, undo_failure = NULL",
            if: "state IN ('applied', 'failed') AND job IS NOT NULL AND (undoer IS NULL OR undo_ended IS NOT NULL)"
        ) { try $0.run(act.principal, act.at.milliseconds, id) }
    }

    /// Records the job of a run, before the job changes anything.
    func note(job: String, of id: String, isUndoing: Bool) async throws {
        _ = try await change(id, "\(isUndoing ? "undo_job" : "job") = ?", if: "true") { try $0.run(job, id) }
    }

    /// Records the end of a run, and its failure if it has one.
    func end(_ id: String, isUndoing: Bool, failure: String?, at now: Duration) async throws {
        let state = failure == nil ? (isUndoing ? "undone" : "applied") : (isUndoing ? nil : "failed")
        let prefix = isUndoing ? "undo_" : ""
        let assignment = state.map { ", state = '\($0)'" } ?? ""
        _ = try await change(id, "\(prefix)ended = ?, \(prefix)failure = ?\(assignment)", if: "true") {
            try $0.run(now.milliseconds, failure, id)
        }
    }

    private func change(
        _ id: String,
        _ assignments: String,
        if condition: String,
        _ run: @escaping @Sendable (borrowing Statement) throws -> Int
    ) async throws -> Bool {
        try await database.write { connection in
            try run(connection.prepare("UPDATE plan SET \(assignments) WHERE id = ? AND \(condition)")) > 0
        }
    }

    /// Removes a plan that meets a condition, unless one of its jobs is running, and returns whether it was removed.
    func remove(_ id: String, if condition: (StoredPlan) -> Bool = { _ in true }) async throws -> Bool {
        guard let plan = try await plan(id), !plan.isRunning, condition(plan) else { return false }
        let isRemoved = try await database.write { connection in
            try connection.prepare(
                "DELETE FROM plan WHERE id = ? AND state = ? AND (undoer IS NULL OR undo_ended IS NOT NULL)"
            ).run(id, plan.storedState.rawValue) > 0
        }
        if isRemoved { removeFiles(of: id) }
        return isRemoved
    }

    /// Removes the plans that ended or expired before a time.
    func forget(endedBefore time: Duration) async throws { try await removeAll { !$0.isRunning && $0.end < time } }

    /// Removes the other plans of an author, or all without an ID, that have not been approved or applied.
    func removeOthers(than id: String?, by author: String) async throws {
        try await removeAll { $0.id != id && $0.author.principal == author && $0.storedState == .planned }
    }

    private func removeAll(_ isOld: (StoredPlan) -> Bool) async throws {
        for (_, plan) in try await plans(limit: .max) where isOld(plan) { _ = try await remove(plan.id, if: isOld) }
    }
}

// MARK: - Columns

extension Duration {
    /// The number of whole milliseconds, for a column.
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}

extension StoredPlan {
    fileprivate var refusalsJSON: String {
        let json = JSONWriter.object { object in
            for refusal in refusals { object.member(refusal.id, refusal.reason) }
        }
        return String(decoding: json, as: UTF8.self)
    }

    fileprivate mutating func setRefusals(_ json: String) {
        refusals = ((try? JSONValue(Array(json.utf8))) ?? .null).members.map {
            Refusal(id: $0.key, reason: $0.value.text ?? "")
        }
    }
}

extension StoredPlan.Counts {
    fileprivate init(json: String) {
        let value = (try? JSONValue(Array(json.utf8))) ?? .null
        for (name, path) in Self.all { self[keyPath: path] = value[name].amount ?? 0 }
    }

    fileprivate var json: String {
        let contents = JSONWriter.object { object in
            for (name, path) in Self.all { object.member(name, self[keyPath: path]) }
        }
        return String(decoding: contents, as: UTF8.self)
    }
}

extension DocumentFilter {
    /// Reads the fields that a plan's documents have.
    ///
    /// If they can't be read, only clients whose rules don't depend on documents' contents see the plan.
    fileprivate init(json: String) {
        self.init()
        fields = ((try? JSONValue(Array(json.utf8))) ?? .null).members.map { ($0.key, $0.value.text ?? "") }
    }

    fileprivate var json: String {
        let contents = JSONWriter.object { object in
            for (field, value) in fields { object.member(field, value) }
        }
        return String(decoding: contents, as: UTF8.self)
    }

    /// Returns whether this filter allows all documents that another filter allows.
    func covers(_ other: DocumentFilter) -> Bool {
        fields.allSatisfy { field in other.fields.contains { $0 == field } }
    }
}
