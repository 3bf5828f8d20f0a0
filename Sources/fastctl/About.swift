import ArgumentParsing
import CommandKit
import Files
import Glibc
import ReportKit
import TextKit

struct Completions: Command {
    static let configuration = CommandConfiguration(
        "completions",
        group: "About",
        summary: "Print a shell completion script.",
        examples: [
            .init("source <(fastctl completions bash)", "Enable completion in this shell"),
            .init(
                "fastctl completions fish > ~/.config/fish/completions/fastctl.fish",
                "Enable completion in fish permanently"
            ),
        ]
    )

    enum Shell: String, CaseIterable, ArgumentValue {
        case bash, zsh, fish, powershell
    }

    @Argument("SHELL", help: "bash, zsh, fish or powershell")
    var shell: Shell

    func run() async throws -> ExitCode {
        let script =
            switch shell {
            case .bash: CompletionScript.bash("fastctl")
            case .zsh: CompletionScript.zsh("fastctl")
            case .fish: CompletionScript.fish("fastctl")
            case .powershell: CompletionScript.powershell("fastctl")
            }
        CommandContext.current.terminal.print(script)
        return .success
    }
}

struct Man: Command {
    static let configuration = CommandConfiguration(
        "man",
        group: "About",
        summary: "Show a manual page, or write all of them to a folder.",
        discussion: """
            On a terminal, 'man' or 'mandoc' formats the page; without them, the help text is shown. Elsewhere, the \
            page's source is printed.
            """,
        examples: [
            .init("fastctl man logs show", "Read a command's page"),
            .init("fastctl man --folder ~/.local/share/man/man1", "Install the manual for yourself only"),
        ]
    )

    @Option(
        "--folder",
        formerly: "--output",
        value: "DIR",
        completion: .folders,
        help: "Write every page to this folder, which must exist"
    )
    var folder: String?

    @Argument("COMMAND", completion: .commands, help: "The command, such as 'collections create'")
    var words: [String]

    func run() async throws -> ExitCode {
        let pages = ManualPage.pages(
            of: Fastctl.self,
            date: ProgramVersion.date,
            exitStatus: Self.exitStatus,
            environment: Self.environment,
            files: Self.files
        )
        guard let folder else {
            let page = try page(among: pages)
            if !FileDescriptor.standardOutput.isTerminal {
                CommandContext.current.terminal.print(page.text)
            } else if try !ManualReader.show(page.text, through: TextOptions().pager(for: true)) {
                return try await help()
            }
            return .success
        }
        for page in pages { try AtomicFile.write(Array(page.text.utf8), to: "\(folder)/\(page.fileName)") }
        StandardError.say("\(Quantity(pages.count, "manual page", "manual pages")) written to \(folder)")
        return .success
    }

    /// Shows the help text if no program that formats manual pages is installed.
    private func help() async throws -> ExitCode {
        let context = CommandContext.current
        return try await context.program.run(
            ["help"] + words,
            environment: context.environment,
            terminal: context.terminal
        )
    }

    private func page(among pages: [ManualPage]) throws -> ManualPage {
        let name = (["fastctl"] + words).joined(separator: "-")
        if let page = pages.first(where: { $0.fileName == name + ".1" }) { return page }
        let names = pages.map { String($0.fileName.dropFirst("fastctl-".count).dropLast(2)) }
        let wanted = words.joined(separator: "-")
        let nearest = wanted.nearest(in: names).map { "Did you mean '\($0)'?" }
        throw ArgumentError("no manual page for '\(words.joined(separator: " "))'", advice: nearest)
    }

    private static var exitStatus: [ManualPage.ExitStatus] {
        ExitStatus.allCases.map { ManualPage.ExitStatus(ExitCode($0), $0.meaning) }
    }

    /// The variables that no option declares.
    static let environment: [ManualPage.Entry] = [
        .init("FASTCTL_COLLECTION", "The collection if neither --collection nor the context specifies one."),
        .init(
            "FASTCTL_CREDENTIALS",
            "Credentials if they are not specified in another way: user:password, Bearer TOKEN or ApiKey KEY."
        ),
        .init("XDG_CONFIG_HOME", "The folder for your settings; ~/.config if not set."),
        .init("XDG_DATA_HOME", "The folder for the embedded store; ~/.local/share if not set."),
        .init("XDG_STATE_HOME", "The folder for jobs and source counts; ~/.local/state if not set."),
        .init("FASTCTL_SOURCE_CREDENTIALS", "A source's credentials if --source-credentials-file is not given."),
        .init("AWS_PROFILE, AWS_REGION, AWS_ACCESS_KEY_ID, …", "Read for --credentials-aws, as Amazon's tools do."),
        .init("CI, GITHUB_ACTIONS, GITLAB_CI, TF_BUILD", "If set, progress is a line every 30 seconds."),
        .init("HOME", "Your home folder; the search for a project's file ends there."),
        .init("COLUMNS", "The line width of text output; it takes precedence over the terminal's."),
        .init(
            "FASTCTL_PAGER, PAGER",
            "The pager for long text on a terminal: the first of these, or else less; empty or cat means no pager."
        ),
        .init("NO_COLOR", "If set, text is not colored, unless --color always is given."),
        .init("CLICOLOR_FORCE, FORCE_COLOR", "If set, text is colored even without a terminal."),
        .init("LC_ALL, LC_CTYPE, LANG", "Whether charts may use characters beyond ASCII."),
        .init(
            "http_proxy, https_proxy, all_proxy, no_proxy",
            "The proxy, read in the same way as by curl; --proxy takes precedence."
        ),
    ]

    private static let files: [ManualPage.Entry] = [
        .init("$XDG_CONFIG_HOME/fastctl/config.yaml", "Your contexts."),
        .init("fastctl.yaml", "A project's contexts, in the working folder or the nearest one above it."),
        .init("$XDG_DATA_HOME/fastctl/store.sqlite", "The embedded store that is used if no target is specified."),
        .init("$XDG_STATE_HOME/fastctl/jobs", "Jobs for remote targets: journals, saved input, backups."),
        .init("$XDG_STATE_HOME/fastctl/readings", "The number of entries when each source was last read in full."),
        .init("fastctl-suppress.yaml", "In the working folder: the findings that diagnose does not report."),
        .init(
            "PREFIX/share/fastctl/Get-FarmFacts.ps1",
            "Writes farm.json for diagnose --farm on a SharePoint server, and changes nothing there."
        ),
    ]
}

struct Version: Command {
    static let configuration = CommandConfiguration(
        "version",
        group: "About",
        summary: "Print the version.",
        examples: [.init("fastctl version -v", "Include commit, compiler, rules and libraries, for a bug report")]
    )

    @Flag("--verbose", "-v", help: "Add the commit, the compiler, the rules and the libraries, as JSON always does")
    var isVerbose

    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form

    func run() async throws -> ExitCode {
        guard isVerbose || form == .json else {
            CommandContext.current.terminal.print(ProgramVersion.line)
            return .success
        }
        let facts = VersionFacts(ProgramVersion.number, libraries: LoadedLibraries.versions)
        guard form == .json else {
            CommandContext.current.terminal.print(facts.lines)
            return .success
        }
        var bytes: [UInt8] = []
        facts.append(to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
        return .success
    }
}
