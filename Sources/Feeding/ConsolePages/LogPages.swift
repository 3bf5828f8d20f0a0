import HTTPService
import JSONText
import Synchronization
import TextKit

/// The page for error texts and SharePoint logs, which the API explains and diagnoses without storing their contents.
///
/// The forms and both results are on one page. With the script, each result replaces the previous one, and logs can be
/// sent as files; without it, the page is reloaded, and logs must be pasted. The logs of farms that the settings allow
/// are selected by name.
enum LogPages {
    static let all = [
        ConsolePage(path, in: .logs) { context in try await page(context) },
        ConsolePage(path, .post, isReading: true, takesFiles: true) { context in
            guard context.file != nil || context.form.all.contains(where: { $0.name == "log" }) else {
                return try await page(context, explanation: context.tried { try await explanation(context) })
            }
            let isTrace =
                context.file == nil
                ? context.form.all.contains { $0.name == "correlation" }
                : context.request.queryValue("correlation") != nil
            if isTrace { return try await page(context, trace: context.tried { try await trace(context) }) }
            guard context.request.headers["Accept"] == "text/event-stream" else {
                return try await page(context, diagnosis: context.tried { try await diagnosis(context) })
            }
            return try await liveDiagnosis(context)
        },
    ]

    private static let path = "/console/logs"
    /// The maximum number of findings, and of kinds of rows, that the page shows; the others are only counted.
    private static let shownAtMost = 100
    /// The maximum number of rows of one request that the page shows.
    private static let storyAtMost = 300

    private static func page(
        _ context: PageContext,
        explanation: HTML = HTML(),
        diagnosis: HTML = HTML(),
        trace: HTML = HTML()
    ) async throws -> PageAnswer {
        let farms = try await context.get(ConsolePath.api("logs"))["logs"].elements.compactMap { $0["name"].text }
        return .page(context[.logs]) {
            HTML("p", .class("detail")) { context[.nothingKept] }
            explanationForm(context)
            answer("explanation", explanation)
            diagnosisForm(context, farms)
            answer("diagnosis", diagnosis)
            traceForm(context, farms)
            answer("trace", trace)
        }
    }

    private static func answer(_ id: String, _ contents: HTML) -> HTML {
        HTML("div", .id(id), .init("tabindex", "-1")) { contents }
    }

    // MARK: Forms

    private static func explanationForm(_ context: PageContext) -> HTML {
        context.form(path, .class("editor"), .init("data-send", "explanation"), isReading: true) {
            HTML("h2") { context[.explainTitle] }
            HTML("label", .init("for", "text")) { context[.explainLabel] }
            HTML(
                "textarea",
                .id("text"),
                .name("text"),
                .init("rows", "5"),
                .init("spellcheck", "false"),
                .init("required")
            ) { HTML(verbatim: context.form["text"]) }
            HTML("button", .class("main")) { context[.explain] }
        }
    }

    private static func diagnosisForm(_ context: PageContext, _ farms: [String]) -> HTML {
        context.form(
            path,
            .class("editor"),
            .init("data-send", "diagnosis"),
            .init("data-live-answer"),
            isReading: true
        ) {
            HTML("h2") { context[.diagnoseTitle] }
            logFields(context, farms, "")
            HTML("button", .class("main")) { context[.diagnose] }
        }
    }

    private static func traceForm(_ context: PageContext, _ farms: [String]) -> HTML {
        context.form(path, .class("editor"), .init("data-send", "trace"), isReading: true) {
            HTML("h2") { context[.traceTitle] }
            HTML("label", .init("for", "correlation")) { context[.traceLabel] }
            HTML(
                "input",
                .id("correlation"),
                .name("correlation"),
                .value(context.form["correlation"]),
                .init("required"),
                .init("autocomplete", "off"),
                .init("spellcheck", "false")
            )
            logFields(context, farms, "trace-")
            HTML("button", .class("main")) { context[.trace] }
        }
    }

