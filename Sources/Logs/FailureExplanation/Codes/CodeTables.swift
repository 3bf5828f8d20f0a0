/// A file of `Rules/Codes`, as it is compiled in: without its comments.
struct CodeFile: Sendable {
    var name: String
    var text: String
}

/// The names and numbers of all codes.
///
/// The text of the tables stays as it is. What is built, once and when first asked, is where each name stands and a hash
/// of the names; that takes less than a millisecond.
struct CodeTables: Sendable {
    /// A line of a table.
    struct Entry: Sendable {
        var number: UInt64
        var space: FailureCode.Space
        fileprivate var name: Range<Int32>
    }

    static let builtIn = CodeTables(BuiltInCodes.files)

    /// The spaces in their order, each space by number; names of one number as in its file, the usual one first.
    private(set) var entries: [Entry] = []
    private var bytes: [UInt8] = []
    private var places: [FailureCode.Space: Range<Int>] = [:]
    /// Open addressing over the indices of entries; -1 is free.
    private var slots: [Int32] = []

    /// Reads files named after their spaces: `win32.tsv`; further ones of a space as `search-index.tsv`.
    init(_ files: [CodeFile]) {
        bytes.reserveCapacity(files.reduce(0) { $0 + $1.text.utf8.count })
        for space in FailureCode.Space.allCases {
            let start = entries.count
            for file in files where file.name == space.rawValue + ".tsv" { read(file.text, space) }
            for file in files where file.isFurtherTable(of: space) { read(file.text, space) }
            let range = start..<entries.count
            if !zip(entries[range], entries[range].dropFirst()).allSatisfy({ $0.number <= $1.number }) {
                // The sort is stable, so the first name of a number stays the first.
                entries[range].sort { $0.number < $1.number }
            }
            places[space] = range
        }
        index()
    }

    private mutating func read(_ text: String, _ space: FailureCode.Space) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        var line = start
        var tab: Int?
        for position in start..<bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\t"), tab == nil {
                tab = position
            } else if byte == UInt8(ascii: "\n") {
                add(line..<position, tab, space)
                line = position + 1
                tab = nil
            }
        }
        add(line..<bytes.count, tab, space)
    }

    private mutating func add(_ line: Range<Int>, _ tab: Int?, _ space: FailureCode.Space) {
        guard let tab, let number = CodeNumber.parse(bytes[line.lowerBound..<tab], in: space) else { return }
        entries.append(Entry(number: number, space: space, name: Int32(tab + 1)..<Int32(line.upperBound)))
    }

    private mutating func index() {
        var size = 1024
        while size < 2 * entries.count { size *= 2 }
        slots = [Int32](repeating: -1, count: size)
        for (position, entry) in entries.enumerated() {
            var slot = Self.hash(bytes[Int(entry.name.lowerBound)..<Int(entry.name.upperBound)]) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(position)
        }
    }

    /// FNV-1a.
    private static func hash(_ name: ArraySlice<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 29))
    }
}

extension CodeTables {
    /// The usual entry of a number.
    func entry(_ number: UInt64, _ space: FailureCode.Space) -> Entry? {
        guard let place = places[space] else { return nil }
        var low = place.lowerBound
        var high = place.upperBound
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < place.upperBound && entries[low].number == number ? entries[low] : nil
    }

