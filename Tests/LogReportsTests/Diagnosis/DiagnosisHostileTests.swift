import Foundation
import FoundationXML
import LogReports
import ReportKit
import TestSupport
import Testing
import ULSLog
import WebConfig

@testable import LogDiagnosis

/// Untrusted text is only displayed and never interpreted, wherever it appears.
struct DiagnosisHostileTests {
    private static let payloads: [String] =
        [
            "\u{1B}[31mred\u{1B}]0;title\u{7}", "\u{9B}2J", "\u{202E}gnp.exe\u{2066}", "a\n::error::x",
            "::error file=x::y", "  ::set-output name=x::y", "\t::add-mask::x", "##[error]x", "x ##[group]y",
            "##vso[task.setvariable variable=x]y", "##teamcity[buildStop]", "###[x", "```\n# h\n```", "`", "``a`",
            "]]>", "]]></failure><x/>", "a|b", "<script>alert(1)</script>", "@name #123 owner/repo#4",
            "[x](javascript:alert(1))", "![x](http://evil/x.png)", "%0A::error::x", "{0} [a](1)", "\"quoted\" & <b>",
            "\u{0}\u{8}\u{B}", "\u{FFFE}\u{FFFF}\u{FFFD}", "\u{2028}::error::x", "\r::error::x", "a\r\nb",
            String(repeating: "word ", count: 30) + "::error::x",
            String(repeating: "::stop ", count: 40), "::q7w8e9::", "q7w8e9", "\u{E0041}\u{200D}\u{301}",
            "https://evil.example/", "www.evil.example", "- [ ] task", "1. one", "=====", "~~~",
            String(decoding: [0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80], as: UTF8.self),
        ] + HurtfulText.all

    /// Returns a report with the text in every field that can contain it.
    static func report(_ text: String) throws -> DiagnosisReport {
        var rule = try DiagnosisFixtures.tracing()
        rule.slug = text
        rule.title = text
        rule.category = text
        rule.tags = [text]
        rule.explanation = FindingExplanation(what: text, why: text, impact: text)
        rule.fix = [FixStep(step: text, location: text, effect: text, undo: text, verdicts: [])]
        rule.verify = text
        rule.references = [Reference(title: text, url: text), Reference(title: text, url: "https://a/" + text)]
        let event = Evidence(
            place: .init(file: text, line: 3, lineEnd: 9),
            time: LogFixtures.time(),
            server: text,
            eventID: text,
            level: text,
            category: text,
            correlation: text,
            text: text
        )
        let attribute = ConfigAttribute(name: text, value: text, line: 1, column: 1)
        let element = ConfigElement(
            path: text,
            location: text,
            attributes: [attribute],
            line: 1,
            column: 1,
            lineEnd: 1,
            columnEnd: 9
        )
        let source = WebConfigSource(path: text, server: text, zone: text)
        var finding = DiagnosisFixtures.finding(of: rule, text, fingerprint: "00")
        finding.verdict = text
        finding.symptoms = [Symptom(check: text, text: text, count: 1)]
        finding.captures = [Capture(name: text, value: text)]
        finding.config = [
            ConfigEvidence(source: source, element: element, path: text, attributes: [attribute]),
            ConfigEvidence(source: source, element: nil, path: text, attributes: []),
        ]
        finding.servers = [text, text]
        finding.evidence = [event]
        finding.undecided = [text]
        finding.farm = [text]
        var filled = finding
        filled.fix[0].step = text + text
        filled.config = []
        var report = DiagnosisReport()
        report.findings = [finding, filled]
        var other = try DiagnosisFixtures.rule("FS0401")
        other.title = text
        other.slug = text
        report.passed = [other]
        report.notEvaluated = [NotEvaluated(rule: try DiagnosisFixtures.rule("FS0402"), reason: text)]
        report.unexplained = [
            FailureCluster(eventID: text, level: ULSLevel(text), template: text, count: 1, example: event)
        ]
        report.unexplained[0].exception = text
        report.unexplained[0].userNames = [text]
        report.unexplained[0].addressNames = [text]
        report.changes = [LogChange(.silence, server: text, at: .none, text)]
        report.farmNotes = [text]
        report.unexplainedEvents = 1
        report.unexplainedKinds = 1
        report.configs = [WebConfigFile(source: source, elements: [element])]
        report.refusedConfigs = [
            WebConfigError(code: .malformed, source: source, line: 1, message: text, advice: text)
        ]
        report.logs = DiagnosisFixtures.logs
        report.logs?.files[0].name = text
        report.logs?.files[0].server = text
        report.logs?.files[0].notes = [text]
        report.logs?.notes = [text]
        try addDecisions(text, to: &report)
        return report
    }

