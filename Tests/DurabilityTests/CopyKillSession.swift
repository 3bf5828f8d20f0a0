import CollectionSync
import ContentFeeding
import EngineSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// A copy from its first pull to its last, with an origin in another store, and the verdict on both.
struct CopyKillSession {
    enum Policy: String, CaseIterable, Sendable { case client, server }

    /// Deliberate damage after a process was killed.
    enum Sabotage: CaseIterable, Sendable {
        case forgetsAnEdit, repeatsAWrite, skipsPages

        /// The beginning of the resulting finding.
        var finding: String {
            switch self {
            case .forgetsAnEdit: "the origin differs"
            case .repeatsAWrite: "pushes wrote"
            case .skipsPages: "the copy differs"
            }
        }
    }

    private static let name: CollectionName = "web"

    private let policy: Policy
    private let sabotage: Sabotage?
    private let folder: TemporaryFolder
    private let store: SQLiteEngine
    private let collection: any CollectionEngine
    private let copy: any LocalCopy
    private var random: SeededGenerator
    /// The required contents of the origin once everything is pushed: a number for each document.
    private var wanted: [String: Int] = [:]
    /// Documents that have been changed in this round.
    private var touched: Set<String> = []
    /// The documents that were changed in both places, in this round and in all rounds so far.
    private var conflicting: Set<String> = []
    private var everConflicting: Set<String> = []
    private var lastValue = 0
    /// The documents that another client, and this copy's pushes, must have written.
    private var (foreignWrites, ownWrites) = (0, 0)
    private var lives = 0
    private(set) var killsInPull = 0
    private(set) var killsInPush = 0
    private var violations: [String] = []

    init(_ policy: Policy, seed: UInt64, sabotage: Sabotage? = nil) async throws {
        (self.policy, self.sabotage) = (policy, sabotage)
        random = SeededGenerator(seed: seed ^ 0x636F_7079)
        folder = try TemporaryFolder()
        let origin = try await SQLiteEngine.create(path: folder.path("origin.sqlite"))
        try await origin.create(Self.name, settings: [])
        collection = try await origin.collection(named: Self.name)
        store = try await SQLiteEngine.create(path: folder.path("copy.sqlite"))
        try await store.createCopy(Self.name, of: CopyOrigin(target: origin.target, collection: Self.name))
        copy = try await store.copy(named: Self.name)
    }

    var summary: String {
        "\(killsInPull) kills in pulls, \(killsInPush) in pushes, \(lives) lives, \(ownWrites) writes, "
            + "\(everConflicting.count) conflicts, \(wanted.count) documents"
    }

    /// Pulls, edits both sides, and pushes, this number of times; each command is killed several times, and then run
    /// until it completes.
    mutating func run(rounds: Int, kills: Int) async throws -> [String] {
        try await meddle(adding: 3_000)
        for _ in 0..<rounds {
            touched.removeAll()
            conflicting.removeAll()
            killsInPull += try await survive("pull", kills) { session in
                try await session.meddle(adding: 30, changing: 60)
                if session.sabotage == .skipsPages { try await session.skipPages() }
            }
            try await edit(updates: 700, removals: 400, additions: 400)
            try await meddle(adding: 50, changing: 200)
            killsInPush += try await survive("push", kills) { session in
                try await session.meddle(adding: 5, changing: 10)
                try await session.edit(updates: 20, removals: 10, additions: 10, conflicts: 0)
                if session.sabotage == .forgetsAnEdit { try await session.forgetAnEdit() }
                if session.sabotage == .repeatsAWrite { try await session.repeatAWrite() }
            }
            try await check()
        }
        _ = try await survive("pull", 0)
        try await check(copyToo: true)
        try await checkIssues()
        return violations
    }
}

// MARK: Processes

extension CopyKillSession {
    /// Kills a command midway this number of times, lets the last run complete, and returns the number of runs that
    /// were killed before they ended.
    ///
    /// `between` is called after each run except the last.
    private mutating func survive(
        _ command: String,
        _ kills: Int,
        _ between: (inout Self) async throws -> Void = { _ in }
    ) async throws -> Int {
        var killed = 0
        for turn in 0...kills {
            let life = try start(["copies", command, "web", "--on-conflict", policy.rawValue])
            if turn < kills { try await kill(life, command == "push") }
            let status = await life.status()
            if status == 128 + SIGKILL, turn < kills {
                killed += 1
            } else if status != 0 {
                violations.append("\(command) ended with \(status): \(life.errors.suffix(300))")
            }
            if turn < kills { try await between(&self) }
        }
        return killed
    }

