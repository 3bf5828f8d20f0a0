import ContentFeeding
import TestSupport
import Testing
import YAML

@testable import EngineCatalog

struct ContextEditTests {
    private func file(_ text: String) throws -> ContextFile {
        try ContextFile(path: "/c", owner: .user, text: text)
    }

    private func edit(_ text: String) throws -> ContextEdit { try ContextEdit(file(text), path: "/c") }

    private func settings(_ target: String = "sqlite:/x") -> [Setting] { [Setting(.target, target, .standard)] }

    @Test func `The first context creates the file, and becomes the current one`() throws {
        let text = try ContextEdit(nil, path: "/c").adding(
            "dev",
            settings() + [Setting(.protected, "true", .standard), Setting(.requestTimeout, "5s", .standard)],
            collections: [("Web", "web"), ("a b", "c: d")]
        )
        #expect(
            text == """
                # Contexts of fastctl: named targets. Only the locations of credentials are kept here.
                current: dev
                contexts:
                  dev:
                    target: sqlite:/x
                    collections:
                      Web: web
                      "a b": "c: d"
                    request-timeout: 5s
                    protected: true

                """
        )
    }

    private static let kept = """
        # mine
        contexts:
            # the old one
            old:   # do not touch
                target:   "sqlite:/old"   # really

            older: {target: 'sqlite:/older'}
        # the end
        current: old

        """

    @Test func `A renamed context keeps its position, settings and comments`() throws {
        let renamed = Self.kept.replacing("    old:", with: "    new:").replacing("current: old", with: "current: new")
        #expect(try edit(Self.kept).renaming("old", to: "new") == renamed)
        #expect(try edit(Self.kept).renaming("older", to: "n") == Self.kept.replacing("    older:", with: "    n:"))
    }

    @Test func `A context in quotes can be renamed, but not to the name of another context`() throws {
        let text = "contexts:\n  \"a-1\":\n    target: sqlite:/a\n  'b':\n    target: sqlite:/b\n"
        #expect(try edit(text).renaming("a-1", to: "c") == text.replacing("\"a-1\"", with: "c"))
        #expect(try edit(text).renaming("b", to: "c") == text.replacing("'b'", with: "c"))
        #expect(throws: EngineError.self) { try edit(text).renaming("a-1", to: "b") }
        #expect(throws: EngineError.self) { try edit(text).renaming("x", to: "y") }
    }

    @Test func `Protecting an existing context adds a single line`() throws {
        let mark = "        target:   \"sqlite:/old\"   # really\n"
        let text = try edit(Self.kept).protecting("old")
        #expect(text == Self.kept.replacing(mark, with: mark + "        protected: true\n"))
        #expect(try edit(text ?? "").protecting("old") == nil)
        let open = "contexts:\n  a:\n    protected: false # for now\n    target: sqlite:/a\n"
        #expect(try edit(open).protecting("a") == open.replacing("false", with: "true"))
        // A context on one line can't be changed safely.
        #expect(throws: EngineError.self) { try edit(Self.kept).protecting("older") }
    }

    @Test func `Unchanged parts are preserved byte for byte`() throws {
        let added = try edit(Self.kept).adding("new", settings())
        let block = "    new:\n      target: sqlite:/x\n"
        #expect(added.replacing(block, with: "") == Self.kept)
        #expect(added.contains("'sqlite:/older'}\n" + block + "# the end"))
        #expect(try edit(added).removing("new") == Self.kept)
        #expect(try edit(Self.kept).using("older") == Self.kept.replacing("current: old\n", with: "current: older\n"))
    }

    @Test func `After the current context is removed, no context is current`() throws {
        let text = try edit(Self.kept).removing("old")
        #expect(!text.contains("sqlite:/old\"") && !text.contains("current"))
        #expect(text.contains("# the old one") && text.contains("# the end"))
        let none = try edit(text).removing("older")
        #expect(try file(none).names.isEmpty)
        #expect(try file(try edit(none).adding("a", settings())).names == ["a"])
    }

    @Test(arguments: [
        "contexts: {a: {target: 'sqlite:/a'}, b: {target: 'sqlite:/b'}}\n",
        "{contexts: {a: {target: 'sqlite:/a'}}}\n",
        "\"contexts\":\n  a: {target: 'sqlite:/a'}\ncurrent: >\n  b\n",
    ])
    func `A file that can't be changed safely is refused`(text: String) throws {
        for change in [{ try edit(text).adding("n", settings()) }, { try edit(text).removing("a") }]
            as [() throws -> String]
        {
            do {
                let changed = try file(try change())
                #expect(Set(changed.names).isSubset(of: ["a", "b", "n"]))
            } catch let error as EngineError {
                #expect(error.code == .unsupported, "\(error)")
            }
        }
    }

    @Test func `Existing and invalid names are refused`() throws {
        #expect(throws: EngineError.self) { _ = try edit(Self.kept).adding("old", settings()) }
        #expect(throws: EngineError.self) { _ = try edit(Self.kept).removing("nobody") }
        for name in ["", "-a", "a b", "a/b", "é", "a:", String(repeating: "a", count: 65)] {
            let error = #expect(throws: EngineError.self) { _ = try edit("").adding(name, settings()) }
            #expect(error?.code == .invalidName)
        }
    }

    /// A key of a settings file has a separate limit.
    @Test(arguments: HurtfulText.all.filter { $0.utf8.count <= 1024 })
    func `Any text is read back unchanged`(text: String) throws {
        let values = settings() + [Setting(.collection, text, .standard)]
        let written = try edit("").adding("a", values, collections: [("x", text), (text, "y")])
        let entry = try #require(file(written).contexts.first?.value)
        #expect(entry.texts[.collection]?.value.utf8.elementsEqual(text.utf8) == true)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `Many changes can be made in any order`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var text = ""
        var expected: [String] = []
        for step in 0..<40 {
            let name = "c\(Int.random(in: 0..<8, using: &random))"
            switch (Int.random(in: 0..<3, using: &random), expected.contains(name)) {
            case (0, true):
                text = try edit(text).removing(name)
                expected.removeAll { $0 == name }
            case (1, true): text = try edit(text).using(name)
            case (_, false):
                text = try edit(text).adding(name, settings("sqlite:/\(step)"))
                expected.append(name)
            default: text = "# comment \(step)\n" + text + "\n  # more\n"
            }
            #expect(try file(text).names == expected)
        }
    }
}
