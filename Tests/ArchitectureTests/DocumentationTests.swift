import Foundation
import Testing

/// Users of a library read its documentation, so every public declaration of every product must have some.
struct DocumentationTests {
    /// Members that a type must have to conform to a protocol of the standard library, where they are documented.
    private static let inherited: Set<String> = [
        "var description", "let description", "func hash", "func ==", "func <", "func +", "func -", "func +=",
        "let rawValue", "var rawValue", "init(rawValue", "init(stringLiteral", "func makeIterator",
        "func makeAsyncIterator",
        "func next", "init(from decoder", "func encode(to",
    ]

    @Test(arguments: try products()) func `Public declarations are documented`(product: String) throws {
        var declarations = 0
        for file in try swiftFiles(of: product) {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            for (number, line) in lines.enumerated() {
                guard let declaration = Self.declaration(in: line) else { continue }
                declarations += 1
                let before = lines[..<number].last { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("@") }
                let isDocumented = before?.trimmingPrefix(while: \.isWhitespace).hasPrefix("///") == true
                #expect(isDocumented, "\(file.lastPathComponent):\(number + 1): \(declaration) has no documentation")
            }
        }
        #expect(declarations > 0, "\(product) has nothing that its users could call")
    }

    @Test func `The check finds public declarations, and skips declarations that need no documentation`() {
        #expect(Self.declaration(in: "    public var name: String") == "var name: String")
        #expect(Self.declaration(in: "@frozen public struct X {") == "struct X {")
        #expect(Self.declaration(in: "    public internal(set) var a = 1") == "var a = 1")
        #expect(Self.declaration(in: "    public nonisolated static func f()") == "func f()")
        for line in [
            "    var name: String", "public import ULSLog", "    public var description: String { x }",
            "/// public var x",
            "    public static func == (one: Self, other: Self) -> Bool {", "    public mutating func next() -> Int? {",
            "    public init(rawValue: String) {", "    let text = \"public var x\"",
        ] { #expect(Self.declaration(in: line) == nil, "\(line)") }
    }

    /// Returns the declaration that begins on a line, if it needs documentation.
    private static func declaration(in line: some StringProtocol) -> String? {
        var words = line.split(separator: " ").drop { $0.hasPrefix("@") }
        guard words.popFirst() == "public" else { return nil }
        words = words.drop { modifiers.contains(String($0)) || $0.hasSuffix("(set)") }
        guard let first = words.first, first != "import" else { return nil }
        let declaration = words.joined(separator: " ")
        let explainsItself = inherited.contains { name in
            guard declaration.hasPrefix(name) else { return false }
            let next = declaration.dropFirst(name.count).first
            return next.map { !$0.isLetter && !$0.isNumber && $0 != "=" } ?? true
        }
        return explainsItself ? nil : declaration
    }

    private static let modifiers: Set<String> = [
        "nonisolated", "static", "mutating", "final", "indirect", "override", "convenience",
    ]

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    private static func products() throws -> [String] {
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        return manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
    }

    private func swiftFiles(of product: String) throws -> [URL] {
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        return try #require(files).compactMap { $0 as? URL }.filter {
            $0.pathExtension == "swift" && $0.pathComponents.contains(product)
        }
    }
}
