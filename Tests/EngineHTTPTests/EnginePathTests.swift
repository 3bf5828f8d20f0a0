import EngineHTTP
import Testing

struct EnginePathTests {
    @Test(arguments: [
        (EnginePath(), "/"), (EnginePath("_bulk"), "/_bulk"),
        (EnginePath("a/b ü%", "x?y#z"), "/a%2Fb%20%C3%BC%25/x%3Fy%23z"), (EnginePath("..", "."), "/%2E%2E/%2E"),
        (EnginePath("a.b"), "/a.b"),
        (EnginePath("a").with("q", "x&y=z").with("f", "b,c"), "/a?q=x%26y%3Dz&f=b,c"),
    ])
    func namesCannotBreakOut(path: EnginePath, text: String) {
        #expect(path.description == text)
    }
}
