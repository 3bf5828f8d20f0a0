import BuiltInFiles
import TextKit

/// A file of `Rules/Codes`; lines that begin with `#` are comments.
struct CodeFile: Sendable {
    var name: String
    var text: String

    /// Returns the compiled-in files whose names satisfy the predicate; the others are not read.
    static func builtIn(where isWanted: (String) -> Bool) -> [CodeFile] {
        BuiltInFile.codes.filter { isWanted($0.name) }.map { CodeFile(name: $0.name, text: $0.text) }
    }
}

/// The names and numbers of all codes.
///
/// The text of the tables is kept unchanged. On first use, only the positions and hashes of the names are computed,
/// which takes less than a millisecond.
struct CodeTables: Sendable {
    /// A line of a table.
    struct Entry: Sendable {
        var number: UInt64
        var space: FailureCode.Space
        fileprivate var name: Range<Int32>
    }

    static let builtIn = CodeTables(CodeFile.builtIn { $0.hasSuffix(".tsv") && !$0.hasPrefix("phrases") })

    /// The entries, ordered by space and then by number; names for the same number are in the order of the file, with
    /// the usual one first.
    private(set) var entries: [Entry] = []
    private var bytes: [UInt8] = []
    private var places: [FailureCode.Space: Range<Int>] = [:]
    /// A hash table with open addressing over the indices of entries; -1 marks a free slot.
    private var slots: [Int32] = []

    /// Reads files named after their spaces, such as `win32.tsv`; additional files of a space have names such as
    /// `search-index.tsv`.
    init(_ files: [CodeFile]) {
        bytes.reserveCapacity(files.reduce(0) { $0 + $1.text.utf8.count })
        for space in FailureCode.Space.allCases {
            let start = entries.count
            for file in files where file.name == space.rawValue + ".tsv" { read(file.text, space) }
            for file in files where file.isFurtherTable(of: space) { read(file.text, space) }
            let range = start..<entries.count
            if !zip(entries[range], entries[range].dropFirst()).allSatisfy({ $0.number <= $1.number }) {
                // The sort is stable, so the first name of a number stays the first.
                let own = Array(entries[range])
                let sorted = order(of: own.count) { own[$0].number < own[$1].number }
                entries.replaceSubrange(range, with: sorted.map { own[$0] })
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
        guard let tab, bytes[line.lowerBound] != UInt8(ascii: "#"),
            let number = CodeNumber.parse(bytes[line.lowerBound..<tab], in: space)
        else { return }
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

    /// Returns the FNV-1a hash of a name.
    private static func hash(_ name: ArraySlice<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 29))
    }
}

extension CodeTables {
    /// Returns the usual entry of a number.
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

    /// Returns the entry with exactly this name, from the first space that has one.
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

