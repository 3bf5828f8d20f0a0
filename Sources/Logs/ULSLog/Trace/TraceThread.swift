/// The thread that wrote a row: scopes nest in it, whatever request it works for.
struct TraceThread: Hashable {
    /// The process, which a number names on one server only.
    struct Process: Hashable {
        var server: String
        var id: String
    }

    var process: Process
    var id: String

    init(_ event: borrowing ULSEvent) {
        process = Process(server: event.server ?? "", id: event.text(.processID))
        id = event.text(.threadID)
    }
}
