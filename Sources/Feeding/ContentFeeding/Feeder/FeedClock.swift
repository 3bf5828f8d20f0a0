/// What time it is for a feed, and how to wait: any clock, counted from the moment of creation.
struct FeedClock: Sendable {
    let now: @Sendable () -> FeedInstant
    let sleep: @Sendable (FeedInstant) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { FeedInstant(sinceStart: start.duration(to: clock.now)) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0.sinceStart), tolerance: nil) }
    }
}
