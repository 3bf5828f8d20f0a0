import JSONText
import ULSLog

/// `fastctl.logEvent/1`: an event as a JSON object.
enum LogEventObject {
    static func append(_ event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        let event = copy event
        bytes.append(object: "fastctl.logEvent/1") { object in
            object.member("time", event.time)
            object.member("timeQuality", event.time.quality.rawValue)
            object.member("server", log: event.server)
            object.member("process", log: event.text(.process))
            object.member("processID", log: event.text(.processID))
            object.member("threadID", log: event.text(.threadID))
            object.member("area", log: event.text(.area))
            object.member("category", log: event.text(.category))
            object.member("eventID", log: event.text(.eventID))
            object.member("level", log: event.text(.level))
            object.member("message", LogString(text: event.text(.message)))
            object.member("correlation", log: event.text(.correlation))
            object.member("file", LogString(text: event.place.file))
            object.member("line", event.place.line)
            object.member("lineEnd", event.place.lineEnd)
            object.member("parts", event.parts)
            object.member("inferred", event.isInferred)
        }
    }
}
