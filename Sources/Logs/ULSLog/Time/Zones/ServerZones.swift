/// Which zone the clock of which server is in: what `--tz [SERVER=]ZONE` says, given as often as needed.
public struct ServerZones: Hashable, Sendable {
    /// The zone of servers that were not named.
    public private(set) var `default`: TimeZoneRules?
    /// By the server's name in small letters.
    private var zones: [String: TimeZoneRules] = [:]

    /// No server's zone is known.
    public init() {}

    /// Reads `ZONE` or `SERVER=ZONE`, each server at most once.
    public init(_ values: [String], folder: String? = nil) throws(TimeZoneError) {
        let folder = folder ?? ZoneFolder.standardPath
        for value in values {
            guard let sign = value.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                guard self.default == nil else {
                    throw TimeZoneError(
                        code: .repeated,
                        message: "two time zones for all servers, the second is '\(value)': name the server, like"
                            + " WFE1=Europe/Berlin"
                    )
                }
                self.default = try TimeZoneRules(named: value, folder: folder)
                continue
            }
            let server = String(value[..<sign])
            guard !server.isEmpty else {
                throw TimeZoneError(
                    code: .malformedName,
                    message: "'\(value)' names no server: write it like WFE1=Europe/Berlin"
                )
            }
            guard zones[Self.folded(server)] == nil else {
                throw TimeZoneError(code: .repeated, message: "two time zones for the server '\(server)': give one")
            }
            zones[Self.folded(server)] = try TimeZoneRules(
                named: String(value[value.utf8.index(after: sign)...]),
                folder: folder
            )
        }
    }

    /// The zone of a server's clock, nil where it is not known; names are compared without the case of ASCII letters.
    public func zone(for server: String?) -> TimeZoneRules? {
        guard let server, !zones.isEmpty else { return self.default }
        return zones[Self.folded(server)] ?? self.default
    }

    private static func folded(_ server: String) -> String {
        String(decoding: server.utf8.map(\.asciiLowercase), as: UTF8.self)
    }
}
