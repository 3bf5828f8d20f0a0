/// What a farm is made of: servers, services, applications, accounts and addresses, as `farm.json` lists them.
///
/// A list that is `nil` is not known; one that is empty has nothing in it.
public struct FarmFacts: Sendable, Hashable {
    /// The edition of SharePoint.
    public enum Edition: String, Sendable, Hashable, Decodable, CaseIterable {
        /// Has only stubs of `Microsoft.Office.Server`.
        case foundation
        case standard
        case enterprise
        case subscription
    }

    /// A server of the farm.
    public struct Server: Sendable, Hashable {
        /// The server's name.
        public var name: String
        /// Its role; `nil` if the farm has none.
        public var role: String?
        /// The highest build of the products installed on it.
        public var build: BuildNumber?
        /// Its services; `nil` if they are not known.
        public var services: [Service]?
    }

    /// A service of a server.
    public struct Service: Sendable, Hashable {
        /// The name of the class, which is never translated: `SPWindowsTokenServiceInstance`.
        public var type: String
        /// What the farm says of it, as `Online`.
        public var status: String

        var isRunning: Bool { status.lowercased() == "online" }
    }

    /// A service application.
    public struct Application: Sendable, Hashable {
        /// The name that an administrator gave it.
        public var name: String
        /// The name of the class.
        public var type: String
        /// What the farm says of it, as `Online`.
        public var status: String

        var isOnline: Bool { status.lowercased() == "online" }
    }

    /// A managed account.
    public struct Account: Sendable, Hashable {
        /// The account's name.
        public var name: String
        /// What the account is for, such as `farm` or the name of an application pool.
        public var uses: [String]
    }

    /// A zone of a web application.
    public struct Zone: Sendable, Hashable {
        /// The address that users type.
        public var url: String
        /// The web application; `nil` if it is not known.
        public var webApplication: String?
        /// The zone's name, as `Default`; `nil` if it is not known.
        public var zone: String?
        /// Ways to sign in, such as `kerberos`, `ntlm`, `forms`, `trusted`.
        public var authentication: [String]
    }

    /// The file, as it was given.
    public var path: String
    /// The edition; `nil` if it is not known.
    public var edition: Edition?
    /// The build of the configuration database.
    public var build: BuildNumber?
    /// The servers.
    public var servers: [Server]
    /// The service applications; `nil` if they are not known.
    public var applications: [Application]?
    /// The managed accounts; `nil` if they are not known.
    public var accounts: [Account]?
    /// The zones of all web applications; `nil` if they are not known.
    public var zones: [Zone]?
}

/// A build: `16.0.10396.20000`, compared number by number; what is not written is 0.
public struct BuildNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The parts of the number, four at most.
    public let numbers: [Int]

    private static let maximum = 4

    /// Creates a build; `nil` unless the text is one to four numbers with dots between them.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= Self.maximum else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard part.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(part), number <= 1 << 32
            else { return nil }
            numbers.append(number)
        }
        self.numbers = numbers
    }

    /// The build that is so much further in its last number; `nil` below 0.
    func moved(by step: Int) -> BuildNumber? {
        guard let last = numbers.last, last + step >= 0 else { return nil }
        return BuildNumber((numbers.dropLast() + [last + step]).map(String.init).joined(separator: "."))
    }

    private var padded: [Int] { numbers + Array(repeating: 0, count: Self.maximum - numbers.count) }

    public static func < (one: Self, other: Self) -> Bool { one.padded.lexicographicallyPrecedes(other.padded) }
    public static func == (one: Self, other: Self) -> Bool { one.padded == other.padded }
    public func hash(into hasher: inout Hasher) { hasher.combine(padded) }

    public var description: String { numbers.map(String.init).joined(separator: ".") }
}

extension BuildNumber: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let build = BuildNumber(text) else {
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is not a build: write it like 16.0.10396.20000")
        }
        self = build
    }
}
