/// Merges the events of lanes by time.
///
/// Of each lane the order stays: a row that is older than the one before it comes as soon as that one has come. Of equal
/// times the first lane's comes first.
struct EventMerge {
    private struct Lane {
        var ready: [ULSEvent] = []
        var next = 0
        var isEnded = false
        /// The instant of the next event; that of the one before for an event without a date.
        var instant = Int64.min

        /// Looks at the next event's time.
        mutating func look() {
            guard next < ready.count else { return }
            let time = ready[next].time
            if time.hasDate { instant = time.instant }
        }
    }

    private var lanes: [Lane]

    init(laneCount: Int) { lanes = Array(repeating: Lane(), count: laneCount) }

    /// Hands over all events; `refill` adds a lane's next ones and says whether there may be more.
    mutating func run(
        refill: (Int, inout [ULSEvent]) throws -> Bool,
        body: (borrowing ULSEvent) throws -> Void
    ) throws {
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

/// Which sources are read one after the other when servers are merged.
enum EventLanes {
    /// Lanes that are read at a time.
    static let maximum = 64

    /// A lane for each server, and for each source of which the server is not known, unless it begins behind another's
    /// end.
    static func byServer(_ plan: LogPlan) throws -> [[Int]] {
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
        guard lanes.count <= maximum else {
            throw LogError(
                code: .usage,
                message: "\(lanes.count) logs of unknown servers overlap; at most \(maximum) are merged at a time",
                advice: "name them SERVER-YYYYMMDD-HHMM.log, or give fewer at a time"
            )
        }
        return lanes.isEmpty ? [[]] : lanes.map(\.sources)
    }
}
