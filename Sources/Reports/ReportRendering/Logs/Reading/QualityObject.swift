import JSONText
import ULSLog

extension JSONWriter {
    /// Writes the account of the lines.
    mutating func member(_ key: String, _ quality: ReadQuality) {
        object(key) { object in
            object.member("lines", quality.lines)
            object.member("records", quality.records)
            object.member("parts", quality.parts)
            object.member("continuations", quality.continuations)
            object.member("headers", quality.headers)
            object.member("blank", quality.blank)
            object.member("notUnderstood", quality.notUnderstood)
            object.member("orphans", quality.orphans)
            object.member("clockSteps", quality.clockSteps)
            object.member("inferred", quality.inferred)
            object.array("limits") { limits in
                for reached in quality.limits {
                    limits.object { limit in
                        limit.member("limit", reached.limit.rawValue)
                        limit.member("count", reached.count)
                        limit.member("maximum", reached.limit.maximum)
                    }
                }
            }
        }
    }

    /// Writes what became of each file.
    mutating func member(_ key: String, _ files: [SourceReport]) {
        array(key) { array in
            for file in files {
                array.object { object in
                    object.member("name", LogString(text: file.name))
                    object.member("server", log: file.server)
                    object.member("bytes", file.bytes)
                    object.member("records", file.records)
                    object.member("firstTime", file.firstTime)
                    object.member("lastTime", file.lastTime)
                    object.member("skipped", file.isSkipped)
                    object.member("incomplete", file.isIncomplete)
                    object.member("notes", file.notes.map { LogString(text: $0) })
                }
            }
        }
    }
}
