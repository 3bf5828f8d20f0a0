import ContentFeeding
import JSONText
import TextKit

/// The columns of a table that become keys of its documents, and the types of their cells.
///
/// The list is written as in `price:number,tags:list(;),at:date(dd.MM.yyyy)`: without a type, a cell is a string, and
/// `*` means all other columns. The columns of the ID, the routing value and the version need not be listed.
public struct TableColumns: Hashable, Sendable {
    /// The columns in the order of the text, without `*`.
    let columns: [TableColumn]
    /// Whether columns that are not listed become keys as well.
    let hasOthers: Bool
    /// The list as written.
    let text: String

    /// Reads a list of columns.
    /// - Throws: `TableColumnsError` if the list is empty, lists a column twice, or has parentheses that are not closed.
    public init(_ text: String) throws(TableColumnsError) {
        var (columns, hasOthers): ([TableColumn], Bool) = ([], false)
        var seen: Set<String> = []
        for entry in try Self.entries(of: text) {
            if entry == "*" {
                guard !hasOthers else { throw TableColumnsError("'*' is listed twice") }
                hasOthers = true
                continue
            }
            let column = try TableColumn(entry)
            guard seen.insert(column.title).inserted else {
                throw TableColumnsError("the column '\(column.title)' is listed twice")
            }
            columns.append(column)
        }
        (self.columns, self.hasOthers, self.text) = (columns, hasOthers, text)
    }

    /// Returns the entries between commas that are neither in quotes nor in parentheses.
    private static func entries(of text: String) throws(TableColumnsError) -> [String] {
        var (entries, entry, isQuoted, isInType) = ([String](), "", false, false)
        for character in text {
            switch character {
            case "\"" where !isInType: isQuoted.toggle()
            case "(" where !isQuoted: isInType = true
            case ")" where isInType: isInType = false
            case "," where !isQuoted && !isInType:
                entries.append(entry)
                entry = ""
                continue
            default: break
            }
            entry.append(character)
        }
        guard !isQuoted else { throw TableColumnsError("a quote is not closed in '\(entry)'") }
        guard !isInType else { throw TableColumnsError("a parenthesis is not closed in '\(entry)'") }
        entries.append(entry)
        guard entries.allSatisfy({ !$0.isEmpty }) else {
            throw TableColumnsError("a column has no name; write names with commas between them")
        }
        return entries
    }

    /// The option that contains the list.
    private static let option = "--columns"

    /// Returns the type of each column of a table, or `nil` for a column that does not become a key.
    ///
    /// The columns at `kept` always become keys.
    func types(of titles: [String], keeping kept: Set<Int>) throws(UnknownColumn) -> [CellType?] {
        var types: [CellType?] = titles.indices.map { hasOthers || kept.contains($0) ? .string : nil }
        for column in columns {
            if let name = column.unknownType(among: titles) {
                throw UnknownColumn(
                    reason: "has no column '\(column.title)'; \(TableColumn.unknown(name).reason)",
                    option: Self.option
                )
            }
            types[try InputColumn.named(column.title).place(among: titles, for: Self.option)] = column.type
        }
        return types
    }
}

/// The reason why a list of columns can't be read.
public struct TableColumnsError: Error {
    /// The reason, as shown to users.
    public let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A listed column.
struct TableColumn: Hashable, Sendable {
    let title: String
    let type: CellType

