import ContentFeeding
import EngineSQLite
import Foundation
import TestSupport
import Testing

/// The sample package, built and run as its README says.
struct RemoveItemsTests {
    private let package = samples.appending(path: "RemoveItems").path

    @Test func `Removes items and names the one that is not there`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = folder.path("items.sqlite")
        try await fill(store, with: ["ID1", "ID2", "ID4"])

        // From nothing, as a newcomer would: what an earlier version left behind must not decide.
        let build = try await run(
            ["swift", "build", "--package-path", package, "--scratch-path", folder.path("build")],
            in: folder
        )
        try #require(build.code == 0, "\(build.output)")
        let removal = try await run(
            [folder.path("build/debug/RemoveItems"), store, "WebCollection", "ID1", "ID2", "FAKEID", "ID4"],
            in: folder
        )

        #expect(removal.code == 1)
        #expect(
            removal.output == """
                Removing item 'ID1'. Operation ID: 1
                Removing item 'ID2'. Operation ID: 2
                Removing item 'FAKEID'. Operation ID: 3
                Removing item 'ID4'. Operation ID: 4
                Total Errors: 1
                Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: \
                Document e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist

                """
        )
    }

    private func fill(_ path: String, with ids: [DocumentID]) async throws {
        let store = try await SQLiteEngine.create(path: path)
        try await store.create("WebCollection", settings: [])
        let feeder = DocumentFeeder(engine: try await store.collection(named: "WebCollection"))
        for id in ids { try await feeder.addDocument(Document(id: id, json: Array(#"{"id":"\#(id)"}"#.utf8))) }
        let status = await feeder.close()
        #expect(status.counts[.added] == ids.count)
    }

    /// Runs a command without occupying a thread meanwhile, and takes what it prints to both streams.
    private func run(_ command: [String], in folder: TemporaryFolder) async throws -> (code: Int32, output: String) {
        let path = folder.path("output.txt")
        try Data().write(to: URL(filePath: path))
        let output = try #require(FileHandle(forWritingAtPath: path))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        return (process.terminationStatus, try String(contentsOfFile: path, encoding: .utf8))
    }
}

/// What the READMEs and `make demo` say of the sample collection.
struct WebCollectionTests {
    private struct Page: Decodable {
        let id: String
        let title: String
        let body: String
    }

    private let folder = samples.appending(path: "web-collection")

    private func lines(of name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func pages() throws -> [Page] {
        try lines(of: "documents.jsonl").map { try JSONDecoder().decode(Page.self, from: Data($0.utf8)) }
    }

    @Test func `Every document has an ID of its own and a text to find`() throws {
        let pages = try pages()
        #expect(pages.count == 311)
        #expect(Set(pages.map(\.id)).count == pages.count)
        #expect(pages.allSatisfy { !$0.title.isEmpty && !$0.body.isEmpty })
    }

    @Test func `Fifteen elements are superheavy`() throws {
        #expect(try pages().count { $0.body.contains("superheavy") } == 15)
    }

    @Test func `One ID has a typo`() throws {
        let known = Set(try pages().map(\.id))
        let unknown = try lines(of: "ids.txt").filter { !known.contains($0) }
        #expect(unknown == ["https://atlas.example/elements/coppernicium"])
    }
}

/// The folder of the samples.
let samples = URL(filePath: #filePath).appending(path: "../../../Samples").standardized
