import ArgumentParsing
import ULSLog

/// How logs are read.
struct LogReadingOptions: OptionSetting {
    @Option(
        "--tz",
        value: "[SERVER=]ZONE",
        completion: ArgumentCompletion.none,
        help: "The zone of the servers' clocks, or of one server's, as Europe/Vienna or UTC; may be repeated"
    )
    var zoneNames: [String]

    @Option(
        "--encoding",
        value: "NAME",
        completion: .values(TextEncoding.wellKnownNames),
        help: "The encoding of texts without a byte-order mark (default: UTF-8, and windows-1252 for what is none)"
    )
    var encodingName: String?

    @Option("--jobs", "-j", value: "N", help: "How many threads read (default: one for each core)")
    var jobs: Int?

    /// More threads than a machine has cores would only cost memory.
    private static let maximumJobs = 256

    func validate() throws {
        if let jobs, !(1...Self.maximumJobs).contains(jobs) {
            throw ValidationError("--jobs must be from 1 to \(Self.maximumJobs)")
        }
        _ = try (zones(), encoding())
    }

    /// A reader of these inputs; of standard input without any.
    func reader(
        of inputs: [String],
        _ events: LogSelectionOptions,
        correlations: [CorrelationPattern] = [],
        example: String
    ) throws -> LogReader {
        if inputs.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no logs: standard input is a terminal", advice: "For example: \(example)")
        }
        var reader = LogReader(inputs: inputs.isEmpty ? ["-"] : inputs)
        reader.filter = events.filter
        reader.filter.correlations = correlations
        reader.window = try events.window()
        reader.zones = try zones()
        reader.encoding = try encoding()
        reader.jobs = jobs ?? min(ProcessorCount.available, Self.maximumJobs)
        return reader
    }

    private func zones() throws -> ServerZones {
        do { return try ServerZones(zoneNames) } catch { throw ValidationError("--tz: \(error)") }
    }

    private func encoding() throws -> TextEncoding? {
        do {
            return try encodingName.map { name throws(LogSourceError) in try TextEncoding(named: name) }
        } catch {
            throw ValidationError("--encoding: \(error)")
        }
    }
}
