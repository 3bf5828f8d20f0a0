import ULSLog

extension DiagnosisReport {
    /// Reads again where the requests of findings begin to fail, for the rules that want to know.
    mutating func addLeads(from reader: LogReader) throws {
        for index in findings.indices where findings[index].rule.lead != nil {
            guard let first = findings[index].evidence.first, first.role == .match,
                let id = first.correlation.flatMap(CorrelationPattern.init)?.id
            else { continue }
            let lead = try reader.firstEvent(
                of: id,
                before: first.time,
                by: RuleDuration.request.milliseconds,
                at: first.place
            ) { event in
                event.time == first.time && event.text(.eventID) == first.eventID
                    && event.text(.message).utf8.starts(with: first.text.utf8)
            } isWanted: { event in
                event.level.isAbnormal && !Noise.contains(eventID: event[.eventID].array)
            }
            guard let lead else { continue }
            let evidence = [Evidence(lead, role: .lead)] + findings[index].evidence
            findings[index].evidence = Array(evidence.prefix(Finding.maximumEvidence))
        }
    }
}
