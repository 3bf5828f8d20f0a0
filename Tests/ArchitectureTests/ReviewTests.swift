import Foundation
import Testing

/// The security review: every proof that it names exists, and every point has a result.
struct ReviewTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func `Each proof in the security review exists`() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "Documentation/Internals/SecurityReview.md"),
            encoding: .utf8
        )
        #expect(Self.faults(in: page, tests: try Self.tests()) == [])
        // The actual page, which must not be empty.
        #expect(page.matches(of: /\| holds/).count > 40)
    }

    @Test func `A nonexistent proof and a requirement without a proof are detected`() throws {
        let row = "| 1.1 x | holds | `OneTests/It works` |\n"
        let tests = ["OneTests/It works": 1]
        #expect(Self.faults(in: row, tests: tests) == [])
        for (other, fault) in [
            ("| 1.1 x | holds | `OneTests/It doesn't` |", "OneTests/It doesn't does not exist"),
            ("| 1.1 x | holds | `Sources/Gone.swift` |", "Sources/Gone.swift does not exist"),
            ("| 1.1 x | holds | it does |", "1.1 x has no proof"),
            ("| 1.1 x | perhaps | `OneTests/It works` |", "1.1 x has the result 'perhaps'"),
            ("| 1.1 x | does not apply |  |", "1.1 x has no reason"),
            ("| 1.1 x | open, low | point 2 |\n1. **1.1**: y", "1.1 x is not among the open points"),
        ] { #expect(Self.faults(in: other + "\n", tests: tests) == [fault], "\(other)") }
        #expect(Self.faults(in: "| 1.1 x | open, low | point 1 |\n1. **1.1**: y\n", tests: tests) == [])
        #expect(Self.faults(in: "| 1.1 x | open, high | point 1 |\n1. **1.1**: y\n", tests: tests).count == 1)
    }

    /// Returns the points whose result, proof or reason is missing.
    private static func faults(in page: String, tests: [String: Int]) -> [String] {
        page.matches(of: /(?m)^\| (\d[^|]*) \| ([^|]*) \| ([^|\n]*)\|$/).flatMap { row in
            let (point, result, text) = (row.1, row.2, row.3)
            let proofs = text.matches(of: /`([^`]+)`/).map { String($0.1) }
            var faults = proofs.filter { tests[$0] == nil && !isFile($0) && isProof($0) }.map { "\($0) does not exist" }
            if result.hasPrefix("holds") {
                if !proofs.contains(where: isProof) { faults.append("\(point) has no proof") }
            } else if result == "open, low" {
                let number = text.firstMatch(of: /point (\d+)/)?.1 ?? "none"
                if !page.contains("\n\(number). **") { faults.append("\(point) is not among the open points") }
            } else if result != "does not apply" {
                faults.append("\(point) has the result '\(result)'")
            } else if text.allSatisfy(\.isWhitespace) {
                faults.append("\(point) has no reason")
            }
            return faults
        }
    }

    /// Returns whether a text in backquotes is a test or a file, rather than a key or a name.
    private static func isProof(_ text: String) -> Bool { text.contains("/") }

    private static func isFile(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The tests of the package, each with the name of its file and its own name.
    private static func tests() throws -> [String: Int] {
        let folder = root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var tests: [String: Int] = [:]
        for case let file as URL in try #require(files) where file.lastPathComponent.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
                let parts = line.split(separator: UInt8(ascii: "`"), omittingEmptySubsequences: false)
                guard parts.count == 3, String(decoding: parts[0], as: UTF8.self).hasSuffix("func ") else { continue }
                let suite = file.deletingPathExtension().lastPathComponent
                tests["\(suite)/\(String(decoding: parts[1], as: UTF8.self))", default: 0] += 1
            }
        }
        return tests
    }
}
