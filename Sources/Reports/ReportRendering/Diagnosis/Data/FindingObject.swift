import JSONText
import LogDiagnosis

/// The members of a finding in the data formats.
enum FindingObject {
    static func writeMembers(of finding: Finding, to object: inout JSONWriter) {
        let rule = finding.rule
        object.member("rule", rule.id.text)
        object.member("slug", LogString(text: rule.slug))
        object.member("revision", rule.revision)
        object.member("verdict", LogString(text: finding.verdict))
        object.member("severity", finding.severity.rawValue)
        object.member("confidence", finding.confidence.rawValue)
        object.member("title", LogString(text: rule.title))
        object.member("message", LogString(text: finding.message))
        object.array("symptoms") { array in
            for symptom in finding.symptoms {
                array.object { object in
                    object.member("check", LogString(text: symptom.check))
                    object.member("text", LogString(text: symptom.text))
                    object.member("count", symptom.count)
                }
            }
        }
        object.array("captures") { array in
            for capture in finding.captures {
                array.object { object in
                    object.member("name", LogString(text: capture.name))
                    object.member("value", LogString(text: capture.value))
                }
            }
        }
        object.array("config") { array in
            for config in finding.config { array.object { ConfigObject.writeMembers(of: config, to: &$0) } }
        }
        object.member("occurrences", finding.occurrences)
        object.member("servers", finding.servers.map(LogString.init))
        object.member("firstTime", finding.firstTime)
        object.member("lastTime", finding.lastTime)
        object.array("evidence") { array in
            for event in finding.evidence { array.object { EvidenceObject.writeMembers(of: event, to: &$0) } }
        }
        writeAdvice(of: finding, to: &object)
        object.member("fingerprint", finding.fingerprint)
        object.member("baseline", nil as String?)
    }

    /// Writes what it means, and what helps.
    private static func writeAdvice(of finding: Finding, to object: inout JSONWriter) {
        let rule = finding.rule
        object.object("explain") { object in
            object.member("what", LogString(text: rule.explanation.what))
            object.member("why", LogString(text: rule.explanation.why))
            object.member("impact", log: rule.explanation.impact)
        }
        object.array("fix") { array in
            for step in finding.fix {
                array.object { object in
                    object.member("step", LogString(text: step.step))
                    object.member("where", log: step.location)
                    object.member("effect", log: step.effect)
                    object.member("undo", log: step.undo)
                }
            }
        }
        object.member("verify", log: rule.verify)
        object.array("references") { array in
            for reference in rule.references {
                array.object { object in
                    object.member("title", LogString(text: reference.title))
                    object.member("url", log: reference.url)
                }
            }
        }
    }
}
