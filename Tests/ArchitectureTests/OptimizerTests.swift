import Foundation
import TestSupport
import Testing

/// A code pattern that the optimizer of Swift 6.3.1 miscompiles, so none of our sources may contain it.
///
/// The closure of a task, or of a child task in a group, stores its result in memory that its caller provides. If the
/// result is a pair that contains an `await`, within `do … catch`, the half that was known before the wait is stored
/// before the wait and again after it, when its value has been lost: a number becomes 0. As a result, all 450 blobs
/// were mistaken for the first. The code is compiled correctly if the awaited result is bound to a constant before the
/// pair is built:
///
///     let outcome = try await document(of: blob)
///     return (index, .success(outcome))
///
/// Functions, structures, and pairs outside `do … catch` were compiled correctly; the rule applies to all pairs,
/// because that is easier to check.
struct OptimizerTests {
    @Test func `No source file awaits a value inside a tuple expression`() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            for line in PairsAroundWaits(in: try String(contentsOf: file, encoding: .utf8)).lines {
                Issue.record("\(file.lastPathComponent):\(line): bind what you wait for before you put it into a pair")
            }
        }
        #expect(count > 100)
    }

    @Test(arguments: [
        "return (index, .success(try await document(of: blob)))", "return (index, await a)", "return (await a, index)",
        "group.addTask { (index, try await f(index)) }", "Task { [a] in (index, await f(g(1), 2)) }",
        "return (\n    index,\n    .failure(await reason)\n)",
        "async let pair = (1, await a)",
    ]) func `An await inside a tuple expression is detected`(text: String) {
        #expect(!PairsAroundWaits(in: text).lines.isEmpty)
    }

    @Test(arguments: [
        "let a = await b\nreturn (index, a)", "inbox.post(.reply(batch.id, await engine.apply(batch)))",
        "return try await f(index, 2)", "return try await (f(index)).value", "for await (a, b) in c(1, 2) {}",
        "// return (index, await a)", "return f { (a, b) in await a }", "return (await a)", "return (1, { await a })",
    ]) func `Other uses of await are not reported`(text: String) {
        #expect(PairsAroundWaits(in: text).lines.isEmpty, "\(text)")
    }

    /// This test fails with a compiler in which the bug is fixed; the rule above can then be removed.
    @Test(arguments: [false, true]) func `The optimizer still loses a value of a tuple that contains an await`(
        isBound: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let program = Self.program(
            isBound
                ? "let outcome = try await read(number); return (number, outcome)"
                : "return (number, try await read(number))"
        )
        try program.write(toFile: folder.path("main.swift"), atomically: true, encoding: .utf8)
        let words = ["-O", folder.path("main.swift"), "-o", folder.path("main")]
        let compiler = try ChildProgram.run("swiftc", words, in: folder.path(""))
        try #require(compiler.status == 0, "\(compiler.errors)")
        let numbers = try ChildProgram.run(folder.path("main")).output
        #expect(numbers == (isBound ? "[1, 2, 3]\n" : "[0]\n"))
    }

    private static func program(_ body: String) -> String {
        """
        enum Outcome: Sendable { case text(String, [UInt8]?, Int), missing(String) }

        struct Source: Sendable {
            func read(_ number: Int) async throws -> Outcome {
                await Task.yield()
                return number % 2 == 0 ? .missing("\\(number)") : .text("\\(number)", nil, number)
            }

            func numbers() async -> Set<Int> {
                await withTaskGroup(of: (Int, Outcome?).self) { group in
                    for number in 1...3 {
                        group.addTask { do { \(body) } catch { return (number, nil) } }
                    }
                    var numbers: Set<Int> = []
                    for await (number, _) in group { numbers.insert(number) }
                    return numbers
                }
            }
        }

        print(await Source().numbers().sorted())
        """
    }
}

/// The places in a source where a tuple is built around an `await`.
///
/// The source is parsed by brackets and words, not as Swift, which is sufficient for formatted code.
private struct PairsAroundWaits {
    /// The lines on which the tuples end.
    private(set) var lines: [Int] = []

    private struct Bracket {
        let opening: UInt8
        /// Whether the bracket begins a tuple and not the arguments of a call: no name directly precedes it.
        let isTuple: Bool
        var hasWait = false
        var hasComma = false
    }

    init(in text: String) {
        var brackets: [Bracket] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where line.utf8.contains(where: { Self.marks.contains($0) }) || line.contains("await") {
            let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
            var (word, previous): (String, UInt8) = ("", Self.blank)
            for letter in Array(code.utf8) + [Self.blank] {
                defer { previous = letter }
                if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) {
                    word.unicodeScalars.append(Unicode.Scalar(letter))
                    continue
                }
                if word == "await" {
                    let body = brackets.lastIndex { $0.opening == UInt8(ascii: "{") } ?? -1
                    for index in brackets.indices where index > body { brackets[index].hasWait = true }
                }
                word = ""
                switch letter {
                case UInt8(ascii: "("):
                    brackets.append(Bracket(opening: letter, isTuple: Self.before.contains(previous)))
                case UInt8(ascii: "{"), UInt8(ascii: "["): brackets.append(Bracket(opening: letter, isTuple: false))
                case UInt8(ascii: ","): if !brackets.isEmpty { brackets[brackets.count - 1].hasComma = true }
                case UInt8(ascii: ")"): close(UInt8(ascii: "("), in: &brackets, at: number + 1)
                case UInt8(ascii: "]"): close(UInt8(ascii: "["), in: &brackets, at: number + 1)
                case UInt8(ascii: "}"): close(UInt8(ascii: "{"), in: &brackets, at: number + 1)
                default: break
                }
            }
        }
    }

    private static let blank = UInt8(ascii: " ")
    private static let marks = Set("(){}[],".utf8)
    /// The characters that can precede a tuple; a call's bracket follows its name.
    private static let before = Set(" ([{".utf8)

    private mutating func close(_ opening: UInt8, in brackets: inout [Bracket], at line: Int) {
        // A bracket in a string literal may be unmatched.
        guard let index = brackets.lastIndex(where: { $0.opening == opening }) else { return }
        let bracket = brackets[index]
        if bracket.isTuple, bracket.hasComma, bracket.hasWait { lines.append(line) }
        brackets.removeSubrange(index...)
    }
}