    /// Reads `TITLE`, `TITLE:TYPE`, and the title in quotes if it has a comma, a parenthesis or the name of a type.
    fileprivate init(_ entry: String) throws(TableColumnsError) {
        if entry.hasPrefix("\"") {
            let parts = entry.dropFirst().split(separator: "\"", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || parts[1].hasPrefix(":"), !parts[0].isEmpty else {
                throw TableColumnsError("'\(entry)' is not a column; write \"TITLE\" or \"TITLE\":TYPE")
            }
            title = String(parts[0])
            guard !parts[1].isEmpty else {
                type = .string
                return
            }
            guard let type = try CellType(parts[1].dropFirst()) else { throw Self.unknown(parts[1].dropFirst()) }
            self.type = type
            return
        }
        // A colon may be part of a title, as in dc:title.
        if let colon = Self.colon(in: entry) {
            let name = entry[entry.index(after: colon)...]
            if let type = try CellType(name) {
                (self.title, self.type) = (String(entry[..<colon]), type)
                return
            }
            guard !name.contains("(") else { throw Self.unknown(name) }
        }
        (title, type) = (entry, .string)
    }

    /// Returns the last colon outside the parentheses of a type.
    private static func colon(in entry: String) -> String.Index? {
        let end = entry.firstIndex(of: "(") ?? entry.endIndex
        guard let colon = entry[..<end].lastIndex(of: ":"), colon > entry.startIndex else { return nil }
        return colon
    }

    /// Returns the end of a title that is not in the table, but would be without that end, which is a misspelled type;
    /// `nil` for any other title.
    fileprivate func unknownType(among titles: [String]) -> Substring? {
        guard let colon = title.lastIndex(of: ":"), !titles.contains(title), titles.contains(String(title[..<colon]))
        else { return nil }
        return title[title.index(after: colon)...]
    }

    fileprivate static func unknown(_ name: Substring) -> TableColumnsError {
        TableColumnsError("'\(name)' is not a type; the types are \(CellType.names)")
    }
}

// MARK: - Types

/// The value of a cell: a string, or other JSON.
enum CellValue {
    case text(String)
    case json([UInt8])
}

/// The type of a column's cells.
enum CellType: Hashable, Sendable {
    case string
    /// A number in JSON's form, except that another character may be used as the decimal point.
    case number(point: UInt8)
    case boolean
    /// Any JSON value, as written.
    case json
    /// Strings with a separator between them.
    case list(separator: String)
    case date(DatePattern)

    static let names = "string, number, number(,), boolean, json, list(;) and date(dd.MM.yyyy)"

    /// Reads the name of a type; `nil` if there is no type with this name.
    fileprivate init?(_ text: Substring) throws(TableColumnsError) {
        let name = text.prefix { $0 != "(" }
        var argument: String?
        if name.endIndex < text.endIndex {
            guard text.hasSuffix(")") else { return nil }
            argument = String(text[text.index(after: name.endIndex)...].dropLast())
        }
        switch (name, argument) {
        case ("string", nil): self = .string
        case ("number", nil), ("number", "."?): self = .number(point: UInt8(ascii: "."))
        case ("number", ","?): self = .number(point: UInt8(ascii: ","))
        case ("boolean", nil): self = .boolean
        case ("json", nil): self = .json
        case ("list", let separator?) where !separator.isEmpty: self = .list(separator: separator)
        case ("date", let pattern?): self = .date(try DatePattern(pattern))
        case ("list", _): throw TableColumnsError("the type list needs its separator, for example list(;)")
        case ("date", _): throw TableColumnsError("the type date needs its form, for example date(dd.MM.yyyy)")
        default: return nil
        }
    }

    /// Returns the value of a cell.
    func value(of cell: String) throws(RejectedRecord) -> CellValue {
        switch self {
        case .string: return .text(cell)
        case .number(let point):
            if let json = Self.number(cell, point: point) {
                // Engines and programs would read such a number as infinity.
                guard Double(String(decoding: json, as: UTF8.self))?.isFinite ?? true else {
                    throw RejectedRecord("which is too large for a number; correct it, or use the type string")
                }
                return .json(json)
            }
            let isComma = point == UInt8(ascii: ".") && cell.contains(",")
            throw RejectedRecord("which is not a number\(isComma ? "; if it has a decimal comma, use number(,)" : "")")
        case .boolean:
            switch cell.lowercased() {
            case "true", "yes", "1": return .json(Array("true".utf8))
            case "false", "no", "0": return .json(Array("false".utf8))
            default: throw RejectedRecord("which is not a boolean: true, false, yes, no, 1 or 0")
            }
        case .json:
            let json = Array(cell.utf8)
            do throws(JSONError) {
                var scanner = JSONScanner(json.span)
                _ = try scanner.skipValue()
                try scanner.end()
            } catch {
                throw RejectedRecord("which is not JSON: \(error)")
            }
            return .json(json)
        case .list(let separator):
            var writer = JSONWriter()
            let items = cell.isEmpty ? [] : cell.components(between: separator)
            writer.array { writer in for item in items { writer.value(item) } }
            return .json(writer.takeBytes())
        case .date(let pattern):
            if let moment = pattern.moment(of: cell) { return .text(moment) }
            throw RejectedRecord("which is not a date in the form \(pattern.text)")
        }
    }

