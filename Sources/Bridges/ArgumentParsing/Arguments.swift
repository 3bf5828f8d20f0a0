import Synchronization

/// An argument identified by its position: `ID ...`.
///
/// A property without a default is required, unless it is an optional or an array. An array takes all remaining
/// arguments.
@propertyWrapper
package struct Argument<Value: Sendable>: DeclaredArgument {
    private let storage: ArgumentStorage<Value>

    var definition: ArgumentDefinition { storage.definition }
    package var wrappedValue: Value { storage.parsed }
    var isGiven: Bool { storage.isGiven }

    func take(_ value: String?, as name: String) throws(ArgumentExpectation) { try storage.take(value) }
}

extension Argument where Value: ArgumentValue {
    /// A required argument.
    package init(_ name: String, completion: ArgumentCompletion? = nil, help: ArgumentHelp) {
        var definition = ArgumentDefinition.positional(name, Value.self, completion, help)
        definition.isRequired = true
        storage = ArgumentStorage(definition, nil) { word, stored throws(ArgumentExpectation) in
            stored = try Value(argument: word ?? "")
        }
    }

    /// An argument with a default, which is shown in the help.
    package init(wrappedValue: Value, _ name: String, completion: ArgumentCompletion? = nil, help: ArgumentHelp) {
        var definition = ArgumentDefinition.positional(name, Value.self, completion, help)
        definition.defaultText = wrappedValue.argumentText
        storage = ArgumentStorage(definition, wrappedValue) { word, stored throws(ArgumentExpectation) in
            stored = try Value(argument: word ?? "")
        }
    }
}

extension Argument {
    /// An argument that may be omitted.
    package init<Wrapped: ArgumentValue>(_ name: String, completion: ArgumentCompletion? = nil, help: ArgumentHelp)
    where Value == Wrapped? {
        let definition = ArgumentDefinition.positional(name, Wrapped.self, completion, help)
        storage = ArgumentStorage(definition, .some(nil)) { word, stored throws(ArgumentExpectation) in
            stored = .some(try Wrapped(argument: word ?? ""))
        }
    }

    /// An array of all remaining arguments; `isRequired` demands at least one.
    package init<Element: ArgumentValue>(
        _ name: String,
        isRequired: Bool = false,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == [Element] {
        var definition = ArgumentDefinition.positional(name, Element.self, completion, help)
        definition.isRepeating = true
        definition.isRequired = isRequired
        storage = ArgumentStorage(definition, []) { word, stored throws(ArgumentExpectation) in
            stored?.append(try Element(argument: word ?? ""))
        }
    }
}

extension ArgumentDefinition {
    fileprivate static func positional(
        _ name: String,
        _ type: any ArgumentValue.Type,
        _ completion: ArgumentCompletion?,
        _ help: ArgumentHelp
    ) -> Self {
        Self(
            kind: .positional,
            valueName: name,
            help: help,
            candidates: type.candidates,
            completion: completion,
            takesNumbers: type.mayBeNegative
        )
    }
}

/// A named argument without a value: `--quiet`.
///
/// ```swift
/// @Flag("--quiet", "-q", help: "…") var isQuiet
/// @Flag("--color", inverse: "--no-color", help: "…") var isColored = true
/// @Flag("--verbose", "-v", help: "…") var verbosity = 0    // -vv is 2
/// ```
@propertyWrapper
package struct Flag<Value: Sendable>: DeclaredArgument {
    private let storage: ArgumentStorage<Value>

    var definition: ArgumentDefinition { storage.definition }
    package var wrappedValue: Value { storage.parsed }
    var isGiven: Bool { storage.isGiven }

    private init(
        _ definition: ArgumentDefinition,
        initial: Value,
        change: @escaping @Sendable (_ isInverse: Bool, inout Value) -> Void
    ) {
        storage = ArgumentStorage(definition, initial) { name, stored throws(ArgumentExpectation) in
            var new = stored ?? initial
            change(definition.inverseNames.contains(name ?? ""), &new)
            stored = new
        }
    }

    func take(_ value: String?, as name: String) throws(ArgumentExpectation) {
        guard value == nil else { throw ArgumentExpectation("no value") }
        try storage.take(name)
    }
}

extension Flag where Value == Bool {
    /// A flag that is off unless given.
    package init(_ names: String..., help: ArgumentHelp) {
        self.init(ArgumentDefinition(kind: .flag, names: names, help: help), initial: false) { $1 = !$0 }
    }

