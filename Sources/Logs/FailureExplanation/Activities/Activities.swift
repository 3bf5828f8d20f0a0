import BuiltInFiles
import TextKit

/// SharePoint's activities, and the signs by which a failure reveals them.
///
/// The data is read on first use, so commands that don't need it pay nothing.
package enum Activities {
    /// All activities, in the order of their files; each has only the causes that have no condition.
    package static var all: [Activity] { ActivityMap.builtIn.entries.all.map(\.activity) }

    /// Finds the activity during which something failed.
    ///
    /// The innermost frame with an activity takes precedence, followed by words that only one activity writes, or by a
    /// class name, such as that of a timer job. An activity that contains many others counts only if nothing else is
    /// known.
    ///
    /// - Parameters:
    ///   - text: The message.
    ///   - chains: The exceptions in it.
    ///   - codes: The codes in it.
    /// - Returns: The activity with the causes that fit; `nil` if no activity is known.
    static func find(in text: String, _ chains: [ExceptionChain], _ codes: [FoundCode]) -> FoundActivity? {
        let map = ActivityMap.builtIn
        let traces = chains.map { map.activities(of: $0.frames) }
        let words = map.find(text)
        let isGeneric = { (number: Int) in map.generic[number] }
        // The runtime's activity is less specific than the part of SharePoint that called it.
        let all = traces.joined()
        let innermost =
            all.first { !isGeneric($0.entry) && !$0.frame.isRuntime } ?? all.first { !isGeneric($0.entry) }
        typealias Found = (Int, FoundActivity.Evidence)
        let found: Found? =
            innermost.map { ($0.entry, FoundActivity.Evidence.frame($0.frame)) }
            ?? words.flatMap { isGeneric($0.entry) ? nil : ($0.entry, .text($0.words)) }
            ?? map.find(namesIn: text).map { ($0.entry, .text($0.words)) }
            ?? words.map { ($0.entry, .text($0.words)) }
            ?? all.first.map { ($0.entry, .frame($0.frame)) }
        guard let (number, evidence) = found else { return nil }
        let entry = map.entries[number]
        let outer = map.outermost(beyond: number, in: traces)
        let signs = ActivitySigns(chains, codes)
        let own = entry.conditional.filter { signs.meet($0.condition) }.map(\.cause)
        var activity = entry.activity
        activity.causes = own + (signs.areGeneral && own.isEmpty ? activity.causes : [])
        return FoundActivity(
            activity: activity,
            evidence: evidence,
            outer: outer,
            isOfFailure: !own.isEmpty,
            isSpecific: !own.isEmpty || !activity.causes.isEmpty && !activity.isGeneric
        )
    }
}

/// The codes and exceptions of a failure, against which conditions are checked.
private struct ActivitySigns {
    private var conditions: Set<ActivityEntry.Condition> = []
    /// True if no code and no exception type is specific, so usual causes may be shown.
    private(set) var areGeneral: Bool

    init(_ chains: [ExceptionChain], _ codes: [FoundCode]) {
        for found in codes {
            conditions.insert(.code(CodeKey(found.code.space, found.code.plain)))
            if let kind = found.code.kind { conditions.insert(.kind(kind)) }
            // Add a number embedded in an HRESULT, as in 0x80070005.
            if let inner = StructuredCode(found.code.number)?.inner, found.code.space == .hresult {
                conditions.insert(.code(inner))
            }
        }
        for type in chains.flatMap(\.links).compactMap(\.type) {
            conditions.insert(.exception(StackFrame.lastName(of: type)))
        }
        let types = chains.compactMap(\.headline.type).map(StackFrame.lastName)
        let isUnknown = { (found: FoundCode) in
            found.evidence == .number && found.code.meaning == nil && found.code.number != FailureCode.unspecified
        }
        areGeneral =
            codes.allSatisfy { $0.code.causes.isEmpty || $0.code.kind?.givesNoReason == true }
            && !codes.contains(where: isUnknown)
            && types.allSatisfy(Self.generalTypes.contains)
    }

    func meet(_ condition: ActivityEntry.Condition) -> Bool { conditions.contains(condition) }

