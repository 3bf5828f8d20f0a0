import ArgumentParsing
import CommandKit
import Files
import Glibc
import LogDiagnosis
import LogReports
import Redaction
import ReportKit
import TextKit
import Threads
import ULSLog

/// `bundle`: writes the files that a support case needs, redacted, to a single folder.
struct WriteBundle: Command {
    static let configuration = CommandConfiguration(
        "bundle",
        group: "Logs",
        summary: "Write a redacted folder for support: diagnosis, rows, settings, farm.",
        discussion: """
            The folder, which must not exist yet, receives the diagnosis (report.md, report.json), the rows that it quotes \
            and the other rows of their requests (rows.log), the settings of each web.config (webconfig.csv), the \
            farm's servers and services (farm.json), and README.txt, which lists each file with its size and SHA-256, \
            the redacted values by kind, and the kinds of values that are not redacted.

            All files are redacted together, so that a name has the same pseudonym in each of them. The list of \
            pseudonyms and their names is in a file beside the folder that only you can read (mode 0600). Keep it, and \
            never send it: you need it to find out, for example, which server a reply calls host-2.

            Findings do not make the command fail, and suppressions are ignored. Logs are read twice, so no input may \
            be a pipe.
            """,
        examples: [
            .init("fastctl bundle --to case-4711 /logs", "And then: tar czf case-4711.tar.gz case-4711"),
            .init(
                "fastctl bundle --to case --web-config WFE1=web.config --farm farm.json --since 2024-03-11 /logs",
                "With the files that help most in finding causes"
            ),
        ]
    )

    @Option("--to", value: "FOLDER", completion: .files, help: "The folder to create")
    var folder: String

    @Option(
        "--names",
        value: "FILE",
        completion: .files,
        help: "The file to create with pseudonyms and their names (default: the folder's name plus .names.csv)"
    )
    var namesPath: String?

    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Configuration") var configs: WebConfigOptions
    @OptionGroup("Farm") var farm: FarmOptions
    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs, archives")
    var inputs: [String]

    func validate() throws {
        if inputs.isEmpty && configs.paths.isEmpty && reading.profileName == nil || inputs.contains("-") {
            throw ValidationError("specify logs to bundle; a pipe cannot be read twice")
        }
        if folder.allSatisfy({ $0 == "/" }) { throw ValidationError("--to needs a folder name") }
    }

    func run() async throws -> ExitCode {
        let place = BundlePlace(folder, names: namesPath)
        try place.requireFree()
        let subject = try reading.subject(
            of: inputs,
            events,
            configs,
            rules,
            farm,
            try reading.profile(),
            example: "fastctl bundle --to case /logs"
        )
        let configFiles = try ConfigFiles(subject.configPaths)
        var reader = subject.reader
        try reader?.findLogs()
        var diagnosis = Diagnosis(
            rules: subject.rules,
            configs: configFiles.read,
            refusedConfigs: configFiles.refused
        )
        diagnosis.farm = subject.farm
        var display: ReadProgressDisplay?
        if var counting = reader {
            guard counting.canBeReadAgain else {
                throw Failure(
                    .usage,
                    "an input is a pipe, which cannot be read twice",
                    advice: "specify files or folders"
                )
            }
            display = ReadProgressDisplay(reading.progress.style, of: &counting)
            reader = counting
        }
        defer { display?.finish() }
        Interruption.leaveAtOnce(saying: "interrupted; nothing was written")
        let clock = RunClock()
        let (bundle, emptiness) = try await onOwnThread { [reader, diagnosis, conditions = events.conditions] in
            Result {
                var report = try diagnosis.report(on: reader)
                report.emptiness = try reader?.emptiness(of: report, under: conditions)
                try Self.requireSubject(of: report)
                return (try Self.bundle(report, reader), report.emptiness)
            }
        }.get()
        display?.finish()

        var options = DiagnosisOptions(version: ProgramVersion.number, token: .unguessable)
        options.detail = .full
        options.gate = DiagnosisGate(failOn: nil, failsOnUnexplained: false)
        options.startedAt = clock.moment.startedAt
        options.duration = clock.moment.duration
        let (files, masked, names) = bundle.files(options)
        var report = masked
        // The command line need not be redacted on the terminal where it was typed.
        report.emptiness = emptiness
        try place.write(files, names)

        var circumstances = DiagnosisCircumstances()
        circumstances.gate = options.gate
        circumstances.failsIfNone = emptiness != nil
        circumstances.hasWindow = reader.map { !$0.window.isAll } ?? false
        circumstances.duration = options.duration
        let conclusion = DiagnosisConclusion(report, circumstances)
        quiet.say(conclusion.lines + [place.conclusion(files)], conclusion.status)
        return ExitCode(conclusion.status)
    }

