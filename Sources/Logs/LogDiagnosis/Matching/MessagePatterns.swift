import TextPatterns

/// What some cases look for in messages, compiled by itself: few patterns are found several times as fast as all.
final class MessagePatterns: Sendable {
    fileprivate let set: PatternSet
    /// The number of each pattern in the table of all.
    fileprivate let numbers: [Int]
    fileprivate let count: Int

    /// Compiles the patterns of these cases.
    init(_ selectors: CompiledSelectors, cases: some Sequence<Int>) {
        numbers = Set(cases.flatMap { selectors.cases[$0].patterns }).sorted()
        count = selectors.patterns.count
        do {
            set = try PatternSet(numbers.map { selectors.patterns[$0] })
        } catch {
            // Each expression was compiled when the rules were, and texts always can be.
            fatalError("patterns of rules cannot be compiled: \(error)")
        }
    }
}

/// Looks for them in one message after another.
final class MessageScan {
    private let patterns: MessagePatterns
    private var scanner: PatternScanner
    private(set) var hits: PatternHits

    init(_ patterns: MessagePatterns) {
        self.patterns = patterns
        scanner = PatternScanner(patterns.set)
        hits = PatternHits(count: patterns.count)
    }

    /// Finds what stands in a message.
    func look(_ message: Span<UInt8>) {
        hits.begin()
        for match in scanner.matches(in: message) { hits.add(patterns.numbers[match.pattern]) }
    }
}
