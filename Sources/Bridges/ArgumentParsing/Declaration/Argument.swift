/// An argument known by its place: `ID ...`.
///
/// A property without a default is required; an optional or an array is not, and an array takes all that are left.
@propertyWrapper
public struct Argument<Value: Sendable>: DeclaredArgument {
    let definition: ArgumentDefinition
    private let storage: ArgumentStorage<Value>
    private let change: @Sendable (String, inout Value?) throws(ArgumentExpectation) -> Void

    public var wrappedValue: Value {
        guard let value = storage.value else { preconditionFailure("\(definition.displayName) read before parsing") }
        return value
    }

    var isGiven: Bool { storage.isGiven }

    func take(_ value: String?, as name: String) throws(ArgumentExpectation) {
        try storage.update { stored throws(ArgumentExpectation) in try change(value ?? "", &stored) }
    }
}

extension Argument where Value: ArgumentValue {
    /// A required argument.
    public init(_ name: String, completion: ArgumentCompletion? = nil, help: ArgumentHelp) {
        var definition = ArgumentDefinition.positional(name, Value.self, completion, help)
        definition.isRequired = true
        self.definition = definition
        storage = ArgumentStorage(nil)
        change = { word, stored throws(ArgumentExpectation) in stored = try Value(argument: word) }
    }

    /// An argument with a default, which help shows.
    public init(wrappedValue: Value, _ name: String, completion: ArgumentCompletion? = nil, help: ArgumentHelp) {
        var definition = ArgumentDefinition.positional(name, Value.self, completion, help)
        definition.defaultText = wrappedValue.argumentText
        self.definition = definition
        storage = ArgumentStorage(wrappedValue)
        change = { word, stored throws(ArgumentExpectation) in stored = try Value(argument: word) }
    }
}

extension Argument {
    /// An argument that may be left out.
    public init<Wrapped: ArgumentValue>(_ name: String, completion: ArgumentCompletion? = nil, help: ArgumentHelp)
    where Value == Wrapped? {
        definition = .positional(name, Wrapped.self, completion, help)
        storage = ArgumentStorage(.some(nil))
        change = { word, stored throws(ArgumentExpectation) in stored = .some(try Wrapped(argument: word)) }
    }

    /// All arguments that are left; `isRequired` asks for one at least.
    public init<Element: ArgumentValue>(
        _ name: String,
        isRequired: Bool = false,
        completion: ArgumentCompletion? = nil,
        help: ArgumentHelp
    ) where Value == [Element] {
        var definition = ArgumentDefinition.positional(name, Element.self, completion, help)
        definition.isRepeating = true
        definition.isRequired = isRequired
        self.definition = definition
        storage = ArgumentStorage([])
        change = { word, stored throws(ArgumentExpectation) in stored?.append(try Element(argument: word)) }
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
