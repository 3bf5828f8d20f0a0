import JSONText
import LogDiagnosis
import ULSLog
import WebConfig

/// What a diagnosis was made of, in the data formats: logs, and web.config files, the refused ones too.
enum InputsObject {
    static func write(_ report: DiagnosisReport, to object: inout JSONWriter) {
        object.object("inputs") { object in
            object.member("rows", report.logs?.lookedAt)
            object.member("logs", report.logs?.files ?? [])
            object.array("webConfigs") { array in
                for config in report.configs { write(config.source, refused: nil, to: &array) }
                for refused in report.refusedConfigs { write(refused.source, refused: refused, to: &array) }
            }
            object.member("notes", (report.logs?.notes ?? []).map(LogString.init))
        }
    }

    private static func write(_ source: WebConfigSource, refused: WebConfigError?, to array: inout JSONWriter) {
        array.object { object in
            object.member("path", LogString(text: source.path))
            object.member("server", log: source.server)
            object.member("zone", log: source.zone)
            object.key("refused")
            guard let refused else { return object.null() }
            object.object { object in
                object.member("reason", LogString(text: refused.message))
                object.member("line", refused.line)
                object.member("column", refused.column)
                object.member("advice", log: refused.advice)
            }
        }
    }
}