    /// A flag that is off unless it is given by this name, or by a former name, which the help does not list.
    package init(_ name: String, formerly former: String, help: ArgumentHelp) {
        var definition = ArgumentDefinition(kind: .flag, names: [name], help: help)
        definition.formerNames = [former]
        self.init(definition, initial: false) { $1 = true }
    }

    /// A flag that is on or off; if it is repeated, the last occurrence counts.
    package init(wrappedValue: Bool, _ names: String..., inverse: String, help: ArgumentHelp) {
        var definition = ArgumentDefinition(kind: .flag, names: names, inverseNames: [inverse], help: help)
        definition.defaultText = wrappedValue ? definition.displayName : inverse
        self.init(definition, initial: wrappedValue) { $1 = !$0 }
    }
}

extension Flag where Value == Bool? {
    /// A flag that is on or off, or `nil` if it is not given; if it is repeated, the last occurrence counts.
    package init(_ names: String..., inverse: String, help: ArgumentHelp) {
        let definition = ArgumentDefinition(kind: .flag, names: names, inverseNames: [inverse], help: help)
        self.init(definition, initial: nil) { $1 = !$0 }
    }
}

extension Flag where Value == Int {
    /// A flag whose occurrences are counted, starting at `wrappedValue`.
    package init(wrappedValue: Int, _ names: String..., help: ArgumentHelp) {
        self.init(ArgumentDefinition(kind: .flag, names: names, help: help, isRepeating: true), initial: wrappedValue) {
            $1 += 1
        }
    }
}

/// A group of options that is declared once and shared by several commands: `@OptionGroup("Target") var target:
/// TargetOptions`.
///
/// A group that differs between commands is created where it is declared:
/// `@OptionGroup("Output") var output = OutputOptions(["text", "json"])`.
@propertyWrapper
package struct OptionGroup<Group: ArgumentDeclarations>: DeclaredGroup {
    private let storage: GroupStorage<Group>

    /// The group's heading in the help.
    var title: String { storage.title }
    package var wrappedValue: Group { storage.group }
    var members: any ArgumentDeclarations { wrappedValue }

    package init(wrappedValue: Group, _ title: String) { storage = GroupStorage(title, wrappedValue) }
}

extension OptionGroup where Group: OptionSetting {
    package init(_ title: String) { self.init(wrappedValue: Group(), title) }
}

extension OptionGroup: Sendable where Group: Sendable {}

/// The storage of an option group's wrapper; it is a class for the same reasons as `ArgumentStorage`.
private final class GroupStorage<Group> {
    let title: String
    let group: Group

    init(_ title: String, _ group: Group) {
        self.title = title
        self.group = group
    }
}

extension GroupStorage: Sendable where Group: Sendable {}

/// A type whose properties are options that several commands share.
package protocol OptionSetting: ArgumentDeclarations {
    init()
}

/// A named argument with a value: `--collection NAME`.
///
/// A property without a default is required, unless it is an optional or an array. An array takes every value given.
///
/// ```swift
/// @Option("--collection", "-c", value: "NAME", environment: "COLLECTION", help: "…") var collection: String
/// @Option("--missing", value: "POLICY", help: "…") var missing = MissingPolicy.error
/// @Option("--tag", value: "TAG", completion: .values(["a", "b"]), help: "…") var tags: [String]
/// @Option("--dry-run", "-n", value: "SIDE", withoutValue: .client, help: "…") var dryRun: Side?
/// ```
@propertyWrapper
package struct Option<Value: Sendable>: DeclaredArgument {
    private let storage: ArgumentStorage<Value>

    var definition: ArgumentDefinition { storage.definition }
    package var wrappedValue: Value { storage.parsed }
    var isGiven: Bool { storage.isGiven }

    func take(_ value: String?, as name: String) throws(ArgumentExpectation) { try storage.take(value) }

    private init(_ definition: ArgumentDefinition, initial: Value?, change: @escaping ArgumentStorage<Value>.Change) {
        var definition = definition
        definition.isRequired = initial == nil
        storage = ArgumentStorage(definition, initial, change)
    }
}

extension Option where Value: ArgumentValue {
    /// A required option.
    package init(
        _ names: String...,
        value: String,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) {
        let definition = ArgumentDefinition.option(names, value, Value.self, environment, completion, help)
        self.init(definition, initial: nil) { word, stored throws(ArgumentExpectation) in
            stored = try Value(argument: word ?? "")
        }
    }

