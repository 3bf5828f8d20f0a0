/// A named argument with a value: `--collection NAME`.
///
/// A property without a default is required; an optional or an array is not. An array takes every value given.
///
/// ```swift
/// @Option("--collection", "-c", value: "NAME", environment: "COLLECTION", help: "…") var collection: String
/// @Option("--missing", value: "POLICY", help: "…") var missing = MissingPolicy.error
/// @Option("--tag", value: "TAG", completion: .values(["a", "b"]), help: "…") var tags: [String]
/// @Option("--dry-run", "-n", value: "SIDE", withoutValue: .client, help: "…") var dryRun: Side?
/// ```
@propertyWrapper
public struct Option<Value: Sendable>: DeclaredArgument {
    typealias Change = @Sendable (String?, inout Value?) throws(ArgumentExpectation) -> Void

    private(set) var definition: ArgumentDefinition
    private let storage: ArgumentStorage<Value>
    private let change: Change

    public var wrappedValue: Value {
        guard let value = storage.value else { preconditionFailure("\(definition.displayName) read before parsing") }
        return value
    }

    var isGiven: Bool { storage.isGiven }

    func take(_ value: String?, as name: String) throws(ArgumentExpectation) {
        try storage.update { stored throws(ArgumentExpectation) in try change(value, &stored) }
    }

    private init(_ definition: ArgumentDefinition, initial: Value?, change: @escaping Change) {
        self.definition = definition
        self.change = change
        storage = ArgumentStorage(initial)
        self.definition.isRequired = initial == nil
    }
}

extension Option where Value: ArgumentValue {
    /// A required option.
    public init(
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

    /// An option with a default, which help shows.
    public init(
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
    /// An option that may be absent.
    public init<Wrapped: ArgumentValue>(
        _ names: String...,
        value: String,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == Wrapped? {
        let definition = ArgumentDefinition.option(names, value, Wrapped.self, environment, completion, help)
        self.init(definition, initial: .some(nil)) { word, stored throws(ArgumentExpectation) in
            stored = .some(try Wrapped(argument: word ?? ""))
        }
    }

    /// An option whose value may be left out; a value is given by `=` only, `--dry-run=server` or `-n=server`.
    public init<Wrapped: ArgumentValue>(
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

    /// An option that may be given again and again.
    public init<Element: ArgumentValue>(
        _ names: String...,
        value: String,
        environment: String? = nil,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == [Element] {
        var definition = ArgumentDefinition.option(names, value, Element.self, environment, completion, help)
        definition.isRepeating = true
        self.init(definition, initial: []) { word, stored throws(ArgumentExpectation) in
            stored?.append(try Element(argument: word ?? ""))
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
