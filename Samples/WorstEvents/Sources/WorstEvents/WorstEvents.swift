import ULSLog

/// Prints the log events whose level is High or worse, ordered by time across all servers.
///
/// Usage: `WorstEvents FILE|FOLDER...`
@main
struct WorstEvents {
    static func main() async throws {
        var reader = LogReader(inputs: Array(CommandLine.arguments.dropFirst()))
        reader.filter.level = .high
        let events = reader.events()
        // Logs are untrusted: escape their text before a terminal shows it.
        for try await event in events {
            print(event.time.iso8601 ?? "-", event.level, event.text(.message).prefix(60).debugDescription)
        }
        print("\(events.progress.bytes) bytes, \(events.report?.quality.notUnderstood ?? 0) lines not understood")
    }
}