    private mutating func start(_ words: [String]) throws -> CommandLife {
        lives += 1
        return try CommandLife(words + ["--target", "sqlite:copy.sqlite"], as: "life-\(lives)", in: folder)
    }

    /// Kills the command once it has changed the copy, or its origin, a few times; occasionally kills it at any time
    /// from its first instruction on.
    ///
    /// A push must not repeat operations that are written at the origin but not yet settled in the copy.
    private mutating func kill(_ life: CommandLife, _ isPush: Bool) async throws {
        let watchesOrigin = isPush && Bool.random(using: &random)
        var steps = Int.random(in: watchesOrigin ? 1...3 : 0...4, using: &random)
        var last = try await mark(watchesOrigin)
        while steps > 0, life.isRunning {
            let now = try await mark(watchesOrigin)
            if now != last { (last, steps) = (now, steps - 1) }
        }
        let pause = watchesOrigin ? 0 : Int.random(in: 0...40, using: &random)
        await life.kill(after: .milliseconds(pause))
    }

    /// Returns a value that changes whenever a command makes progress.
    private func mark(_ watchesOrigin: Bool) async throws -> [Int] {
        guard watchesOrigin else {
            let status = try await copy.status()
            return [status.documents, status.known, status.queued, Int(status.bookmark?.places["rows"]?.place ?? 0)]
        }
        return [try await rows()]
    }

    /// Returns the number of rows that the origin has ever had: each write uses one row, and a removal uses none.
    private func rows() async throws -> Int {
        Int(try await (collection as? any VersionedEngine)?.state().parts.first?.last ?? 0)
    }
}

// MARK: Edits

extension CopyKillSession {
    private mutating func newValue() -> Int {
        lastValue += 1
        return lastValue
    }

