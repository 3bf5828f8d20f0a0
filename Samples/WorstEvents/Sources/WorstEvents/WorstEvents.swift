import ULSLog

/// Prints the events of logs that are High or worse, by time across all servers.
///
/// Usage: `WorstEvents FILE|FOLDER...`
@main
struct WorstEvents {
    static func main() async throws {
        var reader = LogReader(inputs: Array(CommandLine.arguments.dropFirst()))
        reader.filter.level = .high
        let events = reader.events()
        // A log comes from elsewhere: escape its texts before a terminal shows them.
        for try await event in events {
            print(event.time.iso8601 ?? "-", event.level, event.text(.message).prefix(60).debugDescription)
        }
        print("\(events.progress.bytes) bytes, \(events.report?.quality.notUnderstood ?? 0) lines not understood")
    }
}
