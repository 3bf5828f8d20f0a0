extension Duration {
    /// The duration in whole milliseconds; a longer one than they can count is the longest.
    var milliseconds: Int64 { units(of: 1_000_000_000_000_000) }

    /// The duration in whole microseconds; a longer one than they can count is the longest.
    package var microseconds: Int64 { units(of: 1_000_000_000_000) }

    private func units(of attoseconds: Int64) -> Int64 {
        let inSecond = 1_000_000_000_000_000_000 / attoseconds
        let (whole, isTooLong) = components.seconds.multipliedReportingOverflow(by: inSecond)
        let (sum, isGreater) = whole.addingReportingOverflow(components.attoseconds / attoseconds)
        return isTooLong || isGreater ? (components.seconds < 0 ? .min : .max) : sum
    }
}