    /// Returns the fields for choosing logs: the logs of a farm, files, or pasted rows.
    private static func logFields(_ context: PageContext, _ farms: [String], _ prefix: String) -> HTML {
        var fields = HTML("noscript") { HTML("p") { context[.filesNeedScript] } }
        if !farms.isEmpty {
            fields =
                fields + HTML("label", .init("for", prefix + "logs")) { context[.farmLogs] }
                + HTML("select", .id(prefix + "logs"), .name("logs")) {
                    HTML("option", .value("")) { context[.noFarm] }
                    for farm in farms {
                        HTML("option", [.value(farm)] + HTML.Attribute.flag("selected", context.form["logs"] == farm)) {
                            farm
                        }
                    }
                }
        }
        // The field is shown by the script, because a file can't be sent without it.
        fields =
            fields
            + HTML("div", .init("data-scripted"), .init("hidden")) {
                HTML("label", .init("for", prefix + "file")) { context[.logFiles] }
                HTML("input", .id(prefix + "file"), .type("file"), .init("multiple"))
            }
        return fields + HTML("label", .init("for", prefix + "log")) { context[.logRows] }
            + HTML("textarea", .id(prefix + "log"), .name("log"), .init("rows", "6"), .init("spellcheck", "false"))
    }

    /// Returns the path and the body of an API request: the file, the pasted rows, or an empty body for a farm's logs.
    private static func examination(
        _ context: PageContext,
        _ name: String,
        query: [(name: String, value: String)] = []
    ) -> (path: String, type: String, body: RequestBody) {
        var query = query
        if let file = context.file {
            if !context.query("name").isEmpty { query.append(("name", context.query("name"))) }
            return (ConsolePath.api(name, query: query), "application/octet-stream", file)
        }
        let farm = context.form["logs"]
        if !farm.isEmpty { query.append(("logs", farm)) }
        let rows = farm.isEmpty ? Array(context.form["log"].utf8) : []
        return (ConsolePath.api(name, query: query), "text/plain", rows.isEmpty ? .empty : .bytes(rows))
    }

    // MARK: Explanations

    private static func explanation(_ context: PageContext) async throws -> HTML {
        let body = Array(context.form["text"].utf8)
        let headers: HeaderFields = ["Content-Type": "text/plain"]
        let answer = try await context.send(.post, ConsolePath.api("explanations"), headers: headers, body: body)
        let explanations = try JSONValue(answer.body).elements
        return HTML("p", .init("role", "status")) { context[.explanationsShown, "\(explanations.count)"] }
            + explanations.prefix(shownAtMost).reduce(HTML()) { $0 + shown($1, context) }
            + notShown(explanations.count, context)
    }

    private static func shown(_ explanation: JSONValue, _ context: PageContext) -> HTML {
        HTML("article", .class("note")) {
            HTML("h3") { HTML("bdi") { explanation["asked"].text ?? "" } }
            if let row = explanation["row"]["line"].int {
                let rows = explanation["row"]["rows"].int ?? 1
                HTML("p", .class("detail")) { context[.rowOfPaste, "\(row)", "\(rows)"] }
            }
            if explanation["known"].bool != true { HTML("p") { context[.notKnown] } }
            for finding in explanation["findings"].elements {
                HTML("h4") { [finding["rule"].text, finding["title"].text].compactMap(\.self).joined(separator: " ") }
                HTML("p") { HTML("bdi") { finding["message"].text ?? "" } }
            }
            if let sentence = explanation["frame"]["sentence"].text { HTML("p") { HTML("bdi") { sentence } } }
            list(explanation["usually"].elements, .usually, context)
            for code in explanation["decoded"].elements {
                HTML("h4") {
                    [code["space"].text, code["code"].text, code["name"].text].compactMap(\.self).joined(separator: " ")
                }
                if let meaning = code["meaning"].text { HTML("p") { meaning } }
                list(code["usually"].elements, .usually, context)
            }
            facts(
                [
                    (.exception, explanation["exception"]["type"].text),
                    (.exceptionMessage, explanation["exception"]["message"].text),
                    (.customFrame, explanation["customFrame"].text), (.during, explanation["during"]["name"].text),
                    (.place, explanation["where"]["name"].text),
                ],
                context
            )
            list(explanation["cause"].elements, .causes, context)
            checks(explanation["checks"].elements, context)
            if let count = explanation["notShown"].amount, count > 0 {
                HTML("p") { context[.moreNotShown, "\(count)"] }
            }
        }
    }