    /// Returns the number in JSON syntax; `nil` if the cell does not contain a number.
    private static func number(_ cell: String, point: UInt8) -> [UInt8]? {
        var json = Array(cell.utf8)
        if point != UInt8(ascii: ".") {
            guard !json.contains(UInt8(ascii: ".")) else { return nil }
            for index in json.indices where json[index] == point { json[index] = UInt8(ascii: ".") }
        }
        guard let first = json.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return nil }
        var scanner = JSONScanner(json.span)
        do throws(JSONError) {
            guard try scanner.skipValue() == json.indices else { return nil }
            try scanner.end()
        } catch {
            return nil
        }
        return json
    }
}

extension String {
    /// Returns the parts between the occurrences of a separator, which may have several characters.
    fileprivate func components(between separator: String) -> [String] {
        var (parts, rest) = ([String](), self[...])
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}

// MARK: - Dates

/// The form of dates and times in cells.
///
/// The form consists of `yyyy`, `MM` or `M`, `dd` or `d`, `HH` or `H`, `mm` and `ss`; other characters are literal.
/// Times are in UTC, because a cell does not have a time zone.
struct DatePattern: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case number(Field, digits: ClosedRange<Int>)
        case character(UInt8)
    }

    private enum Field: Character, Hashable {
        case year = "y"
        case month = "M"
        case day = "d"
        case hour = "H"
        case minute = "m"
        case second = "s"
    }

    let text: String
    private let parts: [Part]

    fileprivate init(_ text: String) throws(TableColumnsError) {
        var (parts, rest, seen): ([Part], Substring, Set<Field>) = ([], text[...], [])
        while let character = rest.first {
            let count = rest.prefix { $0 == character }.count
            guard let field = Field(rawValue: character) else {
                guard let byte = character.asciiValue, !character.isLetter || character == "T" || character == "Z"
                else {
                    throw Self.invalid(text)
                }
                parts.append(.character(byte))
                rest = rest.dropFirst()
                continue
            }
            guard seen.insert(field).inserted, field == .year ? count == 4 : count <= 2 else {
                throw Self.invalid(text)
            }
            let isShort = count == 1 && [.month, .day, .hour].contains(field)
            guard isShort || count > 1 else { throw Self.invalid(text) }
            parts.append(.number(field, digits: isShort ? 1...2 : count...count))
            rest = rest.dropFirst(count)
        }
        guard seen.isSuperset(of: [.year, .month, .day]), !seen.contains(.minute) || seen.contains(.hour),
            !seen.contains(.second) || seen.contains(.minute)
        else { throw Self.invalid(text) }
        (self.text, self.parts) = (text, parts)
    }

    private static func invalid(_ text: String) -> TableColumnsError {
        TableColumnsError(
            "'\(text)' is not a valid date form; use yyyy, MM, dd, HH, mm and ss once each, for example dd.MM.yyyy HH:mm"
        )
    }

    /// Returns the time in ISO 8601 format; `nil` if the cell has another form or names a day or time that does not
    /// exist.
    func moment(of cell: String) -> String? {
        var values: [Field: Int] = [:]
        var rest = Array(cell.utf8)[...]
        for part in parts {
            switch part {
            case .character(let byte): guard rest.popFirst() == byte else { return nil }
            case .number(let field, let digits):
                let text = rest.prefix(digits.upperBound).prefix { (0x30...0x39).contains($0) }
                guard digits.contains(text.count), let number = Int(String(decoding: text, as: UTF8.self)) else {
                    return nil
                }
                values[field] = number
                rest = rest.dropFirst(text.count)
            }
        }
        let (hour, minute, second) = (values[.hour] ?? 0, values[.minute] ?? 0, values[.second] ?? 0)
        guard rest.isEmpty, hour < 24, minute < 60, second < 60,
            let day = CivilDate(year: Int64(values[.year] ?? 0), month: values[.month] ?? 0, day: values[.day] ?? 0)
        else { return nil }
        let time = [hour, minute, second].map { Int64($0).padded(to: 2) }.joined(separator: ":")
        return "\(day)T\(time)Z"
    }
}
