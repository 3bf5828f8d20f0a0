import CollectionSync
import ContentFeeding
import EngineSQLite
import Foundation
import TestSupport
import Testing

/// Two clients that edit copies of one collection, and a third that edits the collection itself, in random order,
/// compared with a model: nothing is lost, and each conflict is detected and resolved as decided.
///
/// `FASTCTL_SEED` repeats a run; `FASTCTL_SYNC_ROUNDS` sets the number of rounds of each case.
struct SyncModelTests {
    static let seed =
        ProcessInfo.processInfo.environment["FASTCTL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)
    static let rounds = ProcessInfo.processInfo.environment["FASTCTL_SYNC_ROUNDS"].flatMap(Int.init) ?? 600

    @Test(arguments: 0..<4)
    func `Two clients reach the state that the model predicts`(number: Int) async throws {
        let seed = Self.seed &+ UInt64(number)
        print("two clients: FASTCTL_SEED=\(Self.seed), case \(number)")
        // The slices are small, so that a push has several of them.
        var world = try await SyncWorld(seed: seed, slice: number.isMultiple(of: 2) ? 500 : 3)
        for round in 1...Self.rounds {
            try await world.step()
            guard await world.isAsModelled() else {
                Issue.record("round \(round) of seed \(seed): \(world.story.suffix(12).joined(separator: "; "))")
                return
            }
        }
        try await world.settleAll()
        #expect(await world.isAsModelled(), "the end of seed \(seed)")
        #expect(world.model.conflicts > 0 && world.model.crashes > 0 && world.model.pushed > 0)
    }
}

/// The stores, their model, and the operations on both.
private struct SyncWorld {
    private static let ids = (0..<12).map { "doc-\($0)" }

    private let scene: SyncScene
    private let clients: [SyncClient]
    private let copies: [MortalCopy]
    private let slice: Int
    private var random: SeededGenerator
    private var lastValue = 0
    private(set) var model = SyncModel()
    private(set) var story: [String] = []

    init(seed: UInt64, slice: Int) async throws {
        scene = try await SyncScene()
        random = SeededGenerator(seed: seed)
        self.slice = slice
        var clients: [SyncClient] = []
        var copies: [MortalCopy] = []
        for name in ["one", "two"] {
            let store = try await scene.client(name).store
            var options = SyncOptions()
            options.slice = slice
            let client = try await SyncClient(store, of: scene.origin, options: options) { copy in
                let mortal = MortalCopy(copy)
                copies.append(mortal)
                return mortal
            }
            clients.append(client)
        }
        (self.clients, self.copies) = (clients, copies)
    }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func newValue() -> Int {
        lastValue += 1
        return lastValue
    }

