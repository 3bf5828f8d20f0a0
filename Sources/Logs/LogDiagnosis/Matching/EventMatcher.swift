import TextPatterns
import ULSLog

/// Finds which selectors of which rules an event meets.
final class EventMatcher {
    /// What follows from an event's columns.
    private struct Known {
        var candidates: [Int]
        var rank: Int
        var isNoise: Bool
        var looksAtMessage: Bool
    }

    private let selectors: CompiledSelectors
    private var scan: MessageScan
    private var known: [EventColumns: Known] = [:]
    /// Different columns that are remembered; beyond, all are forgotten and learnt anew.
    private static let maximumKnown = 10_000

    init(_ selectors: CompiledSelectors) {
        self.selectors = selectors
        scan = MessageScan(selectors)
    }

    /// The selectors an event meets, and whether it is a problem that wants an explanation.
    func matches(_ event: borrowing ULSEvent) -> (matches: [RuleMatch], rank: Int, isAbnormal: Bool) {
        let columns = EventColumns(event)
        let known = known[columns] ?? learn(columns)
        let isAbnormal = known.rank <= 3 && !known.isNoise
        guard !known.candidates.isEmpty else { return ([], known.rank, isAbnormal) }
        if known.looksAtMessage { scan.look(event[.message]) }
        var matches: [RuleMatch] = []
        for number in known.candidates {
            let candidate = selectors.cases[number]
            guard candidate.holds(message: event[.message], scan.hits), candidate.holdsOtherwise(event) else {
                continue
            }
            if matches.last?.rule != candidate.rule { matches.append(RuleMatch(rule: candidate.rule)) }
            matches[matches.count - 1].add(candidate, event)
        }
        return (matches, known.rank, isAbnormal)
    }

    private func learn(_ columns: EventColumns) -> Known {
        if known.count >= Self.maximumKnown { known.removeAll() }
        let candidates = selectors.candidates(columns)
        let learnt = Known(
            candidates: candidates,
            rank: columns.isBare ? 6 : columns.rank,
            isNoise: Noise.contains(eventID: columns.eventID),
            looksAtMessage: candidates.contains { !selectors.cases[$0].messages.isEmpty }
        )
        known[columns] = learnt
        return learnt
    }
}

/// The selectors of one rule that an event meets.
struct RuleMatch {
    let rule: Int
    /// A bit for each selector.
    private(set) var selectors: UInt64 = 0
    /// The first value of each name.
    private(set) var captures: [Capture] = []

    init(rule: Int) { self.rule = rule }

    /// Adds a case that the event meets.
    mutating func add(_ met: CompiledCase, _ event: borrowing ULSEvent) {
        selectors |= 1 << UInt64(met.selector)
        for template in met.captures {
            for name in template.names where !captures.contains(where: { $0.name == name }) {
                guard let found = template.captures(in: event[.message]), let value = found[name] else { break }
                captures.append(Capture(name: name, value: value))
            }
        }
    }
}

/// Looks for all patterns in one message after another.
final class MessageScan {
    private var scanner: PatternScanner?
    private(set) var hits: PatternHits

    init(_ selectors: CompiledSelectors) {
        hits = PatternHits(count: selectors.patternCount)
        if let patterns = selectors.patterns { scanner = PatternScanner(patterns) } else { scanner = nil }
    }

    /// Finds what stands in a message.
    func look(_ message: Span<UInt8>) {
        hits.begin()
        guard scanner != nil, let matches = scanner?.matches(in: message) else { return }
        for match in matches { hits.add(match.pattern) }
    }
}