    /// The entry of a name, in exactly this spelling; the first space that has it.
    func entry(named name: ArraySlice<UInt8>) -> Entry? {
        var slot = Self.hash(name) & (slots.count - 1)
        var best: Int32?
        while slots[slot] >= 0 {
            let position = slots[slot]
            let place = entries[Int(position)].name
            if name.elementsEqual(bytes[Int(place.lowerBound)..<Int(place.upperBound)]) {
                best = min(best ?? position, position)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return best.map { entries[Int($0)] }
    }

    /// All entries of a name, whatever its case.
    func entries(named name: String) -> [Entry] {
        let name = Array(name.utf8)
        return entries.filter { entry in
            entry.name.count == name.count
                && zip(bytes[Int(entry.name.lowerBound)..<Int(entry.name.upperBound)], name)
                    .allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
        }
    }

    func name(of entry: Entry) -> String {
        String(decoding: bytes[Int(entry.name.lowerBound)..<Int(entry.name.upperBound)], as: UTF8.self)
    }

    func entries(of space: FailureCode.Space) -> ArraySlice<Entry> { entries[places[space] ?? 0..<0] }
}

extension CodeFile {
    fileprivate func isFurtherTable(of space: FailureCode.Space) -> Bool {
        name.hasPrefix(space.rawValue + "-") && name.hasSuffix(".tsv")
    }
}

/// How the numbers of a space are written in the tables, on the command line and in reports.
enum CodeNumber {
    /// An HTTP status with its substatus is one number: 503.2 is 503,002 and 503 is 503.
    private static let substatus: UInt64 = 1000
    /// An error of SQL Server with its state is one number too: the state, and one, stands above 32 bits.
    private static let stateBit: UInt64 = 32

    /// `0x80070005`, `1332`, `-2147024891`; an HTTP status as `503.2`, an error of SQL Server as `18456.38`; `nil` for
    /// anything else.
    static func parse(_ text: some Collection<UInt8>, in space: FailureCode.Space) -> UInt64? {
        if text.first == UInt8(ascii: "-") {
            guard let size = decimal(text.dropFirst()), size > 0, size <= 0x8000_0000 else { return nil }
            return 0x1_0000_0000 - size
        }
        if text.first == 0x30, text.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            return hex(text.dropFirst(2))
        }
        if space == .http, let point = text.firstIndex(of: UInt8(ascii: ".")) {
            guard let status = decimal(text[..<point]), status < substatus,
                let detail = decimal(text[text.index(after: point)...]), detail < substatus
            else { return nil }
            return withSubstatus(status, detail)
        }
        if space == .sql, let point = text.firstIndex(of: UInt8(ascii: ".")) {
            guard let error = decimal(text[..<point]), error <= 0xFFFF_FFFF,
                let state = decimal(text[text.index(after: point)...]), state <= 255
            else { return nil }
            return withState(error, state)
        }
        return decimal(text)
    }

    static func withState(_ error: UInt64, _ state: UInt64) -> UInt64 { error | (state + 1) << stateBit }

    /// The error of SQL Server without its state.
    static func withoutState(_ number: UInt64) -> UInt64 { number & 0xFFFF_FFFF }

    /// The state of an error of SQL Server, if the number has it.
    static func state(_ number: UInt64) -> UInt64? { number >> stateBit == 0 ? nil : number >> stateBit - 1 }

    static func withSubstatus(_ status: UInt64, _ detail: UInt64) -> UInt64 {
        // Substatus 0 has a place of its own, since 503.0 says more than 503.
        status * substatus + detail
    }

    /// The status without its substatus.
    static func status(_ number: UInt64) -> UInt64 { number < substatus ? number : number / substatus }

    static func decimal(_ text: some Collection<UInt8>) -> UInt64? {
        guard !text.isEmpty, text.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in text {
            guard byte &- 0x30 <= 9 else { return nil }
            number = number &* 10 &+ UInt64(byte &- 0x30)
        }
        return number
    }

    static func hex(_ text: some Collection<UInt8>) -> UInt64? {
        guard !text.isEmpty, text.count <= 16 else { return nil }
        var number: UInt64 = 0
        for byte in text {
            guard let digit = byte.hexDigit else { return nil }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    /// The number as people write it in its space.
    static func spelled(_ number: UInt64, in space: FailureCode.Space) -> String {
        switch space {
        case .win32, .ldap, .kerberos, .userRight, .sentence: return String(number)
        case .sql:
            let error = withoutState(number)
            let spelled = error >= 0x8000_0000 ? String(Int64(error) - 0x1_0000_0000) : String(error)
            return state(number).map { "\(spelled).\($0)" } ?? spelled
        case .http:
            return number < substatus ? String(number) : "\(number / substatus).\(number % substatus)"
        case .hresult, .ntstatus, .clr, .wmi, .x509, .search, .sharepoint, .exception:
            let digits = String(number, radix: 16, uppercase: true)
            return "0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        case .entra: return "AADSTS" + String(number)
        case .wif: return "ID" + String(number)
        case .permission: return "0x" + String(number, radix: 16, uppercase: true)
        }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 { self &- 0x41 <= 25 ? self | 0x20 : self }

    /// A letter, a digit or an underscore of ASCII, or part of any other character.
    var isOfWord: Bool { self &- 0x30 <= 9 || (self | 0x20) &- 0x61 <= 25 || self == 0x5F || self >= 0x80 }

    var isDigit: Bool { self &- 0x30 <= 9 }

    var hexDigit: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter <= 5 ? letter + 10 : nil
    }
}
