import ULSLog
import WebConfig

/// A test whose log has been read and whose files have been parsed: what a rule and its mutants are run on.
struct PreparedTest: Sendable {
    let test: RuleTest
    let log: RecordedLog?
    let configs: [WebConfigFile]
    let refusedConfigs: [WebConfigError]

    init(_ test: RuleTest) throws {
        self.test = test
        log = try test.log.map { try RecordedLog.record($0.reader) }
        var configs: [WebConfigFile] = []
        var refused: [WebConfigError] = []
        for (source, xml) in Self.sources(test.configs) {
            do throws(WebConfigError) {
                configs.append(try WebConfigFile(Array(xml.utf8), source: source))
            } catch {
                refused.append(error)
            }
        }
        self.configs = configs
        refusedConfigs = refused
    }

    /// What differs from what is expected, when rules are run; nothing, if nothing does.
    func differences(_ rules: RuleSet, of rule: RuleID) -> [String] {
        let diagnosis = Diagnosis(rules: rules, configs: configs, refusedConfigs: refusedConfigs)
        return ExpectationComparison(diagnosis.report(on: log), rule: rule).differences(from: test.expectation)
    }

    /// Files are called `web.config`, in folders named like their servers and zones; another one of a name gets a number.
    private static func sources(_ configs: [TestConfig]) -> [(WebConfigSource, xml: String)] {
        var uses: [String: Int] = [:]
        return configs.map { config in
            var path = [config.server, config.zone].compactMap(\.self).map { "\($0)/" }.joined() + "web.config"
            let use = uses[path, default: 0] + 1
            uses[path] = use
            if use > 1 { path += ".\(use)" }
            return (WebConfigSource(path: path, server: config.server, zone: config.zone), config.xml)
        }
    }
}
