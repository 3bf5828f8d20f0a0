// swift-format-ignore-file
// Written by Scripts/embed-rules: change the files in Rules, then "make rules".

/// The rules that the program comes with, as they are written in their files.
enum BuiltInRules {
    static let files: [RuleFile] = [
    ]
}
