import JSONText
public import LogDiagnosis

/// `fastctl.baseline/1`: known findings as JSON, an entry on each line, so that versions of it can be compared.
public enum BaselineRenderer {
    public static func append(_ baseline: FindingBaseline, to bytes: inout [UInt8]) {
        bytes.append(text: "{\"schema\":\"\(FindingBaseline.schema)\",\"findings\":[")
        for (index, entry) in baseline.entries.enumerated() {
            bytes.append(text: index == 0 ? "\n" : ",\n")
            var writer = JSONWriter()
            writer.object { object in
                object.member("rule", entry.rule.text)
                object.member("fingerprint", entry.fingerprint)
                object.member("severity", entry.severity.rawValue)
                object.member("title", entry.title)
                object.member("servers", entry.servers)
            }
            bytes += writer.bytes
        }
        bytes.append(text: baseline.entries.isEmpty ? "]}\n" : "\n]}\n")
    }
}
