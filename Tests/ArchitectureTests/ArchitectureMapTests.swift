import Foundation
import Testing

/// `ARCHITECTURE.md` names files; a map of files that are gone would lead readers astray.
struct ArchitectureMapTests {
    private let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func `Every file that ARCHITECTURE.md names exists, once`() throws {
        let files = try swiftFiles()
        let named = try map().matches(of: /`([\w+-]+\.swift)`/).map { String($0.1) }
        #expect(named.count > 50)
        for name in Set(named) { #expect(files[name] == 1, "\(name) is in \(files[name] ?? 0) folders") }
    }

    @Test func `Every folder that ARCHITECTURE.md names exists`() throws {
        let named = try map().matches(of: /`((?:Sources|Tests|Rules)(?:\/[\w]+)*)`/).map { String($0.1) }
        #expect(!named.isEmpty)
        for folder in named {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: folder).path), "\(folder) is gone")
        }
    }

    @Test func `Every module is in ARCHITECTURE.md, by its name or as a bridge`() throws {
        let text = try map()
        for floor in ["Commands", "Feeding", "Logs", "Reports"] {
            let folder = root.appending(path: "Sources/\(floor)").path
            for module in try FileManager.default.contentsOfDirectory(atPath: folder) {
                #expect(text.contains(module), "\(module) is not on the map")
            }
        }
    }

    private func map() throws -> String {
        try String(contentsOf: root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
    }

    /// The names of the package's source files, each with the number of folders that have one.
    private func swiftFiles() throws -> [String: Int] {
        var files: [String: Int] = [:]
        for folder in ["Sources", "Tests"] {
            let found = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
            )
            for case let file as URL in found where file.pathExtension == "swift" {
                files[file.lastPathComponent, default: 0] += 1
            }
        }
        return files
    }
}