    private static func json(_ value: Int) -> [UInt8] { Array(#"{"v":\#(value)}"#.utf8) }

    private static func document(_ id: String, _ value: Int) throws -> Document {
        Document(id: try DocumentID(id), json: json(value))
    }

    mutating func step() async throws {
        let client = number(0..<2)
        switch number(0..<20) {
        case 0...7: try await edit(client)
        case 8...11: try await editOrigin()
        case 12...14: try await push(client, dying: false)
        case 15: try await push(client, dying: true)
        case 16, 17: try await pull(client, dying: nil)
        case 18: try await pull(client, dying: number(0..<2) == 0 ? .beforeAbsorbing(1) : .afterAbsorbing(1))
        default: try await discard(client)
        }
    }

    /// Pushes and pulls both copies until nothing is left to do.
    mutating func settleAll() async throws {
        for client in [0, 1, 0, 1] {
            story.append("settle \(client)")
            try await push(client, policy: .server)
            try await pull(client, dying: nil)
        }
        let origin = try await scene.collection().contents()
        for client in clients { #expect(try await client.documents.contents() == origin) }
    }

    private mutating func edit(_ client: Int) async throws {
        let id = Self.ids[number(0..<Self.ids.count)]
        let local = model.clients[client].local[id]
        let isRemovalQueued = local == nil && model.clients[client].place(of: id) != nil
        switch number(0..<3) {
        case 0:
            story.append("\(client) removes \(id)")
            let result = try await clients[client].apply(.remove(try DocumentID(id)))
            #expect(result == [.done(local == nil ? .missing : .removed)])
            if local != nil { model.clients[client].change(id, to: nil) }
        case 1:
            let value = newValue()
            story.append("\(client) updates \(id) to \(value)")
            let result = try await clients[client].apply(.update(try Self.document(id, value)))
            #expect(result == [.done(local == nil ? .missing : .updated)])
            if local != nil { model.clients[client].change(id, to: value) }
        default:
            let value = newValue()
            story.append("\(client) adds \(id) as \(value)")
            let result = try await clients[client].apply(.add(try Self.document(id, value)))
            if isRemovalQueued {
                guard case .failed(let failure)? = result.first else {
                    Issue.record("an addition behind a queued removal: \(result)")
                    return
                }
                #expect(failure.code == .removalQueued)
            } else {
                #expect(result == [.done(local == nil ? .added : .updated)])
                model.clients[client].change(id, to: value)
            }
        }
    }

    private mutating func editOrigin() async throws {
        let id = Self.ids[number(0..<Self.ids.count)]
        let value = number(0..<3) == 0 ? nil : newValue()
        story.append("somebody makes \(id) \(value.map(String.init) ?? "go")")
        if let value {
            try await scene.apply(.add(try Self.document(id, value)))
        } else {
            try await scene.apply(.remove(try DocumentID(id)))
        }
        model.store(value, as: id)
    }

    private mutating func push(_ client: Int, dying: Bool) async throws {
        let policies: [ConflictPolicy?] = [.client, .server, .cancel, nil, nil, nil]
        let policy = policies[number(0..<policies.count)]
        guard dying else { return try await push(client, policy: policy) }
        let isAfter = number(0..<2) == 0
        story.append("\(client) pushes and dies \(isAfter ? "after" : "before") it settles")
        copies[client].die(at: isAfter ? .afterSettling : .beforeSettling)
        defer { copies[client].die(at: nil) }
        let isIdle = model.clients[client].queue.isEmpty
        do {
            try await clients[client].synced.push(conflicts: ConflictPolicy.cancel)
            #expect(isIdle)
        } catch let error as EngineError {
            #expect(error.message == "died" && !isIdle)
        }
        guard !isIdle else { return }
        model.crashes += 1
        // The sent operations have arrived; the first slice was sent.
        for queued in model.clients[client].queue.prefix(slice) {
            model.clients[client].lease(queued.id)
            let local = model.clients[client].local[queued.id]
            if model.origin[queued.id] == queued.based { model.store(local, as: queued.id) }
            let stored = model.origin[queued.id]
            if stored?.value == local {
                if isAfter { model.clients[client].settle(queued.id, as: stored) }
            } else if let stored, stored.value == queued.pulled {
                // This call comes before any operation is settled.
                model.clients[client].rebase(queued.id, on: stored)
            }
        }
    }

    private mutating func push(_ client: Int, policy: ConflictPolicy?) async throws {
        let decisions = Decisions(salt: random.next(), policy: policy)
        story.append("\(client) pushes, \(policy?.rawValue ?? "mixed")")
        let left = modelPush(client, decisions)
        let report = try await clients[client].synced.push(conflicts: delegate(decisions))
        #expect(report.left == left)
        #expect(report.failed == 0)
    }

    private func delegate(_ decisions: Decisions) -> Deciding {
        let scene = scene
        return Deciding { conflict in
            let id = conflict.documentID.text
            if let value = decisions.meddling(id, conflict.occurrence) {
                try await scene.apply(.add(try Self.document(id, value)))
            }
            switch decisions.decision(id, conflict.occurrence) {
            case .client: return .client
            case .server: return .server
            case .merge(let value): return .document(Self.json(value))
            case .cancel: return .cancel
            }
        }
    }

    /// Pushes in the model, and returns the number of remaining operations.
    private mutating func modelPush(_ client: Int, _ decisions: Decisions) -> Int {
        let queue = model.clients[client].queue.map(\.id)
        var isCancelled = false
        for start in stride(from: 0, to: queue.count, by: slice) where !isCancelled {
            var rest = Array(queue[start..<min(start + slice, queue.count)])
            var occurrences: [String: Int] = [:]
            var rebased: Set<String> = []
            while !rest.isEmpty, !isCancelled {
                var conflicts: [(id: String, origin: SyncModel.Stored?)] = []
                var again: [String] = []
                for id in rest {
                    guard let place = model.clients[client].place(of: id) else { continue }
                    let local = model.clients[client].local[id]
                    let queued = model.clients[client].queue[place]
                    model.clients[client].lease(id)
                    if model.origin[id] == queued.based { model.store(local, as: id) }
                    let stored = model.origin[id]
                    if stored?.value == local {
                        model.clients[client].settle(id, as: stored)
                        model.pushed += 1
                    } else if let stored, stored.value == queued.pulled, rebased.insert(id).inserted {
                        model.clients[client].rebase(id, on: stored)
                        again.append(id)
                    } else {
                        conflicts.append((id, stored))
                    }
                }
                rest = again
                for (id, origin) in conflicts where !isCancelled {
                    model.conflicts += 1
                    let occurrence = occurrences[id, default: 0] + 1
                    occurrences[id] = occurrence
                    if let value = decisions.meddling(id, occurrence) { model.store(value, as: id) }
                    switch decisions.decision(id, occurrence) {
                    case .client:
                        model.clients[client].rebase(id, on: origin)
                        rest.append(id)
                    case .merge(let value):
                        model.clients[client].local[id] = value
                        model.clients[client].rebase(id, on: origin)
                        rest.append(id)
                    case .server: model.clients[client].settle(id, as: origin)
                    case .cancel: isCancelled = true
                    }
                }
            }
        }
        return model.clients[client].queue.count
    }

    private mutating func pull(_ client: Int, dying death: MortalCopy.Death?) async throws {
        let decisions = Decisions(salt: random.next(), policy: nil)
        story.append("\(client) pulls\(death == nil ? "" : " and dies")")
        let left = modelPush(client, decisions)
        copies[client].die(at: death)
        defer { copies[client].die(at: nil) }
        do {
            try await clients[client].synced.pull(conflicts: delegate(decisions))
            #expect(left == 0)
        } catch is SyncError {
            #expect(left > 0)
            return
        } catch let error as EngineError {
            #expect(error.message == "died" && death != nil && left == 0)
            model.crashes += 1
            copies[client].die(at: nil)
            try await clients[client].synced.pull()
        }
        model.clients[client].local = model.origin.mapValues(\.value)
        model.clients[client].known = model.origin
    }

    private mutating func discard(_ client: Int) async throws {
        let id = Self.ids[number(0..<Self.ids.count)]
        story.append("\(client) discards \(id)")
        let discarded = try await clients[client].synced.discard([try DocumentID(id)])
        guard let place = model.clients[client].place(of: id) else {
            #expect(discarded.isEmpty)
            return
        }
        #expect(discarded.map(\.text) == [id])
        let queued = model.clients[client].queue.remove(at: place)
        model.clients[client].local[id] = queued.based == nil ? nil : queued.pulled
    }

    func isAsModelled() async -> Bool {
        do {
            guard try await isEqual(scene.collection(), model.origin.mapValues(\.value), "the origin") else {
                return false
            }
            for (place, client) in clients.enumerated() {
                let expected = model.clients[place]
                guard try await isEqual(client.documents, expected.local, "client \(place)") else { return false }
                let queue = try await client.store.copy(named: SyncScene.name)
                    .queued(after: 0, limit: 1_000, maximumBytes: .max)
                guard queue.map(\.documentID.text) == expected.queue.map(\.id) else {
                    print("client \(place) has queued \(queue.map(\.documentID)), not \(expected.queue.map(\.id))")
                    return false
                }
            }
            return true
        } catch {
            print("\(error)")
            return false
        }
    }

    private func isEqual(
        _ collection: any CollectionEngine,
        _ expected: [String: Int],
        _ name: String
    ) async throws -> Bool {
        let contents = try await collection.contents()
        let wanted = expected.mapValues { String(decoding: Self.json($0), as: UTF8.self) }
        let count = try await collection.count()
        guard contents == wanted, count == wanted.count else {
            print("\(name) has \(contents), not \(wanted)")
            return false
        }
        return true
    }
}