    /// The types of exceptions that any code may throw for any reason.
    private static let generalTypes = """
        Exception SystemException ApplicationException NullReferenceException ArgumentException
        ArgumentNullException ArgumentOutOfRangeException InvalidOperationException COMException SPException
        SqlException FaultException FormatException IndexOutOfRangeException KeyNotFoundException
        InvalidCastException HttpException TargetInvocationException UnauthorizedAccessException SPUpgradeException
        PostSetupConfigurationTaskException FileNotFoundException DirectoryNotFoundException
        """.wordSet
}

/// The activities, with tables for finding them.
struct ActivityMap: Sendable {
    static let builtIn = ActivityMap(BuiltInFile.activities.map { ActivityFile($0.text) })

    let entries: SectionEntries<ActivityEntry>
    /// For each entry, whether other activities are more specific.
    let generic: [Bool]
    /// The entries by `Type.Method` or `Type`.
    private let frames: [String: Int]
    private let texts: WordTable

    init(_ files: [ActivityFile]) {
        entries = SectionEntries(files)
        var generic = entries.indices.map { _ in false }
        var frames: [String: Int] = [:]
        var keys: [(prefix: String, entry: Int)] = []
        for index in entries.indices {
            entries.forEachMember(of: index) { key, value in
                if key.elementsEqual("frame".utf8) {
                    for frame in value.items(UInt8(ascii: ",")) { frames[frame] = index }
                } else if key.elementsEqual("text".utf8) {
                    keys.append((String(decoding: value, as: UTF8.self), index))
                } else if key.elementsEqual("generic".utf8) {
                    generic[index] = value.elementsEqual("yes".utf8)
                }
            }
        }
        self.generic = generic
        self.frames = frames
        let longestFirst = order(of: keys.count) { keys[$0].prefix.utf8.count > keys[$1].prefix.utf8.count }
        texts = WordTable(longestFirst.map { keys[$0] }, generic: entries.indices.map { _ in false })
    }

    /// An activity in a stack trace.
    typealias Place = (entry: Int, frame: StackFrame)

    /// Returns the activities of the frames that have one, the innermost first.
    func activities(of trace: [StackFrame]) -> [Place] {
        // Other vendors' classes may have the same names as Microsoft's.
        trace.filter(\.isMicrosoft).compactMap { frame in entry(of: frame.name).map { ($0, frame) } }
    }

    /// Returns the outermost activity of the trace that contains the given activity, if the two differ; if no trace
    /// contains it, because only the text mentions it, the first trace is used.
    func outermost(beyond number: Int, in traces: [[Place]]) -> Activity? {
        let trace = traces.first { $0.contains { $0.entry == number } } ?? traces.first ?? []
        let start = trace.firstIndex { $0.entry == number }.map { $0 + 1 } ?? 0
        // The runtime calls back into SharePoint, so its frames enclose everything.
        let outer = trace[start...].last { !$0.frame.isRuntime }.map { entries[$0.entry].activity }
        return outer?.name == entries[number].activity.name ? nil : outer
    }

    /// Returns the activity with the longest matching words in the text.
    func find(_ text: String) -> (entry: Int, words: String)? {
        texts.longest(in: text, generic: false).map { ($0.entry, $0.word) }
    }

    /// Returns the activity of the first Microsoft class that ran, according to the text.
    ///
    /// The class is either that of a timer job, followed by its ID in any language, or one in a trace without
    /// arguments: a class that is merely mentioned may not have run.
    func find(namesIn text: String) -> (entry: Int, words: String)? {
        for name in ClassNames(in: text).running {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { continue }
            let type = name[name.utf8.index(after: dot)...]
            guard let entry = frames[String(type)] ?? entry(of: name), !generic[entry] else { continue }
            return (entry, String(type))
        }
        return nil
    }

    /// Looks up the method with its type, then the type alone, then the type that encloses a compiler-generated one
    /// such as `<>c__DisplayClass2`.
    private func entry(of name: String) -> Int? {
        let dots = name.utf8.indices.filter { name.utf8[$0] == UInt8(ascii: ".") }
        guard let last = dots.last else { return nil }
        func part(_ dot: String.Index?, _ end: String.Index) -> String {
            String(name[(dot.map { name.utf8.index(after: $0) } ?? name.startIndex)..<end])
        }
        let before = dots.dropLast()
        if let found = frames[part(before.last, name.endIndex)] ?? frames[part(before.last, last)] { return found }
        // The other parts are namespaces, whose names are not distinctive.
        guard let outer = before.last, part(before.last, last).hasPrefix("<") else { return nil }
        return frames[part(before.dropLast().last, outer)]
    }
}

