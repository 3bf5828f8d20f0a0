/// The slowest single requests and scopes, slowest first; of equal ones the one that was written first.
struct SlowestList: Sendable {
    /// No list is longer.
    static let maximum = 1000

    private let limit: Int
    private(set) var instances: [SlowReport.Instance] = []

    /// Keeps so many, at most ``maximum``.
    init(limit: Int) { self.limit = min(max(0, limit), Self.maximum) }

    /// Whether one that took so long, in microseconds, and comes now would be on the list: ask before making it.
    func admits(_ duration: Int64) -> Bool {
        guard instances.count >= limit else { return true }
        guard let last = instances.last else { return false }
        return duration > last.duration
    }

    /// Takes one that was written behind all that were taken so far.
    mutating func insert(_ instance: SlowReport.Instance) {
        guard admits(instance.duration) else { return }
        var (low, high) = (0, instances.count)
        while low < high {
            let middle = (low + high) / 2
            if instances[middle].duration < instance.duration { high = middle } else { low = middle + 1 }
        }
        if instances.count == limit { instances.removeLast() }
        instances.insert(instance, at: low)
    }
}
