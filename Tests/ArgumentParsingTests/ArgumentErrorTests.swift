import Testing

@testable import ArgumentParsing

struct ArgumentErrorTests {
    @Test(arguments: [
        (["--colection", "x"], "unknown option '--colection'. Did you mean '--collection'?"),
        (["--collection=x", "--hlep"], "unknown option '--hlep'. Did you mean '--help'?"),
        (["-collection", "x"], "unknown option '-collection'. Did you mean '--collection'?"),
        (["-Collection", "x"], "unknown option '-Collection'. Did you mean '--collection'?"),
        (["-WhatIf"], "unknown option '-W'. Did you mean '--what-if'?"),
        (["--tga", "x"], "unknown option '--tga'. Did you mean '--tag'?"),
        (["--colecton", "x"], "unknown option '--colecton'. Did you mean '--collection'?"),
        (["--lime", "x"], "unknown option '--lime'"),
        (["--kag", "x"], "unknown option '--kag'"),
        (["--clecto", "x"], "unknown option '--clecto'"),
        (["-c", "x", "-qz"], "unknown option '-z'. To pass a value that begins with '-', put '--' before it"),
        (["-c", "x", "-5"], "unknown option '-5'. To pass a value that begins with '-', put '--' before it"),
        (
            ["-c", "x", "--missing", "wran"],
            "'wran' is not a valid value for --missing: expected one of error, warn, ignore. Did you mean 'warn'?"
        ),
        (["-c", "x", "--limit", "two"], "'two' is not a valid value for --limit: expected a whole number"),
        (["-c", "x", "--dry-run="], "'' is not a valid value for --dry-run: expected one of client, server"),
        ([], "missing --collection NAME: remove from this. Use '--collection NAME' or set COLLECTION"),
        (["-c"], "--collection needs a value: --collection NAME"),
        (
            ["-c", "--dry-run"],
            "--collection needs a value: --collection NAME. "
                + "To pass a value that begins with '-', write '--collection=--dry-run'"
        ),
        (
            ["-c", "x", "--tag", "-5"],
            "--tag needs a value: --tag TAG. To pass a value that begins with '-', write '--tag=-5'"
        ),
        (
            ["-c", "x", "-c", "y"],
            "--collection is given twice. It takes one value: leave one of them out, or run a command for each"
        ),
        (
            ["-c", "x", "-n", "--what-if=server"],
            "--dry-run is given twice. It takes one value: leave one of them out, or run a command for each"
        ),
        (["--quiet=yes"], "--quiet does not take a value"),
        (
            ["-c", "x", "--context", "a", "--target=b"],
            "--context and --target cannot be used together. Use only one of them"
        ),
        (
            ["-c", "x", "--wrap\u{1B}[2J"],
            "unknown option '--wrap\\u{1B}[2J'. To pass a value that begins with '-', put '--' before it"
        ),
    ])
    func `Mistakes on the command line are reported`(words: [String], message: String) {
        let error = #expect(throws: ArgumentError.self) { try Everything.parsed(words) }
        #expect(error?.description == message)
    }

