import ContentFeeding
import EngineCatalog
import EngineHTTP
import TestSupport
import Testing

struct NodeAddressTests {
    @Test(arguments: [
        ("opensearch+https://search:9201", "opensearch+https://search:9201"),
        ("opensearch+https://search", "opensearch+https://search:9200"),
        ("OpenSearch+HTTPS://Search.Example", "opensearch+https://search.example:9200"),
        ("elasticsearch+http://a:1,b,c:65535/", "elasticsearch+http://a:1,b:9200,c:65535"),
        ("elasticsearch+http://a,a:9200,b", "elasticsearch+http://a:9200,b:9200"),
        ("opensearch+https://proxy/search/v1/", "opensearch+https://proxy:9200/search/v1"),
        ("solr+http://host", "solr+http://host:8983/solr"),
        ("solr+http://host/", "solr+http://host:8983/solr"),
        ("solr+https://host:443/pages/solr", "solr+https://host:443/pages/solr"),
        ("solr+http://[::1]:8984", "solr+http://[::1]:8984/solr"),
        ("opensearch+http://[2001:DB8::1],10.0.0.1", "opensearch+http://[2001:db8::1]:9200,10.0.0.1:9200"),
    ])
    func `An address is parsed, and written out in full`(text: String, full: String) throws {
        let address = try TargetAddress(text)
        #expect(address.description == full)
        #expect(try TargetAddress(full) == address)
        #expect(address.files.isEmpty)
        #expect(!address.nodes.isEmpty)
    }

