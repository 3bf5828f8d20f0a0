import DistributorClient
import Foundation

/// A list that updates itself: the current documents that contain the words of the last line typed.
///
/// Each line of standard input is a search; an empty line finds everything. The list is read again after each change to
/// the collection by any client. The program runs until it is stopped.
///
/// Usage: `LiveList URL COLLECTION`, with a token in the environment variable `TOKEN`
@main
struct LiveList {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let token = ProcessInfo.processInfo.environment["TOKEN"]
        let client = try DistributorClient(arguments[1], token: token)
        for try await documents in rows(typedLines, in: client.collection(arguments[2])) {
            let titles = documents.map { String(decoding: $0.json, as: UTF8.self) }.sorted()
            FileHandle.standardOutput.write(Data("\(titles.count): \(titles.joined(separator: " "))\n".utf8))
        }
    }

    /// The lines of standard input.
    static let typedLines = Signal<String> { sink in
        let (lines, typed) = AsyncStream<String>.makeStream()
        // A separate thread, because reading waits for the user.
        Thread.detachNewThread {
            while let line = readLine() { typed.yield(line) }
            typed.finish()
        }
        for await line in lines { try await sink.send(line) }
    }

    /// The documents that contain the words of the newest text, read again after each change.
    static func rows(_ texts: Signal<String>, in events: ServedCollection) -> Signal<[ServedDocument]> {
        texts
            .debounce(for: .milliseconds(300))
            .flatMapLatest { text in
                Signal { sink in
                    let found = ServedCollection.Selection(words: text.isEmpty ? nil : text)
                    // The position before the list is read, so no change is missed in between.
                    let place = try await events.place()
                    try await sink.send(events.find(found).documents)
                    // Ends when the next text arrives, because this task is then canceled.
                    for try await _ in events.changes(after: place).throttle(for: .milliseconds(100)) {
                        try await sink.send(events.find(found).documents)
                    }
                }
                .retry(after: .seconds(1))
            }
    }
}
