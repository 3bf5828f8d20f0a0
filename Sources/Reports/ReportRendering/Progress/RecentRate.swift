/// The rate of the last seconds: what a counter has gained in them.
///
/// An average since the beginning would hide that nothing goes on any more, and say too little of what is left.
struct RecentRate: Sendable {
    /// The time that is looked at.
    static let span = Duration.seconds(5)
    /// The time between two samples that are kept, so that few are.
    private static let step = Duration.milliseconds(250)

    private var samples: [(time: Duration, count: Int)] = []

    /// Notes what the counter says at a time, which never goes back.
    mutating func note(_ count: Int, at time: Duration) {
        if samples.count >= 2, let before = samples.dropLast().last, time - before.time < Self.step {
            samples.removeLast()
        }
        samples.append((time, count))
        // One sample before the span stays, so that it is covered.
        while samples.count > 2, time - samples[1].time >= Self.span { samples.removeFirst() }
    }

    /// What was gained in a second; `nil` as long as too little time has passed to tell.
    var perSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.step else {
            return nil
        }
        return max(0, Double(last.count - first.count)) / ((last.time - first.time) / .seconds(1))
    }
}
