/// What is known of one declared argument, apart from its value.
struct ArgumentDefinition: Sendable {
    /// How an argument is recognized, and whether a value comes with it.
    enum Kind: Sendable {
        case positional
        case flag
        case option
        /// The value may be left out, and is given by `=` only: `--dry-run=server`.
        case optionalValue
    }

    var kind: Kind
    /// `--collection`, `-c`; empty for a positional.
    var names: [String] = []
    /// `--no-color`, for a flag that can be turned off.
    var inverseNames: [String] = []
    /// How help calls the value: `NAME`.
    var valueName = ""
    var help: ArgumentHelp
    /// The values that may be given, where they are few.
    var candidates: [String] = []
    var completion: ArgumentCompletion?
    /// Read when the argument is not given.
    var environmentName: String?
    /// Shown in help; `nil` where there is none.
    var defaultText: String?
    /// What an option means when its value is left out.
    var bareText: String?
    var isRequired = false
    /// Takes every value it is given instead of one.
    var isRepeating = false
    /// May be written `-5`.
    var takesNumbers = false

    var isPositional: Bool { kind == .positional }
    var isVisible: Bool { !help.isHidden }
    /// The first long name, because that is the one that explains itself.
    var displayName: String { names.first { $0.hasPrefix("--") } ?? names.first ?? valueName }
    var allNames: [String] { names + inverseNames }
    /// Short before long, as readers of manuals expect.
    var namesInOrder: [String] {
        names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") } + inverseNames
    }

    /// ` NAME`, `[=NAME]`, or nothing: what follows the name of an option.
    var valueSuffix: String {
        switch kind {
        case .positional, .flag: ""
        case .option: " " + valueName
        case .optionalValue: "[=" + valueName + "]"
        }
    }

    /// `--collection NAME`, `[--dry-run]`, `[ID ...]`.
    var usage: String {
        let body = displayName + valueSuffix + (isRepeating ? " ..." : "")
        return isRequired ? body : "[\(body)]"
    }
}
