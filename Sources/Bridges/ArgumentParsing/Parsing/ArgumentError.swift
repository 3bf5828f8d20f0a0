import Spelling

/// A command line that can't be understood: what is wrong, and what to do.
public struct ArgumentError: Error, Sendable, CustomStringConvertible {
    /// A fragment: `unknown option '--colection'`.
    public var message: String
    /// A sentence without its full stop, or a question: `Did you mean '--collection'?`.
    public var advice: String?

    public var description: String {
        guard let advice else { return message }
        return "\(message). \(advice)"
    }

    public init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    init(_ message: String, suggestion: String?) {
        self.init(message, advice: suggestion.map { "Did you mean '\($0)'?" })
    }

    static func repeated(_ name: String) -> Self { Self("\(name) is given twice") }

    static func flagWithValue(_ name: String) -> Self { Self("\(name) takes no value") }

    static func missingValue(_ definition: ArgumentDefinition, before next: String?) -> Self {
        let name = definition.displayName
        let message = "\(name) needs a value: \(name) \(definition.valueName)"
        guard let next else { return Self(message) }
        let attached = name.hasPrefix("--") ? name + "=" : name
        return Self(message, advice: "A value that begins with '-' is attached: \((attached + next).quoted)")
    }

    static func missing(_ definition: ArgumentDefinition) -> Self {
        let subject = definition.isPositional ? definition.valueName : definition.displayName + definition.valueSuffix
        let message = "missing \(subject): \(definition.help.text)"
        guard !definition.isPositional else { return Self(message) }
        let variable = definition.environmentName.map { ", or set \($0)" } ?? ""
        return Self(message, advice: "Give '\(subject)'\(variable)")
    }

    static func exclusive(_ names: [String]) -> Self {
        Self("\(names.joined(separator: " and ")) exclude each other", advice: "Give only one of them")
    }

    static func badValue(
        _ word: String,
        of definition: ArgumentDefinition,
        variable: String? = nil,
        expected: String
    ) -> Self {
        let place = variable.map { " in the environment variable \($0)" } ?? ""
        return Self(
            "\(word.quoted)\(place) is not a value for \(definition.displayName): expected \(expected)",
            suggestion: word.nearest(in: definition.candidates)
        )
    }
}

extension String {
    /// In quotes, and with nothing in it that a terminal would obey.
    var quoted: String {
        let scalars = unicodeScalars.map { scalar -> String in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: String(scalar)
            }
        }
        return "'" + scalars.joined() + "'"
    }
}
