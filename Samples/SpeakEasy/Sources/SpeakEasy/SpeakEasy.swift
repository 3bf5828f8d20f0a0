import ContentFeeding
import EngineSQLite
import Foundation

/// Shows a conference program, which is kept in Azure tables and blobs, from a store that needs no network.
@main
struct SpeakEasy {
    private static let usage = """
        usage: SpeakEasy STORE fetch TABLES BLOBS         fill the store, with the credentials in the environment
               SpeakEasy STORE events                     all events, soonest first
               SpeakEasy STORE event ID                   an event and its presenter
               SpeakEasy STORE presenter ID [FILE]        a presenter and the events; the picture is written to FILE
        """

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2 else { return leave(usage) }
        if words[1] == "fetch", words.count == 4 {
            return try await Fetch(into: words[0], tables: words[2], blobs: words[3]).run()
        }
        let programme = try await Programme(in: SQLiteEngine.open(path: words[0]))
        switch (words[1], words.count) {
        case ("events", 2): for event in try await programme.events() { print(line(event)) }
        case ("event", 3): try await show(event: words[2], in: programme)
        case ("presenter", 3...4):
            try await show(presenter: words[2], in: programme, picture: words.dropFirst(3).first)
        default: leave(usage)
        }
    }

    private static func show(event id: String, in programme: Programme) async throws {
        guard let event = try await programme.event(DocumentID(id)) else { return leave("there is no event '\(id)'") }
        print("\(line(event)), \(event.seats) seats")
        guard let presenter = try await programme.presenter(of: event) else {
            return leave("there is no presenter '\(event.presenter)'")
        }
        print("\(presenter.name), \(presenter.title). \(presenter.biography)")
    }

    private static func show(presenter id: String, in programme: Programme, picture file: String?) async throws {
        guard let presenter = try await programme.presenter(DocumentID(id)) else {
            return leave("there is no presenter '\(id)'")
        }
        print("\(presenter.name), \(presenter.title)")
        for event in try await programme.events(of: presenter) { print("  \(line(event))") }
        guard let picture = try await programme.picture(of: presenter) else { return print("  no picture") }
        print("  picture: \(picture.contentType), \(picture.content.count) bytes")
        if let file { try picture.content.write(to: URL(filePath: file)) }
    }

    private static func line(_ event: Event) -> String {
        let day = event.begins.formatted(.iso8601.year().month().day().dateSeparator(.dash))
        let time = event.begins.formatted(.iso8601.time(includingFractionalSeconds: false))
        return "\(day) \(time.prefix(5))  \(event.title) (\(event.place))"
    }

    private static func leave(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
