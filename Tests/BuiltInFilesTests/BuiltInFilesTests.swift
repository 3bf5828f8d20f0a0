import BuiltInFiles
import Foundation
import Testing

/// The compiled-in files match the folders; a file that is missing from `Sources/Bridges/CBuiltIn` is named.
struct BuiltInFilesTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// A folder, its list of files, and the compiled-in contents.
    private static let folders: [(folder: String, list: String, files: [BuiltInFile])] = [
        ("Rules", "rules.c", BuiltInFile.rules), ("Rules/Prepared", "rules.c", [BuiltInFile.preparedRules]),
        ("Rules/Codes", "tables.c", BuiltInFile.codes), ("Rules/Components", "tables.c", BuiltInFile.components),
        ("Rules/Activities", "tables.c", BuiltInFile.activities), ("Rules/Frames", "tables.c", BuiltInFile.frames),
        ("Schemas", "schemas.c", BuiltInFile.schemas),
    ]

    @Test(arguments: folders.indices)
    func `Every file in the folder is embedded byte for byte`(number: Int) throws {
        let (folder, list, files) = Self.folders[number]
        let place = Self.root.appending(path: folder)
        // Tests of rules stay in the repository; folders have their own rows.
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
            .filter { $0.contains(".") && !$0.hasPrefix(".") && !$0.hasSuffix(".tests.yaml") }
        for name in Set(names).subtracting(files.map(\.name)).sorted() {
            Issue.record("\(folder)/\(name) is not compiled in: add it to Sources/Bridges/CBuiltIn/\(list)")
        }
        #expect(files.map(\.name) == files.map(\.name).sorted(), "\(list) is not sorted")
        #expect(Set(files.map(\.name)).count == files.count, "\(list) has a file twice")
        for file in files {
            let bytes = try Data(contentsOf: place.appending(path: file.name))
            // The contents are not compared in the expectation itself, which would print them.
            let isSame = Array(file.text.utf8) == Array(bytes)
            #expect(isSame, "\(folder)/\(file.name) is compiled in with other bytes: see its line in \(list)")
        }
    }

    @Test func `The build's commit, date and Swift version are parsed from the script's output`() throws {
        let facts = try #require(BuildFacts("0a1b+;2026-11-29;6.3.1"))
        #expect([facts.commit, facts.date, facts.swift] == ["0a1b+", "2026-11-29", "6.3.1"])
        #expect(BuildFacts("") == nil)
        #expect(BuildFacts(";2026-11-29;6.3.1") == nil)
    }
}