    @Test(arguments: [
        ("opensearch:", "how to connect", "opensearch+https://HOST:9200"),
        ("opensearch://search:9200", "how to connect", "opensearch+https://search:9200"),
        ("solr:search:8983", "how to connect", "solr+https://search:8983"),
        ("opensearch+ftp://h", "how to connect", "opensearch+https://h"),
        ("https://search:9200", "does not specify an engine", "opensearch+https"),
        ("opensearch+http:", "no server name follows", "opensearch+http://HOST:PORT"),
        ("opensearch+http:/h", "no server name follows", "opensearch+http://HOST:PORT"),
        ("opensearch+http://", "no name", "HOST:PORT"),
        ("opensearch+http://a,,b", "no name", "HOST:PORT"),
        ("opensearch+http://:9200", "no name", "HOST:PORT"),
        ("opensearch+http://h:", "not a valid port", "65535"),
        ("opensearch+http://h:0", "not a valid port", "65535"),
        ("opensearch+http://h:65536", "not a valid port", "65535"),
        ("opensearch+http://h:99999999999999999999", "not a valid port", "65535"),
        ("opensearch+http://h:+80", "not a valid port", "65535"),
        ("opensearch+http://::1:9200", "several colons", "[::1]"),
        ("opensearch+http://[::1", "bracket", "HOST"),
        ("opensearch+http://[h]:1", "IPv6", "HOST"),
        ("opensearch+http://[fe80::1%25eth0]", "IPv6", "HOST"),
        ("opensearch+http://[::1]9200", "follows", "HOST"),
        ("opensearch+http://h h", "printable", "xn--"),
        ("opensearch+http://suche.österreich", "printable", "xn--"),
        ("opensearch+http://h\r\nX: y", "printable", "xn--"),
        ("opensearch+http://h!", "not a valid host name", "HOST"),
        ("opensearch+http://h/../x", "not a valid server path", "HOST"),
        ("opensearch+http://h//x", "not a valid server path", "HOST"),
        ("opensearch+http://h/a\\b", "not a valid server path", "HOST"),
        ("opensearch+http://h/?pretty", "query", "ends with"),
        ("opensearch+http://h#x", "query", "ends with"),
        ("opensearch+http://user:secret@h:9200", "user or a password", "--credentials-file"),
        ("opensearch+http://user:sec/ret@h:9200", "user or a password", "--credentials-file"),
        ("distributor://h:1", "does not specify how to connect", "distributor+https://h:1"),
        ("opensaerch+https://h", "'opensaerch+https'", "did you mean 'opensearch+https:'?"),
    ])
    func `The error for an invalid address shows a correct form`(text: String, message: String, advice: String) {
        let error = #expect(throws: EngineError.self) { _ = try TargetAddress(text) }
        #expect([.missingTarget, .unsupported].contains(error?.code))
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.advice?.contains(advice) == true, "\(String(describing: error?.advice))")
    }

    @Test(arguments: [
        "opensearch+https://elastic:hunter2@h", "opensearch:elastic:hunter2@h", "https://elastic:hunter2@h",
        "opensearch+https://h?password=hunter2", "solr://elastic:hunter2@h", "opensearch+https://elastic:hun@hunter2/h",
    ])
    func `No message contains a secret from an address`(text: String) {
        let error = #expect(throws: EngineError.self) { _ = try TargetAddress(text) }
        #expect(error.map { ($0.message + ($0.advice ?? "")).contains("hunter2") } == false)
    }

    @Test func `An address that is too long, or has too many nodes, is refused`() {
        let many = (0..<101).map { "h\($0)" }.joined(separator: ",")
        for text in [many, String(repeating: "h", count: 254), String(repeating: "h,", count: 9000)] {
            #expect(throws: EngineError.self) { _ = try TargetAddress("opensearch+http://" + text) }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `A list of nodes that is written out is read back unchanged`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let hosts = ["a", "b.example", "[::1]", "[2001:db8::7]", "10.1.2.3", "x_y-z"].shuffled(using: &random)
            let scheme = Bool.random(using: &random) ? NodeAddress.Scheme.http : .https
            let path = ["", "/solr", "/a/b", "/a%20b"].randomElement(using: &random) ?? ""
            let nodes = hosts.prefix(Int.random(in: 1...4, using: &random)).map {
                NodeAddress(scheme: scheme, host: $0, port: Int.random(in: 1...65535, using: &random), path: path)
            }
            let locations: [TargetAddress.Location] = [
                .openSearch(nodes), .elasticsearch(nodes), path.isEmpty ? .openSearch(nodes) : .solr(nodes),
            ]
            for address in locations.map(TargetAddress.init) {
                #expect(try TargetAddress(address.description) == address)
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `Any address that can be parsed has a stable written form, and parsing never crashes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "opensearch", "+", "http", "s", ":", "//", "/", "[", "]", "::1", ",", "h", "9200", "@", "?", "%", "é", "\0",
            ".",
        ]
        for text in HurtfulText.all + HurtfulText.all.map({ "opensearch+http://" + $0 }) { check(text) }
        for _ in 0..<2000 {
            let count = Int.random(in: 1...12, using: &random)
            check("solr+http://" + (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined())
        }
    }

    private func check(_ text: String) {
        guard let address = try? TargetAddress(text) else { return }
        #expect((try? TargetAddress(address.description)) == address, "\(text)")
        for node in address.nodes { #expect(1...65535 ~= node.port) }
    }
}

struct TargetAddressTests {
    @Test(arguments: ["/var/lib/store.sqlite", "store.sqlite", "./a b/é.db", "C:odd"])
    func `In the address of a store, the part after the scheme is the file`(path: String) throws {
        #expect(try TargetAddress("sqlite:" + path).location == .sqlite(path: path))
        #expect(try TargetAddress("SQLite:" + path).description == "sqlite:" + path)
    }

    @Test(arguments: [
        ("distributor://h:1", EngineError.Code.unsupported, "how to connect", "distributor+https://h:1"),
        ("sqlit:/x", .unsupported, "'sqlit'", "did you mean 'sqlite:'?"),
        ("postgres:x", .unsupported, "'postgres'", "supported: sqlite:PATH"),
        ("/var/lib/store.sqlite", .missingTarget, "no scheme", "sqlite:/var/lib/store.sqlite"),
        ("", .missingTarget, "no scheme", "sqlite:PATH"),
        ("sqlite:", .missingTarget, "does not specify a file", "sqlite:PATH"),
    ])
    func `Addresses of other kinds are refused with advice`(
        text: String,
        code: EngineError.Code,
        message: String,
        advice: String
    ) {
        let error = #expect(throws: EngineError.self) { _ = try TargetAddress(text) }
        #expect(error?.code == code)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.advice?.contains(advice) == true, "\(String(describing: error?.advice))")
    }

    @Test func `The environment determines the default target`() throws {
        func path(_ environment: [String: String]) throws -> String {
            try TargetAddress.standard(environment: environment).description
        }
        let home = ["HOME": "/home/u"]
        #expect(try path(home) == "sqlite:/home/u/.local/share/fastctl/store.sqlite")
        let data = home.merging(["XDG_DATA_HOME": "/data"]) { $1 }
        #expect(try path(data) == "sqlite:/data/fastctl/store.sqlite")
        #expect(try path(data.merging(["FASTCTL_TARGET": "sqlite:x"]) { $1 }) == "sqlite:x")
        #expect(try path(home.merging(["XDG_DATA_HOME": "relative", "FASTCTL_TARGET": ""]) { $1 }) == path(home))
        let error = #expect(throws: EngineError.self) { _ = try TargetAddress.standard(environment: [:]) }
        #expect(error?.code == .missingTarget && error?.advice?.contains("--target") == true)
    }

    @Test func `Only the create command makes a new store`() async throws {
        let folder = try TemporaryFolder()
        let address = TargetAddress(.sqlite(path: folder.path("store.sqlite")))
        let error = await #expect(throws: EngineError.self) { _ = try await EngineCatalog.open(address) }
        #expect(error?.code == .missingTarget)
        try await EngineCatalog.create(address).create("web", settings: [])
        let engine = try await EngineCatalog.open(address)
        #expect(engine.target == address.description)
        #expect(try await engine.list().map(\.name) == ["web"])
    }
}