    /// Returns all entries with a name, ignoring case.
    func entries(named name: String) -> [Entry] {
        let name = Array(name.utf8)
        return entries.filter { entry in
            entry.name.count == name.count
                && zip(bytes[Int(entry.name.lowerBound)..<Int(entry.name.upperBound)], name)
                    .allSatisfy { $0.lowercased == $1.lowercased }
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

/// The notation for a space's numbers in the tables, on the command line and in reports.
enum CodeNumber {
    /// An HTTP status and its substatus are stored as one number: 503.2 is 503,002 and 503 is 503.
    private static let substatus: UInt64 = 1000
    /// A SQL Server error and its state are also stored as one number: the state plus one is above the lower 32 bits.
    private static let stateBit: UInt64 = 32

    /// Reads `0x80070005`, `1332` or `-2147024891`, an HTTP status as `503.2`, and a SQL Server error as `18456.38`;
    /// returns `nil` for anything else.
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

    /// Returns the number of a SQL Server error without its state.
    static func withoutState(_ number: UInt64) -> UInt64 { number & 0xFFFF_FFFF }

    /// Returns the state of a SQL Server error, if the number contains one.
    static func state(_ number: UInt64) -> UInt64? { number >> stateBit == 0 ? nil : number >> stateBit - 1 }

    static func withSubstatus(_ status: UInt64, _ detail: UInt64) -> UInt64 {
        // Substatus 0 has its own number, because 503.0 is more specific than 503.
        status * substatus + detail
    }

    /// Returns an HTTP status without its substatus.
    static func status(_ number: UInt64) -> UInt64 { number < substatus ? number : number / substatus }

    static func decimal(_ text: some Collection<UInt8>) -> UInt64? {
        guard !text.isEmpty, text.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in text {
            guard byte.isDigit else { return nil }
            number = number &* 10 &+ UInt64(byte &- 0x30)
        }
        return number
    }

    static func hex(_ text: some Collection<UInt8>) -> UInt64? {
        guard !text.isEmpty, text.count <= 16 else { return nil }
        var number: UInt64 = 0
        for byte in text {
            guard let digit = byte.hexadecimalValue else { return nil }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    /// Returns the number in its space's usual notation.
    static func spelled(_ number: UInt64, in space: FailureCode.Space) -> String {
        switch space {
        case .win32, .ldap, .kerberos, .mi, .setup, .userRight, .sentence: return String(number)
        case .sql:
            let error = withoutState(number)
            let spelled = error >= 0x8000_0000 ? String(Int64(error) - 0x1_0000_0000) : String(error)
            return state(number).map { "\(spelled).\($0)" } ?? spelled
        case .http:
            return number < substatus ? String(number) : "\(number / substatus).\(number % substatus)"
        case .hresult, .ntstatus, .clr, .wmi, .x509, .search, .sharepoint, .exception:
            return "0x" + number.padded(to: 8, radix: 16, uppercase: true)
        case .entra: return "AADSTS" + String(number)
        case .wif: return "ID" + String(number)
        case .permission: return "0x" + String(number, radix: 16, uppercase: true)
        }
    }
}

/// Meanings of codes: the files `Rules/Codes/meanings-*.txt`.
///
/// A file has a block for each code, or for several with the same meaning, and an empty line between blocks; lines
/// that begin with `#` are comments:
///
///     win32:5 ntstatus:0xC0000022
///     means The account has no right to the object.
///     cause The account of the application pool changed.
///     check Find the account of the process.
///     run Get-Process -IncludeUserName
///
/// A line `kind refusal` (see ``FailureCode/Kind``) may follow `means`, as may `reason elsewhere` if the sentence only
/// reports that something failed, and another sentence, exception or row gives the reason. Before `means`, a line
/// `of secure-store` may give the ID of the only component that writes the sentence. `cause` and `check` may occur
/// several times; `if` is a condition of the cause before it, as the text states it; `in` and `not` give the components
/// to which the cause or check before them is limited, or does not apply; `run` is the command of the check before it
/// and changes nothing.
struct CodeMeanings: Sendable {
    struct Words {
        var meaning: String?
        var kind: FailureCode.Kind?
        var isOuter = false
        var component: String?
        var causes: [String] = []
        var conditions: [String: String] = [:]
        var checks: [Check] = []
    }

    static let builtIn = CodeMeanings(CodeFile.builtIn { $0.hasPrefix("meanings-") })

    private let bytes: [UInt8]
    /// The positions of the blocks by code; a block is read only when it is needed.
    private var blocks: [CodeKey: Range<Int>] = [:]
    /// The positions of the checks that several blocks share, by name.
    private var shared: [String: Range<Int>] = [:]

    init(_ files: [CodeFile]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(files.reduce(0) { $0 + $1.text.utf8.count + 1 })
        for file in files { bytes += Array(file.text.utf8) + [UInt8(ascii: "\n")] }
        self.bytes = bytes
        blocks.reserveCapacity(512)
        var start = 0
        while start < bytes.count {
            guard bytes[start] != UInt8(ascii: "\n") else {
                start += 1
                continue
            }
            let head = endOfLine(start)
            guard bytes[start] != UInt8(ascii: "#") else {
                start = head + 1
                continue
            }
            var end = head
            while end + 1 < bytes.count, bytes[end + 1] != UInt8(ascii: "\n") { end = endOfLine(end + 1) }
            for word in bytes[start..<head].split(separator: UInt8(ascii: " ")) {
                let block = head..<min(end, bytes.count)
                if let key = CodeKey(word) { blocks[key] = block }
                if word.first == UInt8(ascii: "@") { shared[String(decoding: word, as: UTF8.self)] = block }
            }
            start = end + 1
        }
    }

    private func endOfLine(_ start: Int) -> Int { bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count }

    /// The codes that have a block.
    var keys: some Collection<CodeKey> { blocks.keys }

    func words(of key: CodeKey) -> Words? {
        blocks[key].map(words)
    }

    private func words(in block: Range<Int>) -> Words {
        var words = Words()
        for line in bytes[block].split(separator: UInt8(ascii: "\n")) {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { continue }
            let text = String(decoding: line[(space + 1)...], as: UTF8.self)
            switch String(decoding: line[..<space], as: UTF8.self) {
            case "means": words.meaning = text
            case "of": words.component = text
            case "kind": words.kind = FailureCode.Kind(rawValue: text)
            case "reason": words.isOuter = text == "elsewhere"
            case "cause": words.causes.append(text)
            case "if": words.causes.last.map { words.conditions[$0] = text }
            case "in", "not":
                let last = words.checks.last?.text ?? words.causes.last
                last.map { words.conditions[$0] = String(decoding: line, as: UTF8.self) }
            case "check" where text.hasPrefix("@"): words.checks += shared[text].map(self.words)?.checks ?? []
            case "check": words.checks.append(Check(text))
            case "run" where !words.checks.isEmpty: words.checks[words.checks.count - 1].command = text
            default: break
            }
        }
        return words
    }
}

extension CodeKey {
    /// Reads a key such as `win32:5`, `hresult:0x80070005` or `http:503.2`.
    init?(_ text: ArraySlice<UInt8>) {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
            let space = FailureCode.Space(rawValue: String(decoding: text[..<colon], as: UTF8.self)),
            let number = CodeNumber.parse(text[(colon + 1)...], in: space)
        else { return nil }
        self.init(space, number)
    }
}

/// The lines of a data file with sections, such as those of `Rules/Components` and `Rules/Activities`.
///
/// ```
/// # A comment.
/// @pools = What a check finds out :: Get-SPServiceApplicationPool
///
/// [id] A heading
/// key: value
/// check: What another check finds out :: Get-SPServiceInstance
/// check: @pools
/// ```
///
/// At first, only the positions of the sections are determined; a section is read when it is needed, because explaining
/// a failure, while the user waits, takes one or two sections out of hundreds.
struct SectionFile: Sendable {
    enum Content {
        case heading(id: String, name: String)
        case member(key: Substring, value: Substring)
        case check(Check)
    }

    private let bytes: [UInt8]
    /// The sections, each from its heading to the next one.
    private(set) var sections: [Range<Int>] = []
    /// The lines that begin like the definition of a shared check.
    private var definitions: [Range<Int>] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        var (starts, definitions): ([Int], [Range<Int>]) = ([], [])
        forEachLine(in: bytes.indices) { line in
            let first = bytes[line.lowerBound]
            if first == UInt8(ascii: "@") { definitions.append(line) }
            if first == UInt8(ascii: "["), bytes[line].contains(UInt8(ascii: "]")) { starts.append(line.lowerBound) }
        }
        self.definitions = definitions
        sections = zip(starts, starts.dropFirst() + [bytes.count]).map { $0..<$1 }
    }

    /// Calls `body` with each line of a range that is neither empty nor a comment.
    private func forEachLine(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "\n")) ?? range.upperBound
            if end > start, bytes[start] != UInt8(ascii: "#") { body(start..<end) }
            start = end + 1
        }
    }

    /// Calls `body` with the key and the value of each member of a section, as bytes.
    func forEachMember(of section: Int, _ body: (_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        forEachLine(in: sections[section]) { line in
            guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon + 1 < line.upperBound else { return }
            body(bytes[line.lowerBound..<colon], bytes[(colon + 2)..<line.upperBound])
        }
    }

    /// Returns the ID in the heading of a section.
    func id(of section: Int) -> String {
        let heading = bytes[sections[section]].dropFirst()
        return String(decoding: heading.prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self)
    }

    /// Reads a section line by line, and returns the lines that have no contents or that `take` does not understand.
    @discardableResult
    func read(_ section: Int, _ take: (Content) -> Bool) -> [Substring] { read(sections[section], take) }

    /// The lines before the first section that are not definitions of checks.
    var unreadBeforeSections: [Substring] { read(0..<(sections.first?.lowerBound ?? bytes.count)) { _ in false } }

    private func read(_ range: Range<Int>, _ take: (Content) -> Bool) -> [Substring] {
        var unread: [Substring] = []
        forEachLine(in: range) { line in
            let text = Substring(decoding: bytes[line], as: UTF8.self)
            if text.hasPrefix("@"), definition(text) != nil { return }
            if !(content(of: text).map(take) ?? false) { unread.append(text) }
        }
        return unread
    }

    private func content(of line: Substring) -> Content? {
        if line.hasPrefix("[") {
            return line.dropFirst().parts(around: "] ").map { .heading(id: String($0), name: String($1)) }
        }
        guard let (key, value) = line.parts(around: ": ") else { return nil }
        guard key == "check" || key == "reach" else { return .member(key: key, value: value) }
        var check = value.hasPrefix("@") ? shared(value.dropFirst()) : check(value)
        check?.isOfConnection = key == "reach"
        return check.map { .check($0) }
    }

    /// Returns the check that a line `@name = …` defines.
    private func definition(_ line: Substring) -> (name: Substring, check: Check)? {
        guard let (name, value) = line.dropFirst().parts(around: " = "), let check = check(value) else { return nil }
        return (name, check)
    }

    /// Returns the check with a name.
    private func shared(_ name: Substring) -> Check? {
        let beginning = Array("@\(name) = ".utf8)
        return definitions.first { bytes[$0].starts(with: beginning) }
            .flatMap { definition(Substring(decoding: bytes[$0], as: UTF8.self))?.check }
    }

    private func check(_ text: Substring) -> Check? {
        if let (words, command) = text.parts(around: " :: ") { return Check(String(words), command: String(command)) }
        // A check without a command is just a sentence.
        return text.hasSuffix(".") ? Check(String(text)) : nil
    }
}

/// An entry that a section describes, line by line.
protocol SectionEntry {
    init()
    /// Reads a line; returns false if it has no information.
    mutating func read(_ line: SectionFile.Content) -> Bool
}

/// A file with an entry in each section.
struct EntryFile<Entry: SectionEntry> {
    fileprivate let sections: SectionFile

    init(_ text: String) { sections = SectionFile(text) }

    var entries: [Entry] { sections.sections.indices.map { sections.entry($0, Entry.self).entry } }
    /// Lines without information; a correct file has none.
    var unread: [Substring] {
        sections.unreadBeforeSections + sections.sections.indices.flatMap { sections.entry($0, Entry.self).unread }
    }
}

extension SectionFile {
    fileprivate func entry<Entry: SectionEntry>(_ section: Int, _: Entry.Type) -> (entry: Entry, unread: [Substring]) {
        var entry = Entry()
        let unread = read(section) { entry.read($0) }
        return (entry, unread)
    }
}

/// The entries of the sections of several files, each of which is read whenever it is requested.
struct SectionEntries<Entry: SectionEntry>: Sendable {
    private let files: [SectionFile]
    private let places: [(file: Int, section: Int)]

    init(_ files: [EntryFile<Entry>]) {
        let files = files.map(\.sections)
        self.files = files
        places = files.indices.flatMap { file in files[file].sections.indices.map { (file, $0) } }
    }

    var indices: Range<Int> { 0..<places.count }
    var all: [Entry] { indices.map { self[$0] } }
    subscript(entry: Int) -> Entry { files[places[entry].file].entry(places[entry].section, Entry.self).entry }

    func id(of entry: Int) -> String { files[places[entry].file].id(of: places[entry].section) }

    /// Calls `body` with the key and the value of each member of an entry, as bytes.
    func forEachMember(of entry: Int, _ body: (_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        files[places[entry].file].forEachMember(of: places[entry].section, body)
    }
}
