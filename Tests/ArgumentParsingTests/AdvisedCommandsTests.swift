import Testing

@testable import ArgumentParsing

struct AdvisedCommandsTests {
    private func completed(_ message: String, after words: [String]) -> String {
        let names = ["--place", "--site", "--journal"]
        return AdvisedCommands(after: words, of: Program(Stall.self), repeating: names).completing(message)
    }

    @Test(arguments: [
        ("resume it with: shop jobs resume K7", "resume it with: shop jobs resume --place p K7"),
        ("see 'shop jobs list', or stop", "see 'shop jobs list --place p', or stop"),
        ("(shop jobs resume K7), then shop add X", "(shop jobs resume --place p K7), then shop add --place p X"),
        ("shop add … | shop add …", "shop add --place p … | shop add --place p …"),
        ("use 'shop add … -o name | shop add'", "use 'shop add --place p … -o name | shop add --place p'"),
    ])
    func `A command that a message advises has the place of the present command`(message: String, completed: String) {
        #expect(self.completed(message, after: ["add", "X", "--place", "p"]) == completed)
        #expect(self.completed(message, after: ["add", "--place=p", "--", "--site", "q"]) == completed)
        #expect(self.completed(message, after: ["add", "X"]) == message)
        #expect(self.completed(message, after: ["add", "--nonsense", "--place", "p"]) == message)
    }

    @Test(arguments: [
        "use 'shop add'", "use 'shop add --fields'", "'shop add --a' and 'shop add --b'", "whole ones: shop add",
        "shop add X --place q", "shop jobs list --site=q", "shop jobs",
        "shop look X", "shop", "workshop add X", "shop: X", "other options: shop add X", "", "  ",
    ])
    func `A mention of a command, and a command that names or has no such place, are not changed`(message: String) {
        #expect(completed(message, after: ["add", "X", "--place", "p"]) == message)
    }

    @Test func `Each option is repeated only where it exists, quoted for a shell`() {
        let words = ["add", "X", "--site", "a b", "--journal", "j"]
        #expect(
            completed("shop jobs list; shop jobs resume K7", after: words)
                == "shop jobs list --site 'a b'; shop jobs resume --site 'a b' --journal j K7"
        )
    }

    @Test func `Commands of a group in which the options have another purpose are not changed`() {
        let advised = AdvisedCommands(
            after: ["add", "--place", "p"],
            of: Program(Stall.self),
            repeating: ["--place"],
            exceptIn: ["jobs"]
        )
        #expect(
            advised.completing("shop add X; shop jobs list; shop add Y")
                == "shop add --place p X; shop jobs list; shop add --place p Y"
        )
    }

    @Test func `An address that contains a password is not repeated`() {
        #expect(completed("shop jobs list", after: ["add", "--place", "http://u:p@h"]) == "shop jobs list")
    }
}

private struct Stall: CommandGroup {
    static let configuration = CommandConfiguration(
        "shop",
        summary: "Keep a shop.",
        subcommands: [Add.self, Jobs.self, Look.self]
    )

    struct Place: OptionSetting {
        static let exclusive = [["--place", "--site"]]
        @Option("--place", value: "PLACE", help: "the place") var place: String?
        @Option("--site", value: "SITE", help: "the site") var site: String?
    }

    struct Add: Command {
        static let configuration = CommandConfiguration("add", summary: "Add.")
        @OptionGroup("Place") var place: Place
        @Option("--journal", value: "DIR", help: "the journal") var journal: String?
        @Argument("THING", help: "things") var things: [String]
        func run() async throws -> ExitCode { .success }
    }

    struct Look: Command {
        static let configuration = CommandConfiguration("look", summary: "Look.")
        @Option("--place", value: "WHERE", help: "of the shop") var place: String?
        @Argument("THING", help: "things") var things: [String]
        func run() async throws -> ExitCode { .success }
    }

    struct Jobs: CommandGroup {
        static let configuration = CommandConfiguration(
            "jobs",
            summary: "Jobs.",
            subcommands: [List.self, Resume.self]
        )

        struct List: Command {
            static let configuration = CommandConfiguration("list", summary: "List.")
            @OptionGroup("Place") var place: Place
            func run() async throws -> ExitCode { .success }
        }

        struct Resume: Command {
            static let configuration = CommandConfiguration("resume", summary: "Resume.")
            @OptionGroup("Place") var place: Place
            @Option("--journal", value: "DIR", help: "the journal") var journal: String?
            @Argument("JOB", help: "the job") var job: String
            func run() async throws -> ExitCode { .success }
        }
    }
}