    // MARK: Diagnoses

    private static func diagnosis(_ context: PageContext) async throws -> HTML {
        let (path, type, body) = examination(context, "diagnoses")
        let answer = try await context.send(.post, path, headers: ["Content-Type": type], streaming: body)
        return shown(report: try JSONValue(answer.body), context)
    }

    /// Returns the progress of a diagnosis as events for the script; the last event contains the element with the
    /// result.
    ///
    /// When the page is closed, the response can no longer be written, and the API stops the command.
    private static func liveDiagnosis(_ context: PageContext) async throws -> PageAnswer {
        let (path, type, body) = examination(context, "diagnoses")
        let headers: HeaderFields = ["Content-Type": type, "Accept": "text/event-stream"]
        let response = await context.open(.post, path, headers: headers, streaming: body)
        guard response.status == .ok else {
            let refusal = APIRefusal(
                status: response.status.code,
                body: try await response.collectBody(upTo: PageContext.maximumAnswer)
            )
            guard refusal.status != 401 else { throw refusal }
            return try await page(context, diagnosis: refusal.html)
        }
        return .events { writer in
            let reader = Mutex(EventReader())
            let shownSoFar = Mutex(HTML())
            try await response.forEachPart { bytes in
                for event in reader.withLock({ $0.events(in: bytes) }) {
                    var (html, name) = (HTML(), "page")
                    switch event.name {
                    case "report": html = shown(report: try JSONValue(event.data), context)
                    case "problem": html = APIRefusal(status: 422, body: event.data).html
                    default:
                        let data = String(decoding: event.data, as: UTF8.self)
                        try await writer.write(ServerSentEvent(name: "progress", data: data).bytes)
                        html = soFar(try JSONValue(event.data)["findings"].elements, context)
                        let isNew = shownSoFar.withLock { shown in
                            defer { shown = html }
                            return shown.bytes != html.bytes
                        }
                        guard isNew else { continue }
                        name = "soFar"
                    }
                    let page = String(decoding: answer("diagnosis", html).bytes, as: UTF8.self)
                    try await writer.write(ServerSentEvent(name: name, data: page).bytes)
                }
            }
        }
    }

    /// Returns the findings in what was read so far, which the report replaces.
    private static func soFar(_ findings: [JSONValue], _ context: PageContext) -> HTML {
        guard !findings.isEmpty else { return HTML() }
        return HTML("p") { context[.findingsSoFar] }
            + HTML("ul") {
                findings.reduce(HTML()) { list, finding in
                    list
                        + HTML("li") {
                            HTML("span", severityStyle(finding)) { word(finding["severity"], severities, context) }
                            " · \(finding["rule"].text ?? "") · \(finding["title"].text ?? "") · "
                            context[.occurrences, "\(finding["occurrences"].int ?? 0)"]
                        }
                }
            }
    }

    private static func severityStyle(_ finding: JSONValue) -> HTML.Attribute {
        .class(["critical", "error"].contains(finding["severity"].text) ? "bad" : "warn")
    }

    private static func shown(report: JSONValue, _ context: PageContext) -> HTML {
        let findings = report["findings"].elements
        return summary(report, context)
            + findings.prefix(shownAtMost).reduce(HTML()) { $0 + shown(finding: $1, context) }
            + notShown(findings.count, context)
            + unexplained(report["unexplained"].elements, context)
            + described(report["describedRows"].elements, context)
            + reading(report, context)
    }

