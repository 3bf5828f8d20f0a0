import HTTPService
import Notifications
import Synchronization
import Testing

/// The guard against targets in the machine's own networks.
struct AddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
        "168.63.129.16", "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a00:1",
        "64:ff9b:1::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001::1",
        "3fff::1", "100::1",
    ])
    func `An address in an internal network is not public`(text: String) throws {
        #expect(try !#require(NetworkAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.167.255.255", "192.169.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1", "::ffff:1.1.1.1",
        "64:ff9b::101:101", "2001:200::1",
    ])
    func `An address just outside an internal network is public`(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }

    /// All notations for this machine's address that the system understands.
    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:0:0:1]", "localhost", "LOCALHOST", "0", "0.0.0.0",
    ])
    func `The local machine is refused, however its address is written`(host: String) async throws {
        let url = try #require(TargetURL("https://\(host)/"))
        guard case .refused(let address) = await AddressGuard().addresses(of: url) else {
            // A system that does not support the notation can't connect at all.
            #expect(await AddressGuard().addresses(of: url) == .unknown)
            return
        }
        #expect(!address.isPublic)
    }

    @Test(arguments: [
        "https://user@host/", "https://a:b@host/", "https://host\\@other/", "https://ho st/", "https://host/#x",
        "https://host:0/", "https://host:65536/", "https://host:+1/", "https://host:/", "https:///x", "https://[::1/",
        "https://[127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://ho%73t/", "https://hösť/", "ftp://host/", "host",
        "https://host\r\nX: y/", "//host/", "https://host?\u{0}", "https://a,b/", "gopher://host:25/",
        "https://" + String(repeating: "a", count: 254) + "/",
    ])
    func `A URL that could mean two hosts is refused`(text: String) {
        #expect(TargetURL(text) == nil)
    }

    @Test func `A URL is split into its parts`() throws {
        let url = try #require(TargetURL("HTTPS://Push.Example:8443/a?b=c"))
        #expect(url.scheme == "https" && url.host == "push.example" && url.port == 8_443)
        #expect(url.origin == "https://push.example:8443")
        #expect(try #require(TargetURL("https://[2001:DB8::1]:443?x")).origin == "https://[2001:db8::1]")
        #expect(try #require(TargetURL("http://127.0.0.1")).isLoopback)
        #expect(try !#require(TargetURL("http://127.0.0.1.example")).isLoopback)
    }

    @Test func `A single internal address among several causes a refusal`() async throws {
        let (outer, inner) = (try #require(NetworkAddress("1.1.1.1")), try #require(NetworkAddress("10.0.0.1")))
        let url = try #require(TargetURL("https://mixed.example/"))
        #expect(await AddressGuard { _ in [outer, inner] }.addresses(of: url) == .refused(inner))
        #expect(await AddressGuard { _ in [outer] }.addresses(of: url) == .addresses([outer]))
        #expect(await AddressGuard { _ in [] }.addresses(of: url) == .unknown)
        #expect(
            await AddressGuard(allowing: ["MIXED.example"]) { _ in [inner] }.addresses(of: url) == .addresses([inner])
        )
    }

    @Test func `A target on an internal network is refused immediately unless it is on the list of exceptions`()
        async throws
    {
        let (receiver, sender) = (try Receiver(), try Sender())
        await sender.notifier.use([try .webhook(receiver.url, by: AddressGuard(allowing: ["localhost"]))])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().failed == 1 }
        let entry = try #require(try await sender.outbox.list().first)
        #expect(entry.attempts == 1)
        #expect(entry.failure?.contains("127.0.0.1, which is not public; name the host in 'allow'") == true)
        #expect(receiver.received.isEmpty)
        await sender.end()
        await receiver.end()
    }

    /// The name can't be resolved elsewhere, so the request arrives only because it is sent to the checked address.
    @Test func `A request goes to the checked address, and each attempt checks again`() async throws {
        let (receiver, sender) = (try Receiver(), try Sender())
        let here = try #require(NetworkAddress("127.0.0.1"))
        let questions = Mutex<[String]>([])
        let guardian = AddressGuard(allowing: ["changes.invalid"]) { host in
            questions.withLock { questions in
                questions.append(host)
                return questions.count == 1 ? [] : [here]
            }
        }
        let url = receiver.url.replacing("127.0.0.1", with: "changes.invalid")
        await sender.notifier.use([try .webhook(url, by: guardian)])
        await sender.notifier.post(.sample())
        try await eventually { receiver.received.count == 1 }
        #expect(receiver.received[0].headers["Host"]?.hasPrefix("changes.invalid:") == true)
        #expect(questions.withLock { $0 } == ["changes.invalid", "changes.invalid"])
        await sender.end()
        await receiver.end()
    }

    /// The name has a public address when it is checked in the settings, and an internal one when it is used.
    @Test func `No connection is made if a name changes to an internal address`() async throws {
        let (receiver, sender) = (try Receiver(), try Sender())
        let (outer, inner) = (try #require(NetworkAddress("1.1.1.1")), try #require(NetworkAddress("127.0.0.1")))
        let isChecked = Mutex(false)
        let guardian = AddressGuard { _ in
            isChecked.withLock { isChecked in
                defer { isChecked = true }
                return [isChecked ? inner : outer]
            }
        }
        let url = receiver.url.replacing("127.0.0.1", with: "changes.invalid")
        #expect(await guardian.addresses(of: try #require(TargetURL(url))) == .addresses([outer]))
        await sender.notifier.use([try .webhook(url, by: guardian)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().failed == 1 }
        #expect(receiver.received.isEmpty)
        await sender.end()
        await receiver.end()
    }

    @Test func `A connection can be made to an IPv6 address`() async throws {
        let (receiver, sender) = (try Receiver(address: "::1"), try Sender())
        let here = try #require(NetworkAddress("::1"))
        let url = receiver.url.replacing("127.0.0.1", with: "six.invalid")
        let guardian = AddressGuard(allowing: ["six.invalid"]) { _ in [here] }
        await sender.notifier.use([try .webhook(url, by: guardian, attempts: 1)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        #expect(receiver.received.count == 1)
        await sender.end()
        await receiver.end()
    }

    @Test func `If an address does not accept connections, the next address is tried`() async throws {
        let (receiver, sender) = (try Receiver(), try Sender())
        let addresses = try ["127.0.0.77", "127.0.0.1"].map { try #require(NetworkAddress($0)) }
        let url = receiver.url.replacing("127.0.0.1", with: "two.invalid")
        let guardian = AddressGuard(allowing: ["two.invalid"]) { _ in addresses }
        await sender.notifier.use([try .webhook(url, by: guardian, attempts: 1)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        #expect(receiver.received.count == 1)
        await sender.end()
        await receiver.end()
    }
}
