/// Metrics in the text format that Prometheus' node exporter reads from files (version 0.0.4).
///
/// A metric's samples stand together below its help and type; names are our own, values of labels are escaped.
struct PrometheusText {
    /// What a metric's value is: a gauge may fall again, a summary has quantiles, a sum and a count.
    enum Kind: String {
        case gauge, summary
    }

    /// One value of a metric, and what it is the value of.
    struct Sample {
        /// What follows the metric's name: nothing, `_sum` or `_count`.
        var suffix = ""
        var labels: KeyValuePairs<String, String> = [:]
        /// A decimal number.
        var value: String
    }

    private(set) var bytes: [UInt8] = []

    /// Appends a metric; nothing if it has no samples.
    mutating func append(_ name: String, _ kind: Kind = .gauge, help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        bytes.append(text: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        for sample in samples {
            bytes.append(text: name + sample.suffix)
            append(sample.labels)
            bytes.append(text: " \(sample.value)\n")
        }
    }

    /// Appends a gauge without labels.
    mutating func append(_ name: String, help: String, _ value: Int) {
        append(name, help: help, [Sample(value: String(value))])
    }

    /// Appends when a run began, and how long it took; the time is left out if it is not known.
    mutating func appendRun(_ prefix: String, startedAt start: Duration?, duration: Duration) {
        if let start {
            append(
                "\(prefix)_run_timestamp_seconds",
                help: "When the run began, in seconds since 1970.",
                [Sample(value: start.secondsText)]
            )
        }
        append(
            "\(prefix)_run_duration_seconds",
            help: "How long the run took.",
            [Sample(value: duration.secondsText)]
        )
    }

    private mutating func append(_ labels: KeyValuePairs<String, String>) {
        guard !labels.isEmpty else { return }
        bytes.append(UInt8(ascii: "{"))
        for (index, (label, value)) in labels.enumerated() {
            bytes.append(text: index > 0 ? ",\(label)=\"" : "\(label)=\"")
            appendEscaped(value)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends a label's value: a backslash, a quote and a line end are escaped.
    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(text: "\\\\" as StaticString)
            case UInt8(ascii: "\""): bytes.append(text: "\\\"" as StaticString)
            case 0x0A: bytes.append(text: "\\n" as StaticString)
            default: bytes.append(byte)
            }
        }
    }
}
