/// The form of the files in `Rules/Components`.
///
/// ```
/// @pools = What a check finds out :: Get-SPServiceApplicationPool
///
/// [secure-store] Secure Store service
/// does: keeps credentials for other systems
/// needs: the master key; its database
/// namespace: Microsoft.Office.SecureStoreService
/// category: secure store
/// text: target application
/// process: some-process
/// denied: The account may not use the service application.
/// check: What another check finds out :: Get-SPServiceInstance
/// check: @pools
/// ```
///
/// A namespace is the beginning of a frame's or a type's name, a category one of area and category, a process one of its
/// file's name. Words of a category and of a text begin where a word does; case does not matter. `generic: yes` marks what
/// everything else outranks. `denied` is what a refused access comes from here, `absent`
/// what a missing file does.
struct ComponentFile {
    /// A component with what tells it.
    struct Entry {
        var component: Component
        var namespaces: [String] = []
        var categories: [String] = []
        var words: [String] = []
        var processes: [String] = []
    }

    private(set) var entries: [Entry] = []
    /// Lines that say nothing; there are none in a file that is right.
    private(set) var unread: [Substring] = []
    private var shared: [Substring: Check] = [:]

    init(_ text: String) {
        // Bytes, because it is read when the first failure is explained, and somebody waits.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            if !read(Substring(line)) { unread.append(Substring(line)) }
        }
    }

    private mutating func read(_ line: Substring) -> Bool {
        if line.hasPrefix("@") { return readShared(line.dropFirst()) }
        if line.hasPrefix("[") { return readHeading(line.dropFirst()) }
        guard let (key, value) = line.parts(around: ": "), let last = entries.indices.last else { return false }
        switch key {
        case "does": entries[last].component.purpose = String(value)
        case "needs": entries[last].component.needs = value.items(UInt8(ascii: ";"))
        case "namespace": entries[last].namespaces = value.items(UInt8(ascii: ","))
        case "category": entries[last].categories = value.items(UInt8(ascii: ","))
        case "text": entries[last].words = value.items(UInt8(ascii: ","))
        case "process": entries[last].processes = value.items(UInt8(ascii: ","))
        case "denied": entries[last].component.denied = String(value)
        case "absent": entries[last].component.absent = String(value)
        case "generic": entries[last].component.isGeneric = value == "yes"
        case "check":
            guard let check = value.hasPrefix("@") ? shared[value.dropFirst()] : check(value) else { return false }
            entries[last].component.checks.append(check)
        default: return false
        }
        return true
    }

    private mutating func readShared(_ line: Substring) -> Bool {
        guard let (name, value) = line.parts(around: " = "), let check = check(value) else { return false }
        shared[name] = check
        return true
    }

    private mutating func readHeading(_ line: Substring) -> Bool {
        guard let (id, name) = line.parts(around: "] ") else { return false }
        let component = Component(
            id: String(id),
            name: String(name),
            purpose: "",
            needs: [],
            checks: [],
            isGeneric: false
        )
        entries.append(Entry(component: component))
        return true
    }

    private func check(_ text: Substring) -> Check? {
        text.parts(around: " :: ").map { Check(String($0), command: String($1)) }
    }
}

extension Substring {
    /// Returns what stands before and after the first occurrence of a separator.
    fileprivate func parts(around separator: StaticString) -> (Substring, Substring)? {
        let length = separator.utf8CodeUnitCount
        var start = startIndex
        while start < endIndex, let end = utf8.index(start, offsetBy: length, limitedBy: endIndex) {
            let isFound = separator.withUTF8Buffer { utf8[start..<end].elementsEqual($0) }
            if isFound { return (self[..<start], self[end...]) }
            start = utf8.index(after: start)
        }
        return nil
    }

    fileprivate func items(_ separator: UInt8) -> [String] {
        utf8.split(separator: separator).map { String(Substring($0.drop { $0 == UInt8(ascii: " ") })) }
    }
}
