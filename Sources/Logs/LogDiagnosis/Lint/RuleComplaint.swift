public import YAML

/// What is not as it should be in a rule or its tests, which may run nevertheless.
public struct RuleComplaint: Sendable, Hashable {
    public enum Severity: String, Sendable {
        case warning
        case error
    }

    public var severity: Severity
    /// The file, as it was given.
    public var file: String
    /// Line and column, from 1; `nil` when it is about the whole file.
    public var place: Place?
    public var message: String

    public init(_ severity: Severity, file: String, place: Place? = nil, message: String) {
        self.severity = severity
        self.file = file
        self.place = place
        self.message = message
    }

    /// A rule that could not be read.
    public init(_ error: RuleError) { self.init(.error, file: error.file, place: error.place, message: error.message) }
}

extension RuleComplaint: CustomStringConvertible {
    public var description: String { "\(file)\(place.map { ":\($0)" } ?? ""): \(severity.rawValue): \(message)" }
}