    /// An option with a default, which is shown in the help.
    package init(
        wrappedValue: Value,
        _ names: String...,
        value: String,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) {
        var definition = ArgumentDefinition.option(names, value, Value.self, environment, completion, help)
        definition.defaultText = wrappedValue.argumentText
        self.init(definition, initial: wrappedValue) { word, stored throws(ArgumentExpectation) in
            stored = try Value(argument: word ?? "")
        }
    }
}

extension Option {
    /// An option that may be omitted.
    package init<Wrapped: ArgumentValue>(
        _ names: String...,
        formerly former: String? = nil,
        value: String,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == Wrapped? {
        var definition = ArgumentDefinition.option(names, value, Wrapped.self, environment, completion, help)
        if let former { definition.formerNames = [former] }
        self.init(definition, initial: .some(nil)) { word, stored throws(ArgumentExpectation) in
            stored = .some(try Wrapped(argument: word ?? ""))
        }
    }

    /// An option whose value may be omitted; a value is given only with `=`, as in `--dry-run=server` or `-n=server`.
    package init<Wrapped: ArgumentValue>(
        _ names: String...,
        value: String,
        withoutValue bare: Wrapped,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == Wrapped? {
        var definition = ArgumentDefinition.option(names, value, Wrapped.self, environment, completion, help)
        definition.kind = .optionalValue
        definition.bareText = bare.argumentText
        self.init(definition, initial: .some(nil)) { word, stored throws(ArgumentExpectation) in
            guard let word else {
                stored = .some(bare)
                return
            }
            stored = .some(try Wrapped(argument: word))
        }
    }

    /// An option that may be given repeatedly.
    package init<Element: ArgumentValue>(
        _ names: String...,
        formerly former: String? = nil,
        value: String,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == [Element] {
        var definition = ArgumentDefinition.option(names, value, Element.self, environment, completion, help)
        if let former { definition.formerNames = [former] }
        definition.isRepeating = true
        self.init(definition, initial: []) { word, stored throws(ArgumentExpectation) in
            stored?.append(try Element(argument: word ?? ""))
        }
    }
}

extension Option where Value: RawRepresentable, Value.RawValue == String {
    /// An option that accepts one of these values, which the help lists in this order; the type may have other values.
    package init(
        wrappedValue: Value,
        _ names: String...,
        value: String,
        among choices: [Value],
        foreignNames: [String: Value] = [:],
        help: ArgumentHelp,
        expecting expectation: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        let candidates = choices.map(\.rawValue)
        var definition = ArgumentDefinition(kind: .option, names: names, valueName: value, help: help)
        definition.candidates = candidates
        definition.foreignCandidates = foreignNames.mapValues(\.rawValue)
        definition.defaultText = wrappedValue.rawValue
        self.init(definition, initial: wrappedValue) { word, stored throws(ArgumentExpectation) in
            guard let word, candidates.contains(word), let value = Value(rawValue: word) else {
                if let text = word.flatMap(expectation) { throw ArgumentExpectation(text) }
                throw ArgumentExpectation("one of " + candidates.joined(separator: ", "))
            }
            stored = value
        }
    }
}

extension Option {
    /// An option that may be given repeatedly, whose values begin with one of the candidates and are read by `parse`.
    package init<Element>(
        _ names: String...,
        value: String,
        candidates: [String],
        help: ArgumentHelp,
        parse: @escaping @Sendable (String) throws(ArgumentExpectation) -> Element
    ) where Value == [Element] {
        var definition = ArgumentDefinition(kind: .option, names: names, valueName: value, help: help)
        definition.candidates = candidates
        definition.isRepeating = true
        self.init(definition, initial: []) { word, stored throws(ArgumentExpectation) in
            stored?.append(try parse(word ?? ""))
        }
    }
}

extension ArgumentDefinition {
    fileprivate static func option(
        _ names: [String],
        _ valueName: String,
        _ type: any ArgumentValue.Type,
        _ environment: String?,
        _ completion: ArgumentCompletion?,
        _ help: ArgumentHelp
    ) -> Self {
        Self(
            kind: .option,
            names: names,
            valueName: valueName,
            help: help,
            candidates: type.candidates,
            completion: completion,
            environmentName: environment,
            takesNumbers: type.mayBeNegative
        )
    }
}

/// The storage of a property wrapper.
///
/// This is a class because reflection returns copies of the wrapper, and because a command with eighty options would
/// otherwise be a huge value that is copied and destroyed field by field. A lock makes a command `Sendable` if its
/// values are.
final class ArgumentStorage<Value: Sendable>: Sendable {
    typealias Change = @Sendable (String?, inout Value?) throws(ArgumentExpectation) -> Void

    private struct State: Sendable {
        var value: Value?
        var isGiven = false
    }

    let definition: ArgumentDefinition
    private let change: Change
    private let state: Mutex<State>

    init(_ definition: ArgumentDefinition, _ value: Value?, _ change: @escaping Change) {
        self.definition = definition
        self.change = change
        state = Mutex(State(value: value))
    }

    var isGiven: Bool { state.withLock(\.isGiven) }
    var parsed: Value {
        guard let value = state.withLock(\.value) else {
            preconditionFailure("\(definition.displayName) read before parsing")
        }
        return value
    }

    func take(_ word: String?) throws(ArgumentExpectation) {
        try state.withLock { state throws(ArgumentExpectation) in
            try change(word, &state.value)
            state.isGiven = true
        }
    }
}

/// The definition of one declared argument, apart from its value.
struct ArgumentDefinition: Sendable {
    /// The way an argument is recognized, and whether it has a value.
    enum Kind: Sendable {
        case positional
        case flag
        case option
        /// The value may be omitted, and is given only with `=`: `--dry-run=server`.
        case optionalValue
    }

    var kind: Kind
    /// The names, such as `--collection` and `-c`; empty for a positional argument.
    var names: [String] = []
    /// The names that turn a flag off, such as `--no-color`.
    var inverseNames: [String] = []
    /// The names of earlier versions, which still work.
    var formerNames: [String] = []
    /// The value's name in the help: `NAME`.
    var valueName = ""
    var help: ArgumentHelp
    /// The allowed values, if there are few.
    var candidates: [String] = []
    /// The candidates, keyed by their names in other programs.
    var foreignCandidates: [String: String] = [:]
    var completion: ArgumentCompletion?
    /// The environment variable to read if the argument is not given.
    var environmentName: String?
    /// The default value for the help; `nil` if there is none.
    var defaultText: String?
    /// The value of an option that is given without a value, as shown in the help.
    var bareText: String?
    var isRequired = false
    /// Whether the argument takes all values given instead of one.
    var isRepeating = false
    /// Whether the argument's value may begin with a minus sign, as in `-5`.
    var takesNumbers = false

    var isPositional: Bool { kind == .positional }
    var isVisible: Bool { !help.isHidden }
    /// The first long name, which is self-explanatory, or else the first name.
    var displayName: String { names.first { $0.hasPrefix("--") } ?? names.first ?? valueName }
    var allNames: [String] { names + inverseNames }
    /// The names, short ones first, as readers of manuals expect.
    var namesInOrder: [String] {
        names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") } + inverseNames
    }

    /// The text after the name of an option: ` NAME`, `[=NAME]`, or nothing.
    var valueSuffix: String {
        switch kind {
        case .positional, .flag: ""
        case .option: " " + valueName
        case .optionalValue: "[=" + valueName + "]"
        }
    }

    /// The usage, such as `--collection NAME`, `[--dry-run]` or `[ID ...]`.
    var usage: String {
        let body = displayName + valueSuffix + (isRepeating ? " ..." : "")
        return isRequired ? body : "[\(body)]"
    }
}

/// A property of a command that gets its value from words of the command line.
protocol DeclaredArgument: Sendable {
    var definition: ArgumentDefinition { get }
    var isGiven: Bool { get }
    /// Sets the value given under a name, if any; for a positional argument, `name` is its value name.
    func take(_ value: String?, as name: String) throws(ArgumentExpectation)
}

/// A property of a command that contains further arguments.
protocol DeclaredGroup {
    var title: String { get }
    var members: any ArgumentDeclarations { get }
}

/// The arguments and groups that a command or group declares, in the order of their declaration.
struct Declarations {
    struct Group {
        var title: String
        var declarations: Declarations
    }

    let source: any ArgumentDeclarations
    var own: [any DeclaredArgument] = []
    var groups: [Group] = []

    init(of source: any ArgumentDeclarations) {
        self.source = source
        for child in Mirror(reflecting: source).children {
            if let argument = child.value as? any DeclaredArgument {
                own.append(argument)
            } else if let group = child.value as? any DeclaredGroup {
                groups.append(Group(title: group.title, declarations: Declarations(of: group.members)))
            }
        }
    }

    /// All arguments, including the groups' arguments.
    var all: [any DeclaredArgument] { own + groups.flatMap(\.declarations.all) }
    var visible: [ArgumentDefinition] { all.map(\.definition).filter(\.isVisible) }
    /// The visible arguments of the groups, with each heading listed once.
    var sections: [(title: String, arguments: [ArgumentDefinition])] {
        groups.reduce(into: []) { sections, group in
            let visible = group.declarations.visible
            if let index = sections.firstIndex(where: { $0.title == group.title }) {
                sections[index].arguments += visible
            } else {
                sections.append((group.title, visible))
            }
        }
    }
    var exclusive: [[String]] { type(of: source).exclusive + groups.flatMap(\.declarations.exclusive) }

    /// Validates groups before their owners, so that a command may rely on its groups.
    func validate() throws {
        for group in groups { try group.declarations.validate() }
        try source.validate()
    }
}

/// A value that can be written as one word on a command line.
///
/// An enum with string raw values only needs to declare the conformance: `enum Policy: String, CaseIterable,
/// ArgumentValue { case error, warn }`.
package protocol ArgumentValue: Sendable {
    /// Creates the value, or throws a description of what was expected, such as `a whole number`.
    init(argument word: String) throws(ArgumentExpectation)
    /// The allowed words, if there are few; for help, completion and correction.
    static var candidates: [String] { get }
    /// Whether `-5` is a value of this type, and therefore not an option unless an option with that name is declared.
    static var mayBeNegative: Bool { get }
    /// The word for this value, which the help shows if the value is a default.
    var argumentText: String { get }
}

/// A description of what was expected on the command line: "a whole number".
package struct ArgumentExpectation: Error, Sendable {
    package var text: String
    package init(_ text: String) { self.text = text }
}

extension ArgumentValue {
    package static var candidates: [String] { [] }
    package static var mayBeNegative: Bool { false }
    package var argumentText: String { String(describing: self) }
}

extension String: ArgumentValue {
    package init(argument word: String) { self = word }
}

extension Int: ArgumentValue {
    package static var mayBeNegative: Bool { true }

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let value = Int(word) else { throw ArgumentExpectation("a whole number") }
        self = value
    }
}

extension Double: ArgumentValue {
    package static var mayBeNegative: Bool { true }

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let value = Double(word), value.isFinite else { throw ArgumentExpectation("a number") }
        self = value
    }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    package init(argument word: String) throws(ArgumentExpectation) {
        guard let value = Self(rawValue: word) else {
            throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", "))
        }
        self = value
    }
    package static var candidates: [String] { allCases.map(\.rawValue) }
    package var argumentText: String { rawValue }
}

