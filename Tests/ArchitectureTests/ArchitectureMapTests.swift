import Foundation
import Testing

/// `ARCHITECTURE.md` names folders and modules; a map of what is gone would lead readers astray.
struct ArchitectureMapTests {
    private let root = URL(filePath: #filePath).appending(path: "../../..").standardized

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
}
