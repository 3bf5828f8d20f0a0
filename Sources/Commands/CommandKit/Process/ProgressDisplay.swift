import Glibc
package import ReportKit
import Synchronization
import Threads

/// The display of how far a command is, on standard error, from its beginning to its end.
///
/// A thread looks at the counts; the work itself only counts. Nothing is shown of what is done before anybody asks.
package final class ProgressDisplay: Sendable {
    private let count: @Sendable () -> ProgressCount
    private let manner: ProgressChoice.Manner?
    private let interval: Duration?
    private let state = Mutex(State())

    private struct State {
        var meter = ProgressMeter()
        var isEnded = false
    }

    /// When the first display was made: of a command that shows one after the other, each says how long all have taken.
    private static let start = ContinuousClock.now

    /// How often the thread looks.
    private static let tick: UInt32 = 100_000
    /// The time before which nothing is shown: most commands have ended by then.
    private static let patience = Duration.milliseconds(700)
    private static let plainInterval = Duration.seconds(30)
    private static let jsonInterval = Duration.seconds(1)

    /// Starts showing what `count` returns.
    ///
    /// - Parameters:
    ///   - style: What the user has asked for.
    ///   - printsLines: Whether the command prints lines all the time, so that a line on the same terminal would flicker.
    ///   - count: How far the command is; called on another thread.
    package init(
        _ style: ProgressStyle,
        printsLines: Bool = false,
        count: @escaping @Sendable () -> ProgressCount
    ) {
        let environment = ProcessEnvironment.values
        manner = style.choice.manner(
            isTerminal: FileDescriptor.standardError.isTerminal,
            sharesTerminal: printsLines && FileDescriptor.standardOutput.isTerminal,
            environment: { environment[$0] }
        )
        interval = style.interval
        self.count = count
        _ = Self.start
        guard let manner else { return }
        startThread { [self] in run(manner) }
    }

    /// The time since the command's first display was made.
    package var elapsed: Duration { ContinuousClock.now - Self.start }

    /// Ends the display and takes its line away; unless another one follows, that is the last that is said.
    package func finish(isLast: Bool = true) {
        let isFirst = state.withLock { state in
            defer { state.isEnded = true }
            return !state.isEnded
        }
        guard isFirst else { return }
        switch manner {
        case .live: StandardError.clearLine()
        case .json: if isLast { sayObject(isLast: true) }
        case .plain, nil: break
        }
    }

    private func run(_ manner: ProgressChoice.Manner) {
        let interval =
            switch manner {
            case .live: Duration.zero
            case .plain: self.interval ?? Self.plainInterval
            case .json: self.interval ?? Self.jsonInterval
            }
        var due = manner == .live ? Self.patience : elapsed + interval
        while true {
            usleep(Self.tick)
            let time = elapsed
            // The rate is that of the last seconds, so each look counts.
            guard let reading = reading(at: time) else { return }
            guard time >= due else { continue }
            switch manner {
            case .live:
                let width = FileDescriptor.standardError.terminalWidth
                let layout = TextLayout(isUnicode: false)
                guard StandardError.showLine(reading.line(columns: width, layout), unless: { self.isEnded }) else {
                    return
                }
            case .plain:
                due = time + interval
                StandardError.say("progress: \(reading.words)")
            case .json:
                due = time + interval
                sayObject(isLast: false)
            }
        }
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Returns what there is to say; `nil` if the command has ended.
    private func reading(at time: Duration) -> ProgressReading? {
        let now = count()
        return state.withLock { state in
            state.isEnded ? nil : state.meter.reading(of: now, at: time)
        }
    }

    private func sayObject(isLast: Bool) {
        let (time, now) = (elapsed, count())
        let reading = state.withLock { $0.meter.reading(of: now, at: time) }
        var bytes: [UInt8] = []
        reading.append(to: &bytes, isLast: isLast)
        StandardError.write(String(decoding: bytes, as: UTF8.self))
    }
}
