import ContentFeeding

extension FeedProgress {
    /// What is settled in either.
    ///
    /// Progress never goes back: not even when two processes work on one job, or an old batch comes late.
    func union(_ other: FeedProgress) -> FeedProgress {
        var union = firstOperation < other.firstOperation ? other : self
        let lowest = max(lowestUnsettled, other.lowestUnsettled)
        let end = max(bitEnd, other.bitEnd)
        union.lowestUnsettled = lowest
        union.settled = []
        guard end > lowest.rawValue else { return union }
        // Operations that are settled on both sides of the old border move below it.
        let open = (lowest.rawValue..<end).first { !isSettled($0) && !other.isSettled($0) } ?? end
        union.lowestUnsettled = OperationID(rawValue: open)
        union.settled = [UInt8](repeating: 0, count: Int((end - open + 7) / 8))
        for number in open..<end where isSettled(number) || other.isSettled(number) {
            union.settled[Int(number - open) >> 3] |= 1 << UInt8((number - open) & 7)
        }
        while union.settled.last == 0 { union.settled.removeLast() }
        return union
    }

    /// One more than the last operation that the bitmap can speak of.
    private var bitEnd: UInt64 { lowestUnsettled.rawValue + UInt64(settled.count * 8) }

    private func isSettled(_ number: UInt64) -> Bool { isSettled(OperationID(rawValue: number)) }
}
