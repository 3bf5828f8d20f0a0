import JSONText
import LogDiagnosis
import ULSLog

/// The members of an event that a finding rests on, in the data formats.
enum EvidenceObject {
    static func writeMembers(of event: Evidence, to object: inout JSONWriter) {
        object.member("file", LogString(text: event.place.file))
        object.member("line", event.place.line)
        object.member("lineEnd", event.place.lineEnd)
        object.member("time", event.time)
        object.member("server", log: event.server)
        object.member("eventID", log: event.eventID)
        object.member("correlation", log: event.correlation)
        object.member("text", LogString(text: event.text))
        object.member("truncated", event.isTruncated)
    }
}

/// The members of a kind of unexplained events, in the data formats.
enum UnexplainedObject {
    static func writeMembers(of kind: UnexplainedEvents, to object: inout JSONWriter) {
        object.member("eventID", log: kind.eventID)
        object.member("level", log: kind.level.word)
        object.member("template", LogString(text: kind.template))
        object.member("count", kind.count)
        object.object("example") { EvidenceObject.writeMembers(of: kind.example, to: &$0) }
    }
}
