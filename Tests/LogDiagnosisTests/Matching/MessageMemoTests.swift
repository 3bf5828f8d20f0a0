import Testing

@testable import LogDiagnosis

struct MessageMemoTests {
    @Test func `The memo never mixes up two messages, and remembers most of them`() {
        var memo = MessageMemo<Int>()
        var remembered = 0
        for number in 0..<20_000 {
            let message = Array("Failed to open item \(number % 5000)".utf8)
            let key = memo.key(memo.hash(of: message.span), 7)
            let fact = number % 5000
            if let known = memo[key] {
                remembered += 1
                #expect(known == fact)
            }
            memo.note(fact, by: key)
        }
        // Each message is repeated three times.
        #expect(remembered > 6000)
    }

    @Test func `The memo of bytes never mixes up two messages, and remembers most of them`() {
        let keys = MessageMemo<Int>()
        var memo = ByteMemo()
        var remembered = 0
        for number in 0..<200_000 {
            let message = Array("Failed to open item \(number % 50_000)".utf8)
            let key = keys.key(keys.hash(of: message.span), 7)
            let fact = UInt8(truncatingIfNeeded: number % 50_000)
            if let known = memo[key] {
                remembered += 1
                #expect(known == fact)
            }
            memo.note(fact, by: key)
        }
        // Each message is repeated three times.
        #expect(remembered > 50_000)
        // Two keys in the same place, which differ in a single bit.
        for bit in 16..<64 {
            let other: UInt64 = 0x1234_5678_9ABC_DEF0
            memo.note(3, by: other)
            #expect(memo[other] == 3 && memo[other ^ 1 << UInt64(bit)] == nil)
        }
        #expect(memo[0] == nil && memo[5] == nil)
    }

    @Test func `The key depends on every input that can change the fact`() {
        let memo = MessageMemo<Int>()
        let (message, id) = (Array("Failed".utf8), Array("8nca".utf8))
        let (hash, other) = (memo.hash(of: message.span), memo.hash(of: id.span))
        let keys: Set = [
            memo.key(hash, 1), memo.key(hash, 2), memo.key(other, message.span, 1), memo.key(hash, id.span, 1),
            memo.key(hash, id.span, 2),
        ]
        #expect(keys.count == 5)
    }
}