    @Test func `Mutually exclusive variables are refused`() {
        let error = #expect(throws: ArgumentError.self) {
            try Everything.parsed(["-c", "x"], environment: ["CONTEXT": "prod", "TARGET": "sqlite:a"])
        }
        #expect(error?.message == "CONTEXT and TARGET cannot be used together")
    }

    @Test(arguments: [
        (["add", "Emma", "--force"], "library add: unknown option '--force'. It is an option of 'library remove'"),
        (
            ["--force", "remove", "Emma"],
            "library: unknown option '--force'. It is an option of 'library remove'; put it after the command"
        ),
        (["add", "Emma", "--length"], "library add: unknown option '--length'"),
        (
            ["--length", "3"],
            "library: unknown option '--length'. It is an option of 'library shelves build'; put it after the command"
        ),
        (["remove", "Emma", "Mansfield Park"], "library remove: unexpected argument 'Mansfield Park'"),
        (["remove"], "library remove: missing TITLE: as on the cover"),
        (["reindex", "now"], "library reindex: unexpected argument 'now'. 'library reindex' takes only options"),
        (["remvoe", "Emma"], "library: unknown command 'remvoe'. Did you mean 'remove'?"),
        (["shelves", "biuld"], "library shelves: unknown command 'biuld'. Did you mean 'build'?"),
        (["build"], "library: unknown command 'build'. Did you mean 'library shelves build'?"),
        (["dust"], "library: unknown command 'dust'"),
        (["help", "remvoe"], "library help: unknown command 'remvoe'. Did you mean 'remove'?"),
        (["--"], "library: missing COMMAND. Specify a command to run"),
        (["shelves", "build", "--length", "-2"], "library shelves build: a shelf of -2 metres holds no book"),
        (
            ["add", "-s", "A", "Emma", "-q", "-ojson"],
            "library add: --output and --quiet cannot be used together. Use only one of them"
        ),
    ])
    func `An error names the command`(words: [String], message: String) async throws {
        let run = try await Run.of(Program(Library.self), words)
        #expect(run.code.rawValue == 64)
        #expect(run.output.isEmpty)
        let command = message.prefix { $0 != ":" }
        #expect(run.errors == [message, "Try '\(command) --help'."])
    }

    @Test func `The error for a surplus argument suggests a required option`() async throws {
        struct Save: Command {
            static let configuration = CommandConfiguration("save", summary: "")
            @Option("--target", value: "ADDRESS", help: "the place") var target: String
            @Argument("NAME", help: "the name") var name: String
            func run() async throws -> ExitCode { .success }
        }
        let run = try await Run.of(Program(Save.self), ["a", "x\u{1B}y"])
        let advice = "If it is the ADDRESS, use --target 'x\\u{1B}y'"
        #expect(run.errors.first?.hasSuffix(". \(advice)") == true, "\(run.errors)")
        let given = try await Run.of(Program(Save.self), ["--target", "x", "a", "b"])
        #expect(given.errors.first == "save: unexpected argument 'b'")
    }

    @Test func `A command without arguments suggests the only option that takes a file`() async throws {
        struct Places: OptionSetting {
            @Option("--shelf", value: "DIR", completion: .folders, help: "the shelf") var shelf: String?
            @Option("--room", value: "NAME", help: "the room") var room: String?
        }
        struct Papers: OptionSetting {
            @Option("--list", value: "FILE", completion: .files, help: "the list") var list: String?
        }
        struct Dust: Command {
            static let configuration = CommandConfiguration("dust", summary: "")
            @OptionGroup("Places") var places: Places
            func run() async throws -> ExitCode { .success }
        }
        struct Sort: Command {
            static let configuration = CommandConfiguration("sort", summary: "")
            @OptionGroup("Places") var places: Places
            @OptionGroup("Papers") var papers: Papers
            func run() async throws -> ExitCode { .success }
        }
        let dust = try await Run.of(Program(Dust.self), ["attic"])
        #expect(dust.errors.first == "dust: unexpected argument 'attic'. 'dust' takes only options: --shelf DIR")
        let sort = try await Run.of(Program(Sort.self), ["attic"])
        #expect(sort.errors.first == "sort: unexpected argument 'attic'. 'sort' takes only options")
    }

    @Test func `An option that resembles no option of any command gets no suggestion`() async throws {
        struct Shop: CommandGroup {
            static let configuration = {
                var configuration = CommandConfiguration("shop", summary: "", subcommands: [Sell.self, Drop.self])
                configuration.foreignOptions = [
                    "--hard": [], "--price": ["--cost"], "--cheap": ["--cost N"], "--red": ["--color red"],
                    "--blue": ["--color blue"],
                ]
                return configuration
            }()

            struct Sell: Command {
                static let configuration = CommandConfiguration("sell", summary: "")
                @Option("--cost", value: "N", help: "") var cost = 1
                @Option("--color", value: "NAME", among: [Color.red, .green], help: "") var color = Color.red
                func run() async throws -> ExitCode { .success }
            }

            enum Color: String { case red, green }

            struct Drop: Command {
                static let configuration = CommandConfiguration("drop", summary: "")
                @Flag("--hard", help: "") var isHard
                func run() async throws -> ExitCode { .success }
            }
        }
        let program = Program(Shop.self)
        #expect(try await Run.of(program, ["sell", "--hard"]).errors.first == "shop sell: unknown option '--hard'")
        #expect(
            try await Run.of(program, ["sell", "--price", "2"]).errors.first
                == "shop sell: unknown option '--price'. Did you mean '--cost'?"
        )
        for (word, meant) in [("--cheap", "--cost N"), ("--red", "--color red")] {
            #expect(
                try await Run.of(program, ["sell", word]).errors.first
                    == "shop sell: unknown option '\(word)'. Did you mean '\(meant)'?"
            )
        }
        #expect(try await Run.of(program, ["sell", "--blue"]).errors.first == "shop sell: unknown option '--blue'")
    }

    @Test(arguments: [
        ([0x63, 0x61, 0x66, 0xE9], "argument 3 is not UTF-8: 'caf\\xE9'"),
        ([0xC0, 0xAF], "argument 3 is not UTF-8: '\\xC0\\xAF'"),
    ])
    func `Arguments that are not valid text are refused`(bytes: [UInt8], message: String) {
        let error = #expect(throws: ArgumentError.self) { try Program.word(bytes, at: 3) }
        #expect(error?.message == message)
    }

    @Test func `Arguments that are valid text are not normalized`() throws {
        let bytes = Array("e\u{301}".utf8)
        #expect(try Array(Program.word(bytes, at: 1).utf8) == bytes)
    }

    @Test func `The arguments of the process are available`() throws {
        #expect(try Program.readWords() == Array(CommandLine.arguments.dropFirst()))
    }
}

