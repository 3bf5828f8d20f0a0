import Testing

@testable import ContentFeeding

struct FeedInstantTests {
    @Test func aMomentIsKeptToTheNanosecond() {
        let aBitMore = Duration(secondsComponent: 0, attosecondsComponent: 1)
        let moment = FeedInstant(sinceStart: .seconds(3) + .nanoseconds(7) + aBitMore)
        #expect(moment.sinceStart == .seconds(3) + .nanoseconds(7))
        #expect(moment + .nanoseconds(1) - moment == .nanoseconds(1))
        #expect(moment > .start)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(300 * 365 * 86_400)])
    func whatIsTooFarAwayNeverComes(wait: Duration) {
        #expect(FeedInstant(sinceStart: wait) == .never)
        #expect(FeedInstant.start + wait == .never)
        #expect(FeedInstant(sinceStart: .seconds(5)) + wait == .never)
        #expect(FeedInstant(sinceStart: .zero - wait) < .start)
        #expect(FeedInstant(sinceStart: .seconds(-5)) + (.zero - wait) < .start)
    }
}
