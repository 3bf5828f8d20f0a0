extension Int {
    /// The sum; the largest number where it is larger: what an engine counts is not to be trusted.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, isOverflow) = addingReportingOverflow(other)
        guard isOverflow else { return sum }
        return other < 0 ? .min : .max
    }
}
