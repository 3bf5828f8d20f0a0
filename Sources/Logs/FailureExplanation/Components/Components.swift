/// The map from what a row shows to the part of SharePoint that it is about.
///
/// It is read when first asked, so commands that don't ask pay nothing.
public enum Components {
    /// All components, in the order of their files.
    public static var all: [Component] { ComponentMap.builtIn.entries.map(\.component) }

    /// Finds the component that a failure happened in.
    ///
    /// A frame or type of a component's own says most, then words in the text, the row's category and the process: who
    /// writes a row often only tells of a failure elsewhere, and names it. What many failures pass through, such as
    /// SharePoint's core, counts only where nothing else is known.
    ///
    /// - Parameters:
    ///   - frames: The stack trace, from the place that threw outwards.
    ///   - types: The types of the exceptions, the one that tells most first.
    ///   - area: The area of the row.
    ///   - category: The category of the row, which may be cut.
    ///   - process: The process of the row, with or without `.exe` and number.
    ///   - text: The message.
    /// - Returns: The component and what speaks for it.
    public static func find(
        frames: [StackFrame] = [],
        types: [String] = [],
        area: String? = nil,
        category: String? = nil,
        process: String? = nil,
        text: String = ""
    ) -> FoundComponent? {
        let map = ComponentMap.builtIn
        let found = search(map, frames, types, area: area, category: category, process: process, text: text)
        return found.map { map.hosted($0, area: area) }
    }

    private static func search(
        _ map: ComponentMap,
        _ frames: [StackFrame],
        _ types: [String],
        area: String?,
        category: String?,
        process: String?,
        text: String
    ) -> FoundComponent? {
        let place = [area, category].compactMap(\.self).joined(separator: " / ")
        let types = types.filter { $0 != anybodys }
        let named = types.filter { !$0.hasPrefix("System.") }
        let own = frames.filter { !$0.isRuntime }
        // What only passes a failure on stands for the call behind it, if that has a component.
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
            // A class that is only spoken of, such as that of a cmdlet, tells more than what everything passes through.
            if !generic, let found = map.find(namesIn: text) ?? ForeignProduct.find(area: area) { return found }
        }
        return process.flatMap { map.find(process: $0) }
    }

    /// The exception that all of SharePoint throws, and custom code too.
    private static let anybodys = "Microsoft.SharePoint.SPException"

    /// Literals, in lowercase, that tell a component where they stand in a text.
    public static var words: [String] { ComponentMap.builtIn.entries.flatMap(\.words).map { $0.lowercased() } }
}

/// The components with tables to find them by.
struct ComponentMap: Sendable {
    static let builtIn = ComponentMap(BuiltInComponents.texts.map { ComponentFile("\($0)") })

    let entries: [ComponentFile.Entry]
    private let categories: WordTable
    private let words: WordTable
    /// Beginnings of names, the longest first.
    private let namespaces: [(prefix: String, entry: Int)]
    private let processes: [(prefix: String, entry: Int)]

    init(_ files: [ComponentFile]) {
        let entries = files.flatMap(\.entries)
        func keys(_ path: KeyPath<ComponentFile.Entry, [String]>) -> [(prefix: String, entry: Int)] {
            entries.indices.flatMap { index in entries[index][keyPath: path].map { ($0, index) } }
                .sorted { $0.0.utf8.count > $1.0.utf8.count }
        }
        self.entries = entries
        namespaces = keys(\.namespaces)
        processes = keys(\.processes)
        let generic = entries.map(\.component.isGeneric)
        categories = WordTable(keys(\.categories), generic: generic)
        words = WordTable(keys(\.words), generic: generic)
    }

    private func found(_ entry: Int, _ evidence: FoundComponent.Evidence) -> FoundComponent {
        FoundComponent(component: entries[entry].component, evidence: evidence)
    }

    /// Returns the component that has the code of a found one in rows of this area.
    func hosted(_ found: FoundComponent, area: String?) -> FoundComponent {
        guard let area, let entry = entries.first(where: { $0.component.id == found.component.id }),
            let host = entry.hosts[area.lowercased()],
            let component = entries.first(where: { $0.component.id == host })?.component
        else { return found }
        return FoundComponent(component: component, evidence: found.evidence)
    }

    /// Returns the component of the first frame that has one.
    func find(_ frames: [StackFrame], generic: Bool) -> FoundComponent? {
        for frame in frames {
            if let entry = entry(of: frame.name, generic: generic) { return found(entry, .frame(frame.name)) }
        }
        return nil
    }

    /// Returns the component of the first type that has one.
    func find(_ types: [String], generic: Bool) -> FoundComponent? {
        for type in types {
            if let entry = entry(of: type, generic: generic) { return found(entry, .exceptionType(type)) }
        }
        return nil
    }

    func find(category: String, generic: Bool) -> FoundComponent? {
        categories.longest(in: category, generic: generic).map { found($0.entry, .category(category)) }
    }

    func find(text: String, generic: Bool) -> FoundComponent? {
        words.longest(in: text, generic: generic).map { found($0.entry, .text($0.word)) }
    }

    /// Returns the component of the first of Microsoft's classes that a text names, other than one of a generic component.
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

    /// The entry with the longest beginning of this name; what is not generic is no less so for a generic name within it.
    private func entry(of name: String, generic: Bool) -> Int? {
        guard let longest = namespaces.first(where: { name.hasPrefix($0.prefix) }) else { return nil }
        return entries[longest.entry].component.isGeneric == generic ? longest.entry : nil
    }
}

/// The names of Microsoft's classes in the first words of a text.
struct ClassNames: Sequence {
    private let words: [Substring]
    private static let maximumWords = 200

    init(in text: String) {
        words = text.split(maxSplits: Self.maximumWords) { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }
    }

    /// Those of timer jobs, `Ns.Job (ID …)`, and those of frames, `at Ns.Class.Method`.
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
