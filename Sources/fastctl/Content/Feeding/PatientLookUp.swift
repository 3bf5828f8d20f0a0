import ContentFeeding
import ReportRendering

/// A look-up that is tried again as long as the engine does not answer, with the pauses and the patience of feeding.
///
/// A wait is never silent: there is a line after two seconds, and then one every thirty.
struct PatientLookUp {
    private let clock: FeedClock
    private let retry: RetryPolicy
    /// The time without an answer after which the look-up fails; `nil` for never.
    private let giveUpAfter: Duration?
    private let say: (String) -> Void
    private var random = SystemRandomNumberGenerator()

    private static let firstWord = Duration.seconds(2)
    private static let nextWord = Duration.seconds(30)
    /// The longest time before a pause notices that the user wants to stop.
    private static let step = Duration.milliseconds(200)

    init(
        _ configuration: FeedConfiguration,
        clock: FeedClock = FeedClock(ContinuousClock()),
        say: @escaping (String) -> Void = { StandardError.say($0) }
    ) {
        self.clock = clock
        self.say = say
        retry = configuration.retry
        giveUpAfter = configuration.giveUpAfter
    }

    /// Returns what `body` returns when the engine answers; `isStopped` is polled, and ends the waiting.
    mutating func answer<Answer>(
        to body: () async throws(EngineError) -> Answer,
        unless isStopped: () -> Bool
    ) async throws -> Answer {
        let start = clock.now()
        var nextWord = start + Self.firstWord
        var failures = 0
        while true {
            let failure: EngineError
            do throws(EngineError) { return try await body() } catch { failure = error }
            let now = clock.now()
            guard [.unreachable, .locked].contains(failure.code), !isStopped() else { throw failure }
            let end = giveUpAfter.map { start + $0 } ?? .never
            guard now < end else { throw failure }
            if now >= nextWord {
                nextWord = now + Self.nextWord
                let rest = giveUpAfter.map { "; gives up in \(ShortDuration(start + $0 - now))" } ?? ""
                say("waiting: no answer to a look-up for \(ShortDuration(now - start)): \(failure.message)\(rest)")
            }
            failures += 1
            let resumption = min(now + retry.pause(after: failures, using: &random), end)
            while !isStopped(), case let now = clock.now(), now < resumption {
                try await clock.sleep(min(now + Self.step, resumption))
            }
        }
    }
}
