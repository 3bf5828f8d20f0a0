import ContentFeeding
import EngineCatalog
import FeedReports
import ReportKit
import Spelling

typealias CommandFailure = Failure

extension Failure {
    static func interrupted(_ reason: StopReason) -> Self {
        Self(
            ExitStatus(reason),
            "interrupted before anything was sent",
            advice: "run it again: \(CommandLineWords.ofProcess)"
        )
    }
}

extension CommandLineWords {
    /// The command line as typed, with the program's usual name.
    ///
    /// A helper's command may hold a secret and is cut off after its name, as everywhere.
    static var ofProcess: CommandLineWords {
        let words = CommandLineWords(["fastctl"] + CommandLine.arguments.dropFirst())
        guard let helper = words.value(of: "--credentials-helper") else { return words }
        let setting = Setting(.credentialsHelper, helper, .option("--credentials-helper"))
        return words.setting("--credentials-helper", to: setting.shownValue)
    }
}
