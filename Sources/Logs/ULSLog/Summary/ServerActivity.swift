/// When a server wrote rows of one layout, and when it did not.
struct ServerActivity: Sendable {
    var server: String?
    var isUTC: Bool
    /// The first row's time.
    private(set) var first: PackedTime
    /// The newest time so far, or since the clock was set back.
    var newest: PackedTime
    private(set) var gaps: [Gap] = []
    private(set) var gapCount = 0
    /// How often the clock was set back.
    private(set) var steps = 0
    private let minimum: Int64

    struct Gap: Sendable {
        var from: PackedTime
        var until: PackedTime
    }

    /// Milliseconds that a row may be older than one before it: threads write at the same time.
    static let tolerance: Int64 = 2000

    init(server: String?, isUTC: Bool, first: PackedTime, gapMinimum: Int64) {
        self.server = server
        self.isUTC = isUTC
        self.first = first
        newest = first
        minimum = gapMinimum
    }

    @inline(__always)
    mutating func add(_ time: PackedTime) {
        let advance = time.instant &- newest.instant
        if advance > 0 {
            if advance >= minimum { addGap(until: time) }
            newest = time
        } else if advance < -Self.tolerance {
            steps += 1
            newest = time
        }
    }

    /// Goes on with what the same server wrote behind it.
    mutating func append(_ next: ServerActivity) {
        add(next.first)
        gapCount += next.gapCount
        for gap in next.gaps where gaps.count < LogLimit.gaps.maximum { gaps.append(gap) }
        steps += next.steps
        // What came before a step tells nothing of what follows it.
        if next.steps > 0 || next.newest > newest { newest = next.newest }
    }

    @inline(never)
    private mutating func addGap(until time: PackedTime) {
        gapCount += 1
        if gaps.count < LogLimit.gaps.maximum { gaps.append(Gap(from: newest, until: time)) }
    }
}
