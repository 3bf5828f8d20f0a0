import JSONText
import ULSLog

/// `fastctl.summary/1`: the summary as one JSON object on a line.
enum SummaryObject {
    static func append(_ summary: LogSummary, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.summary/1") { object in
            object.member("files", summary.files)
            object.member("records", summary.records)
            object.member("events", summary.events)
            object.member("firstTime", summary.firstTime)
            object.member("lastTime", summary.lastTime)
            object.member("levels", summary.levels)
            object.member("areas", summary.areas)
            object.member("categories", summary.categories)
            object.member("eventIDs", summary.eventIDs)
            append(summary.correlations, to: &object)
            object.member("scopes", summary.scopes)
            append(summary.gaps, to: &object)
            object.member("quality", summary.quality)
            object.member("correlationCount", summary.correlationCount)
            append(summary.histogram, of: summary, to: &object)
        }
        bytes.append(0x0A)
    }

    private static func append(_ correlations: [LogSummary.Correlation], to object: inout JSONWriter) {
        object.array("correlations") { array in
            for correlation in correlations {
                array.object { object in
                    object.member("value", correlation.id.description)
                    object.member("count", correlation.count)
                    object.member("firstTime", correlation.firstTime)
                    object.member("lastTime", correlation.lastTime)
                    object.member("worstLevel", log: correlation.worstLevel.word)
                }
            }
        }
    }

    private static func append(_ gaps: [LogSummary.Gap], to object: inout JSONWriter) {
        object.array("gaps") { array in
            for gap in gaps {
                array.object { object in
                    object.member("server", log: gap.server)
                    object.member("from", gap.from)
                    object.member("until", gap.until)
                }
            }
        }
    }

    private static func append(_ histogram: LogSummary.Histogram, of summary: LogSummary, to object: inout JSONWriter) {
        object.object("histogram") { object in
            object.member("start", histogram.events.isEmpty ? nil : summary.time(atClock: histogram.start))
            object.member("step", Seconds(milliseconds: histogram.step))
            object.member("events", histogram.events)
            object.member("abnormal", histogram.abnormal)
        }
    }
}

extension LogSummary {
    /// A clock reading of these logs, known as well as their first time is.
    func time(atClock clock: Int64) -> LogTime {
        guard let firstTime else { return LogTime(clock: clock, quality: .local) }
        return LogTime(clock: clock, offset: firstTime.offset, quality: firstTime.quality)
    }
}

extension JSONWriter {
    mutating func member(_ key: String, _ counts: [LogSummary.Count]) {
        array(key) { array in
            for count in counts {
                array.object { object in
                    object.member("value", LogString(text: count.value))
                    object.member("count", count.count)
                }
            }
        }
    }

    mutating func member(_ key: String, _ scopes: [ScopeDurations]) {
        array(key) { array in
            for scope in scopes {
                array.object { object in
                    object.member("key", LogString(text: scope.key))
                    object.member("count", scope.count)
                    object.member("p50", microseconds: scope.p50)
                    object.member("p95", microseconds: scope.p95)
                    object.member("max", microseconds: scope.max)
                    object.member("total", microseconds: scope.total)
                    object.member("open", scope.open)
                    object.member("request", scope.isRequest)
                }
            }
        }
    }
}
