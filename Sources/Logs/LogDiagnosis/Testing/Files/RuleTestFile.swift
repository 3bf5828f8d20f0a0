import YAML

/// The tests of one rule, as a file `FSnnnn.tests.yaml` has them.
public struct RuleTestFile: Sendable {
    /// The rule that is tested.
    public var rule: RuleID
    /// The tests, those with `each` once for each of its values.
    public var tests: [RuleTest]
    /// What errors call the file.
    public var file: String

    /// The most tests of a file, those that `each` makes counted.
    public static let maximumTests = 2000

    /// Reads a file of tests.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for errors.
    /// - Throws: why the file was refused, with the place.
    public init(yaml: String, file: String) throws(RuleError) {
        do {
            let document: RuleTestsDocument = try YAMLDecoder(limits: Rule.limits).decode(from: yaml)
            rule = document.rule
            tests = try document.tests.flatMap { test throws(YAMLError) in try test.expanded() }
            self.file = file
        } catch let error as YAMLError {
            throw RuleError(error, file: file)
        } catch {
            throw RuleError(file: file, message: "\(error)")
        }
        if tests.isEmpty { throw RuleError(file: file, message: "there is no test") }
        if tests.count > Self.maximumTests {
            throw RuleError(file: file, message: "more than \(Self.maximumTests) tests; let each have fewer values")
        }
        var names: Set<String> = []
        for test in tests where !names.insert(test.name).inserted {
            throw RuleError(file: file, place: test.place, message: "two tests \u{201C}\(test.name)\u{201D}")
        }
    }
}
