/// When the servers of a unit wrote rows, selected or not.
struct ServerActivities {
    /// By the server's number and the layout.
    private var activities: [ServerActivity?] = []
    private let gapMinimum: Int64

    init(gapMinimum: Int64) { self.gapMinimum = gapMinimum }

    var all: [ServerActivity] { activities.compactMap(\.self) }

    /// Notes that a server wrote, whose number in `facts` this is.
    @inline(__always)
    mutating func add(_ time: PackedTime, server number: Int, isUTC: Bool, _ facts: borrowing RecordFacts) {
        let index = number &* 2 &+ (isUTC ? 1 : 0)
        if index < activities.count, activities[index] != nil {
            activities[index]?.add(time)
        } else {
            while activities.count <= index { activities.append(nil) }
            activities[index] = ServerActivity(
                server: facts.servers[number],
                isUTC: isUTC,
                first: time,
                gapMinimum: gapMinimum
            )
        }
    }
}

extension [ServerActivity] {
    /// Goes on with what servers wrote behind it.
    mutating func append(continuing next: ServerActivity) {
        if let index = firstIndex(where: { $0.server == next.server && $0.isUTC == next.isUTC }) {
            self[index].append(next)
        } else if count <= LogLimit.processes.maximum {
            append(next)
        }
    }
}