/// Something that SharePoint does, such as creating the columns of a feature, and the usual causes of its failure.
package struct Activity: Sendable, Equatable {
    /// A short name that stays the same: `provision-fields`.
    package var id: String
    /// The name in a few words: "creating the site columns and content types of a feature".
    package var name: String
    /// The ID of the component that performs the activity; `nil` if several do.
    package var component: String?
    /// The usual causes of its failure, most frequent first.
    package var causes: [String]
    /// The first checks to make, all read-only.
    package var checks: [Check]
    /// True for an activity that contains many others, such as the run of a timer job, and is therefore less specific.
    package var isGeneric: Bool
}

/// An activity during which a failure happened, and the evidence for it.
package struct FoundActivity: Sendable, Equatable {
    package enum Evidence: Sendable, Equatable {
        /// A frame of the stack trace, which makes the activity certain.
        case frame(StackFrame)
        /// Words that only this activity writes, which make it likely.
        case text(String)
    }

    /// The activity, with only those causes that match the codes and exceptions of this failure.
    package var activity: Activity
    package var evidence: Evidence
    /// The enclosing activity, further out in the stack trace; `nil` if none is known.
    package var outer: Activity?
    /// True if the causes fit the codes and exceptions of this failure; otherwise they are those of any failure of the
    /// activity.
    package var isOfFailure: Bool
    /// True if the causes are only possible.
    package var isSupposed: Bool { !isOfFailure || activity.causes.count > 1 }
    /// True if the activity has a cause that fits the codes and exceptions of this failure.
    package var isSpecific: Bool
}

/// The format of the files in `Rules/Activities`, which consist of sections: ``SectionFile``.
///
/// ```
/// [provision-fields] creating the site columns and content types of a feature
/// of: solutions
/// frame: SPElementDefinitionCollection.ProvisionFieldsAndContentTypes
/// text: Failed to provision content type
/// usually: A content type of the feature names a column that does not exist yet.
/// usually(refusal): The account that activates the feature has no Full Control on the site.
/// check: Which features the site has :: Get-SPFeature -Site URL
/// ```
///
/// A frame is the end of a qualified method name, or of a type name alone. A line may have several frames; each text
/// has its own line, matches only at the start of a word, and ignores case. The text in parentheses is a condition: a
/// kind of code (``FailureCode/Kind``), a code (`sql:2601`), or the last name of an exception's type; `, ` separates
/// several. `generic: yes` marks an activity that contains many others.
typealias ActivityFile = EntryFile<ActivityEntry>

/// An activity with its evidence.
struct ActivityEntry: SectionEntry {
    var activity = Activity(id: "", name: "", causes: [], checks: [], isGeneric: false)
    var frames: [String] = []
    var texts: [String] = []
    /// The causes that require a code or an exception.
    var conditional: [(condition: Condition, cause: String)] = []

    enum Condition: Hashable {
        case kind(FailureCode.Kind)
        case code(CodeKey)
        case exception(String)

        init?(_ text: Substring) {
            if let kind = FailureCode.Kind(rawValue: String(text)) {
                self = .kind(kind)
            } else if text.utf8.contains(UInt8(ascii: ":")) {
                guard let key = CodeKey(ArraySlice(text.utf8)) else { return nil }
                self = .code(key)
            } else {
                self = .exception(String(text))
            }
        }
    }

    mutating func read(_ line: SectionFile.Content) -> Bool {
        switch line {
        case .heading(let id, let name): (activity.id, activity.name) = (id, name)
        case .check(let check): activity.checks.append(check)
        case .member("of", let value): activity.component = String(value)
        case .member("frame", let value): frames += value.items(UInt8(ascii: ","))
        case .member("text", let value): texts.append(String(value))
        case .member("generic", let value): activity.isGeneric = value == "yes"
        case .member("usually", let value): activity.causes.append(String(value))
        case .member(let key, let value):
            guard key.hasPrefix("usually("), key.hasSuffix(")") else { return false }
            for text in key.dropFirst("usually(".count).dropLast().split(whereSeparator: { ", ".contains($0) }) {
                guard let condition = Condition(text) else { return false }
                conditional.append((condition, String(value)))
            }
        }
        return true
    }
}
