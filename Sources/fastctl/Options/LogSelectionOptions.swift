import ArgumentParsing
import ULSLog

/// Which events are wanted, apart from their correlation; everything that is given must hold.
struct LogSelectionOptions: OptionSetting {
    @Option("--since", value: "TIME", help: "Not before this time, as '2024-03-11 11:03', 11:03 or a time with a zone")
    var since: TimeArgument?

    @Option("--until", value: "TIME", help: "Before this time")
    var until: TimeArgument?

    @Option(
        "--around",
        value: "TIME[±DURATION]",
        help: "So long before and after this time (default: 5m); '+-' is '±' as well"
    )
    var around: AroundArgument?

    @Option("--level", value: "LEVEL", help: "This level and worse")
    var level: ULSLevel?

    @Option("--server", value: "NAME", help: "Of this server; may be repeated")
    var servers: [String]

    @Option("--process", value: "NAME", help: "Of this program or process ID, as w3wp or 0x1790; may be repeated")
    var processes: [String]

    @Option("--category", value: "[AREA/]NAME", help: "Of this category; * and ? match; may be repeated")
    var categories: [String]

    @Option("--event", value: "ID", help: "With this event ID, as b4ly; may be repeated")
    var eventIDs: [String]

    @Option("--contains", value: "TEXT", help: "With this text in the message; may be repeated, all must occur")
    var contains: [String]

    static let exclusive = [["--since", "--around"], ["--until", "--around"]]

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

    @Option("--correlation", value: "GUID", help: "Of this request: a GUID, or its first 8 digits or more; may be repeated")
    var correlations: [CorrelationPattern]

    var filter: EventFilter {
        var filter = selection.filter
        filter.correlations = correlations
        return filter
    }
}