/// A number of bytes: `4096`, `10MiB` (binary), `1GB` (decimal).
package struct ByteCount: Hashable, Comparable, Sendable, ArgumentValue {
    package var bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    package static func < (one: Self, other: Self) -> Bool { one.bytes < other.bytes }

    private static let units: [(suffix: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000),
        ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("KB", 1000), ("B", 1),
    ]

    /// Creates a count from a word.
    ///
    /// The unit's case is ignored, but `10M` is refused, because it is ambiguous.
    package init(argument word: String) throws(ArgumentExpectation) {
        let digits = word.prefix { "0"..."9" ~= $0 }
        let suffix = word.dropFirst(digits.count).lowercased()
        let unit = suffix.isEmpty ? 1 : Self.units.first { $0.suffix.lowercased() == suffix }?.bytes
        guard let count = Int(digits), let unit, case (let bytes, false) = count.multipliedReportingOverflow(by: unit)
        else {
            let isAmbiguous = !digits.isEmpty && ["k", "m", "g", "t"].contains(suffix)
            throw ArgumentExpectation(
                isAmbiguous
                    ? "\(word)iB (in steps of 1024) or \(word)B (in steps of 1000)"
                    : "a size such as 4096, 10MiB or 1GB"
            )
        }
        self.bytes = bytes
    }

    /// The count in the largest unit that leaves no remainder.
    package var argumentText: String {
        guard bytes > 0, let unit = Self.units.first(where: { bytes % $0.bytes == 0 }), unit.bytes > 1 else {
            return "\(bytes)"
        }
        return "\(bytes / unit.bytes)" + unit.suffix
    }
}

