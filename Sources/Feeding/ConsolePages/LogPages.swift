import HTTPService
import JSONText
import TextKit

/// Error texts and SharePoint logs: explained and diagnosed by the API, which keeps nothing of them.
enum LogPages {
    static let all = [
        ConsolePage("/console/logs", in: .logs) { context in
            .page(context[.logs]) { forms(context) }
        },
        ConsolePage("/console/logs/explanation", .post, isReading: true) { context in
            let answer = try await context.send(
                .post,
                ConsolePath.api("explanations"),
                headers: ["Content-Type": "text/plain"],
                body: Array(context.form["text"].utf8)
            )
            let explanations = try JSONValue(answer.body).elements
            return .page(context[.explanation]) {
                for explanation in explanations { shown(explanation, context) }
                forms(context)
            }
        },
        ConsolePage("/console/logs/diagnosis", .post, isReading: true) { context in
            let answer = try await context.send(
                .post,
                ConsolePath.api("diagnoses"),
                headers: ["Content-Type": "text/plain"],
                body: Array(context.form["log"].utf8)
            )
            let report = try JSONValue(answer.body)
            return .page(context[.diagnosis]) {
                diagnosis(report, context)
                forms(context)
            }
        },
    ]

    // MARK: Forms

    private static func forms(_ context: PageContext) -> HTML {
        let explained = context.form(ConsolePath.of("logs", "explanation"), .class("editor"), isReading: true) {
            HTML("h2") { context[.explainTitle] }
            HTML("label", .init("for", "text")) { context[.explainLabel] }
            HTML("textarea", .id("text"), .name("text"), .init("rows", "5"), .init("required")) {
                HTML(verbatim: context.form["text"])
            }
            HTML("button", .type("submit"), .class("main")) { context[.explain] }
        }
        let diagnosed = context.form(
            ConsolePath.of("logs", "diagnosis"),
            .class("editor"),
            .init("data-upload", "log"),
            isReading: true
        ) {
            HTML("h2") { context[.diagnoseTitle] }
            HTML("p", .class("detail")) { context[.nothingKept] }
            HTML("label", .init("for", "file")) { context[.logFile] }
            HTML("input", .id("file"), .type("file"), .init("accept", ".log,.txt,.csv"))
            HTML("label", .init("for", "log")) { context[.logRows] }
            HTML("textarea", .id("log"), .name("log"), .init("rows", "8"), .init("required"))
            HTML("button", .type("submit"), .class("main")) { context[.diagnose] }
        }
        return explained + diagnosed
    }

    // MARK: Explanations

    private static func shown(_ explanation: JSONValue, _ context: PageContext) -> HTML {
        HTML("section", .class("note")) {
            HTML("p") { HTML("strong") { HTML("bdi") { explanation["asked"].text ?? "" } } }
            if explanation["known"].bool != true { HTML("p") { context[.notKnown] } }
            for part in ["during", "where"] {
                if let text = words(explanation[part]) { HTML("p") { text } }
            }
            for code in explanation["decoded"].elements {
                HTML("h2") {
                    [code["code"].text, code["name"].text].compactMap(\.self).joined(separator: " ")
                }
                if let meaning = code["meaning"].text { HTML("p") { meaning } }
                list(code["usually"].elements.compactMap(\.text), title: context[.usually])
            }
            list(explanation["cause"].elements.compactMap(words), title: context[.causes])
            steps(explanation["checks"].elements, title: context[.checks])
        }
    }

    /// Returns a value that is a text, or an object with one.
    private static func words(_ value: JSONValue) -> String? {
        value.text ?? value["text"].text ?? value["name"].text
    }

    private static func list(_ texts: [String], title: String) -> HTML {
        guard !texts.isEmpty else { return HTML() }
        return HTML("p", .class("detail")) { title }
            + HTML("ul") { for text in texts { HTML("li") { HTML("bdi") { text } } } }
    }

    private static func steps(_ checks: [JSONValue], title: String) -> HTML {
        guard !checks.isEmpty else { return HTML() }
        return HTML("p", .class("detail")) { title }
            + HTML("ol") {
                for check in checks {
                    HTML("li") {
                        check["text"].text ?? check["step"].text ?? ""
                        if let command = check["command"].text { HTML("pre") { command } }
                        if let place = check["where"].text { HTML("p", .class("detail")) { place } }
                    }
                }
            }
    }

    // MARK: Diagnoses

