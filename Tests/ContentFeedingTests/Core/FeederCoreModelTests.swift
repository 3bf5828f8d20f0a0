import Foundation
import TestSupport
import Testing

@testable import ContentFeeding

/// The feeder's promises, checked against a reference model in simulated time with a seed.
///
/// `FASTCTL_SEED` repeats a run; `FASTCTL_MODEL_EVENTS` sets the number of events of each plan.
struct FeederCoreModelTests {
    static let seed =
        ProcessInfo.processInfo.environment["FASTCTL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)
    static let events = ProcessInfo.processInfo.environment["FASTCTL_MODEL_EVENTS"].flatMap(Int.init) ?? 5_000

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let plan: FeedSimulation.Plan
    }

    static let cases: [Case] = [
        Case(testDescription: "calm engine", plan: .init(trouble: 0, crashes: 0, engine: .plain)),
        Case(testDescription: "troubled engine", plan: .init(trouble: 50, crashes: 0, engine: .plain)),
        Case(testDescription: "one hot document", plan: .init(documents: 1, trouble: 30, crashes: 0, engine: .plain)),
        Case(testDescription: "journaled, no crash", plan: .init(crashes: 0)),
        Case(testDescription: "journaled, crashes", plan: .init(documents: 8, crashes: 15)),
        Case(testDescription: "journaled, many crashes", plan: .init(documents: 60, crashes: 60)),
        Case(testDescription: "shared lanes", plan: .init(trouble: 50, crashes: 0, engine: .plain, laneMask: 3)),
        Case(
            testDescription: "shared lanes, crashes",
            plan: .init(documents: 60, trouble: 50, crashes: 30, laneMask: 3)
        ),
        Case(
            testDescription: "shared lanes, deadlines, crashes",
            plan: .init(documents: 8, trouble: 50, crashes: 15, operationTimeout: .seconds(20), laneMask: 1)
        ),
        Case(testDescription: "slow input, crashes", plan: .init(trouble: 60, crashes: 15, isInputSlow: true)),
        Case(testDescription: "progress in the engine", plan: .init(crashes: 30, engine: .keepsProgress)),
        Case(testDescription: "deadlines", plan: .init(crashes: 0, operationTimeout: .seconds(20))),
        Case(
            testDescription: "deadlines behind quarantines",
            plan: .init(documents: 3, trouble: 60, crashes: 0, engine: .plain, operationTimeout: .seconds(30))
        ),
        Case(
            testDescription: "deadlines, crashes",
            plan: .init(documents: 8, trouble: 50, crashes: 15, operationTimeout: .seconds(20))
        ),
        Case(testDescription: "stops", plan: .init(documents: 8, crashes: 0, stops: 15)),
        Case(testDescription: "stops and crashes", plan: .init(documents: 30, trouble: 50, crashes: 10, stops: 10)),
        Case(testDescription: "outages", plan: .init(trouble: 20, crashes: 0, engine: .plain, outage: .seconds(40))),
        Case(
            testDescription: "outages, gives up",
            plan: .init(documents: 60, trouble: 10, crashes: 3, outage: .seconds(60), giveUpAfter: .seconds(25))
        ),
        Case(
            testDescription: "outages, progress in the engine",
            plan: .init(crashes: 5, engine: .keepsProgress, outage: .seconds(30), giveUpAfter: .seconds(15))
        ),
        Case(testDescription: "barriers", plan: .init(crashes: 0, usesBarriers: true)),
    ]

    @Test(arguments: cases)
    func `The promises hold under random faults`(after testCase: Case) {
        var events = 0
        var crashes = 0
        var surrenders = 0
        var runs: UInt64 = 0
        while events < Self.events {
            var simulation = FeedSimulation(testCase.plan, seed: Self.seed &+ runs)
            simulation.runToEnd()
            events += simulation.eventCount
            crashes += simulation.crashCount
            surrenders += simulation.surrenderCount
            runs += 1
            guard simulation.violations.isEmpty else {
                Issue.record("FASTCTL_SEED=\(Self.seed &+ runs - 1): \(simulation.violations.prefix(5))")
                return
            }
        }
        print("\(testCase.testDescription): \(events) events, \(runs) feeds, \(crashes) crashes, seed \(Self.seed)")
        #expect(testCase.plan.crashes == 0 || crashes > 0)
        #expect(testCase.plan.giveUpAfter == nil || surrenders > 0)
    }

