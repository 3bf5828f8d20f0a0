import ArgumentParsing
import Testing

@Suite(.enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"))
struct BashCompletionTests {
    /// A line as bash splits it, and what it offers; `line` is what was typed.
    struct Line: Sendable, CustomTestStringConvertible {
        var words: [String]
        var line: String?
        var reply: [String]
        var testDescription: String { line ?? words.joined(separator: " ") }

        init(_ words: String..., line: String? = nil, replies reply: String...) {
            self.words = words
            self.line = line
            self.reply = reply
        }
    }

    @Test(arguments: [
        Line("re", replies: "remove"),
        Line("", replies: "add", "remove", "shelves", "help"),
        Line("add", "--ki", replies: "--kind"),
        Line("add", "--kind", "p", line: "library add --kind p", replies: "poems"),
        Line("add", "--kind", "=", "p", replies: "poems"),
        Line("add", "--kind", "=", replies: "novel", "poems"),
        Line("add", "--kind", "=", "", line: "library add --kind= ", replies: ""),
        Line("remove", "E", replies: "Emma", #"Emil\ und\ die\ Detektive"#),
        Line("remove", #"Emil\ u"#, replies: #"Emil\ und\ die\ Detektive"#),
        Line("remove", #""Emil u"#, replies: "Emil und die Detektive"),
        Line("remove", "'Emil u", replies: "Emil und die Detektive"),
        Line("remove", "urn", ":", "isbn", ":", replies: "1", "2"),
        Line("remove", "urn", ":", "is", line: "library remove urn:is", replies: "isbn:1", "isbn:2"),
        Line("remove", "x", ":", "E", line: "library remove x : E", replies: ""),
        Line("add", "--shelf", "=", "home", ":", "r", replies: #"reading\ room"#),
        Line("add", "--shelf", "home", ":", "r", line: "library add  --shelf home:r", replies: #"reading\ room"#),
    ])
    func theLineIsCompleted(line: Line) async throws {
        let words = (["library"] + line.words).map(quoted).joined(separator: " ")
        let output = try await Shell(name: .bash).output(
            of: """
                COMP_WORDS=(\(words)) COMP_CWORD=\(line.words.count)
                \(line.line.map { "COMP_LINE=\(quoted($0)) COMP_POINT=\($0.count)" } ?? "")
                _library
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        )
        #expect(output == line.reply.filter { !$0.isEmpty })
    }

    @Test(arguments: [(["add", "--cover", ""], "-o default"), (["shelves", "build", "h"], "-o dirnames")])
    func filesAreLeftToTheShell(words: [String], option: String) async throws {
        let output = try await Shell(name: .bash).output(
            of: """
                compopt() { echo "$@"; }
                COMP_WORDS=(library \(words.map(quoted).joined(separator: " "))) COMP_CWORD=\(words.count)
                _library
                echo ${#COMPREPLY[@]}
                """
        )
        #expect(output == [option, "0"])
    }

    @Test func itIsRegistered() async throws {
        #expect(CompletionScript.bash("library").hasSuffix("\ncomplete -F _library library"))
        #expect(CompletionScript.bash("my-tool").contains("complete -F _my_tool my-tool"))
    }

    private func quoted(_ word: String) -> String { "'" + word.replacing("'", with: #"'\''"#) + "'" }
}

@Suite(.enabled(if: Shell.path(of: "zsh") != nil, "zsh is not installed"))
struct ZshCompletionTests {
    @Test(arguments: [
        ("library re", ["remove:Remove a book."]),
        ("library remove Emil\\ u", ["Emil und die Detektive"]),
        ("library remove urn:", [#"urn\:isbn\:1"#, #"urn\:isbn\:2"#]),
        ("library add --kind=p", ["--kind=poems"]),
        ("library add --kind ''", ["novel", "poems"]),
        ("library nonsense ''", []),
    ])
    func theLineIsCompleted(line: String, values: [String]) async throws {
        let output = try await Shell(name: .zsh).output(of: session(line))
        #expect(output == ["described"] + values)
    }

    @Test(arguments: [("library add --cover ''", "files"), ("library shelves build h", "files -/")])
    func filesAreLeftToTheShell(line: String, output: String) async throws {
        #expect(try await Shell(name: .zsh).output(of: session(line)) == [output])
    }

    /// zsh's own widgets need a terminal; these say how they are called.
    private func session(_ line: String) -> String {
        """
        _describe() { print described; (( ${#values} )) && print -rl -- "${(@)values}"; :; }
        _files() { print files "$@"; }
        compset() { :; }
        words=(${(z):-\(quoted(line))})
        [[ $words[-1] == "''" ]] && words[-1]=''
        CURRENT=${#words} PREFIX=$words[-1]
        _library
        """
    }

    private func quoted(_ word: String) -> String { "\"" + word.replacing("\\", with: "\\\\") + "\"" }
}

@Suite(.enabled(if: Shell.path(of: "fish") != nil, "fish is not installed"))
struct FishCompletionTests {
    @Test(arguments: [
        ("library re", ["remove\tRemove a book."]),
        ("library add --sh", ["--shelf\twhere it stands"]),
        ("library add --kind ", ["novel", "poems"]),
        ("library add --kind=p", ["--kind=poems"]),
        (#"library remove Emil\ u"#, ["Emil und die Detektive"]),
        ("library remove urn:", ["urn:isbn:1", "urn:isbn:2"]),
        ("library add --cover p", ["picture one.png"]),
        ("library add --cover=p", ["--cover=picture one.png"]),
        (
            "library ",
            [
                "add\tAdd a book.", "help\tShow the help of a command.", "remove\tRemove a book.",
                "shelves\tArrange the shelves.",
            ]
        ),
        ("library nonsense ", []),
    ])
    func theLineIsCompleted(line: String, offered: [String]) async throws {
        let output = try await Shell(name: .fish).output(
            of: "complete -C '\(line.replacing("\\", with: "\\\\"))'"
        )
        #expect(output == offered)
    }
}
