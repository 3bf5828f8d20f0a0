@testable import ULSLog

extension GeneratedRow {
    /// The row as written, without the line's end.
    var bytes: [UInt8] {
        var bytes = Array((columns.joined(separator: "\t") + "\t").utf8)
        if isANSI {
            bytes += message.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        } else {
            bytes += message.utf8
        }
        return bytes + tail.utf8
    }

    /// What must be read from it.
    var model: ModelRow {
        let hasCorrelation = form > 3
        return ModelRow(
            columns: [
                process, processID, thread, area, category, eventID, level, message,
                hasCorrelation ? correlation.description : "",
            ],
            server: server,
            clock: clock,
            isUTC: layout == .utc,
            isMarked: isMarked,
            key: columns.dropFirst().joined(separator: "\t")
                + (hasCorrelation ? correlation.description : "") + (server ?? "")
        )
    }

    /// The first seven columns, with padding.
    private var columns: [String] {
        let id = writesServer ? "\(process) (\(server ?? ""):\(processID))" : "\(process) (\(processID))"
        let texts = [id, thread, area, category, eventID, level]
        let widths = [40, 6, 30, 30, 0, 8]
        switch layout {
        case .padded, .wide, .timeUnpadded:
            return [time] + zip(texts, widths).map { Self.padded($0, $1, " ") }
        case .noBreakSpaces:
            return [time] + zip(texts, widths).map { Self.padded($0, $1, "\u{A0}") }
        case .unpadded, .utc, .loose: return [time] + texts
        }
    }

    private static func padded(_ text: String, _ width: Int, _ blank: Character) -> String {
        text + String(repeating: blank, count: max(0, width - text.utf8.count))
    }

    private var time: String {
        let days = clock.flooredQuotient(by: CivilDate.dayLength)
        let date = CivilDate(days: days)
        let rest = clock.flooredRemainder(by: CivilDate.dayLength)
        let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
        let hundredths = rest / 10 % 100
        let clockText = "\(Self.two(minute)):\(Self.two(second))"
        switch layout {
        case .utc:
            let day = "\(date.year)-\(Self.two(Int64(date.month)))-\(Self.two(Int64(date.day)))"
            return "\(day) \(Self.two(hour)):\(clockText).\(Self.two(hundredths))" + (isMarked ? "*" : "")
        case .loose:
            return "\(date.month)/\(date.day)/\(date.year) \(hour):\(clockText),\(Self.two(hundredths))0"
                + (isMarked ? " *" : " ")
        default:
            let day = "\(Self.two(Int64(date.month)))/\(Self.two(Int64(date.day)))/\(date.year)"
            let mark = isMarked ? "*" : layout == .timeUnpadded ? "" : " "
            return "\(day) \(Self.two(hour)):\(clockText).\(Self.two(hundredths))" + mark
        }
    }

    private static func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }

    /// The last column in one of its forms, with the tab before it.
    private var tail: String {
        switch form {
        case 0: "\t "
        case 1: "\t"
        case 2: "\t00000000-0000-0000-0000-000000000000"
        // The column may be missing, unless the message's end would be taken for it.
        case 3: message.hasSuffix("\u{A0}") ? "\t" : ""
        case 4: "\t\(correlation.description.uppercased())"
        case 5: "\t{\(correlation.description)}"
        case 6: "\t \(correlation.description) "
        case 7: "\t{\(correlation.description.uppercased())} "
        default: "\t\(correlation.description)"
        }
    }
}
