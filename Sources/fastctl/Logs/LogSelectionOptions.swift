public import ArgumentParsing
public import ULSLog

/// Options for selecting events, except by correlation; all given conditions must hold.
struct LogSelectionOptions: OptionSetting {
    @OptionGroup("Events") var times: LogTimeOptions

    @Option("--level", value: "LEVEL", help: "This level or worse; rows whose level is unknown are kept")
    var level: ULSLevel?

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "From this server; may be repeated"
    )
    var servers: [String]

    @Option(
        "--process",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "From this program or process ID, such as w3wp or 0x1790; may be repeated"
    )
    var processes: [String]

    @Option(
        "--category",
        value: "[AREA/]NAME",
        completion: ArgumentCompletion.none,
        help: "In this category, with * for any text and ? for any character; may be repeated"
    )
    var categories: [String]

    @Option(
        "--event",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "With this event ID, such as b4ly; may be repeated"
    )
    var eventIDs: [String]

    @Option(
        "--contains",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "With exactly this text in the message, whatever the case of its letters; if repeated, all must occur"
    )
    var contains: [String]

    @Option(
        "--match",
        value: "REGEX",
        completion: ArgumentCompletion.none,
        help: "With a match of this expression in the message, whatever the case; if repeated, all must match"
    )
    var matches: [String]

    @Option(
        "--not-match",
        value: "REGEX",
        completion: ArgumentCompletion.none,
        help: "Without a match of this expression in the message; if repeated, none may match"
    )
    var unwantedMatches: [String]

    @Option(
        "--not-process",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Not from this program or process ID; may be repeated"
    )
    var unwantedProcesses: [String]

    @Option(
        "--not-category",
        value: "[AREA/]NAME",
        completion: ArgumentCompletion.none,
        help: "Not in this category, with * and ? as above; may be repeated"
    )
    var unwantedCategories: [String]

    @Option(
        "--not-event",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "Not with this event ID; may be repeated"
    )
    var unwantedEventIDs: [String]

    @Flag(
        "--bisect",
        help: "Read only the parts of large files that samples place in the window; rows out of order may be lost"
    )
    var bisects

    func validate() throws {
        _ = try patterns()
        let window = try times.window()
        if bisects, window.isAll || window.isTimeOfDay {
            throw ValidationError("--bisect needs --since, --until or --around with a date")
        }
    }

    /// Compiles the expressions.
    private func patterns() throws -> MessagePatterns? {
        guard !matches.isEmpty || !unwantedMatches.isEmpty else { return nil }
        do { return try MessagePatterns(wanted: matches, unwanted: unwantedMatches) } catch {
            guard let number = error.expression else { throw ValidationError("--match: \(error)") }
            let isWanted = number < matches.count
            let text = isWanted ? matches[number] : unwantedMatches[number - matches.count]
            throw ValidationError("\(isWanted ? "--match" : "--not-match") '\(text)': \(error)")
        }
    }

    func filter() throws -> EventFilter {
        var filter = EventFilter()
        filter.level = level
        filter.servers = servers
        filter.processes = processes
        filter.categories = categories
        filter.eventIDs = eventIDs
        filter.contains = contains
        filter.patterns = try patterns()
        filter.excludedProcesses = unwantedProcesses
        filter.excludedCategories = unwantedCategories
        filter.excludedEventIDs = unwantedEventIDs
        return filter
    }
}

/// Options for selecting events.
struct LogEventOptions: OptionSetting {
    @OptionGroup("Events") var selection: LogSelectionOptions

    @Option(
        "--correlation",
        value: "GUID",
        completion: ArgumentCompletion.none,
        help: "Of this request: a GUID, or at least its first 8 digits; may be repeated"
    )
    var correlations: [CorrelationPattern]
}

extension ULSLevel: ArgumentValue {
    public static var candidates: [String] { knownWords }

    public init(argument word: String) throws(ArgumentExpectation) {
        self.init(word)
        guard isKnown else { throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", ")) }
    }
}

extension CorrelationPattern: ArgumentValue {
    public init(argument word: String) throws(ArgumentExpectation) {
        guard let pattern = CorrelationPattern(word) else {
            throw ArgumentExpectation("a GUID, or at least its first \(Self.minimumDigits) hexadecimal digits")
        }
        self = pattern
    }
}
