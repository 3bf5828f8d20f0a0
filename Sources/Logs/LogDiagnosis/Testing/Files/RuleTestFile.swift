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

    /// The most bytes of messages, pastes and files of configuration in all of them.
    public static let maximumBytes = 16 << 20

    /// Reads a file of tests.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for errors.
    /// - Throws: why the file was refused, with the place.
    public init(yaml: String, file: String) throws(RuleError) {
        do throws(YAMLError) {
            let document: RuleTestsDocument = try YAMLDecoder(limits: Rule.limits).decode(from: yaml)
            rule = document.rule
            tests = try Self.expanded(document.tests)
        } catch {
            throw RuleError(error, file: file)
        }
        self.file = file
        if tests.isEmpty { throw RuleError(file: file, message: "there is no test") }
        var names: Set<String> = []
        for test in tests where !names.insert(test.name).inserted {
            throw RuleError(file: file, place: test.place, message: "two tests \u{201C}\(test.name)\u{201D}")
        }
    }

    private static func expanded(_ written: [WrittenTest]) throws(YAMLError) -> [RuleTest] {
        var tests: [RuleTest] = []
        var bytes = 0
        for test in written {
            try test.expand { expanded throws(YAMLError) in
                bytes += expanded.bytes
                guard tests.count < maximumTests, bytes <= maximumBytes else {
                    let message =
                        "more than \(maximumTests) tests or \(maximumBytes >> 20) MiB of logs; let each have fewer values"
                    throw YAMLError(message: message, place: expanded.place)
                }
                tests.append(expanded)
            }
        }
        return tests
    }
}