    /// Without a quarantine after a send with an unclear result, or after a crash, a late copy overtakes a newer
    /// operation, which the model must detect.
    @Test(arguments: [FeedSimulation.EngineKind.plain, .journaled])
    func `A feeder without quarantine violates the promises`(engine: FeedSimulation.EngineKind) {
        var plan = FeedSimulation.Plan(documents: 3, trouble: 60, crashes: engine == .plain ? 0 : 15, engine: engine)
        plan.quarantines = false
        #expect(Self.isFound("took effect after a later one", plan))
    }

    /// A crash at each call of each feed, one call per run, either before the transaction is durable or right after it.
    @Test(
        arguments: [FeedSimulation.JournalCrash.Moment.before, .after],
        [FeedSimulation.EngineKind.journaled, .keepsProgress]
    )
    func `The promises hold after a crash at any call of the journal`(
        moment: FeedSimulation.JournalCrash.Moment,
        engine: FeedSimulation.EngineKind
    ) {
        var crashes = 0
        for seed in (0..<6).map({ Self.seed &+ $0 }) {
            var plan = FeedSimulation.Plan(operations: 60, documents: 8, crashes: 0, engine: engine)
            var calm = FeedSimulation(plan, seed: seed)
            calm.runToEnd()
            for call in 1...calm.journalCalls {
                plan.journalCrash = .init(moment: moment, call: call)
                crashes += crashesKeepingPromises(plan, seed)
            }
        }
        print("\(engine), crashes \(moment) durability: \(crashes), seed \(Self.seed)")
        #expect(crashes > 30)
    }

    /// Crashes so often that few operations are settled in a run.
    @Test(arguments: 3...9)
    func `The promises hold if every nth call of the journal ends in a crash`(period: Int) {
        for moment in [FeedSimulation.JournalCrash.Moment.before, .after] {
            var plan = FeedSimulation.Plan(operations: 60, documents: 8, trouble: 10, crashes: 0)
            plan.journalCrash = .init(moment: moment, call: period, period: period)
            #expect(crashesKeepingPromises(plan, Self.seed) > 0)
        }
    }

    /// Removals that had an effect are then reported as missing, which the model must detect.
    @Test func `A journal that loses data that it reported as durable violates the promises`() {
        var plan = FeedSimulation.Plan(documents: 60, crashes: 0)
        plan.journalCrash = .init(moment: .lied, call: 3, period: 5)
        #expect(Self.isFound("is called missing", plan))
    }

    private func crashesKeepingPromises(_ plan: FeedSimulation.Plan, _ seed: UInt64) -> Int {
        var simulation = FeedSimulation(plan, seed: seed)
        simulation.runToEnd()
        if !simulation.violations.isEmpty {
            let crash = plan.journalCrash.map { "\($0)" } ?? ""
            Issue.record("FASTCTL_SEED=\(seed), \(crash): \(simulation.violations.prefix(5))")
        }
        return simulation.crashCount
    }

    private static func isFound(_ violation: String, _ plan: FeedSimulation.Plan) -> Bool {
        (0..<20).contains { seed in
            var simulation = FeedSimulation(plan, seed: UInt64(seed))
            simulation.runToEnd()
            return simulation.violations.contains { $0.contains(violation) }
        }
    }
}

struct LaneTableTests {
    /// There are few different keys, many of them neighbors, so searches and removals often collide.
    @Test(arguments: 0..<20)
    func `The hash table has the same contents as a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = LaneTable()
        var model: [UInt32: UInt64] = [:]
        // IDs exceed the 32 bits that the table stores.
        for step in UInt64(UInt32.max) - 2_000...UInt64(UInt32.max) + 3_000 {
            let number = UInt32.random(in: 1...40, using: &random) | UInt32.random(in: 0...3, using: &random) << 30
            let key = LaneKey(number: number)
            switch (table.place(of: key), Bool.random(using: &random)) {
            case (nil, _):
                table.insert(key, head: OperationID(rawValue: step))
                model[number] = step
            case (let place?, true):
                table[place] = OperationID(rawValue: step)
                model[number] = step
            case (let place?, false):
                table.remove(at: place)
                model[number] = nil
            }
            // Record only failures: thousands of expectations take longer than the code under test.
            if table.count != model.count { Issue.record("step \(step): \(table.count), not \(model.count)") }
        }
        for number in (0...3).flatMap({ high in (1...40).map { UInt32($0) | UInt32(high) << 30 } }) {
            let head = table.place(of: LaneKey(number: number)).map { table[$0].rawValue }
            #expect(head == model[number])
        }
    }
}