    private static func summary(_ report: JSONValue, _ context: PageContext) -> HTML {
        // A number that was capped by a limit is a minimum.
        func count(_ number: Int?, isAtLeast: JSONValue) -> String {
            "\(isAtLeast.bool == true ? "≥ " : "")\(number ?? 0)"
        }
        let findings = count(report["findings"].elements.count, isAtLeast: report["findingsAreAtLeast"])
        let kinds = count(report["unexplainedKinds"].int, isAtLeast: report["unexplainedIsAtLeast"])
        return HTML("p", .init("role", "status")) {
            context[
                .diagnosisSummary,
                "\(report["inputs"]["rows"].int ?? 0)",
                "\(report["inputs"]["logs"].elements.count)",
                findings,
                kinds,
                "\(report["passed"].elements.count)",
                "\(report["notEvaluated"].elements.count)"
            ]
        }
            + list(report["changes"].elements.map { $0["text"] }, .changes, context)
    }

    private static let severities: [String: ConsoleText] = [
        "critical": .critical, "error": .errorSeverity, "warning": .warningSeverity, "info": .info,
    ]
    private static let confidences: [String: ConsoleText] = [
        "certain": .certain, "likely": .likely, "possible": .possible,
    ]

    private static func word(_ value: JSONValue, _ texts: [String: ConsoleText], _ context: PageContext) -> String {
        let word = value.text ?? ""
        return texts[word].map { context[$0] } ?? word
    }

    private static func shown(finding: JSONValue, _ context: PageContext) -> HTML {
        HTML("article") {
            HTML("h3") { finding["title"].text ?? "" }
            HTML("p") {
                HTML("span", severityStyle(finding)) { word(finding["severity"], severities, context) }
                " · \(word(finding["confidence"], confidences, context)) · \(finding["rule"].text ?? "") · "
                context[
                    .occurrences,
                    "\(finding["occurrencesAreAtLeast"].bool == true ? "≥ " : "")\(finding["occurrences"].int ?? 0)"
                ]
                if let first = finding["firstTime"].text { " · \(first) – \(finding["lastTime"].text ?? "")" }
            }
            HTML("p") { HTML("bdi") { finding["message"].text ?? "" } }
            list(finding["symptoms"].elements.map { $0["text"] }, .symptoms, context)
            if let why = finding["explain"]["why"].text { HTML("p") { why } }
            if let impact = finding["explain"]["impact"].text { HTML("p") { impact } }
            facts(
                [
                    (.during, finding["during"].text), (.place, finding["where"].text),
                    (.servers, finding["servers"].elements.compactMap(\.text).joined(separator: ", ")),
                ],
                context
            )
            list(finding["decoded"].elements, .decoded, context)
            list(finding["causes"].elements, .causes, context)
            fix(finding["fix"].elements, context)
            checks(finding["checks"].elements, context)
            if let verify = finding["verify"].text { HTML("p") { "\(context[.verify]): \(verify)" } }
            evidence(finding["evidence"].elements, context)
        }
    }

    private static func fix(_ steps: [JSONValue], _ context: PageContext) -> HTML {
        guard !steps.isEmpty else { return HTML() }
        return HTML("h4") { context[.steps] }
            + HTML("ol") {
                for step in steps {
                    HTML("li") {
                        HTML("bdi") { step["step"].text ?? "" }
                        facts(
                            [
                                (.stepPlace, step["where"].text), (.effect, step["effect"].text),
                                (.undoStep, step["undo"].text),
                            ],
                            context
                        )
                    }
                }
            }
    }

