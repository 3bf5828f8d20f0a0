import TestSupport
import Testing

@testable import ContentFeeding

struct LaneTableTests {
    /// Few different keys, many of them neighbours: searches and removals run into each other all the time.
    @Test(arguments: 0..<20)
    func aTableHoldsWhatADictionaryHolds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = LaneTable()
        var model: [UInt64: (head: UInt64, tail: UInt64)] = [:]
        for step in 1...5_000 as ClosedRange<UInt64> {
            let number = UInt64.random(in: 1...40, using: &random) | UInt64.random(in: 0...3, using: &random) << 62
            let key = LaneKey(number: number)
            switch (table.place(of: key), Bool.random(using: &random)) {
            case (nil, _):
                table.insert(key, OperationID(rawValue: step))
                model[number] = (step, step)
            case (let place?, true):
                table[place].tail = OperationID(rawValue: step)
                model[number]?.tail = step
            case (let place?, false):
                table.remove(at: place)
                model[number] = nil
            }
            #expect(table.count == model.count)
        }
        for number in (0...3).flatMap({ high in (1...40).map { UInt64($0) | UInt64(high) << 62 } }) {
            let line = table.place(of: LaneKey(number: number)).map { table[$0] }
            #expect(line?.head.rawValue == model[number]?.head && line?.tail.rawValue == model[number]?.tail)
        }
    }
}
