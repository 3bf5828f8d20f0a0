import BuiltInFiles
import Files
import Glibc
import YAML

/// A library of rules: those that come with the program, and those from the given folders.
public struct RuleLibrary: Sendable {
    /// A rule, and the files it was read from.
    public struct Entry: Sendable {
        /// The rule.
        public var rule: Rule
        /// The text of the rule's file.
        public var source: RuleFile {
            switch origin {
            case .builtIn(let file): RuleFile(name: file.name, text: file.text)
            case .given(let file): file
            }
        }
        fileprivate let origin: Origin
        /// The text of the rule's test file; `nil` if the rule has none, or if that is unknown.
        public var tests: RuleFile?
        /// Whether the rule comes with the program.
        public var isBuiltIn: Bool
        /// Whether the rule's tests are known.
        ///
        /// The program contains its rules without their tests, which are in the `Rules` folder of the source
        /// repository.
        public var testsAreKnown: Bool

        /// The origin of the text of a rule's file; the text of a built-in rule is copied when it is requested.
        fileprivate enum Origin {
            case builtIn(BuiltInFile)
            case given(RuleFile)
        }
    }

    /// The entries, sorted by ID.
    public private(set) var entries: [Entry] = []

    /// Creates an empty library.
    public init() {}

    /// Returns the rules that come with the program; their tests are not known.
    public static func builtIn() throws(RuleError) -> RuleLibrary { try prepared.get() }

    /// The rules that come with the program, which are read once per process.
    ///
    /// A file added after the prepared form was written is read as YAML; see ``PreparedRules``.
    private static let prepared = Result { () throws(RuleError) in
        var rules: [RuleID: Rule] = [:]
        for rule in try PreparedRules.rules(in: BuiltInFile.preparedRules.text) { rules[rule.id] = rule }
        var library = RuleLibrary()
        for file in BuiltInFile.rules {
            let known = RuleFile(name: file.name, text: "").nominal.flatMap { rules[$0.id] }
            let rule: Rule
            if let known { rule = known } else { rule = try Rule(yaml: file.text, file: file.name) }
            let entry = Entry(rule: rule, origin: .builtIn(file), isBuiltIn: true, testsAreKnown: false)
            library.entries.append(entry)
        }
        library.entries.sort { $0.rule.id < $1.rule.id }
        return library
    }

    /// The IDs of the rules that come with the program.
    package static var builtInIDs: [RuleID] {
        BuiltInFile.rules.compactMap { RuleFile(name: $0.name, text: "").nominal?.id }
    }

    /// Adds the rules in a folder; a rule replaces an existing rule with the same ID and its tests.
    ///
    /// A built-in rule still counts as built in if its copy in the folder is unchanged, or if the folder contains only
    /// its tests.
    public mutating func add(folder: String) throws(RuleError) {
        try add(RuleFolder.read(folder), isBuiltIn: false)
    }

    /// Adds a rule from its text, in the format of a file `FSnnnn.yaml`; it replaces an existing rule with the same ID
    /// and its tests.
    public mutating func add(yaml: String) throws(RuleError) {
        let rule = try Rule(yaml: yaml, file: "rule")
        try add([RuleFile(name: "\(rule.id).yaml", text: yaml)])
    }

