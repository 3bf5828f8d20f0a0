import FeedCommands
import Testing

struct AdvisedPlaceTests {
    /// An error of the source or of the origin may advise a command, which must not name the other place.
    @Test(arguments: [
        ("copy --source prod/web", false), ("copy --source=opensearch+https://a:9200/web", false),
        ("replicas pull web", false), ("copies push web", false), ("copy --source web", true), ("remove A", true),
        ("add --source dir:a/b", true), ("jobs list", true),
    ])
    func `A command with a second place repeats its target only for its jobs and copies`(line: String, isWhole: Bool) {
        let others = FeedCommandSet.commandsElsewhere(than: line.split(separator: " ").map(String.init))
        #expect(others.contains("contexts"))
        #expect(["collections", "find", "update"].allSatisfy { others.contains($0) != isWhole })
        #expect(!["jobs", "undo", "replicas"].contains { others.contains($0) })
    }
}
