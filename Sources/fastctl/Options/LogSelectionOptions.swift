import ArgumentParsing
import ULSLog

/// Which events are wanted, apart from their correlation; everything that is given must hold.
struct LogSelectionOptions: OptionSetting {
    @Option(
        "--since",
        value: "TIME",
        completion: ArgumentCompletion.none,
        help: "From this time on, as '2024-03-11 11:03', 2024-03-11T10:03Z, a day, or 11:03 of every day"
    )
    var since: String?

    @Option("--until", value: "TIME", completion: ArgumentCompletion.none, help: "Up to this time, it included")
    var until: String?

    @Option(
        "--around",
        value: "TIME[±DURATION]",
        completion: ArgumentCompletion.none,
        help: "So long before and after this time; 5m without a duration, and '+-' is '±' as well"
    )
    var around: String?

    @Option("--level", value: "LEVEL", help: "This level and worse")
    var level: ULSLevel?

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Of this server; may be repeated"
    )
    var servers: [String]

    @Option(
        "--process",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Of this program or process ID, as w3wp or 0x1790; may be repeated"
    )
    var processes: [String]

    @Option(
        "--category",
        value: "[AREA/]NAME",
        completion: ArgumentCompletion.none,
        help: "Of this category, with * and ? for any text and character; may be repeated"
    )
    var categories: [String]

    @Option(
        "--event",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "With this event ID, as b4ly; may be repeated"
    )
    var eventIDs: [String]

    @Option(
        "--contains",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "With this text in the message; of several all must occur"
    )
    var contains: [String]

    static let exclusive = [["--since", "--around"], ["--until", "--around"]]

    func validate() throws { _ = try window() }

    func window() throws -> TimeWindow {
        do { return try TimeWindow(since: since, until: until, around: around) } catch {
            throw ValidationError(error.message)
        }
    }

    var filter: EventFilter {
        var filter = EventFilter()
        filter.level = level
        filter.servers = servers
        filter.processes = processes
        filter.categories = categories
        filter.eventIDs = eventIDs
        filter.contains = contains
        return filter
    }
}

/// Which events are wanted.
struct LogEventOptions: OptionSetting {
    @OptionGroup("Events") var selection: LogSelectionOptions

    @Option(
        "--correlation",
        value: "GUID",
        completion: ArgumentCompletion.none,
        help: "Of this request: a GUID, or its first 8 digits or more; may be repeated"
    )
    var correlations: [CorrelationPattern]
}

extension LogReadingOptions {
    /// A reader of these inputs; of standard input without any.
    func reader(of inputs: [String], _ events: LogEventOptions, example: String) throws -> LogReader {
        try reader(of: inputs, events.selection, correlations: events.correlations, example: example)
    }
}