    /// Adds rules and tests, each identified by its file name.
    package mutating func add(_ texts: [RuleFile], isBuiltIn: Bool = false) throws(RuleError) {
        for text in texts where text.nominal?.isTests == false {
            let rule = try Rule(yaml: text.text, file: text.name)
            guard rule.id == text.nominal?.id else {
                throw RuleError(file: text.name, message: "it defines rule \(rule.id); name the file \(rule.id).yaml")
            }
            guard !ProgramRule.allIDs.contains(rule.id) else {
                throw RuleError(file: text.name, message: "\(rule.id) is a built-in rule's ID: use another one")
            }
            var entry = Entry(rule: rule, origin: .given(text), isBuiltIn: isBuiltIn, testsAreKnown: !isBuiltIn)
            if let index = index(of: rule.id) {
                let old = entries[index]
                if old.isBuiltIn, old.source.text == text.text { entry.isBuiltIn = true }
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
        for text in texts {
            guard let (id, isTests) = text.nominal, isTests else { continue }
            guard let index = index(of: id) else {
                throw RuleError(file: text.name, message: "it tests \(id), which does not exist")
            }
            entries[index].tests = text
            entries[index].testsAreKnown = true
        }
        entries.sort { $0.rule.id < $1.rule.id }
    }

    private func index(of id: RuleID) -> Int? { entries.firstIndex { $0.rule.id == id } }

    /// The rule with an ID, and the files it was read from.
    public subscript(id: RuleID) -> Entry? { entries.first { $0.rule.id == id } }

    /// All rules, sorted by ID.
    public var rules: [Rule] { entries.map(\.rule) }

    /// Returns all rules, ready to run.
    public func ruleSet() throws(RuleError) -> RuleSet { try Self.ruleSet(entries) }

    /// Returns the rules of some entries, ready to run.
    public static func ruleSet(_ entries: [Entry]) throws(RuleError) -> RuleSet {
        do throws(RuleError) {
            return try RuleSet.compiled(entries.map(\.rule), areTrusted: entries.allSatisfy(\.isBuiltIn))
        } catch {
            // A rule does not store the path of its file.
            let file = entries.first { "\($0.rule.id).yaml" == error.file }?.source.name
            throw RuleError(file: file ?? error.file, place: error.place, message: error.message)
        }
    }
}

extension RuleSet {
    /// Returns the rules that come with the program.
    public static func builtIn() throws(RuleError) -> RuleSet { try RuleLibrary.builtIn().ruleSet() }
}

/// A folder of rules, as given with `--rules`.
package enum RuleFolder {
    /// The maximum number of names in a folder.
    static let maximumFiles = 1000
    /// The maximum size of a file, in bytes.
    private static let maximumBytes = 256 << 10
    /// The maximum total size of all files, in bytes.
    private static let maximumTotal = 32 << 20

    /// Returns the texts of all rules and tests in a folder, sorted by name.
    ///
    /// The folder may contain other files, but no YAML except suppressions: a misspelled name would hide a rule.
    package static func read(_ path: String) throws(RuleError) -> [RuleFile] {
        let names = try names(in: path).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
        let folder = path.hasSuffix("/") ? path : path + "/"
        var texts: [RuleFile] = []
        var total = 0
        for name in names where name != SuppressionFile.standardName {
            let file = folder + name
            guard RuleFile(name: name, text: "").nominal != nil else {
                throw RuleError(file: file, message: "rules are named FSnnnn.yaml, and their tests FSnnnn.tests.yaml")
            }
            texts.append(RuleFile(name: file, text: try text(of: file)))
            total += texts[texts.count - 1].text.utf8.count
            guard total <= maximumTotal else {
                throw RuleError(file: file, message: "rules up to this one exceed \(maximumTotal >> 20) MiB")
            }
        }
        if texts.isEmpty { throw RuleError(file: path, message: "there are no rules: no file is named FSnnnn.yaml") }
        return texts
    }

    private static func names(in path: String) throws(RuleError) -> [String] {
        do throws(FileError) {
            return try Folder.names(path, maximum: maximumFiles)
        } catch {
            let message =
                switch error.reason {
                case .tooMany: "this folder contains more than \(maximumFiles) files"
                case .system(ENOTDIR): "\(error.reason); name the folder that contains the rules"
                default: "\(error.reason)"
                }
            throw RuleError(file: path, message: message)
        }
    }

    private static func text(of path: String) throws(RuleError) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            // A symbolic link may point anywhere.
            bytes = try SmallFile.read(path, maximum: maximumBytes, followsLinks: false)
        } catch {
            let message =
                switch error.reason {
                case .folder, .special: "it is not a regular file"
                case .tooLarge: "it is longer than \(maximumBytes >> 10) KiB, the limit for a rule"
                case .system(ELOOP): "it is a symbolic link, which is not followed"
                default: "\(error.reason)"
                }
            throw RuleError(file: path, message: message)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RuleError(file: path, message: "it is not UTF-8")
        }
        return text
    }
}

/// A file with a rule or its tests.
public struct RuleFile: Sendable, Hashable {
    /// The file's name in errors: its path, or `FS0101.yaml` for a file that is compiled in.
    public var name: String
    /// The text of the file.
    public var text: String

    /// Creates a file in memory.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// The rule ID in the file's name, and whether the file holds tests; `nil` for any other name.
    package var nominal: (id: RuleID, isTests: Bool)? {
        let parts = (name.split(separator: "/").last ?? "").split(separator: ".").map(String.init)
        guard parts.count >= 2, parts.last == "yaml", let id = RuleID(parts[0]), id.text == parts[0] else { return nil }
        if parts.count == 2 { return (id, false) }
        return parts.count == 3 && parts[1] == "tests" ? (id, true) : nil
    }
}

/// A set of rules that run together, ready to receive events.
public struct RuleSet: Sendable {
    /// The rules, sorted by ID.
    public let rules: [Rule]
    let selectors: CompiledSelectors
    /// The indices of the rules, each before the rules that it supersedes.
    let order: [Int]

