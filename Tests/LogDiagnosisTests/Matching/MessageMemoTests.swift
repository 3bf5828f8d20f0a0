import Testing

@testable import LogDiagnosis

struct MessageMemoTests {
    @Test func `The memo never mixes up two messages, and remembers most of them`() {
        var memo = MessageMemo<Int>()
        var remembered = 0
        for number in 0..<20_000 {
            let message = Array("Failed to open item \(number % 5000)".utf8)
            let key = memo.key(of: message.span, 7)
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

    @Test func `The key depends on every input that can change the fact`() {
        let memo = MessageMemo<Int>()
        let (message, id) = (Array("Failed".utf8), Array("8nca".utf8))
        let keys: Set = [
            memo.key(of: message.span, 1), memo.key(of: message.span, 2), memo.key(of: id.span, message.span, 1),
            memo.key(of: message.span, id.span, 1), memo.key(of: message.span, id.span, 2),
        ]
        #expect(keys.count == 5)
    }
}
