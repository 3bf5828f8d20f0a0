import BuiltInFiles
import TextKit

/// A map from the features of a row to the part of SharePoint that the row concerns.
///
/// The data is read on first use, so commands that don't need it pay nothing.
package enum Components {
    /// All components, in the order of their files.
    package static var all: [Component] { ComponentMap.builtIn.entries.all.map(\.component) }

    /// Finds the component in which a failure happened.
    ///
    /// A frame or type of the component itself counts most, followed by words in the text, the row's category and the
    /// process, because the component that writes a row often only reports a failure in another component and names it.
    /// Components that many failures pass through, such as SharePoint's core, count only if nothing else is known.
    ///
    /// - Parameters:
    ///   - frames: The stack trace, from the throwing method outward.
    ///   - types: The types of the exceptions, most informative first.
    ///   - area: The area of the row.
    ///   - category: The category of the row, which may be truncated.
    ///   - process: The process of the row, with or without `.exe` and number.
    ///   - text: The message.
    /// - Returns: The component and the evidence for it.
    package static func find(
        frames: [StackFrame] = [],
        types: [String] = [],
        area: String? = nil,
        category: String? = nil,
        process: String? = nil,
        text: String = ""
    ) -> FoundComponent? {
        let map = ComponentMap.builtIn
        func found() -> FoundComponent? {
            let place = [area, category].compactMap(\.self).joined(separator: " / ")
            let types = types.filter { $0 != anybodys }
            let named = types.filter { !$0.hasPrefix("System.") }
            let own = frames.filter { !$0.isRuntime }
            // A frame that only passes on a failure is attributed to the component of the underlying call, if there is one.
            if own.first?.passesOn == true, let found = map.find(Array(own.dropFirst().prefix(2)), generic: false) {
                return found
            }
            for generic in [false, true] {
                if let found = map.find(own, generic: generic) { return found }
                if let found = map.find(named, generic: generic) { return found }
                if let found = map.find(text: text, generic: generic) { return found }
                if let found = map.find(category: place, generic: generic) { return found }
                if let found = map.find(frames, generic: generic) { return found }
                if let found = map.find(types, generic: generic) { return found }
                // A class that is only mentioned, such as that of a cmdlet, is more specific than a common wrapper.
                if !generic, let found = map.find(namesIn: text) ?? ForeignProduct.find(area: area) { return found }
            }
            return process.flatMap { map.find(process: $0) }
        }
        return found().map { map.hosted($0, area: area) }
    }

    /// The exception thrown by all parts of SharePoint, and by custom code.
    private static let anybodys = "Microsoft.SharePoint.SPException"

    /// The lowercase literals that identify a component if a text contains them.
    package static var words: [String] { ComponentMap.builtIn.entries.all.flatMap(\.words).map { $0.lowercased() } }
}

/// The components, with tables for finding them.
struct ComponentMap: Sendable {
    static let builtIn = ComponentMap(BuiltInFile.components.map { ComponentFile($0.text) })

    let entries: SectionEntries<ComponentEntry>
    /// For each entry, whether other components are more specific.
    private let generic: [Bool]
    private let categories: WordTable
    private let words: WordTable
    /// The prefixes of names, longest first.
    private let namespaces: [(prefix: String, entry: Int)]
    private let processes: [(prefix: String, entry: Int)]

    init(_ files: [ComponentFile]) {
        let entries = SectionEntries(files)
        var keys: [String: [(prefix: String, entry: Int)]] = [:]
        var generic = entries.indices.map { _ in false }
        for index in entries.indices {
            entries.forEachMember(of: index) { key, value in
                switch String(decoding: key, as: UTF8.self) {
                case "generic": generic[index] = value.elementsEqual("yes".utf8)
                case let kind where ["namespace", "category", "text", "process"].contains(kind):
                    keys[kind, default: []] += value.items(UInt8(ascii: ",")).map { ($0, index) }
                default: break
                }
            }
        }
        func longestFirst(_ kind: String) -> [(prefix: String, entry: Int)] {
            let keys = keys[kind] ?? []
            return order(of: keys.count) { keys[$0].prefix.utf8.count > keys[$1].prefix.utf8.count }.map { keys[$0] }
        }
        self.entries = entries
        self.generic = generic
        namespaces = longestFirst("namespace")
        processes = longestFirst("process")
        categories = WordTable(longestFirst("category"), generic: generic)
        words = WordTable(longestFirst("text"), generic: generic)
    }

    private func found(_ entry: Int, _ evidence: FoundComponent.Evidence) -> FoundComponent {
        FoundComponent(component: entries[entry].component, evidence: evidence)
    }

