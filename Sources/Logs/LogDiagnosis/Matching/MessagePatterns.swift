import TextPatterns

/// What some cases look for in messages, compiled by itself: few patterns are found several times as fast as all.
final class MessagePatterns: Sendable {
    fileprivate let set: PatternSet
    /// The number of each pattern in the table of all.
    fileprivate let numbers: [Int]
    fileprivate let count: Int

    /// Compiles the patterns with these numbers.
    init(_ selectors: CompiledSelectors, _ numbers: [Int]) {
        self.numbers = numbers
        count = selectors.patterns.count
        do {
            set = try PatternSet(numbers.map { selectors.patterns[$0] })
        } catch {
            // They were all compiled when the rules were.
            fatalError("patterns of rules cannot be compiled: \(error)")
        }
    }
}

/// Looks for sets of patterns in one message after another.
final class MessageScan {
    private final class One {
        let patterns: MessagePatterns
        var scanner: PatternScanner

        init(_ patterns: MessagePatterns) {
            self.patterns = patterns
            scanner = PatternScanner(patterns.set)
        }
    }

    private let scans: [One]
    private(set) var hits: PatternHits

    init(_ sets: [MessagePatterns]) {
        scans = sets.map { One($0) }
        hits = PatternHits(count: sets.first?.count ?? 0)
    }

    /// Finds what stands in a message; false if nothing does.
    @discardableResult
    func look(_ message: Span<UInt8>) -> Bool {
        hits.begin()
        var isAny = false
        for scan in scans {
            for match in scan.scanner.matches(in: message) {
                hits.add(scan.patterns.numbers[match.pattern])
                isAny = true
            }
        }
        return isAny
    }
}
