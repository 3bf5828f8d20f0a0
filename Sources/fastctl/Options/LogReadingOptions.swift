import ArgumentParsing
import ULSLog

/// How logs are read.
struct LogReadingOptions: OptionSetting {
    @Option(
        "--tz",
        value: "[SERVER=]ZONE",
        help: "The zone of the servers' clocks, or of one server's, as Europe/Vienna or UTC; may be repeated"
    )
    var zones: [ZoneSetting]

    @Option("--encoding", value: "NAME", help: "The encoding of text that is not UTF-8 (default: windows-1252)")
    var encoding: TextEncoding?

    @Option("--jobs", "-j", value: "N", help: "How many threads read (default: one for each core)")
    var jobs: Int?

    /// More threads than any machine has cores for would only cost memory.
    private static let maximumJobs = 256

    func validate() throws {
        guard let jobs else { return }
        if !(1...Self.maximumJobs).contains(jobs) {
            throw ValidationError("--jobs must be from 1 to \(Self.maximumJobs)")
        }
    }

    /// A reader of these inputs; of standard input without any.
    func reader(of inputs: [String], example: String) throws -> LogReader {
        if inputs.isEmpty, FileDescriptor.standardInput.isTerminal {
            throw ArgumentError("no logs: standard input is a terminal", advice: "For example: \(example)")
        }
        var reader = LogReader(inputs: inputs.isEmpty ? ["-"] : inputs)
        reader.jobs = jobs ?? min(ProcessEnvironment.coreCount, Self.maximumJobs)
        reader.zones = try ServerZones(zones)
        reader.encoding = encoding
        return reader
    }
}
