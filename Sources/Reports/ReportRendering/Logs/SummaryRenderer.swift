import JSONText
public import Redaction
public import ULSLog

/// Shows a summary of the logs.
public enum SummaryRenderer {
    /// Appends the summary; text and Markdown list all levels and the first `rows` of everything else, the formats for
    /// programs list all.
    public static func append(
        _ summary: LogSummary,
        as format: ReportFormat = .text,
        layout: TextLayout = TextLayout(),
        rows: Int = 10,
        csv: CSVStyle = CSVStyle(),
        moment: ReportMoment = ReportMoment(),
        redaction: RedactionSummary? = nil,
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .html: SummaryHTML.append(summary, rows: rows, redaction: redaction, to: &bytes)
        case .json, .ndjson: SummaryObject.append(summary, redaction, to: &bytes)
        case .text:
            RedactionNote.framing(redaction, layout, to: &bytes) { bytes in
                SummaryPage.page(of: summary, rows: rows, layout).append(to: &bytes, layout)
            }
        case .markdown:
            SummaryPage.page(of: summary, rows: rows, TextLayout()).appendMarkdown(to: &bytes, under: "Summary of logs")
            RedactionNote.appendMarkdown(redaction, to: &bytes)
        case .csv: SummaryTable.append(summary, csv, to: &bytes)
        case .prometheus: SummaryMetrics.append(summary, moment, to: &bytes)
        }
    }
}

/// `fastctl.summary/1`: the summary as one JSON object on one line.
private enum SummaryObject {
    static func append(_ summary: LogSummary, _ redaction: RedactionSummary?, to bytes: inout [UInt8]) {
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
            object.member("correlationCountIsAtMost", summary.hasReached(.openCorrelations))
            append(summary.histogram, of: summary, to: &object)
            object.member("redaction", redaction)
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
            object.member("start", histogram.events.isEmpty ? nil : summary.time(atInstant: histogram.start))
            object.member("step", Seconds(milliseconds: histogram.step))
            object.member("events", histogram.events)
            object.member("abnormal", histogram.abnormal)
        }
    }
}

extension LogSummary {
    /// Returns an instant in these logs, with the offset and quality of their first time.
    func time(atInstant instant: Int64) -> LogTime {
        guard let firstTime else { return LogTime(clock: instant, quality: .local) }
        return LogTime(
            clock: instant + Int64(firstTime.offset) * 1000,
            offset: firstTime.offset,
            quality: firstTime.quality
        )
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ counts: [LogSummary.Count]) {
        array(key) { array in
            for count in counts {
                array.object { object in
                    object.member("value", count.value)
                    object.member("count", count.count)
                }
            }
        }
    }

    mutating func member(_ key: String, _ scopes: [ScopeDurations]) {
        array(key) { array in
            for scope in scopes {
                array.object { object in
                    object.member("key", scope.key)
                    object.member("count", scope.count)
                    // Scopes that were never left have no known duration.
                    let isMeasured = scope.count > 0
                    object.member("p50", microseconds: isMeasured ? scope.p50 : nil)
                    object.member("p95", microseconds: isMeasured ? scope.p95 : nil)
                    object.member("max", microseconds: isMeasured ? scope.max : nil)
                    object.member("total", microseconds: isMeasured ? scope.total : nil)
                    object.member("open", scope.open)
                    object.member("request", scope.isRequest)
                }
            }
        }
    }
}