    /// Creates a set, compiling the patterns of the rules.
    ///
    /// - Parameter rules: The rules, in any order.
    /// - Throws: ``RuleError`` if two rules have the same ID, if rules supersede each other, or if an expression cannot
    ///   be compiled.
    public init(_ rules: [Rule]) throws(RuleError) { self = try Self.compiled(rules, areTrusted: false) }

    /// Creates a set of rules from their texts, in the format of files `FSnnnn.yaml`.
    ///
    /// ```swift
    /// let rules = try RuleSet(yaml: text)
    /// let report = try Diagnosis(rules: rules).report(on: LogReader(inputs: ["/logs"]))
    /// ```
    ///
    /// - Parameter yaml: The texts, each with one rule of at most 256 KiB, in any order.
    /// - Throws: ``RuleError`` with the problem and its place; a text that is not a rule is called `rule`.
    public init(yaml: String...) throws(RuleError) {
        var library = RuleLibrary()
        for text in yaml {
            let id = try Rule(yaml: text, file: "rule").id
            guard library[id] == nil else { throw RuleError(file: "rule", message: "two rules have the ID \(id)") }
            try library.add(yaml: text)
        }
        self = try library.ruleSet()
    }

    /// Creates a set, compiling only those patterns that are not among the compiled ones.
    package init(_ rules: [Rule], sets: PatternSets) throws(RuleError) {
        self = try Self.compiled(rules, areTrusted: false, sets: sets)
    }

    private init(rules: [Rule], selectors: CompiledSelectors, order: [Int]) {
        self.rules = rules
        self.selectors = selectors
        self.order = order
    }

    /// Compiles rules; those that come with the program are trusted, because the program's tests have compiled them.
    fileprivate static func compiled(
        _ rules: [Rule],
        areTrusted: Bool,
        sets: PatternSets? = nil
    ) throws(RuleError) -> RuleSet {
        let rules = rules.sorted { $0.id < $1.id }
        for (one, next) in zip(rules, rules.dropFirst()) where one.id == next.id {
            throw RuleError(file: "\(one.id).yaml", message: "two rules have the ID \(one.id)")
        }
        let selectors = try CompiledSelectors(rules, areTrusted: areTrusted, sets: sets)
        return RuleSet(rules: rules, selectors: selectors, order: try order(rules))
    }

    /// Whether any rule's evidence begins with the first problem of a request.
    var haveLeads: Bool { rules.contains { $0.lead != nil } }

    private static func order(_ rules: [Rule]) throws(RuleError) -> [Int] {
        var order: [Int] = []
        var left = Array(rules.indices)
        while !left.isEmpty {
            let free = left.filter { number in
                !left.contains { $0 != number && rules[$0].supersedes.contains(rules[number].id) }
            }
            guard !free.isEmpty else {
                let names = left.map { rules[$0].id.text }.joined(separator: ", ")
                throw RuleError(file: "rules", message: "these rules supersede each other: \(names)")
            }
            order += free
            left.removeAll { free.contains($0) }
        }
        return order
    }
}

/// A small YAML or JSON file that accompanies a diagnosis, with suppressions, expectations, a baseline, or facts about
/// a farm.
///
/// The file may be a symbolic link because, unlike a rule, it is named by the person who runs the command.
struct CompanionFile {
    let path: String
    /// The maximum number of bytes that are read.
    let maximumBytes: Int
    /// The maximum number of values that are decoded: scalars, sequences and mappings together.
    var maximumValues = YAMLLimits().nodes

    private static let depth = 8

    /// Returns the text of the file, without a byte-order mark.
    ///
    /// `remedy` is advice on writing the file, for the error about a wrong encoding.
    func text(remedy: String? = nil) throws(RuleError) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, maximum: maximumBytes, followsLinks: true)
        } catch {
            throw RuleError(file: path, message: "\(error.reason)")
        }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            throw RuleError(file: path, message: "it is not UTF-8" + (remedy.map { ": \($0)" } ?? ""))
        }
        return text
    }

    /// Decodes the text of the file; JSON is also YAML.
    func decode<Document: Decodable>(_ text: String) throws(RuleError) -> Document {
        var limits = YAMLLimits()
        limits.bytes = maximumBytes
        limits.nodes = maximumValues
        limits.depth = Self.depth
        do throws(YAMLError) {
            return try YAMLDecoder(limits: limits).decode(from: text)
        } catch {
            // A link may point to any file, and an error quotes the contents, which must not end up in a build log.
            guard !FileLink.isOne(path) else {
                throw RuleError(
                    file: path,
                    message: "it is a link to a file of another kind, whose content is not quoted"
                )
            }
            throw RuleError(error, file: path)
        }
    }
}
