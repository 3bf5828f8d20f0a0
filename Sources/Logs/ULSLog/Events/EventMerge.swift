/// A merge of the events of lanes by time.
///
/// Each lane keeps its order: a row older than the one before it comes right after that one. Of equal times, the first
/// lane's comes first.
struct EventMerge {
    private struct Lane {
        var ready: [ULSEvent] = []
        var next = 0
        var isEnded = false
        /// The instant of the next event; for an event without a date, that of the previous one.
        var instant = Int64.min

        /// Reads the next event's time.
        mutating func look() {
            guard next < ready.count else { return }
            let time = ready[next].time
            if time.hasDate { instant = time.instant }
        }
    }

    private var lanes: [Lane]

    init(laneCount: Int) { lanes = Array(repeating: Lane(), count: laneCount) }

    /// Hands over all events; `refill` adds a lane's next ones and returns whether there may be more.
    mutating func run(
        refill: (Int, inout [ULSEvent]) throws -> Bool,
        body: (borrowing ULSEvent) throws -> Void
    ) rethrows {
        while true {
            for index in lanes.indices where lanes[index].next == lanes[index].ready.count && !lanes[index].isEnded {
                lanes[index].ready.removeAll(keepingCapacity: true)
                lanes[index].next = 0
                while lanes[index].ready.isEmpty, !lanes[index].isEnded {
                    lanes[index].isEnded = try !refill(index, &lanes[index].ready)
                }
                lanes[index].look()
            }
            var oldest: Int?
            for index in lanes.indices where lanes[index].next < lanes[index].ready.count {
                if let best = oldest, lanes[best].instant <= lanes[index].instant { continue }
                oldest = index
            }
            guard let oldest else { return }
            try body(lanes[oldest].ready[lanes[oldest].next])
            lanes[oldest].next += 1
            lanes[oldest].look()
        }
    }
}

/// The sources that are read one after the other when servers are merged.
enum EventLanes {
    /// Lanes that are read at a time.
    static let maximum = 64

    /// Returns a lane for each server, and one for each source of an unknown server, unless that begins after another's
    /// end.
    ///
    /// If there are too many, those of unknown servers may be folded into one lane, which a note tells.
    static func byServer(_ plan: ReadPlan, mayFold: Bool) throws -> (lanes: [[Int]], note: String?) {
        var lanes: [(server: String?, end: Int64?, sources: [Int])] = []
        for (number, source) in plan.sources.enumerated() where !plan.items[number].isEmpty {
            let lane =
                if let server = source.server {
                    lanes.firstIndex { $0.server?.lowercased() == server.lowercased() }
                } else if let start = source.nominalStart {
                    lanes.firstIndex { lane in lane.server == nil && lane.end.map { $0 <= start } ?? false }
                } else {
                    Int?.none
                }
            let end = source.server == nil ? FileTimes.last(of: source)?.clock : nil
            if let lane {
                lanes[lane].sources.append(number)
                lanes[lane].end = end
            } else {
                lanes.append((source.server, end, [number]))
            }
        }
        let unknown = lanes.filter { $0.server == nil }.flatMap(\.sources)
        if mayFold, lanes.count > maximum, lanes.count - lanes.count(where: { $0.server == nil }) < maximum {
            let known = lanes.filter { $0.server != nil }.map(\.sources)
            let note =
                "\(unknown.count) logs of unknown servers overlap and were read one after the other: a request that is spread"
                + " over several of them may not be recognized"
            return (known + [unknown], note)
        }
        guard lanes.count <= maximum else {
            throw LogError(
                code: .usage,
                message: "\(lanes.count) logs of unknown servers overlap; at most \(maximum) can be merged at a time",
                advice: "name them SERVER-YYYYMMDD-HHMM.log, or give fewer at a time"
            )
        }
        return (lanes.isEmpty ? [[]] : lanes.map(\.sources), nil)
    }
}
