/// Durations of requests and jobs by method and path, without what differs from one request to the next.
///
/// The first ``LogLimit/scopes`` kinds have durations of their own; `rowsBeyondLimit` counts the others.
public struct RequestDurations: Sendable {
    /// Durations by kind: `GET /sites/a/Lists/L/AllItems.aspx`, `Timer Job job-upgrade-sites`.
    public private(set) var kinds: [String: DurationHistogram] = [:]
    /// Requests of kinds beyond the limit.
    public private(set) var beyondLimit = 0

    /// Creates counts of no durations.
    public init() {}

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - name: As rows name it: `Request (GET:http://portal/a?b)`.
    ///   - duration: Microseconds.
    public mutating func add(name: String, duration: Int64) {
        let key = Self.key(of: name)
        guard kinds[key] != nil || kinds.count < LogLimit.scopes.maximum else {
            beyondLimit += 1
            return
        }
        kinds[key, default: DurationHistogram()].add(duration)
    }

    /// Returns what requests of a name are counted under.
    public static func key(of name: String) -> String {
        var bytes: [UInt8] = []
        ScopeKey.append(name: name.utf8.span, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
