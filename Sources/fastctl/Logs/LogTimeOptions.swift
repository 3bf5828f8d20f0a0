import ArgumentParsing
import Glibc
import ULSLog

/// Options for the times that matter.
struct LogTimeOptions: OptionSetting {
    @Option(
        "--since",
        value: "TIME",
        completion: ArgumentCompletion.none,
        help: """
            From this time on: '2024-03-11 11:03', 2024-03-11T10:03Z, a day, 11:03 of every day, 15m or 2h or 3d before \
            now, today, yesterday
            """
    )
    var since: String?

    @Option(
        "--until",
        value: "TIME",
        completion: ArgumentCompletion.none,
        help: "Up to and including this time, or all of this day: 10:15 is 10:15:00.000"
    )
    var until: String?

    @Option(
        "--around",
        value: "TIME[±DURATION]",
        completion: ArgumentCompletion.none,
        help: "This long before and after this time, by default 5m; '+-' can be used for '±'"
    )
    var around: String?

    static let exclusive = [["--since", "--around"], ["--until", "--around"]]

    func validate() throws { _ = try window() }

    /// A remark on what the window means where it may not be what was meant.
    var remark: String? {
        guard since != nil, until != nil, let window = try? window(), window.spansMidnight else { return nil }
        return "--since is later than --until: the window spans midnight; with dates, both can be on one day"
    }

    func window() throws -> TimeWindow {
        do { return try TimeWindow(since: since, until: until, around: around, now: .now) } catch {
            throw ValidationError(error.message)
        }
    }
}

extension TimeReference {
    /// The time now, on this machine's clock.
    static var now: TimeReference {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var parts = tm()
        localtime_r(&time.tv_sec, &parts)
        return TimeReference(
            instant: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000,
            offset: parts.tm_gmtoff
        )
    }
}