struct ArgumentValueTests {
    @Test(arguments: [
        ("30s", Duration.seconds(30)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)), ("250ms", .milliseconds(250)),
        ("2d", .seconds(172_800)), ("1m500ms", .milliseconds(60500)), ("0", .zero),
    ])
    func `A duration is zero, or consists of numbers with units`(word: String, duration: Duration) throws {
        #expect(try Duration(argument: word) == duration)
        #expect(duration.argumentText == word)
    }

    @Test func `Weeks are accepted, and shown as days`() throws {
        #expect(try Duration(argument: "1w") == .seconds(604_800))
        #expect(try Duration(argument: "2w1d12h") == .seconds(1_339_200))
        #expect(try Duration(argument: "1w").argumentText == "7d")
        #expect(throws: ArgumentExpectation.self) { try Duration(argument: "1d1w") }
    }

    @Test(arguments: [
        "", "30", "s", "-5s", "5m1h", "5s5s", "5 s", "1.5s", "5x", "99999999999999999999s", "9000000000000000d",
    ])
    func `Text in any other form is not a duration`(word: String) {
        let error = #expect(throws: ArgumentExpectation.self) { try Duration(argument: word) }
        #expect(error?.text == "a duration such as 30s, 5m, 1h30m or 250ms")
    }

    @Test(arguments: [
        ("4096", 4096), ("10MiB", 10_485_760), ("1GB", 1_000_000_000), ("1gb", 1_000_000_000), ("64KiB", 65536),
        ("7B", 7),
        ("0", 0),
    ])
    func `A size can have a unit`(word: String, bytes: Int) throws {
        #expect(try ByteCount(argument: word).bytes == bytes)
    }

    @Test(arguments: ["", "MiB", "M", "-1", "1.5GB", "10 MiB", "9999999999TiB", "1XB"])
    func `Text in any other form is not a size`(word: String) {
        let error = #expect(throws: ArgumentExpectation.self) { try ByteCount(argument: word) }
        #expect(error?.text == "a size such as 4096, 10MiB or 1GB")
    }

    @Test(arguments: ["10M", "1k", "2G", "3T"]) func `The error for an ambiguous unit states both meanings`(
        word: String
    ) {
        let error = #expect(throws: ArgumentExpectation.self) { try ByteCount(argument: word) }
        #expect(error?.text == "\(word)iB (in steps of 1024) or \(word)B (in steps of 1000)")
        for unit in ["iB", "B"] { #expect(throws: Never.self) { try ByteCount(argument: word + unit) } }
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (1000, "1KB"), (1024, "1KiB"), (10_485_760, "10MiB"), (1_000_000_000, "1GB"),
        (4097, "4097"),
    ])
    func `A size is shown in its largest suitable unit`(bytes: Int, text: String) throws {
        #expect(ByteCount(bytes: bytes).argumentText == text)
        #expect(try ByteCount(argument: text).bytes == bytes)
    }

    @Test(arguments: ["", "x", "1.0", "0x10", "99999999999999999999"])
    func `Anything but a whole number is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try Int(argument: word) }
    }

    @Test(arguments: ["", "x", "nan", "inf", "1,5"])
    func `Anything but a number is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try Double(argument: word) }
    }
}
