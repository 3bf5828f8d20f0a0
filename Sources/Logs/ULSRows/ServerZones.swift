import TextKit
@_exported public import TimeZones

extension TimeZoneRules {
    /// Returns the time of a clock reading in this zone, in milliseconds since 1970-01-01T00:00:00 on that clock.
    ///
    /// A reading that a clock change repeats gets the offset of the earlier instant; a reading that a clock change
    /// skips gets the offset that was in force before.
    public func resolve(clock: Int64) -> LogTime {
        let found = offsets(ofClock: clock)
        let quality: LogTime.Quality =
            switch found.reading {
            case .unique: .exact
            case .repeated: .ambiguous
            case .skipped: .skipped
            }
        return LogTime(clock: clock, offset: found.first, quality: quality)
    }
}

/// Time zones by server: the values of `--tz [SERVER=]ZONE`, given as often as needed.
public struct ServerZones: Hashable, Sendable {
    /// The zone of servers without an entry of their own.
    public private(set) var `default`: TimeZoneRules?
    /// The zones, by the server's name in lowercase.
    private var zones: [String: TimeZoneRules] = [:]

    /// Creates an empty set of zones, so that no server's zone is known.
    public init() {}

    /// Reads `ZONE` or `SERVER=ZONE`, each server at most once.
    public init(_ values: [String], folder: String? = nil) throws(TimeZoneError) {
        let folder = folder ?? ZoneFolder.standardPath
        for value in values {
            guard let sign = value.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                guard self.default == nil else {
                    throw TimeZoneError(
                        code: .repeated,
                        message:
                            "there are two time zones for all servers, and the second is '\(value)': name its server, like"
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
                    message: "'\(value)' does not name a server: write it like WFE1=Europe/Berlin"
                )
            }
            guard zones[Self.folded(server)] == nil else {
                throw TimeZoneError(
                    code: .repeated,
                    message: "there are two time zones for the server '\(server)': specify only one"
                )
            }
            zones[Self.folded(server)] = try TimeZoneRules(
                named: String(value[value.utf8.index(after: sign)...]),
                folder: folder
            )
        }
    }

    /// Returns the zone of a server's clock, ignoring the ASCII case of its name; nil if unknown.
    public func zone(for server: String?) -> TimeZoneRules? {
        guard let server, !zones.isEmpty else { return self.default }
        return zones[Self.folded(server)] ?? self.default
    }

    private static func folded(_ server: String) -> String {
        String(decoding: server.utf8.map(\.lowercased), as: UTF8.self)
    }
}
