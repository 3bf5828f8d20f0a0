import ArgumentParsing
import ContentFeeding

/// How operations travel, and when they count as done.
struct FeedingOptions: OptionSetting {
    @Option("--wait", value: "LEVEL", help: "How far operations must come to count as done")
    var level = CompletionLevel.secured

    @Option("--batch-count", value: "N", help: "The most operations in a batch")
    var batchCount = 1000

    @Option("--batch-bytes", value: "SIZE", help: "The most bytes of IDs and documents in a batch")
    var batchBytes = ByteCount(bytes: 1 << 20)

    @Option("--linger", value: "DURATION", help: "How long an operation waits for company in a batch")
    var linger = Duration.milliseconds(100)

    @Option("--retries", value: "N", help: "How often an operation is tried again before it fails")
    var retries = 9

    @Option("--timeout", value: "DURATION", help: "How long an operation may take (default: for ever)")
    var timeout: Duration?

    @Option("--max-spill", value: "SIZE", help: "The most disk for what does not fit into memory")
    var maximumSpill = ByteCount(bytes: 4 << 30)

    func validate() throws {
        if batchCount < 1 { throw ValidationError("--batch-count must be at least 1") }
        if batchBytes.bytes < 1 { throw ValidationError("--batch-bytes must be at least 1") }
        if retries < 0 { throw ValidationError("--retries cannot be negative") }
    }

    func options(missing: MissingPolicy) -> FeedOptions {
        var options = FeedOptions()
        options.configuration.missing = missing
        options.configuration.level = level
        options.configuration.batchCount = batchCount
        options.configuration.batchBytes = batchBytes.bytes
        options.configuration.linger = linger
        options.configuration.windowBytes = windowBytes
        options.configuration.retry.attempts = retries + 1
        options.configuration.operationTimeout = timeout
        options.maximumSpillBytes = maximumSpill.bytes
        return options
    }

    /// The most bytes of open operations: some batches of the usual size, because documents in memory speed nothing up.
    private var windowBytes: Int { min(max(16 << 20, 4 * min(batchBytes.bytes, 16 << 20)), 64 << 20) }
}
