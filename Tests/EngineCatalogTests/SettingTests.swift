import ContentFeeding
import EngineHTTP
import Testing

@testable import EngineCatalog

struct ConnectionTextTests {
    @Test(arguments: [
        ("none", ProxyChoice.none), ("environment", .environment), ("http://p:3128", .url("http://p:3128")),
        ("socks5h://[::1]:1080", .url("socks5h://[::1]:1080")),
    ])
    func `A proxy setting is a keyword or an address`(text: String, choice: ProxyChoice) {
        #expect(ProxyText.choice(text) == choice)
    }

    @Test(arguments: ["", "None", "p:3128", "http://", "ftp://p", "http://u:p@p:1", "http://p\r\n", "http://p/#x"])
    func `A proxy that is invalid or contains a password is refused`(text: String) {
        #expect(ProxyText.choice(text) == nil)
    }

    @Test func `A certificate pin consists of one or more SHA-256 digests in Base64`() {
        let pin = "sha256//" + String(repeating: "A", count: 43) + "="
        #expect(PinText.isValid(pin))
        #expect(PinText.isValid(pin + ";" + pin))
        for text in ["", ";", pin + ";", "sha256//", String(pin.dropLast()), "md5//" + pin.dropFirst(8), pin + "="] {
            #expect(!PinText.isValid(text), "\(text)")
        }
        #expect(!PinText.isValid(Array(repeating: pin, count: 17).joined(separator: ";")))
    }
}

/// The sources of credentials that settings may name.
struct CredentialTextTests {
    @Test(arguments: ["SEARCH_PASSWORD", "_x", "a1"])
    func `Valid names of variables are accepted`(text: String) {
        #expect(VariableText.isValid(text))
    }

    @Test(arguments: ["", "1a", "elastic:hunter2", "A B", "A-B", "Ä"])
    func `Invalid names of variables are refused`(text: String) {
        #expect(!VariableText.isValid(text))
    }

    @Test(arguments: [
        "vault read secret", "/usr/bin/get", "~/bin/get x", "$HOME/bin/get", "\"/opt/my tools/get\" x",
        "VAULT_ADDR=https://v:8200 vault read", "printf %s /tmp/x",
    ])
    func `Helpers that do not depend on the current folder are accepted`(text: String) {
        #expect(HelperText.isValid(text))
    }

    @Test(arguments: ["", "  ", "./get-secret", "bin/get", " ./get x", "'./get'", "A=1 ./get", "../get"])
    func `Helpers that depend on the current folder are refused`(text: String) {
        #expect(!HelperText.isValid(text))
    }
}

struct CheckingDeadlineTests {
    private let address: TargetAddress

    init() throws { address = try TargetAddress("opensearch+http://h") }

    @Test func `An address that takes too long is reported as unreachable`() async {
        let error = await #expect(throws: EngineError.self) {
            try await CheckingDeadline.within(.milliseconds(20), of: address) {
                // This ends only when the task ends.
                let (silence, source) = AsyncStream.makeStream(of: Never.self)
                for await _ in silence {}
                withExtendedLifetime(source) {}
            }
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("opensearch+http://h:9200") == true)
    }

    @Test func `A result or an error before the deadline is passed on`() async throws {
        #expect(try await CheckingDeadline.within(.seconds(60), of: address) { 7 } == 7)
        let error = await #expect(throws: EngineError.self) {
            try await CheckingDeadline.within(.seconds(60), of: address) { throw EngineError(.permission, "no") }
        }
        #expect(error?.code == .permission)
    }
}
