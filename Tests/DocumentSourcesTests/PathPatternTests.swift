import DocumentSources
import Testing

struct PathPatternTests {
    private func matches(_ text: String, _ path: String) throws -> Bool {
        let pattern = try PathPattern(text)
        var progress = pattern.start
        let names = path.split(separator: "/").map(String.init)
        for name in names.dropLast() { progress = pattern.entering(name, from: progress) }
        return pattern.matches(names.last ?? "", in: progress)
    }

    @Test(arguments: [
        ("**", ["a", "a/b", "a/b/c.txt"], [".a", "a/.b", ".a/b"]),
        ("*", ["a", "a.txt"], ["a/b", ".a"]),
        ("**/*.html", ["x.html", "a/x.html", "a/b/x.html"], ["x.htm", "a/.x.html", ".a/x.html", "a/x.html/y"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a", "ab/c"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["a/z/b", "z"]),
        ("**/b/**/*.t", ["b/x.t", "a/b/x.t", "b/b/c/x.t"], ["a/x.t", "b.t"]),
        ("?.txt", ["a.txt", "ü.txt"], ["ab.txt", ".txt"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "x", "-x"]),
        ("[!a-c]x", ["dx"], ["ax"]),
        ("[]a]x", ["]x", "ax"], ["bx"]),
        ("[a-]x", ["ax", "-x"], ["bx"]),
        ("a*b*c", ["abc", "aXbYc", "abbcbc"], ["ab", "abcd"]),
        (".*", [".a", ".git"], ["a"]),
        (".git/**", [".git/c", ".git/a/b"], [".git/.c", "git/c"]),
        ("*.{a,b}", ["x.{a,b}"], ["x.a"]),
    ])
    func `A pattern matches paths as in a shell`(text: String, meant: [String], other: [String]) throws {
        for path in meant { #expect(try matches(text, path), "\(text) \(path)") }
        for path in other { #expect(try !matches(text, path), "\(text) \(path)") }
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "../a", "a/./b", "[a", "[]"])
    func `An invalid pattern is refused`(text: String) {
        let error = #expect(throws: SourceError.self) { try PathPattern(text) }
        #expect(error?.code == .invalidAddress)
    }

    @Test func `A folder that can't contain a match is not entered`() throws {
        let pattern = try PathPattern("a/*.txt")
        let below = pattern.entering("a", from: pattern.start)
        #expect(!below.isEmpty && pattern.entering("b", from: pattern.start).isEmpty)
        #expect(pattern.entering("c", from: below).isEmpty)
    }

    @Test(.timeLimit(.minutes(20))) func `A hostile pattern takes time proportional to the length of the names`() throws
    {
        let text = String(repeating: "*a", count: 120) + "b"
        #expect(try !matches(text, String(repeating: "a", count: 255)))
        #expect(try !matches(String(repeating: "**/a/", count: 31) + "b", String(repeating: "a/", count: 60) + "c"))
    }
}
