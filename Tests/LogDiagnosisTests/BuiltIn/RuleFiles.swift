import Foundation

@testable import LogDiagnosis

/// The folder `Rules` of the project, as it lies beside the sources: no build is needed to test a rule in it.
enum RuleFiles {
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    static let folder = root.appending(path: "Rules")

    /// What is in the folder; nothing when it holds no rule.
    static let library: Result<RuleLibrary, RuleError> = Result { () throws(RuleError) in
        var library = RuleLibrary()
        if !names.isEmpty { try library.add(folder: folder.path) }
        return library
    }

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.sorted()

    /// The rules, or the one that `FASTCTL_RULE` names.
    static let ids: [String] = names.compactMap { RuleFile(name: $0, text: "").nominal }.filter { !$0.isTests }
        .map(\.id.text)
        .filter { $0 == ProcessInfo.processInfo.environment["FASTCTL_RULE"] ?? $0 }
}
