import TestSupport
import Testing

@testable import ContentFeeding

struct LaneTableTests {
    /// Few different keys, many of them neighbours: searches and removals run into each other all the time.
    @Test(arguments: 0..<20)
    func aTableHoldsWhatADictionaryHolds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = LaneTable()
        var model: [UInt32: UInt64] = [:]
        // IDs go past the 32 bits that the table keeps of them.
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
            #expect(table.count == model.count)
        }
        for number in (0...3).flatMap({ high in (1...40).map { UInt32($0) | UInt32(high) << 30 } }) {
            let head = table.place(of: LaneKey(number: number)).map { table[$0].rawValue }
            #expect(head == model[number])
        }
    }
}
