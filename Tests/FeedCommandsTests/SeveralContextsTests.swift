import FeedCommands
import Testing

/// Command lines for several contexts.
struct SeveralContextsTests {
    @Test(arguments: [
        ("removed.jsonl", "removed.a.jsonl"), ("removed.jsonl.gz", "removed.a.jsonl.gz"), ("removed", "removed.a"),
        ("/var/back.up/removed", "/var/back.up/removed.a"), ("../x/.hidden", "../x/.hidden.a"),
        ("x/r.csv", "x/r.a.csv"),
    ])
    func `Each context has a file of its own`(path: String, own: String) {
        #expect(SeveralContexts.path(path, for: "a") == own)
    }
}
