internal import CBuiltIn

/// A file of the repository that is compiled into the program, byte for byte.
package struct BuiltInFile: Sendable {
    /// The name without its folder: `FS0101.yaml`.
    package let name: String
    /// The bytes, which are part of the program, end with a NUL and never change.
    private nonisolated(unsafe) let bytes: UnsafePointer<UInt8>

    fileprivate init(name: String, bytes: UnsafePointer<UInt8>) {
        self.name = name
        self.bytes = bytes
    }

    /// The text, which is copied on each access, so an unused file costs nothing.
    package var text: String { String(cString: bytes) }

    /// The rules in `Rules`, without their tests.
    package static var rules: [BuiltInFile] { files(builtInRules()) }
    /// The file in `Rules/Prepared`, which contains all rules in a form that can be read quickly.
    package static var preparedRules: BuiltInFile {
        BuiltInFile(name: "rules.txt", bytes: builtInPreparedRules())
    }
    /// The tables in `Rules/Codes`.
    package static var codes: [BuiltInFile] { files(builtInCodes()) }
    /// The texts in `Rules/Components`.
    package static var components: [BuiltInFile] { files(builtInComponents()) }
    /// The texts in `Rules/Activities`.
    package static var activities: [BuiltInFile] { files(builtInActivities()) }
    /// The texts in `Rules/Frames`.
    package static var frames: [BuiltInFile] { files(builtInFrames()) }
    /// The JSON Schemas in `Schemas`.
    package static var schemas: [BuiltInFile] { files(builtInSchemas()) }

    /// Returns the files in an array that ends with an unnamed entry.
    private static func files(_ first: UnsafePointer<EmbeddedFile>?) -> [BuiltInFile] {
        var files: [BuiltInFile] = []
        var next = first
        while let entry = next, let name = entry.pointee.name, let bytes = entry.pointee.bytes {
            files.append(BuiltInFile(name: String(cString: name), bytes: bytes))
            next = entry + 1
        }
        return files
    }
}

/// The commit and the compiler of this build, if it was built by make in a git clone.
package struct BuildFacts: Equatable, Sendable {
    /// The commit's hash, followed by + if there were uncommitted changes.
    package let commit: String
    /// The commit's date: `2026-11-29`.
    package let date: String
    /// The version of the compiler.
    package let swift: String

    /// The facts in a text that `Scripts/build-facts` printed; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty else { return nil }
        (commit, date, swift) = (parts[0], parts[1], parts[2])
    }

    /// The facts of this build; nil if they are unknown.
    package static var own: BuildFacts? { BuildFacts(String(cString: builtInBuild())) }
}