    private static func evidence(_ rows: [JSONValue], _ context: PageContext) -> HTML {
        guard !rows.isEmpty else { return HTML() }
        return HTML("details") {
            HTML("summary") { "\(context[.evidence]) (\(rows.count))" }
            context.table(.evidence, [.rowPlace, .rowTime, .eventID, .correlation, .message]) {
                for row in rows {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) {
                            HTML("bdi") { "\(row["file"].text ?? ""):\(row["line"].int.map(String.init) ?? "")" }
                        }
                        for member in ["time", "eventID", "correlation"] { HTML("td") { row[member].text ?? "" } }
                        HTML("td") {
                            HTML("div", .class("text")) {
                                (row["text"].text ?? "") + (row["truncated"].bool == true ? " …" : "")
                            }
                        }
                    }
                }
            }
        }
    }

    private static func unexplained(_ kinds: [JSONValue], _ context: PageContext) -> HTML {
        guard !kinds.isEmpty else { return HTML() }
        return HTML("h3") { context[.unexplained] }
            + context.table(.unexplained, [.severity, .count, .eventID, .message, .whatIsKnown]) {
                for kind in kinds.prefix(shownAtMost) {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) { word(kind["severity"], severities, context) }
                        HTML("td", .class("number")) { kind["count"].int.map(String.init) ?? "" }
                        HTML("td") { kind["eventID"].text ?? "" }
                        HTML("td") { HTML("bdi") { kind["template"].text ?? kind["headline"].text ?? "" } }
                        HTML("td") {
                            list(kind["decoded"].elements, .decoded, context)
                            list(kind["causes"].elements, .causes, context)
                            checks(kind["checks"].elements, context)
                        }
                    }
                }
            }
            + notShown(kinds.count, context)
    }

    /// Returns the rows of a short log in which nothing was found, with their meaning.
    private static func described(_ rows: [JSONValue], _ context: PageContext) -> HTML {
        guard !rows.isEmpty else { return HTML() }
        return HTML("h3") { context[.describedRows] }
            + context.table(.describedRows, [.rowPlace, .eventID, .traceLevel, .message, .whatIsKnown]) {
                for row in rows {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) {
                            HTML("bdi") { "\(row["file"].text ?? ""):\(row["line"].int.map(String.init) ?? "")" }
                        }
                        for member in ["eventID", "level"] { HTML("td") { row[member].text ?? "" } }
                        HTML("td") { HTML("div", .class("text")) { row["text"].text ?? "" } }
                        HTML("td") {
                            HTML("bdi") { row["failure"].text ?? context[.noFailure] }
                            facts([(.component, row["component"].text)], context)
                            list(row["causes"].elements, .causes, context)
                        }
                    }
                }
            }
    }

    /// Returns the parts of the log that were read, skipped or masked, so that a report does not appear to cover more
    /// than it does.
    private static func reading(_ report: JSONValue, _ context: PageContext) -> HTML {
        let logs = report["inputs"]["logs"].elements
        let notes = report["inputs"]["notes"].elements + logs.flatMap { $0["notes"].elements }
        return HTML("details") {
            HTML("summary") { context[.reading] }
            if !logs.isEmpty {
                context.table(.reading, [.file, .server, .rowCount, .rowTime, .completeness]) {
                    for log in logs.prefix(shownAtMost) {
                        HTML("tr") {
                            HTML("th", .init("scope", "row")) { HTML("bdi") { log["name"].text ?? "" } }
                            HTML("td") { log["server"].text ?? "" }
                            HTML("td", .class("number")) { log["records"].int.map(String.init) ?? "" }
                            HTML("td") { log["firstTime"].text.map { "\($0) – \(log["lastTime"].text ?? "")" } ?? "" }
                            HTML("td") {
                                let isComplete = log["incomplete"].bool != true && log["skipped"].bool != true
                                context[isComplete ? .complete : .incomplete]
                            }
                        }
                    }
                }
                notShown(logs.count, context)
            }
            facts([(.notUnderstood, report["quality"]["notUnderstood"].int.map(String.init))], context)
            list(notes, .notes, context)
            list(
                report["limits"].elements.map { .string("\($0["limit"].text ?? ""): \($0["count"].int ?? 0)") },
                .limitsReached,
                context
            )
            list(
                report["notEvaluated"].elements.map {
                    .string("\($0["rule"].text ?? "") \($0["title"].text ?? ""): \($0["reason"].text ?? "")")
                },
                .notEvaluated,
                context
            )
            list(report["redaction"]["notLookedFor"].elements, .notMasked, context)
        }
    }

    // MARK: Traces

    private static func trace(_ context: PageContext) async throws -> HTML {
        let correlation = context.file == nil ? context.form["correlation"] : context.query("correlation")
        let query = [(name: "correlation", value: correlation.filter { $0 != " " })]
        let (path, type, body) = examination(context, "traces", query: query)
        let answer = try await context.send(.post, path, headers: ["Content-Type": type], streaming: body)
        let stories = try JSONValue(answer.body).elements
        return HTML("p", .init("role", "status")) { context[.storiesShown, "\(stories.count)"] }
            + stories.reduce(HTML()) { $0 + shown(story: $1, context) }
    }

    /// Returns the rows of a request in chronological order.
    private static func shown(story: JSONValue, _ context: PageContext) -> HTML {
        let events = story["events"].elements
        return HTML("article") {
            HTML("h3") { HTML("code") { story["correlation"].text ?? "" } }
            facts(
                [
                    (.traceRequest, story["name"].text),
                    (.rowTime, story["firstTime"].text.map { "\($0) – \(story["lastTime"].text ?? "")" }),
                    (.servers, story["servers"].elements.compactMap(\.text).joined(separator: ", ")),
                    (.worstLevel, story["worstLevel"].text), (.rowCount, "\(events.count)"),
                ],
                context
            )
            context.table(.traceRows, [.rowTime, .server, .process, .place, .eventID, .traceLevel, .message]) {
                for event in events.prefix(storyAtMost) {
                    HTML("tr") {
                        HTML("th", .init("scope", "row")) { event["time"].text ?? "" }
                        for member in ["server", "process"] {
                            HTML("td") { HTML("bdi") { event[member].text ?? "" } }
                        }
                        HTML("td") {
                            let names = [event["area"].text, event["category"].text].compactMap(\.self)
                            HTML("bdi") { names.joined(separator: " / ") }
                        }
                        HTML("td") { event["eventID"].text ?? "" }
                        HTML("td") { event["level"].text ?? "" }
                        HTML("td") { HTML("div", .class("text")) { event["message"].text ?? "" } }
                    }
                }
            }
            notShown(events.count, context, of: storyAtMost)
        }
    }

    // MARK: Parts

    private static func notShown(_ count: Int, _ context: PageContext, of most: Int = shownAtMost) -> HTML {
        guard count > most else { return HTML() }
        return HTML("p", .class("warn")) { context[.moreNotShown, "\(count - most)"] }
    }

    private static func list(_ texts: [JSONValue], _ title: ConsoleText, _ context: PageContext) -> HTML {
        let texts = texts.compactMap(\.text)
        guard !texts.isEmpty else { return HTML() }
        return HTML("p", .class("detail")) { context[title] }
            + HTML("ul") { for text in texts { HTML("li") { HTML("bdi") { text } } } }
    }

    private static func facts(_ facts: [(title: ConsoleText, text: String?)], _ context: PageContext) -> HTML {
        let known = facts.compactMap { fact in fact.text.map { (fact.title, $0) } }.filter { !$0.1.isEmpty }
        guard !known.isEmpty else { return HTML() }
        return HTML("dl") {
            for (title, text) in known {
                HTML("dt") { context[title] }
                HTML("dd") { HTML("bdi") { text } }
            }
        }
    }

    private static func checks(_ checks: [JSONValue], _ context: PageContext) -> HTML {
        guard !checks.isEmpty else { return HTML() }
        return HTML("p", .class("detail")) { context[.checks] }
            + HTML("ol") {
                for check in checks {
                    HTML("li") {
                        HTML("bdi") { check["text"].text ?? "" }
                        if let command = check["command"].text { HTML("pre") { command } }
                    }
                }
            }
    }
}

