/// A named argument without a value: `--quiet`.
///
/// ```swift
/// @Flag("--quiet", "-q", help: "…") var isQuiet
/// @Flag("--color", inverse: "--no-color", help: "…") var isColored = true
/// @Flag("--verbose", "-v", help: "…") var verbosity = 0    // -vv is 2
/// ```
@propertyWrapper
public struct Flag<Value: Sendable>: DeclaredArgument {
    let definition: ArgumentDefinition
    private let storage: ArgumentStorage<Value>
    private let change: @Sendable (_ isInverse: Bool, inout Value) -> Void
    private let initial: Value

    public var wrappedValue: Value { storage.value ?? initial }
    var isGiven: Bool { storage.isGiven }

    private init(
        _ definition: ArgumentDefinition,
        initial: Value,
        change: @escaping @Sendable (_ isInverse: Bool, inout Value) -> Void
    ) {
        self.definition = definition
        self.initial = initial
        self.change = change
        storage = ArgumentStorage(initial)
    }

    func take(_ value: String?, as name: String) throws(ArgumentExpectation) {
        guard value == nil else { throw ArgumentExpectation("no value") }
        let isInverse = definition.inverseNames.contains(name)
        try storage.update { stored throws(ArgumentExpectation) in
            var new = stored ?? initial
            change(isInverse, &new)
            stored = new
        }
    }
}

extension Flag where Value == Bool {
    /// Off unless given.
    public init(_ names: String..., help: ArgumentHelp) {
        self.init(ArgumentDefinition(kind: .flag, names: names, help: help), initial: false) { $1 = !$0 }
    }

    /// On or off; the last one given counts.
    public init(wrappedValue: Bool, _ names: String..., inverse: String, help: ArgumentHelp) {
        var definition = ArgumentDefinition(kind: .flag, names: names, inverseNames: [inverse], help: help)
        definition.defaultText = wrappedValue ? definition.displayName : inverse
        self.init(definition, initial: wrappedValue) { $1 = !$0 }
    }
}

extension Flag where Value == Bool? {
    /// On, off, or `nil` when neither is given; the last one given counts.
    public init(_ names: String..., inverse: String, help: ArgumentHelp) {
        let definition = ArgumentDefinition(kind: .flag, names: names, inverseNames: [inverse], help: help)
        self.init(definition, initial: nil) { $1 = !$0 }
    }
}

extension Flag where Value == Int {
    /// Counts how often it is given, from `wrappedValue`.
    public init(wrappedValue: Int, _ names: String..., help: ArgumentHelp) {
        self.init(ArgumentDefinition(kind: .flag, names: names, help: help, isRepeating: true), initial: wrappedValue) {
            $1 += 1
        }
    }
}