    /// Throws if no row was examined, or if neither a rule nor a row has anything to report.
    private static func requireSubject(of report: DiagnosisReport) throws {
        var redactor: Redactor? = Redactor()
        var reason: String?
        if report.isEmpty {
            reason = report.emptiness?.sentence(report.logs.map { redactor.masked($0) })
        } else if report.unexplainedEvents == 0 {
            reason = report.reasonOfNoVerdict
        }
        guard let reason else { return }
        throw Failure(
            .inputRejected,
            "\(reason); no bundle was written",
            advice: "widen the options that select rows"
        )
    }

    /// Reads the rows that a report quotes, and the other rows of the same requests.
    private static func bundle(_ report: DiagnosisReport, _ reader: LogReader?) throws -> SupportBundle {
        guard var reader else { return SupportBundle(report, rows: [], areRowsCut: false) }
        let evidence = (report.findings + report.known).flatMap(\.evidence) + report.unexplained.map(\.example)
        let places = Set(evidence.map(\.place))
        let requests = Set(evidence.compactMap(\.correlation))
        reader.progress = nil
        // The conditions apply to the findings, not to the rows of their requests.
        reader.filter = EventFilter()
        var rows: [ULSEvent] = []
        var areCut = false
        _ = try reader.forEachEvent(in: .time) { event in
            let isQuoted = places.contains(event.place)
            guard isQuoted || requests.contains(event.text(.correlation)) else { return }
            if isQuoted || rows.count < SupportBundle.maximumRows { rows.append(copy event) } else { areCut = true }
        }
        return SupportBundle(report, rows: rows, areRowsCut: areCut)
    }
}

/// The path of a bundle, and the path of the list of its names.
private struct BundlePlace {
    private let folder: String
    private let names: String

    init(_ folder: String, names: String?) {
        self.folder = String(folder.reversed().drop { $0 == "/" }.reversed())
        self.names = names ?? self.folder + ".names.csv"
    }

    /// Throws if the path already exists, before any work is done.
    func requireFree() throws {
        for path in [folder, names] where FileLink.isOne(path) || NewFile.exists(path) { throw occupied(path) }
    }

    /// Writes either all files or none.
    ///
    /// The list of names is written first: as the folder does not exist yet, the list can't be inside it.
    func write(_ files: [SupportBundle.File], _ pairs: [(pseudonym: String, name: String)]) throws {
        var bytes: [UInt8] = []
        let table = CSVText(["pseudonym", "name"], CSVStyle(), to: &bytes)
        for pair in pairs { table.append([pair.pseudonym, pair.name], to: &bytes) }
        let list = try NewFile(names, permissions: 0o600)
        var isDone = false
        defer { if !isDone { unlink(names) } }
        try list.write(&bytes)
        guard mkdir(folder, 0o777) == 0 else {
            throw errno == EEXIST ? occupied(folder) : FileError(.create, folder, .system(errno)).failure
        }
        defer { if !isDone { rmdir(folder) } }
        try NewFile.writeAll(files.map { ("\(folder)/\($0.name)", $0.bytes) })
        isDone = true
    }

    func conclusion(_ files: [SupportBundle.File]) -> String {
        "\(folder): \(Quantity(files.count, "file", "files")) to send; names are in \(names): keep that file, and never send it"
    }

    private func occupied(_ path: String) -> Failure {
        Failure(.outputNotCreated, "'\(path)' already exists", advice: "use another folder with --to, or remove it")
    }
}
