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
/// hosted: another-component in Area
/// check: What another check finds out :: Get-SPServiceInstance
/// check: @pools
/// ```
///
/// A namespace is the beginning of a frame's or a type's name, a category one of area and category, a process one of its
/// file's name. Words of a category and of a text begin where a word does; case does not matter. `generic: yes` marks what
/// everything else outranks. `denied` is what a refused access comes from here, `absent`
/// what a missing file does. `hosted` names the component that rows of an area are from, although the code is this one's.
struct ComponentFile {
    /// A component with what tells it.
    struct Entry {
        var component: Component
        var namespaces: [String] = []
        var categories: [String] = []
        var words: [String] = []
        var processes: [String] = []
        /// The component that has this one's code in rows of an area, by the area in lowercase.
        var hosts: [String: String] = [:]
    }

    private(set) var entries: [Entry] = []
    /// Lines that say nothing; there are none in a file that is right.
    private(set) var unread: [Substring] = []

    init(_ text: String) {
        let unread = SectionLines.unread(in: text) { read($0) }
        self.unread = unread
    }

    private mutating func read(_ line: SectionLines.Content) -> Bool {
        if case .heading(let id, let name) = line {
            let component = Component(id: id, name: name, purpose: "", needs: [], checks: [], isGeneric: false)
            entries.append(Entry(component: component))
            return true
        }
        guard let last = entries.indices.last else { return false }
        switch line {
        case .check(let check): entries[last].component.checks.append(check)
        case .member("does", let value): entries[last].component.purpose = String(value)
        case .member("needs", let value): entries[last].component.needs = value.items(UInt8(ascii: ";"))
        case .member("namespace", let value): entries[last].namespaces = value.items(UInt8(ascii: ","))
        case .member("category", let value): entries[last].categories = value.items(UInt8(ascii: ","))
        case .member("text", let value): entries[last].words = value.items(UInt8(ascii: ","))
        case .member("process", let value): entries[last].processes = value.items(UInt8(ascii: ","))
        case .member("denied", let value): entries[last].component.denied = String(value)
        case .member("absent", let value): entries[last].component.absent = String(value)
        case .member("hosted", let value):
            let parts = value.split(separator: " in ", maxSplits: 1)
            guard parts.count == 2 else { return false }
            entries[last].hosts[parts[1].lowercased()] = String(parts[0])
        case .member("generic", let value): entries[last].component.isGeneric = value == "yes"
        case .heading, .member: return false
        }
        return true
    }
}