/// A reader of the events in a stream that arrives in pieces, each event with one line of data, as this server writes
/// them.
package struct EventReader {
    private var rest: [UInt8] = []
    /// The position up to which no event ends.
    private var searched = 0

    package init() {}

    /// Returns the events that these bytes complete.
    package mutating func events(in bytes: [UInt8]) -> [(name: String, data: [UInt8])] {
        rest += bytes
        var (found, start, index) = ([(name: String, data: [UInt8])](), 0, searched)
        while let end = rest[index...].firstIndex(of: 0x0A), end + 1 < rest.count {
            index = end + 1
            guard rest[index] == 0x0A else { continue }
            var (name, data) = ("message", [UInt8]())
            for line in rest[start..<end].split(separator: 0x0A) {
                if line.starts(with: "event: ".utf8) { name = String(decoding: line.dropFirst(7), as: UTF8.self) }
                if line.starts(with: "data: ".utf8) { data += line.dropFirst(6) }
            }
            if !data.isEmpty { found.append((name, data)) }
            start = index + 1
            index = start
        }
        rest.removeFirst(start)
        searched = max(0, rest.count - 1)
        return found
    }
}

// MARK: - Texts

extension ConsoleText {
    static let logs = ConsoleText("Logs", "Logs")
    static let nothingKept = ConsoleText(
        "The server examines the text or file that you send, and does not keep it. Names and secrets in its answer are masked. The answer is lost when you close the page.",
        "Der Server untersucht, was Sie senden, und behält nichts davon. Namen und Geheimnisse in der Antwort sind maskiert. Sie ist weg, wenn Sie die Seite schließen."
    )
    static let explainTitle = ConsoleText("Explain an error", "Einen Fehler erklären")
    static let explainLabel = ConsoleText(
        "A code, an error text, or pasted log rows",
        "Ein Code, ein Fehlertext oder eingefügte Log-Zeilen"
    )
    static let explain = ConsoleText("Explain", "Erklären")
    static let explanationsShown = ConsoleText("Explanations: {}", "Erklärungen: {}")
    static let rowOfPaste = ConsoleText("Row {} of the text; rows like it: {}", "Zeile {} des Texts; solche Zeilen: {}")
    static let notKnown = ConsoleText("Nothing in it was recognized.", "Nichts darin ist bekannt.")
    static let exception = ConsoleText("Exception", "Exception")
    static let exceptionMessage = ConsoleText("Its message", "Ihre Meldung")
    static let customFrame = ConsoleText("Custom code", "Eigener Code")
    static let during = ConsoleText("During", "Während")
    static let place = ConsoleText("Component", "Komponente")
    static let usually = ConsoleText("Usually", "Meistens")
    static let causes = ConsoleText("Possible causes", "Mögliche Ursachen")
    static let checks = ConsoleText("What to check", "Was zu prüfen ist")

