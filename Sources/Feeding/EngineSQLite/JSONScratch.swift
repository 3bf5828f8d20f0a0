/// A stopgap until the JSON module has merging; it trusts that documents were checked where they were read.
enum JSONScratch {
    static func strings(of json: [UInt8], separator: [UInt8]) throws -> [UInt8] {
        _ = try members(of: json)
        var text: [UInt8] = []
        var index = 0
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let end = try stringEnd(json, index)
            let isKey = json[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
            if !isKey {
                if !text.isEmpty { text += [0x20] + separator + [0x20] }
                text += decoded(json[index + 1..<end - 1])
            }
            index = end
        }
        return text
    }

    static func merged(_ base: [UInt8], _ patch: [UInt8]) throws -> [UInt8]? {
        var all = try members(of: base)
        var hasChanged = false
        for member in try members(of: patch) {
            let place = all.firstIndex { $0.key == member.key }
            let isNull = Array(member.value) == Array("null".utf8)
            switch place {
            case let place? where isNull: all.remove(at: place)
            case let place? where Array(all[place].value) != Array(member.value): all[place] = member
            case nil where !isNull: all.append(member)
            default: continue
            }
            hasChanged = true
        }
        guard hasChanged else { return nil }
        return Array("{".utf8) + all.map { $0.rawKey + [UInt8(ascii: ":")] + $0.value }.joined(separator: [0x2C])
            + Array("}".utf8)
    }

    static func field(_ name: [UInt8], equals value: [UInt8], in json: [UInt8]) throws -> Bool {
        guard let found = try members(of: json).last(where: { $0.key == name })?.value else { return false }
        guard found.first == UInt8(ascii: "\"") else { return Array(found) == value }
        return decoded(found.dropFirst().dropLast()) == value
    }

    private struct Member {
        var key: [UInt8]
        var rawKey: ArraySlice<UInt8>
        var value: ArraySlice<UInt8>
    }

    private static func members(of json: [UInt8]) throws -> [Member] {
        var index = 0
        func skipSpace() { while index < json.count, [0x20, 0x09, 0x0A, 0x0D].contains(json[index]) { index += 1 } }
        func take(_ byte: UInt8) -> Bool {
            skipSpace()
            guard index < json.count, json[index] == byte else { return false }
            index += 1
            return true
        }
        var members: [Member] = []
        guard take(UInt8(ascii: "{")) else { throw DocumentJSON.NotAnObject() }
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipSpace()
            let keyStart = index
            index = try stringEnd(json, index)
            let key = json[keyStart..<index]
            guard take(UInt8(ascii: ":")) else { throw DocumentJSON.NotAnObject() }
            skipSpace()
            let start = index
            index = try valueEnd(json, index)
            members.append(
                Member(key: decoded(key.dropFirst().dropLast()), rawKey: key, value: json[start..<index])
            )
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw DocumentJSON.NotAnObject() }
        return members
    }

    private static func stringEnd(_ json: [UInt8], _ start: Int) throws -> Int {
        guard start < json.count, json[start] == UInt8(ascii: "\"") else { throw DocumentJSON.NotAnObject() }
        var index = start + 1
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < json.count else { throw DocumentJSON.NotAnObject() }
        return index + 1
    }

    private static func valueEnd(_ json: [UInt8], _ start: Int) throws -> Int {
        var index = start
        var depth = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""):
                index = try stringEnd(json, index)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        throw DocumentJSON.NotAnObject()
    }

    private static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        guard raw.contains(UInt8(ascii: "\\")) else { return Array(raw) }
        let escapes: [UInt8: UInt8] = [0x6E: 0x0A, 0x74: 0x09, 0x72: 0x0D, 0x62: 0x08, 0x66: 0x0C]
        var text: [UInt8] = []
        var units: [UInt16] = []
        var index = raw.startIndex
        while index < raw.endIndex {
            if raw[index] == UInt8(ascii: "\\"), index + 1 < raw.endIndex {
                if raw[index + 1] == UInt8(ascii: "u"), index + 6 <= raw.endIndex {
                    units.append(
                        UInt16(String(decoding: raw[index + 2..<index + 6], as: UTF8.self), radix: 16) ?? 0xFFFD
                    )
                    index += 6
                    continue
                }
                text += String(decoding: units, as: UTF16.self).utf8
                units = []
                text.append(escapes[raw[index + 1]] ?? raw[index + 1])
                index += 2
            } else {
                text += String(decoding: units, as: UTF16.self).utf8
                units = []
                text.append(raw[index])
                index += 1
            }
        }
        return text + String(decoding: units, as: UTF16.self).utf8
    }
}
