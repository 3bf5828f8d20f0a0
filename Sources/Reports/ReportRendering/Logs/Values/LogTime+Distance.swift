import ULSLog

extension LogTime {
    /// Milliseconds from an earlier time to this one, as far as both are known.
    func milliseconds(since earlier: LogTime) -> Int64? {
        guard quality != .none, earlier.quality != .none else { return nil }
        guard (quality == .timeOnly) == (earlier.quality == .timeOnly) else { return nil }
        let (distance, overflow) = instant.subtractingReportingOverflow(earlier.instant)
        return overflow ? nil : distance
    }
}
