import ArgumentParsing
import EngineCatalog
import Glibc
import LogDiagnosis
import ReportRendering

/// Options for what has been decided about findings before.
struct TriageOptions: OptionSetting {
    @Option(
        "--suppress",
        value: "FILE",
        completion: .files,
        help:
            "Findings not to be told, and why (default: \(SuppressionFile.standardName) in this folder, if it is there)"
    )
    var suppressions: String?

    @Flag("--no-suppress", help: "Tell everything, whatever is suppressed")
    var ignoresSuppressions

    @Option(
        "--baseline",
        value: "FILE",
        completion: .files,
        help: "Known findings, from --write-baseline: only new ones, and known ones that are worse, are told and fail"
    )
    var baseline: String?

    @Option(
        "--write-baseline",
        value: "FILE",
        completion: .files,
        help:
            "Write the findings, new or known, but not suppressed, as the baseline of later runs; kinds of unexplained rows are in the file of 'logs baseline', for --normal"
    )
    var newBaseline: String?

    static let exclusive = [["--suppress", "--no-suppress"]]

    /// Reads what was decided, here or else in a profile.
    func triage(of library: RuleLibrary, _ profile: FarmProfile?) throws -> FindingTriage {
        var triage = FindingTriage()
        if !ignoresSuppressions, let path = suppressions ?? profile?.texts(.suppress).first ?? standardFile {
            triage.suppressions = try SuppressionFile.read(path)
        }
        let known = baseline ?? profile?.texts(.baseline).first
        triage.baseline = try known.map { try FindingBaseline.read($0) }
        triage.today = CalendarDay.today
        triage.rules = Set(library.rules.map(\.id))
        return triage
    }

    /// The file of the usual name in this folder, if it is there.
    private var standardFile: String? {
        let name = SuppressionFile.standardName
        return access(name, F_OK) == 0 ? name : nil
    }
}

extension CalendarDay {
    /// The day on this machine's clock.
    static var today: CalendarDay? {
        var (seconds, parts) = (time_t(), tm())
        time(&seconds)
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        return CalendarDay(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
    }
}
