import Testing

@testable import EngineHTTP

struct NodeRotationTests {
    private let start = ContinuousClock.now

    @Test func `Requests are distributed over the nodes in turn`() {
        var rotation = NodeRotation(count: 3)
        #expect((0..<4).map { _ in rotation.order(at: start) } == [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]])
    }

    @Test func `A failed node is avoided for a while`() {
        var rotation = NodeRotation(count: 3)
        rotation.failed(1, at: start)
        #expect(rotation.order(at: start) == [0, 2])
        #expect(rotation.order(at: start + .milliseconds(999)) == [2, 0])
        #expect(rotation.order(at: start + .seconds(1)) == [2, 0, 1])
    }

    @Test func `Each consecutive failure doubles the time for which a node is avoided`() {
        var rotation = NodeRotation(count: 2)
        var now = start
        for seconds in [1, 2, 4, 8, 16, 30, 30, 30] {
            rotation.failed(0, at: now)
            #expect(rotation.order(at: now + .seconds(seconds) - .milliseconds(1)) == [1])
            now += .seconds(seconds)
            #expect(rotation.order(at: now).count == 2)
        }
        rotation.succeeded(0)
        rotation.failed(0, at: now)
        #expect(rotation.order(at: now + .seconds(1)).count == 2)
    }

    @Test func `Simultaneous failures of a node count once`() {
        var rotation = NodeRotation(count: 2)
        for _ in 0..<100 { rotation.failed(0, at: start) }
        #expect(rotation.order(at: start + .seconds(1)).count == 2)
    }

    @Test func `If all nodes are being avoided, each is tried anyway`() {
        var rotation = NodeRotation(count: 3)
        for (node, offset) in [(2, 0), (0, 100), (1, 200)] {
            rotation.failed(node, at: start + .milliseconds(offset))
        }
        #expect(rotation.order(at: start + .milliseconds(300)) == [2, 0, 1])
    }
}

struct NodeAddressTests {
    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("127.0.0.1", true), ("127.1", true), ("[::1]", true),
        ("127.0.0.1.example.org", false), ("127.example.org", false), ("localhost.example.org", false),
        ("10.0.0.1", false), ("[::2]", false), ("", false),
    ])
    func `Only addresses of the local machine are loopback addresses`(host: String, isLoopback: Bool) {
        #expect(NodeAddress(scheme: .http, host: host, port: 9200).isLoopback == isLoopback)
    }
}
