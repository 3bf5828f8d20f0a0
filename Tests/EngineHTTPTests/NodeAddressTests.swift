import EngineHTTP
import Testing

struct NodeAddressTests {
    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("127.0.0.1", true), ("127.1", true), ("[::1]", true),
        ("127.0.0.1.example.org", false), ("127.example.org", false), ("localhost.example.org", false),
        ("10.0.0.1", false), ("[::2]", false), ("", false),
    ])
    func onlyThisMachineIsLoopback(host: String, isLoopback: Bool) {
        #expect(NodeAddress(scheme: .http, host: host, port: 9200).isLoopback == isLoopback)
    }
}
