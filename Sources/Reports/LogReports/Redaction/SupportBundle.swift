import Digests
import JSONText
package import LogDiagnosis
package import Redaction
import ReportKit
import TextKit
package import ULSLog

/// Information that helps support understand the problems of a farm; a name has the same pseudonym in all files.
package struct SupportBundle: Sendable, Maskable {
    private var report: DiagnosisReport
    /// The rows that the report quotes, and the other rows of the same requests.
    private var rows: [ULSEvent]
    /// Whether there are more rows than ``maximumRows``.
    private let areRowsCut: Bool

    /// The maximum number of rows of requests: only rows of a few requests are read.
    package static let maximumRows = 20_000

    package init(_ report: DiagnosisReport, rows: [ULSEvent], areRowsCut: Bool) {
        (self.report, self.rows, self.areRowsCut) = (report, rows, areRowsCut)
    }

    package mutating func mask(by mask: inout Redactor) {
        mask(&report)
        mask(&rows)
    }

    /// A file of the bundle.
    package struct File: Sendable {
        package let name: String
        package let bytes: [UInt8]
        fileprivate let about: String
    }

    /// Returns the files, masked, the last of them `README.txt` with a list of the others.
    ///
    /// - Returns: The files, the report as contained in them, and the names that their pseudonyms replace.
    package func files(
        _ options: DiagnosisOptions
    ) -> (files: [File], report: DiagnosisReport, names: [(pseudonym: String, name: String)]) {
        var redactor = Redactor()
        var masked = redacted(by: &redactor)
        var summary = redactor.summary
        summary.isOptional = false
        masked.report.redaction = summary
        var files = masked.contents(options)
        files.append(File(name: "README.txt", bytes: masked.readme(files, summary, options.version), about: ""))
        return (files, masked.report, redactor.key)
    }

    private func contents(_ options: DiagnosisOptions) -> [File] {
        func file(_ name: String, _ about: String, _ body: (inout [UInt8]) -> Void) -> File {
            var bytes: [UInt8] = []
            body(&bytes)
            return File(name: name, bytes: bytes, about: about)
        }
        let renderer = DiagnosisRenderer(report, options)
        var files = [
            file("report.md", "The diagnosis, in human-readable form.") { renderer.append(as: .markdown, to: &$0) },
            file("report.json", "The diagnosis, in machine-readable form.") { renderer.append(as: .json, to: &$0) },
        ]
        if !rows.isEmpty {
            files.append(
                file("rows.log", "\(rowCount) that the diagnosis quotes, or from the same requests.") { bytes in
                    var writer = LogEventWriter(.uls)
                    writer.begin(in: &bytes)
                    for row in rows { writer.append(row, to: &bytes) }
                    writer.end(in: &bytes)
                }
            )
        }
        if !report.configs.isEmpty {
            files.append(
                file("webconfig.csv", "The settings of each web.config, without keys and passwords.") {
                    WebConfigRenderer(report, options).append(as: .csv, to: &$0)
                }
            )
        }
        if let farm = report.farm {
            files.append(file("farm.json", "The farm's servers, builds and services.") { farm.append(to: &$0) })
        }
        return files
    }

    private var rowCount: Quantity { Quantity(grouped: rows.count, "row", "rows") }

    /// Omitted contents, with reasons.
    private var omissions: [String] {
        var lines: [String] = []
        if areRowsCut {
            lines.append(
                "Further rows from the same requests: the limit is \(Quantity(grouped: Self.maximumRows)) rows"
            )
        }
        // Native rows have a date.
        let undated = rows.count { !$0.time.hasDate }
        if undated > 0 { lines.append("\(Quantity(grouped: undated, "row", "rows")) without a date") }
        if report.logs == nil {
            lines.append("Log rows: no logs were given")
        } else if rows.isEmpty {
            lines.append("Log rows: the diagnosis quotes none")
        }
        if report.configs.isEmpty {
            let reason = report.refusedConfigs.isEmpty ? "no file was given (--web-config)" : "no file could be read"
            lines.append("web.config settings: \(reason)")
        }
        if report.farm == nil { lines.append("The farm's servers, builds and services: no file was given (--farm)") }
        return lines
    }

    private func readme(_ files: [File], _ summary: RedactionSummary, _ version: String) -> [UInt8] {
        var function = SHA256()
        var lines = [
            "Support bundle, written by fastctl \(version)", "",
            "Names are pseudonyms, and each name has the same pseudonym in all of these files. The list of names stays",
            "with the author of the bundle. Locations such as host-1-20240311-1003.log:12 refer to the original logs.",
            "",
            "Files", "",
        ]
        for file in files {
            lines.append("  \(file.name): \(file.about)")
            let size = Quantity(grouped: file.bytes.count, "byte", "bytes")
            lines.append("    \(size), SHA-256 \(function.digest(of: file.bytes).hexadecimal)")
        }
        if !omissions.isEmpty { lines += ["", "Not included", ""] + omissions.map { "  \($0)." } }
        lines += ["", "Redacted", ""] + RedactionNote.counts(of: summary).map { "  \($0)" }
        lines += ["", "Not looked for", ""] + RedactionSummary.notLookedFor.map { "  \($0)" }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}

extension FarmFacts {
    /// Appends the facts as `Get-FarmFacts.ps1` writes them.
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(object: Self.schema) { object in
            object.member("edition", edition?.rawValue)
            object.member("build", build?.description)
            object.array("servers") { array in
                for server in servers {
                    array.object { object in
                        object.member("name", server.name)
                        object.member("role", server.role)
                        object.member("build", server.build?.description)
                        object.list("services", server.services) { service, object in
                            object.member("type", service.type)
                            object.member("status", service.status)
                        }
                    }
                }
            }
            object.list("serviceApplications", applications) { application, object in
                object.member("name", application.name)
                object.member("type", application.type)
                object.member("status", application.status)
            }
            object.list("accounts", accounts) { account, object in
                object.member("name", account.name)
                object.member("uses", account.uses)
            }
            object.list("zones", zones) { zone, object in
                object.member("url", zone.url)
                object.member("webApplication", zone.webApplication)
                object.member("zone", zone.zone)
                object.member("authentication", zone.authentication)
            }
        }
        bytes.append(0x0A)
    }
}

extension JSONWriter {
    /// Writes a list of objects; writes nothing if it is not known.
    fileprivate mutating func list<Item>(_ key: String, _ items: [Item]?, _ body: (Item, inout JSONWriter) -> Void) {
        guard let items else { return }
        array(key) { array in
            for item in items { array.object { body(item, &$0) } }
        }
    }
}
