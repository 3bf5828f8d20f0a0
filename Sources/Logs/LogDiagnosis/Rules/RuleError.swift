public import YAML

/// Why a rule was refused, and where.
public struct RuleError: Error, Sendable, Hashable {
    /// The file, as it was given.
    public var file: String
    /// Line and column, from 1; `nil` when it is about the whole file.
    public var place: Place?
    public var message: String

    public init(file: String, place: Place? = nil, message: String) {
        self.file = file
        self.place = place
        self.message = message
    }

    init(_ error: YAMLError, file: String) {
        self.init(
            file: file,
            place: error.place,
            message: (error.path.isEmpty ? "" : "\(error.path): ") + error.message
        )
    }

    /// A failure whose place the decoder knows.
    struct Reason: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }
}

extension RuleError: CustomStringConvertible {
    public var description: String { "\(file)\(place.map { ":\($0)" } ?? ""): \(message)" }
}