    private static func document(_ id: String, _ value: Int) throws -> Document {
        Document(id: try DocumentID(id), json: Array(#"{"v":\#(value)}"#.utf8))
    }

    /// Some documents that were not changed in this round.
    private mutating func untouched(_ count: Int) -> [String] {
        let ids = wanted.keys.filter { !touched.contains($0) }.sorted().shuffled(using: &random).prefix(count)
        touched.formUnion(ids)
        return Array(ids)
    }

    private mutating func newIDs(_ count: Int) -> [String] {
        let ids = (0..<count).map { _ in "document-\(newValue())" }
        touched.formUnion(ids)
        return ids
    }

    /// Another client adds documents to the origin, changes some, and removes as many.
    private mutating func meddle(adding: Int, changing: Int = 0) async throws {
        var operations: [ContentOperation] = []
        for id in newIDs(adding) + untouched(changing) { operations.append(try store(id)) }
        for id in untouched(changing) { operations.append(try remove(id)) }
        try await apply(operations)
    }

    private mutating func store(_ id: String) throws -> ContentOperation {
        let value = newValue()
        wanted[id] = value
        foreignWrites += 1
        return .add(try Self.document(id, value))
    }

    private mutating func remove(_ id: String) throws -> ContentOperation {
        wanted[id] = nil
        return .remove(try DocumentID(id))
    }

    private func apply(_ operations: [ContentOperation]) async throws {
        for start in stride(from: 0, to: operations.count, by: 1_000) {
            let items = operations[start..<min(start + 1_000, operations.count)].enumerated().map {
                ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: $1)
            }
            let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
            guard case .results = reply else { throw EngineError(.rejected, "answered with \(reply)") }
        }
    }

    /// Edits the copy with commands; another client has already changed some of these documents.
    private mutating func edit(updates: Int, removals: Int, additions: Int, conflicts: Int = 40) async throws {
        let (updated, removed, added) = (untouched(updates), untouched(removals), newIDs(additions))
        var foreign: [ContentOperation] = []
        for (place, id) in (updated.prefix(conflicts) + removed.prefix(conflicts)).enumerated() {
            conflicting.insert(id)
            // A document that is removed at both places is not a conflict.
            foreign.append(try place < conflicts && place.isMultiple(of: 3) ? remove(id) : store(id))
        }
        for id in added.prefix(conflicts) {
            conflicting.insert(id)
            foreign.append(try store(id))
        }
        everConflicting.formUnion(conflicting)
        try await apply(foreign)
        try await feed("update", updated.map { ($0, newValue()) })
        try await feed("remove", removed.map { ($0, nil) })
        try await feed("add", added.map { ($0, newValue()) })
    }

    private mutating func feed(_ command: String, _ changes: [(id: String, value: Int?)]) async throws {
        let lines = changes.map { id, value in value.map { #"{"id":"\#(id)","v":\#($0)}"# } ?? id }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "edits")
        let life = try start([
            command, "-c", "web", "--quiet", command == "remove" ? "--from" : "--format=jsonl", "edits",
        ])
        let status = await life.status()
        if status != 0 { violations.append("\(command) ended with \(status): \(life.errors.suffix(300))") }
        for (id, value) in changes where policy == .client || !conflicting.contains(id) {
            wanted[id] = value
            if value != nil { ownWrites += 1 }
        }
    }
}

// MARK: Verdict

extension CopyKillSession {
    /// Compares the result of the pushes with the model.
    private mutating func check(copyToo: Bool = false) async throws {
        let queued = try await copy.status().queued
        if queued != 0 { violations.append("\(queued) operations are still queued") }
        compare(try await contents(collection), "origin")
        if copyToo { compare(try await contents(try await store.collection(named: Self.name)), "copy") }
        let written = try await rows() - foreignWrites
        if written != ownWrites { violations.append("pushes wrote \(written) documents instead of \(ownWrites)") }
    }

    private mutating func compare(_ found: [String: Int], _ name: String) {
        let differing = Set(found.keys).union(wanted.keys).filter { found[$0] != wanted[$0] }.sorted()
        guard let id = differing.first else { return }
        let (there, expected) = ("\(found[id] ?? -1)", "\(wanted[id] ?? -1)")
        violations.append("the \(name) differs in \(differing.count) documents: '\(id)' is \(there), not \(expected)")
    }

    private func contents(_ collection: any CollectionEngine) async throws -> [String: Int] {
        var contents: [String: Int] = [:]
        var cursor: SearchCursor?
        repeat {
            let page = try await collection.find(SearchQuery(), after: cursor)
            for document in page.documents {
                let text = String(decoding: document.json, as: UTF8.self)
                contents[document.id.text] = text.firstRange(of: #""v":"#).flatMap {
                    Int(text[$0.upperBound...].prefix { $0.isNumber })
                }
            }
            cursor = page.next
        } while cursor != nil
        return contents
    }

    /// Each conflict must be kept with the job of the push that encountered it.
    private mutating func checkIssues() async throws {
        let list = try start(["jobs", "list", "-o", "name"])
        _ = await list.status()
        var told = ""
        for job in list.output.split(separator: "\n") {
            let issues = try start(["jobs", "issues", String(job), "-o", "ndjson"])
            _ = await issues.status()
            told += issues.output
        }
        let silent = everConflicting.filter { !told.contains("\"\($0)\"") }
        if !silent.isEmpty {
            violations.append("\(silent.count) conflicts are in no job, such as \(silent.min() ?? "")")
        }
    }
}

// MARK: Damage

extension CopyKillSession {
    private func forgetAnEdit() async throws {
        let queue = try await copy.queued(after: 0, limit: 10_000, maximumBytes: .max)
        guard let edit = queue.last(where: { !conflicting.contains($0.documentID.text) }) else { return }
        _ = try await copy.discard([edit.documentID])
    }

    private func repeatAWrite() async throws {
        guard let (id, value) = try await contents(collection).first else { return }
        try await apply([.add(try Self.document(id, value))])
    }

    private func skipPages() async throws {
        guard let state = try await (collection as? any VersionedEngine)?.state(), let part = state.parts.first else {
            return
        }
        var bookmark = try await copy.status().bookmark ?? CopyBookmark(identity: state.identity)
        bookmark.places[part.name] = CopyBookmark.Place(history: part.history, place: part.last)
        try await copy.note(bookmark)
    }
}