/// A duration such as `30s`, `5m`, `1h30m` or `250ms`: whole numbers with units, the longer unit first; `0` needs no
/// unit.
extension Duration: ArgumentValue {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60000), ("s", 1000), ("ms", 1),
    ]

    package init(argument word: String) throws(ArgumentExpectation) {
        guard let total = word == "0" ? 0 : Self.milliseconds(of: word) else {
            throw ArgumentExpectation("a duration such as 30s, 5m, 1h30m or 250ms")
        }
        self = .milliseconds(total)
    }

    private static func milliseconds(of word: String) -> Int64? {
        var (rest, total, unitsLeft) = (word[...], Int64(0), units[...])
        repeat {
            let digits = rest.prefix { "0"..."9" ~= $0 }
            let suffix = rest.dropFirst(digits.count).prefix { !("0"..."9" ~= $0) }
            rest = rest.dropFirst(digits.count + suffix.count)
            guard let count = Int64(digits), let index = unitsLeft.firstIndex(where: { $0.suffix == suffix }) else {
                return nil
            }
            let (part, isTooLong) = count.multipliedReportingOverflow(by: units[index].milliseconds)
            let (sum, isOverflow) = total.addingReportingOverflow(part)
            guard !isTooLong, !isOverflow else { return nil }
            total = sum
            unitsLeft = units[(index + 1)...]
        } while !rest.isEmpty
        return total
    }

    package var argumentText: String {
        let (seconds, attoseconds) = components
        var rest = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        // 30d is easier to read than 4w2d.
        let parts = Self.units.dropFirst().map { unit in
            defer { rest %= unit.milliseconds }
            return rest / unit.milliseconds == 0 ? "" : "\(rest / unit.milliseconds)" + unit.suffix
        }
        let text = parts.joined()
        return text.isEmpty ? "0" : text
    }
}