    /// Returns the component that hosts the code of the found component in rows of this area.
    func hosted(_ found: FoundComponent, area: String?) -> FoundComponent {
        guard let area, let host = entry(withID: found.component.id)?.hosts[area.lowercased()],
            let component = entry(withID: host)?.component
        else { return found }
        return FoundComponent(component: component, evidence: found.evidence)
    }

    func entry(withID id: String) -> ComponentEntry? {
        entries.indices.first { entries.id(of: $0) == id }.map { entries[$0] }
    }

    /// Returns the component of the first frame that has one.
    func find(_ frames: [StackFrame], generic: Bool) -> FoundComponent? {
        let names = frames.lazy.map(\.name)
        return names.compactMap { name in entry(of: name, generic: generic).map { found($0, .frame(name)) } }.first
    }

    /// Returns the component of the first type that has one.
    func find(_ types: [String], generic: Bool) -> FoundComponent? {
        let entries = types.lazy.compactMap { type in entry(of: type, generic: generic).map { (type, $0) } }
        return entries.first.map { found($0.1, .exceptionType($0.0)) }
    }

    func find(category: String, generic: Bool) -> FoundComponent? {
        categories.longest(in: category, generic: generic).map { found($0.entry, .category(category)) }
    }

    func find(text: String, generic: Bool) -> FoundComponent? {
        words.longest(in: text, generic: generic).map { found($0.entry, .text($0.word)) }
    }

    /// Returns the component of the first Microsoft class that a text names, unless that component is generic.
    func find(namesIn text: String) -> FoundComponent? {
        for name in ClassNames(in: text) where name.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 3 {
            if let entry = entry(of: name, generic: false) { return found(entry, .text(name)) }
        }
        return nil
    }

    func find(process: String) -> FoundComponent? {
        let name = process.lowercased()
        return processes.first { name.hasPrefix($0.prefix) }.map { found($0.entry, .process(process)) }
    }

    /// Returns the entry with the longest prefix of this name; a specific name remains specific even if a generic name
    /// is part of it.
    private func entry(of name: String, generic: Bool) -> Int? {
        guard let longest = namespaces.first(where: { name.hasPrefix($0.prefix) }) else { return nil }
        return self.generic[longest.entry] == generic ? longest.entry : nil
    }
}

/// The names of Microsoft's classes in the first words of a text.
struct ClassNames: Sequence {
    private let words: [Substring]
    private static let maximumWords = 200

    init(in text: String) {
        words = text.split(maxSplits: Self.maximumWords) { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }
    }

    /// Names of timer jobs, `Ns.Job (ID …)`, and of frames, `at Ns.Class.Method`.
    var running: [String] {
        words.indices.filter { index in
            words[index].hasPrefix("Microsoft.")
                && (index > 0 && words[index - 1] == "at" || index + 1 < words.count && words[index + 1] == "ID")
        }.map { String(words[$0]) }
    }

    func makeIterator() -> some IteratorProtocol<String> {
        words.lazy.filter { $0.hasPrefix("Microsoft.") }.map(String.init).makeIterator()
    }
}

/// A part of SharePoint, or of its platform, in which a failure may have happened.
package struct Component: Sendable, Equatable {
    /// A short name that stays the same: `secure-store`.
    package var id: String
    /// The common name: "Secure Store service".
    package var name: String
    /// The function of the component.
    package var purpose: String
    /// The prerequisites: services, rights of accounts, databases, certificates, other servers.
    package var needs: [String]
    /// The first checks to make: read-only commands.
    package var checks: [Check]
    /// The causes, by class of failure, where this component's causes differ from the usual ones.
    package var usually: [String: String] = [:]
    /// True for components that half of all failures pass through, so that everything else is more specific.
    package var isGeneric: Bool
    /// True for Microsoft 365, a client tool or a service of your own, which checks of a farm do not reach.
    package var isAway = false

    /// True for a component of a farm that works with Microsoft 365.
    var isHybrid: Bool { ["hybrid", "search-cloud", "search-remote"].contains(id) }
}

/// A component, and the evidence for it: the component is likely or possible, never certain.
package struct FoundComponent: Sendable, Equatable {
    /// The evidence for a component, ordered from strongest to weakest.
    package enum Evidence: Sendable, Equatable {
        /// A frame of the stack trace.
        case frame(String)
        /// The type of an exception.
        case exceptionType(String)
        /// The area and category of the row.
        case category(String)
        /// Words that only one of the component's activities writes.
        case message(String)
        /// A word in the text.
        case text(String)
        /// The process that wrote the row, which runs code from many components.
        case process(String)
    }

    package var component: Component
    package var evidence: Evidence

    /// The word in the text that indicates the component, if nothing else does: a component that is merely mentioned
    /// may not be the one that failed.
    package var mention: String? { if case .text(let word) = evidence { word } else { nil } }
}

