import EngineCatalog
import EngineHTTP
import Testing

struct ConnectionTextTests {
    @Test(arguments: [
        ("none", ProxyChoice.none), ("environment", .environment), ("http://p:3128", .url("http://p:3128")),
        ("socks5h://[::1]:1080", .url("socks5h://[::1]:1080")),
    ])
    func `A proxy is a word or an address`(text: String, choice: ProxyChoice) {
        #expect(ProxyText.choice(text) == choice)
    }

    @Test(arguments: ["", "None", "p:3128", "http://", "ftp://p", "http://u:p@p:1", "http://p\r\n", "http://p/#x"])
    func `What is no proxy, or holds a password, is refused`(text: String) {
        #expect(ProxyText.choice(text) == nil)
    }

    @Test func `A pin is a SHA-256 in base64, or several`() {
        let pin = "sha256//" + String(repeating: "A", count: 43) + "="
        #expect(PinText.isValid(pin))
        #expect(PinText.isValid(pin + ";" + pin))
        for text in ["", ";", pin + ";", "sha256//", String(pin.dropLast()), "md5//" + pin.dropFirst(8), pin + "="] {
            #expect(!PinText.isValid(text), "\(text)")
        }
        #expect(!PinText.isValid(Array(repeating: pin, count: 17).joined(separator: ";")))
    }
}
