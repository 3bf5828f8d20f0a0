import Foundation
import TestSupport
import Testing

@testable import ArgumentParsing

struct ManualPageTests {
    private static let pages = ManualPage.pages(
        of: Library.self,
        date: "November 21, 2026",
        exitStatus: [.init(.success, "Done."), .init(.usage, "The command line was wrong.")]
    )

    @Test func `There is a page for each visible command`() {
        #expect(
            Self.pages.map(\.fileName) == [
                "library.1", "library-add.1", "library-remove.1", "library-shelves.1", "library-shelves-build.1",
                "library-help.1",
            ]
        )
    }

    @Test func `The complete page is correct`() throws {
        let page = try #require(Self.pages.first { $0.fileName == "library-add.1" })
        #expect(
            page.text == #"""
                .Dd November 21, 2026
                .ds doc-volume-operating-system library
                .Dt LIBRARY-ADD 1
                .Os
                .Sh NAME
                .Nm library-add
                .Nd Add a book
                .Sh SYNOPSIS
                .Nm "library add"
                .Fl \-shelf Ar NAME
                .Op Fl \-kind Ar KIND
                .Op Fl \-cover Ar FILE
                .Op Fl \-dry\-run Ns Op = Ns Ar SIDE
                .Op Fl \-output Ar FORMAT
                .Op Fl \-quiet
                .Ar TITLE
                .Op Ar AUTHOR ...
                .Sh DESCRIPTION
                A book that is there already is left as it is, so that a list can be added twice.
                .Bl -tag -width Ds
                .It Ar TITLE
                as on the cover.
                .It Ar AUTHOR ...
                who wrote it.
                .El
                .Sh OPTIONS
                .Bl -tag -width Ds
                .It Fl s , Fl \-shelf Ar NAME
                where it stands.
                .It Fl \-kind Ar KIND
                what it is (one of novel, poems; default: novel).
                .It Fl \-cover Ar FILE
                a picture of it.
                .It Fl n , Fl \-dry\-run , Fl \-what\-if Ns Op = Ns Ar SIDE
                show what would be added (one of client, server; client if no value is given).
                .It Fl h , Fl \-help
                Show this help.
                .El
                .Ss Output
                .Bl -tag -width Ds
                .It Fl o , Fl \-output Ar FORMAT
                how to print (default: text).
                .It Fl q , Fl \-quiet
                print nothing.
                .El
                .Sh ENVIRONMENT
                .Bl -tag -width Ds
                .It Ev SHELF
                Used if \-\-shelf is not given.
                .El
                .Sh EXIT STATUS
                .Bl -tag -width Ds
                .It 0
                Done.
                .It 64
                The command line was wrong.
                .El
                .Sh EXAMPLES
                adds Emma to shelf A:
                .Bd -literal -offset indent
                library add \-s A Emma
                .Ed
                .Sh SEE ALSO
                .Xr library 1

                """#
        )
    }

    @Test func `The program's page lists its commands under their headings`() throws {
        let page = try #require(Self.pages.first)
        #expect(
            page.text.contains(
                """
                .Sh COMMANDS
                .Ss Books
                .Bl -tag -width Ds
                .It Xr library-add 1
                Add a book.
                .It Xr library-remove 1
                Remove a book.
                .El
                .Ss Places
                .Bl -tag -width Ds
                .It Xr library-shelves 1
                Arrange the shelves.
                .El
                .Ss About
                """
            )
        )
        #expect(page.text.hasSuffix(".Xr library-remove 1 ,\n.Xr library-shelves 1\n"))
    }

    @Test func `The program's page lists the environment variables of all commands`() throws {
        let page = try #require(Self.pages.first)
        #expect(page.text.contains(".It Ev SHELF\n"))
    }

    @Test(arguments: [(String?.none, false), ("1.2", true)])
    func `The version is an option if there is one`(version: String?, isListed: Bool) {
        let pages = ManualPage.pages(of: Library.self, version: version, date: "May 1, 2026", exitStatus: [])
        #expect(pages.allSatisfy { $0.text.contains(#".It Fl V , Fl \-version"#) == isListed })
    }

    @Test func `Hidden items are not shown`() {
        #expect(!Self.pages.contains { $0.text.contains("trace") || $0.text.contains("reindex") })
    }

    @Test func `Text that mdoc would interpret is escaped`() throws {
        let text = try #require(ManualPage.pages(of: Hostile.self, date: "May 1, 2026", exitStatus: []).first).text
        let lines = text.split(separator: "\n").map(String.init)
        for line in [
            #"\&.Sh at the start of a line."#,
            #"\&'quoted' at the start of a line."#,
            #"A backslash \e, a "quote"."#,
            #"Give \-\-dry\-run, or a well-known name."#,
            #".Op Fl \-macro Ar \&Ar"#,
            #".Op Fl \-quote Ar "A \(dqB\(dq""#,
            #"\&.hidden \-n \(aqx y\(aq \en \(ga\(ti\(ha"#,
        ] { #expect(lines.contains(line)) }
    }

    @Test(.enabled(if: Shell.path(of: "mandoc") != nil, "mandoc is not installed"))
    func `mandoc reports no problems`() throws {
        let mandoc = try #require(Shell.path(of: "mandoc"))
        for page in Self.pages + ManualPage.pages(of: Hostile.self, date: "May 1, 2026", exitStatus: []) {
            let end = try ChildProgram.run(mandoc, ["-T", "lint", "-W", "warning"], input: page.text)
            #expect(end.output + end.errors == "", "\(page.fileName)")
            #expect(end.status == 0, "\(page.fileName)")
        }
    }

    /// Text that could be mistaken for markup in a page.
    private struct Hostile: Command {
        static let configuration = CommandConfiguration(
            "hostile",
            summary: ".So begins a \\summary.",
            discussion: """
                .Sh at the start of a line.
                'quoted' at the start of a line. A backslash \\, a "quote". Give --dry-run, or a well-known name.


                The end?
                """,
            examples: [.init(".hidden -n 'x y' \\n `~^\n.Ed", ".Ed ends it"), .init("two", "")]
        )
        @Option("--macro", value: "Ar", help: "") var macro: String?
        @Option("--quote", value: "A \"B\"", help: ".Pp") var quote: String?
        @Option("--many", "-m", value: ".", help: "Is it?") var many: [String]
        @Argument("...", help: "\\&") var rest: [String]
        func run() async throws -> ExitCode { .success }
    }
}

struct HelpPageTests {
    private let path = CommandPath(Program(Library.self, version: "library 1.2"))

    @Test func `The complete page is correct`() {
        #expect(
            HelpPage(path.appending(Library.Add.self)).rendered(width: 66) == """
                Add a book.

                Usage: library add [options] --shelf NAME TITLE [AUTHOR ...]

                A book that is there already is left as it is, so that a list can
                be added twice.

                Arguments:
                  TITLE                as on the cover
                  AUTHOR               who wrote it

                Options:
                  -s, --shelf NAME     where it stands (or set $SHELF)
                      --kind KIND      what it is (one of novel, poems; default:
                                       novel)
                      --cover FILE     a picture of it
                  -n, --dry-run, --what-if[=SIDE]
                                       show what would be added (one of client,
                                       server; client if no value is given)
                  -h, --help           Show this help
                  -V, --version        Show the version

                Output:
                  -o, --output FORMAT  how to print (default: text)
                  -q, --quiet          print nothing

                Examples:
                  library add -s A Emma
                      adds Emma to shelf A
                """
        )
    }

    @Test func `A group lists its commands under their headings`() {
        #expect(
            HelpPage(path).rendered(width: 66) == """
                Keep books.

                Usage: library COMMAND

                Books:
                  add      Add a book.
                  remove   Remove a book.

                Places:
                  shelves  Arrange the shelves.

                About:
                  help     Show help for a command.

                Options:
                  -h, --help     Show this help
                  -V, --version  Show the version

                See 'library COMMAND --help' for help on one command.
                """
        )
    }

    @Test func `Alternative names are shown`() {
        let lines = HelpPage(path.appending(Library.Remove.self)).rendered(width: 66).split(separator: "\n")
        #expect(lines.contains("Also called: rm"))
    }

    @Test(arguments: [40, 60, 80, 120])
    func `Lines never exceed the page width`(width: Int) {
        for path in path.visibleTree {
            let lines = HelpPage(path).rendered(width: width).split(separator: "\n")
            #expect(lines.filter { $0.count > width }.isEmpty)
        }
    }

    @Test func `Hidden items are not shown`() {
        let pages = path.visibleTree.map { HelpPage($0).rendered(width: 80) }
        #expect(pages.count == 6)
        #expect(!pages.contains { $0.contains("--trace") || $0.contains("reindex") })
    }
}