    private static func diagnosis(_ report: JSONValue, _ context: PageContext) -> HTML {
        let findings = report["findings"].elements
        let unexplained = report["unexplained"].elements
        return HTML("section", .id("report"), .init("aria-label", context[.diagnosis])) {
            HTML("p") {
                context[
                    .diagnosisSummary,
                    "\(findings.count)",
                    "\(report["unexplainedKinds"].int ?? 0)",
                    "\(report["passed"].elements.count)",
                    "\(report["notEvaluated"].elements.count)"
                ]
            }
            for finding in findings { shown(finding: finding, context) }
            if !unexplained.isEmpty {
                HTML("h2") { context[.unexplained] }
                context.table(.unexplained, [.severity, .count, .message]) {
                    for kind in unexplained {
                        HTML("tr") {
                            HTML("th", .init("scope", "row")) { kind["severity"].text ?? kind["level"].text ?? "" }
                            HTML("td", .class("number")) { kind["count"].int.map(String.init) ?? "" }
                            HTML("td") { HTML("bdi") { kind["template"].text ?? kind["text"].text ?? "" } }
                        }
                    }
                }
            }
        }
    }

    private static func shown(finding: JSONValue, _ context: PageContext) -> HTML {
        let severity = finding["severity"].text ?? ""
        return HTML("article") {
            HTML("h2") { finding["title"].text ?? "" }
            HTML("p") {
                HTML("span", .class(["critical", "error"].contains(severity) ? "bad" : "warn")) { severity }
                " · \(finding["confidence"].text ?? "") · \(finding["rule"].text ?? "")"
            }
            HTML("p") { HTML("bdi") { finding["message"].text ?? "" } }
            if let impact = finding["explain"]["impact"].text { HTML("p") { impact } }
            steps(finding["fix"].elements, title: context[.steps])
            if let check = finding["verify"].text { HTML("p", .class("detail")) { check } }
            HTML("details") {
                HTML("summary") { context[.evidence] }
                for row in finding["evidence"].elements {
                    HTML("pre") {
                        [row["time"].text, row["eventID"].text, row["correlation"].text, row["text"].text]
                            .compactMap(\.self).joined(separator: "  ")
                    }
                }
            }
        }
    }
}

// MARK: - Texts

extension ConsoleText {
    static let logs = ConsoleText("Logs", "Logs")
    static let explainTitle = ConsoleText("Explain an error", "Einen Fehler erklären")
    static let explainLabel = ConsoleText(
        "A code, an error text, or pasted log rows",
        "Ein Code, ein Fehlertext oder eingefügte Log-Zeilen"
    )
    static let explain = ConsoleText("Explain", "Erklären")
    static let explanation = ConsoleText("Explanation", "Erklärung")
    static let notKnown = ConsoleText("Nothing in it is known.", "Nichts darin ist bekannt.")
    static let usually = ConsoleText("Usually", "Meistens")
    static let causes = ConsoleText("Causes", "Ursachen")
    static let checks = ConsoleText("What to check", "Was zu prüfen ist")
    static let diagnoseTitle = ConsoleText("Diagnose a SharePoint log", "Ein SharePoint-Log untersuchen")
    static let nothingKept = ConsoleText(
        "The server examines the log and keeps nothing of it; the report is redacted. Without JavaScript, paste the rows.",
        "Der Server untersucht das Log und behält nichts davon; der Bericht ist geschwärzt. Ohne JavaScript: Zeilen einfügen."
    )
    static let logFile = ConsoleText("A log file", "Eine Log-Datei")
    static let logRows = ConsoleText("The rows of the log", "Die Zeilen des Logs")
    static let diagnose = ConsoleText("Diagnose", "Untersuchen")
    static let diagnosis = ConsoleText("Diagnosis", "Untersuchung")
    static let diagnosisSummary = ConsoleText(
        "Findings: {}. Kinds of rows that no rule explains: {}. Rules that found nothing: {}. Rules that could not be evaluated: {}.",
        "Befunde: {}. Arten von Zeilen, die keine Regel erklärt: {}. Regeln ohne Befund: {}. Nicht auswertbare Regeln: {}."
    )
    static let unexplained = ConsoleText("Rows that no rule explains", "Zeilen, die keine Regel erklärt")
    static let severity = ConsoleText("Severity", "Schwere")
    static let count = ConsoleText("Count", "Anzahl")
    static let steps = ConsoleText("Steps to take", "Was zu tun ist")
    static let evidence = ConsoleText("Evidence", "Belege")
}
