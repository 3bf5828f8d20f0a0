import ArgumentParsing
import LogDiagnosis
import ReportRendering
import TextSafety
import WebConfig

/// Repairs of web.config files, and taking them back.
struct FixWebConfig: Command {
    static let configuration = CommandConfiguration(
        "fix",
        summary: "Repair values of web.config files; nothing else in them changes.",
        discussion: """
            Rules that know the right value say what is changed: tracing, debug compilation, custom errors, call stacks. \
            Comments, order, white space, encoding and line ends stay as they are. The file as it was is kept beside \
            it, for its owner only, and --undo puts it back, unless the file was changed since. A file that is fine is \
            not touched.

            Saving a web.config restarts its web application.
            """,
        examples: [
            .init("fastctl webconfig fix web.config --dry-run", "What would be changed"),
            .init("fastctl webconfig fix web.config --only FS0101", "Only ASP.NET tracing"),
            .init("fastctl webconfig fix web.config --undo", "Take the last repair back"),
        ]
    )

    @Option(
        "--only",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "Only what this rule is about, such as FS0101; may be repeated"
    )
    var only: [RuleID]

    @Flag("--dry-run", help: "Show what would be changed, and change nothing")
    var isDryRun

    @Flag("--undo", help: "Put back the files as they were before their last repair")
    var isUndoing

    @OptionGroup("Rules") var rules: RuleFolderOptions

    @Argument("[SERVER[/ZONE]=]PATH", completion: .files, help: "Files, or folders to search for them")
    var paths: [String]

    func validate() throws {
        if paths.isEmpty { throw ValidationError("name a web.config file, or a folder that contains some") }
        if isUndoing, isDryRun || !only.isEmpty {
            throw ValidationError("--undo takes back a whole repair; leave out --dry-run and --only")
        }
    }

    func run() async throws -> ExitCode {
        let repairers = try repairers()
        let output = StandardOutput()
        var (statuses, values, files): ([ExitStatus], Int, Int) = ([], 0, 0)
        for source in try WebConfigInputs.find(paths) {
            do {
                let count = try isUndoing ? undo(source) : repair(source, by: repairers, output)
                values += count
                files += count > 0 ? 1 : 0
            } catch {
                // The other servers' files are repaired all the same.
                let failure = CommandFailure(error)
                StandardError.say(failure.message)
                statuses.append(failure.status)
            }
        }
        if let failure = output.failure { throw CommandFailure(.inputOutput, failure, advice: nil) }
        if !isUndoing { say(values, files, areAllRead: statuses.isEmpty) }
        return ExitCode(ExitStatus.first(of: statuses))
    }

    /// The rules that repair something.
    private func repairers() throws -> [Rule] {
        let library = try rules.library()
        guard !only.isEmpty else { return library.rules.filter { $0.repair != nil } }
        return try only.map { id in
            let rule = try library.entry(id).rule
            guard rule.repair == nil else { return rule }
            let known = library.rules.filter { $0.repair != nil }.map(\.id.text).joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "\(id) repairs nothing: what it finds is not one value of a web.config",
                advice: "rules that do: \(known)"
            )
        }
    }

    private func repair(_ source: WebConfigSource, by rules: [Rule], _ output: StandardOutput) throws -> Int {
        var authors: [ConfigChange: RuleID] = [:]
        let repair = try ConfigRepair(source) { file throws(WebConfigError) in
            var changes: [ConfigChange] = []
            for rule in rules {
                for change in try rule.changes(in: file) where authors[change] == nil {
                    if let other = changes.first(where: { $0.attribute == change.attribute }) {
                        throw disagreement(about: change, rule.id, authors[other], source)
                    }
                    authors[change] = rule.id
                    changes.append(change)
                }
            }
            return changes
        }
        guard !repair.changes.isEmpty else { return 0 }
        var text = "--- \(SafeText.escaping(source.path))\n+++ \(SafeText.escaping(source.path))\n"
        for planned in repair.changes {
            let (change, id) = (planned.change, authors[planned.change]?.text ?? "")
            text += "@@ line \(change.attribute.line), \(SafeText.escaping(change.element.path)) (\(id)) @@\n"
            text += "-\(SafeText.escaping(planned.before))\n+\(SafeText.escaping(planned.after))\n"
        }
        var bytes = Array(text.utf8)
        output.drain(&bytes)
        guard !isDryRun else { return repair.changes.count }
        let kept = try ConfigBackup.write(repair)
        StandardError.say("\(SafeText.escaping(source.path)): repaired; as it was: \(SafeText.escaping(kept))")
        return repair.changes.count
    }

    private func disagreement(
        about change: ConfigChange,
        _ rule: RuleID,
        _ other: RuleID?,
        _ source: WebConfigSource
    ) -> WebConfigError {
        WebConfigError(
            code: .refused,
            source: source,
            line: change.attribute.line,
            column: change.attribute.column,
            message: "\(rule) and \(other?.text ?? "another rule") want different values here; nothing was written",
            advice: "name one of them with --only"
        )
    }

    private func undo(_ source: WebConfigSource) throws -> Int {
        _ = try ConfigBackup.undo(source)
        StandardError.say("\(SafeText.escaping(source.path)): as it was before its last repair")
        return 1
    }

    private func say(_ values: Int, _ files: Int, areAllRead: Bool) {
        guard values > 0 else {
            if areAllRead { StandardError.say("nothing to repair; nothing was changed") }
            return
        }
        let what = "\(Quantity(values, "value", "values")) in \(Quantity(files, "file", "files"))"
        guard isDryRun else {
            return StandardError.say("\(what) repaired; take it back with: fastctl webconfig fix --undo PATH")
        }
        StandardError.say("dry run: \(what) would be changed; their web applications would restart")
    }
}