/// The format of the files in `Rules/Components`.
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
/// usually(refused): The account may not use the service application.
/// hosted: another-component in Area
/// check: What another check finds out :: Get-SPServiceInstance
/// check: @pools
/// ```
///
/// A namespace is a prefix of the name of a frame or type, a category is a prefix of the area and category, and a
/// process is a prefix of the process's file name. Words of a category and of a text match at the beginnings of words;
/// case is ignored. `generic: yes` marks a component that all others outrank, `away: yes` one outside the farm. The
/// class of failures in parentheses is one from `Rules/Frames`; the cause given for it here becomes advice
/// (``FrameAdvice``). `hosted` names the component that writes the rows of an area even though the code belongs to this
/// component.
typealias ComponentFile = EntryFile<ComponentEntry>

/// A component with its evidence.
struct ComponentEntry: SectionEntry {
    var component = Component(id: "", name: "", purpose: "", needs: [], checks: [], isGeneric: false)
    var namespaces: [String] = []
    var categories: [String] = []
    var words: [String] = []
    var processes: [String] = []
    /// The component that hosts this component's code in rows of an area, by lowercase area.
    var hosts: [String: String] = [:]

    mutating func read(_ line: SectionFile.Content) -> Bool {
        switch line {
        case .heading(let id, let name): (component.id, component.name) = (id, name)
        case .check(let check): component.checks.append(check)
        case .member("does", let value): component.purpose = String(value)
        case .member("needs", let value): component.needs = value.items(UInt8(ascii: ";"))
        case .member("namespace", let value): namespaces = value.items(UInt8(ascii: ","))
        case .member("category", let value): categories = value.items(UInt8(ascii: ","))
        case .member("text", let value): words = value.items(UInt8(ascii: ","))
        case .member("process", let value): processes = value.items(UInt8(ascii: ","))
        case .member("hosted", let value):
            let parts = value.split(by: " in ", maxSplits: 1)
            guard parts.count == 2 else { return false }
            hosts[parts[1].lowercased()] = String(parts[0])
        case .member("generic", let value): component.isGeneric = value == "yes"
        case .member("away", let value): component.isAway = value == "yes"
        case .member(let key, let value):
            guard key.hasPrefix("usually("), key.hasSuffix(")") else { return false }
            let classes = key.dropFirst("usually(".count).dropLast()
            for id in classes.split(whereSeparator: { ", ".contains($0) }) {
                component.usually[String(id)] = String(value)
            }
        }
        return true
    }
}

/// A third-party product that writes to SharePoint's logs under its own area.
enum ForeignProduct {
    fileprivate static let id = "foreign-product"

    /// Returns a component for an area that is not one of Microsoft's; `nil` if it may be.
    ///
    /// Few products have an entry. Even so, the report must show that the row was not written by SharePoint, and which
    /// vendor to ask.
    static func find(area: String?) -> FoundComponent? {
        guard let area = area?.trimmed, isForeign(area) else { return nil }
        let component = Component(
            id: id,
            name: "\(area), a product that is not part of SharePoint",
            purpose: "writes rows under its own area",
            needs: ["its solutions on all servers, in a matching version"],
            checks: [
                Check(
                    "Solutions and where they are deployed",
                    command: "Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult"
                ),
                Check("The same request from its beginning", command: "fastctl logs trace CORRELATION LOGS"),
            ],
            isGeneric: false
        )
        return FoundComponent(component: component, evidence: .category(area))
    }

    /// Returns true for a name of letters that does not begin with a word of Microsoft's areas and either ends in "for
    /// SharePoint" or contains a dot, like the name of a company or an assembly.
    ///
    /// A paste without columns may have any text in place of its area, so a single unknown word is not enough.
    private static func isForeign(_ area: String) -> Bool {
        guard (4...64).contains(area.utf8.count), area.first?.isLetter == true,
            area.allSatisfy({ $0.isLetter || $0.isNumber || " .-_&".contains($0) })
        else { return false }
        let first = area.prefix { $0.isLetter || $0.isNumber }
        guard !own.contains(first.lowercased()), !area.lowercased().hasSuffix(".exe") else { return false }
        let name = area.prefix { $0 != " " }
        return area.hasSuffix(" for SharePoint") || name.dropLast().dropFirst().contains(".")
    }

    /// The first words of the areas of SharePoint, of Office, and of other Microsoft software installed with them.
    private static let own = """
        sharepoint microsoft office windows sql fast search power powerpivot powerpoint excel word visio access
        infopath project reporting system owstimer w3wp asp ad appfabric forefront schannel was http service
        """.wordSet
}

extension Component {
    /// True if the component's name is taken from the row: the area of a product without an entry.
    package var isNamedByRow: Bool { id == ForeignProduct.id }
}
