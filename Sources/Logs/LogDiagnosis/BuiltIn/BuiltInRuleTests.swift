// swift-format-ignore-file
// Written by Scripts/embed-rules: change the files in Rules, then "make rules".

/// The tests of those rules, as they are written in their files.
enum BuiltInRuleTests {
    static let files: [RuleFile] = [
    ]
}
