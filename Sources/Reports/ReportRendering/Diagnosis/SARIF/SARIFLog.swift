import JSONText
import LogDiagnosis

/// A diagnosis for code scanning and editors: SARIF 2.1.0, within the limits of GitHub, and it says what was cut.
struct SARIFLog {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let rules = SARIFRules(report)
        let (results, cut) = SARIFResults(report, rules).json
        var buffer: [UInt8] = []
        swap(&buffer, &bytes)
        var writer = JSONWriter(onto: buffer)
        writer.object { log in
            log.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
            log.member("version", "2.1.0")
            log.array("runs") { runs in
                runs.object { run in
                    run.object("tool") { tool in
                        tool.object("driver") { driver in
                            driver.member("name", "fastctl")
                            driver.member("version", LogString(text: options.version))
                            driver.key("rules")
                            rules.write(to: &driver)
                        }
                    }
                    // Another category than that of other tools: uploads of the same one replace each other.
                    run.object("automationDetails") { $0.member("id", "fastctl/uls/") }
                    run.member("columnKind", "unicodeCodePoints")
                    run.array("invocations") { invocations in
                        SARIFInvocation(report, options, rules, cut: cut).write(to: &invocations)
                    }
                    run.member("results", raw: results)
                }
            }
        }
        bytes = writer.takeBytes()
        bytes.append(0x0A)
    }
}

/// What GitHub takes of one file.
///
/// Source: "SARIF support for code scanning" (docs.github.com): 10 MB packed, 25,000 results and rules of which 5,000
/// results are kept, 1,000 locations of which 100 are kept, 20 tags of which 10 are kept, descriptions of 1,024
/// characters.
enum SARIFLimits {
    static let results = 5000
    static let rules = 25_000
    static let locations = 100
    static let tags = 10
    static let description = 1024
    /// Unpacked, so that it is less when it is packed.
    static let resultBytes = 8_000_000
    /// The help of a rule.
    static let help = 8000
}