    static let diagnoseTitle = ConsoleText("Diagnose SharePoint logs", "SharePoint-Logs untersuchen")
    static let filesNeedScript = ConsoleText(
        "Without JavaScript, a file can't be sent: paste the rows of the log.",
        "Ohne JavaScript kann keine Datei gesendet werden: Fügen Sie die Zeilen des Logs ein."
    )
    static let logFiles = ConsoleText("Log files, or an archive of log files", "Log-Dateien oder ein Archiv davon")
    static let logRows = ConsoleText("Or the rows of a log", "Oder die Zeilen eines Logs")
    static let diagnose = ConsoleText("Diagnose", "Untersuchen")
    static let findingsSoFar = ConsoleText(
        "Findings so far; they may change until the logs have been read to their end:",
        "Befunde bisher; sie können sich ändern, bis die Logs zu Ende gelesen sind:"
    )
    static let diagnosisSummary = ConsoleText(
        "Rows: {} in {} logs. Findings: {}. Kinds of rows that no rule explains: {}. Rules that found nothing: {}. Rules that could not be evaluated: {}.",
        "Zeilen: {} in {} Logs. Befunde: {}. Arten von Zeilen, die keine Regel erklärt: {}. Regeln ohne Befund: {}. Nicht auswertbare Regeln: {}."
    )
    static let farmLogs = ConsoleText("Logs of a farm", "Logs einer Farm")
    static let noFarm = ConsoleText("none: the files or rows below", "keine: die Dateien oder Zeilen darunter")
    static let traceTitle = ConsoleText("Follow one request", "Eine Anfrage verfolgen")
    static let traceLabel = ConsoleText(
        "Correlation ID of the error page, or its first digits",
        "Correlation-ID der Fehlerseite oder ihre ersten Ziffern"
    )
    static let trace = ConsoleText("Show its history", "Ihren Verlauf zeigen")
    static let storiesShown = ConsoleText("Requests found: {}", "Gefundene Anfragen: {}")
    static let traceRequest = ConsoleText("Request", "Anfrage")
    static let traceRows = ConsoleText("Rows of the request", "Zeilen der Anfrage")
    static let traceLevel = ConsoleText("Level", "Stufe")
    static let worstLevel = ConsoleText("Worst level", "Schwerste Stufe")
    static let process = ConsoleText("Process", "Prozess")
    static let changes = ConsoleText("What changed", "Was sich änderte")
    static let critical = ConsoleText("critical", "kritisch")
    static let errorSeverity = ConsoleText("error", "Fehler")
    static let warningSeverity = ConsoleText("warning", "Warnung")
    static let info = ConsoleText("information", "Hinweis")
    static let certain = ConsoleText("certain", "sicher")
    static let likely = ConsoleText("likely", "wahrscheinlich")
    static let possible = ConsoleText("possible", "möglich")
    static let occurrences = ConsoleText("occurrences: {}", "Vorkommen: {}")
    static let symptoms = ConsoleText("Symptoms", "Symptome")
    static let servers = ConsoleText("Servers", "Server")
    static let decoded = ConsoleText("Codes in it", "Codes darin")
    static let steps = ConsoleText("What to do", "Was zu tun ist")
    static let stepPlace = ConsoleText("Place", "Ort")
    static let effect = ConsoleText("Side effects", "Nebenwirkungen")
    static let undoStep = ConsoleText("To undo it", "Rückgängig")
    static let verify = ConsoleText("To verify the fix", "Zur Prüfung danach")
    static let evidence = ConsoleText("Evidence", "Belege")
    static let rowPlace = ConsoleText("File and line", "Datei und Zeile")
    static let rowTime = ConsoleText("Time", "Zeit")
    static let eventID = ConsoleText("Event ID", "Ereignis-ID")
    static let correlation = ConsoleText("Correlation", "Correlation")
    static let unexplained = ConsoleText("Rows that no rule explains", "Zeilen, die keine Regel erklärt")
    static let describedRows = ConsoleText("The rows one by one", "Die Zeilen im Einzelnen")
    static let noFailure = ConsoleText("This row alone shows no failure.", "Diese Zeile allein zeigt keinen Fehler.")
    static let component = ConsoleText("Component", "Komponente")
    static let severity = ConsoleText("Severity", "Schwere")
    static let count = ConsoleText("Count", "Anzahl").asNumber
    static let whatIsKnown = ConsoleText("What is known", "Was bekannt ist")
    static let reading = ConsoleText("What was read", "Was gelesen wurde")
    static let server = ConsoleText("Server", "Server")
    static let rowCount = ConsoleText("Rows", "Zeilen").asNumber
    static let completeness = ConsoleText("Read", "Gelesen")
    static let complete = ConsoleText("to its end", "bis zum Ende")
    static let incomplete = ConsoleText("in part, or not at all", "teilweise oder gar nicht")
    static let notUnderstood = ConsoleText("Lines that belong to no event", "Zeilen ohne Ereignis")
    static let notes = ConsoleText("Notes", "Anmerkungen")
    static let limitsReached = ConsoleText("Limits that were reached", "Erreichte Grenzen")
    static let notEvaluated = ConsoleText("Rules that could not be evaluated", "Nicht auswertbare Regeln")
    static let notMasked = ConsoleText("Not masked", "Nicht maskiert")
    static let moreNotShown = ConsoleText("{} more are not shown here.", "{} weitere stehen hier nicht.")
}
