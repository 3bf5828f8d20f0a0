public import ArgumentParsing
public import LogDiagnosis
import ReportRendering

/// A form of a diagnosis, and where it goes: `text`, `sarif=fastctl.sarif`.
struct DiagnosisOutput: Hashable, ArgumentValue {
    var format: DiagnosisFormat
    /// `nil` is standard output.
    var path: String?

    static let candidates = DiagnosisFormat.allCases.map(\.rawValue)

    init(format: DiagnosisFormat, path: String? = nil) {
        self.format = format
        self.path = path
    }

    init(argument word: String) throws(ArgumentExpectation) {
        let name = word.prefix { $0 != "=" }
        let path = word.dropFirst(name.count + 1)
        guard let format = DiagnosisFormat(rawValue: String(name)), name.count == word.count || !path.isEmpty else {
            let forms = Self.candidates.joined(separator: ", ")
            throw ArgumentExpectation("one of \(forms), or one of them with a file, as sarif=fastctl.sarif")
        }
        self.init(format: format, path: name.count == word.count || path == "-" ? nil : String(path))
    }

    var argumentText: String { format.rawValue + (path.map { "=\($0)" } ?? "") }
}

/// From which severity on a finding makes the exit code 1.
struct FailureThreshold: Hashable, ArgumentValue {
    /// `nil`: none does.
    var severity: Severity?

    static let candidates = Severity.allCases.reversed().map(\.rawValue) + ["never"]

    init(_ severity: Severity?) { self.severity = severity }

    init(argument word: String) throws(ArgumentExpectation) {
        if word == "never" {
            severity = nil
        } else if let known = Severity(rawValue: word) {
            severity = known
        } else {
            throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", "))
        }
    }

    var argumentText: String { severity?.rawValue ?? "never" }
}

/// A share of all lines: `1%`.
struct LineShare: Hashable, ArgumentValue {
    /// From 0 to 1.
    var value: Double

    init(_ value: Double) { self.value = value }

    init(argument word: String) throws(ArgumentExpectation) {
        let digits = word.hasSuffix("%") ? word.dropLast() : word[...]
        guard let percent = Double(digits), (0...100).contains(percent) else {
            throw ArgumentExpectation("a share such as 1% or 0.5%")
        }
        value = percent / 100
    }

    var argumentText: String {
        let percent = value * 100
        return percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
    }
}

extension RuleID: ArgumentValue {
    public init(argument word: String) throws(ArgumentExpectation) {
        guard let id = RuleID(word) else { throw ArgumentExpectation("a rule's ID, as FS0101") }
        self = id
    }

    public var argumentText: String { text }
}
