import Files
import Glibc
import Synchronization
import ULSLog

/// A loop that looks at logs while they are written, until a signal asks it to end.
struct FollowLoop: Sendable {
    private final class Request: Sendable {
        let isMade = Atomic(false)
    }

    private let request = Request()

    /// The time that is left to a writer that has woken us, so that a burst of rows is one look.
    private static let gathering: UInt32 = 5_000

    /// From now on, the first signal ends the loop, and the second one the process.
    init() {
        Interruption.ask { [request] in request.isMade.store(true, ordering: .relaxed) }
    }

    /// Calls `look` with the time since the beginning, and whether names may have changed, again and again.
    ///
    /// - Parameters:
    ///   - folders: Where files may come and go.
    ///   - look: Returns how long to wait, at most, before the next look.
    /// - Throws: The error of `look`, which ends the loop.
    func run(watching folders: [String], _ look: (Duration, Bool) throws -> Duration) throws {
        // Where the system tells nothing, as on a network share, looking now and then is enough.
        let watch = FolderWatch()
        for folder in folders { watch?.add(folder) }
        let start = ContinuousClock.now
        var lastListing = Duration.zero
        var relists = true
        while !request.isMade.load(ordering: .relaxed) {
            let now = ContinuousClock.now - start
            if relists || now - lastListing >= LogFollower.listingInterval {
                (relists, lastListing) = (true, now)
                for folder in folders { watch?.add(folder) }
            }
            let pause = try look(now, relists)
            relists = false
            guard pause > .zero else { continue }
            guard let watch else {
                usleep(UInt32(pause / .microseconds(1)))
                continue
            }
            let change = watch.wait(upTo: max(pause, .milliseconds(1)))
            relists = change == .names
            if change != .none { usleep(Self.gathering) }
        }
    }
}
