internal import CBuiltIn

/// A file of the repository that is compiled into the program, byte for byte.
package struct BuiltInFile: Sendable {
    /// The name without its folder: `FS0101.yaml`.
    package let name: String
    /// Bytes of the program itself, which end with a NUL and never change.
    private nonisolated(unsafe) let bytes: UnsafePointer<UInt8>

    fileprivate init(name: String, bytes: UnsafePointer<UInt8>) {
        self.name = name
        self.bytes = bytes
    }

    /// The text, which is copied each time, so an unused file costs nothing.
    package var text: String { String(cString: bytes) }

    /// The rules of `Rules`, without their tests.
    package static var rules: [BuiltInFile] { files(builtInRules()) }
    /// The file of `Rules/Prepared`, which has the content of all rules in a form that is read quickly.
    package static var preparedRules: BuiltInFile {
        BuiltInFile(name: "rules.txt", bytes: builtInPreparedRules())
    }
    /// The tables of `Rules/Codes`.
    package static var codes: [BuiltInFile] { files(builtInCodes()) }
    /// The texts of `Rules/Components`.
    package static var components: [BuiltInFile] { files(builtInComponents()) }
    /// The texts of `Rules/Activities`.
    package static var activities: [BuiltInFile] { files(builtInActivities()) }
    /// The texts of `Rules/Frames`.
    package static var frames: [BuiltInFile] { files(builtInFrames()) }
    /// The JSON Schemas of `Schemas`.
    package static var schemas: [BuiltInFile] { files(builtInSchemas()) }

    /// Returns the files of an array that ends with an entry without a name.
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

/// The commit and the compiler of this build, where make made it from a git clone.
package struct BuildFacts: Equatable, Sendable {
    /// The commit's hash, followed by + if files were changed.
    package let commit: String
    /// The commit's date: `2026-11-29`.
    package let date: String
    /// The version of the compiler.
    package let swift: String

    /// The facts in a text as printed by `Scripts/build-facts`, or nil in any other.
    package init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty else { return nil }
        (commit, date, swift) = (parts[0], parts[1], parts[2])
    }

    /// The facts of this build; nil if they are unknown.
    package static var own: BuildFacts? { BuildFacts(String(cString: builtInBuild())) }
}
