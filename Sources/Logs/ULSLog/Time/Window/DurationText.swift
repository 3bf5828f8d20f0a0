/// A duration as somebody typed it: `90s`, `5m`, `1h30m`, `2d`.
enum DurationText {
    /// The longest that is accepted, in milliseconds: ten years.
    static let longest: Int64 = 3660 * CivilDate.dayLength

    /// The duration in milliseconds.
    static func parse(_ text: some StringProtocol) throws(TimeWindowError) -> Int64 {
        let bytes = Array(text.utf8)
        var total: Int64 = 0
        var offset = 0
        while offset < bytes.count {
            let digits = bytes[offset...].prefix { $0.isScopeDigit }
            offset += digits.count
            guard (1...9).contains(digits.count), offset < bytes.count, let unit = milliseconds(of: bytes[offset])
            else {
                throw malformed(text, "is no duration")
            }
            total += digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } * unit
            guard total <= longest else { throw malformed(text, "is longer than ten years") }
            offset += 1
        }
        guard total > 0 else { throw malformed(text, "is no duration") }
        return total
    }

    private static func milliseconds(of unit: UInt8) -> Int64? {
        switch unit {
        case UInt8(ascii: "s"): 1000
        case UInt8(ascii: "m"): 60_000
        case UInt8(ascii: "h"): 3_600_000
        case UInt8(ascii: "d"): CivilDate.dayLength
        default: nil
        }
    }

    private static func malformed(_ text: some StringProtocol, _ reason: String) -> TimeWindowError {
        TimeWindowError(
            code: .malformedDuration,
            message: "'\(text)' \(reason): write it like 90s, 5m, 1h30m or 2d"
        )
    }
}