    /// Adds decisions about findings, with the text in every field that can contain it.
    private static func addDecisions(_ text: String, to report: inout DiagnosisReport) throws {
        let finding = report.findings[0]
        var (hidden, known) = (finding, finding)
        hidden.rule.id = try DiagnosisFixtures.rule("FS0403").id
        hidden.filePlace = FilePlace(file: text, line: 1)
        hidden.evidence = []
        hidden.config = []
        known.rule.id = try DiagnosisFixtures.rule("FS0404").id
        let suppression = Suppression(
            subject: .cluster(text),
            reason: text,
            owner: text,
            place: FilePlace(file: text, line: 1)
        )
        report.triage.suppressions = try SuppressionFile("schema: fastctl.suppressions/1\n", path: text)
        report.triage.baseline = FindingBaseline([])
        report.known = [known]
        report.suppressed = [
            SuppressedFinding(.finding(hidden), by: suppression),
            SuppressedFinding(.unexplained(report.unexplained[0]), by: suppression),
        ]
        report.gone = [.init(fingerprint: text, rule: finding.rule.id, title: text, severity: .info, servers: [text])]
    }

    /// Characters that a terminal interprets or a reader can't see.
    private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" || scalar == "\t" || 0x20..<0x7F ~= scalar.value { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            scalar != "\u{200D}"
        default: false
        }
    }

    @Test(arguments: [OutputForm.text, .markdown, .github, .junit])
    func `No output acts as a command to a terminal or a CI runner`(format: OutputForm) throws {
        for payload in Self.payloads {
            let text = rendered(try Self.report(payload), as: format)
            #expect(!text.unicodeScalars.contains(where: isHidden), "\(payload.debugDescription)")
            for sign in ["##[", "##vso[", "##teamcity["] {
                #expect(!text.contains(sign), "\(payload.debugDescription)")
            }
            for line in text.split(separator: "\n") where line.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("::")
            {
                #expect(format == .github && isOwnCommand(line), "\(payload.debugDescription): \(line)")
            }
        }
    }

    @Test(arguments: [40, 79])
    func `Lines wrapped for a terminal do not act as commands either`(width: Int) throws {
        var options = DiagnosisFixtures.options
        options.layout = TextLayout(width: width)
        for payload in Self.payloads {
            let text = rendered(try Self.report(payload), as: .text, options)
            #expect(!text.unicodeScalars.contains(where: isHidden), "\(payload.debugDescription)")
            let lines = text.split(separator: "\n")
            #expect(lines.allSatisfy { !$0.drop { $0 == " " }.hasPrefix("::") && !$0.contains("##[") })
        }
    }

    @Test func `Each closing message is one line and does not act as a command`() throws {
        for payload in Self.payloads {
            for line in DiagnosisConclusion(try Self.report(payload), DiagnosisCircumstances()).lines {
                #expect(!line.unicodeScalars.contains { $0 == "\n" || isHidden($0) }, "\(payload.debugDescription)")
                #expect(!line.hasPrefix("::") && !line.contains("##["), "\(payload.debugDescription)")
            }
        }
    }

    private func isOwnCommand(_ line: Substring) -> Bool {
        line == "::stop-commands::q7w8e9" || line == "::q7w8e9::"
            || line.wholeMatch(of: /::(error|warning|notice) (file=[^:,]*,line=\d+,endLine=\d+,)?title=[^:,]*::.*/)
                != nil
    }

    @Test func `The runner's command processing is stopped once and resumed once`() throws {
        for payload in Self.payloads {
            let lines = rendered(try Self.report(payload), as: .github).split(separator: "\n")
            let stop = try #require(lines.firstIndex(of: "::stop-commands::q7w8e9"))
            let resume = try #require(lines.lastIndex(of: "::q7w8e9::"))
            #expect(lines[(stop + 1)..<resume].allSatisfy { $0.hasPrefix("| ") })
            #expect(lines.count { $0 == "::q7w8e9::" } == 1)
        }
    }

    @Test func `In Markdown, untrusted text outside code contains no markup`() throws {
        for payload in Self.payloads {
            let prose = withoutCode(rendered(try Self.report(payload), as: .markdown))
            let plain = prose.replacing(/<https?:\/\/[^<>\s]*>/, with: "").replacing(/\\./, with: "·")
            for sign in ["<", "@", "[", "](", "www.", "://", "#1", "#4"] {
                #expect(!plain.contains(sign), "\(payload.debugDescription): \(sign)")
            }
        }
    }

    /// Removes fences and code spans, as CommonMark defines them.
    private func withoutCode(_ markdown: String) -> String {
        var lines: [String] = []
        var fence: Substring?
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            let ticks = line.prefix { $0 == "`" }
            if let open = fence {
                if ticks == line, ticks.count >= open.count { fence = nil }
            } else if ticks.count >= 3, line == ticks + "text" {
                fence = ticks
            } else {
                lines.append(withoutSpans(line))
            }
        }
        #expect(fence == nil)
        return lines.joined(separator: "\n")
    }

    private func withoutSpans(_ line: Substring) -> String {
        var text = ""
        var rest = line
        while let start = rest.firstIndex(where: { $0 == "`" || $0 == "\\" }) {
            text += rest[..<start]
            if rest[start] == "\\" {
                text += rest[start...].prefix(2)
                rest = rest[start...].dropFirst(2)
                continue
            }
            let ticks = rest[start...].prefix { $0 == "`" }
            rest = rest[ticks.endIndex...]
            var end: Substring.Index?
            var place = rest.startIndex
            while let next = rest[place...].firstIndex(of: "`") {
                let run = rest[next...].prefix { $0 == "`" }
                place = run.endIndex
                if run.count == ticks.count {
                    end = place
                    break
                }
            }
            guard let end else {
                Issue.record("code is not closed in \(line)")
                break
            }
            rest = rest[end...]
        }
        return text + rest
    }

    @Test(arguments: [OutputForm.json, .ndjson, .sarif])
    func `Data formats contain the original text`(format: OutputForm) throws {
        for payload in Self.payloads {
            let text = rendered(try Self.report(payload), as: format)
            #expect(!text.unicodeScalars.contains { $0 == "\u{2028}" || $0.value < 0x20 && $0 != "\n" })
            for line in text.split(separator: "\n") {
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
                guard format == .json, let object = value as? [String: Any] else { continue }
                let finding = try #require((object["findings"] as? [[String: Any]])?.first)
                // Foundation removes a byte-order mark.
                let message = try #require(finding["message"] as? String)
                #expect(message == payload || "\u{FEFF}" + message == payload)
            }
        }
    }

    @Test func `JUnit output is well-formed XML with any content`() throws {
        for payload in Self.payloads {
            let text = rendered(try Self.report(payload), as: .junit)
            let document = try XMLDocument(data: Data(text.utf8))
            #expect(try document.nodes(forXPath: "//testcase").count == 5)
            #expect(try document.nodes(forXPath: "//x").isEmpty)
        }
    }
}
