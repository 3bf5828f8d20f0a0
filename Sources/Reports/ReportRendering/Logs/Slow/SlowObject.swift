import JSONText
import ULSLog

/// `fastctl.slow/1`: which requests and scopes took long, as one JSON object on a line.
enum SlowObject {
    static func append(_ report: SlowReport, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.slow/1") { object in
            object.member("files", report.files)
            object.member("events", report.events)
            object.member("requests", report.requests)
            object.member("scopes", report.scopes)
            object.array("slowest") { array in
                for instance in report.slowest { array.object { append(instance, to: &$0) } }
            }
            object.member("quality", report.quality)
        }
        bytes.append(0x0A)
    }

    private static func append(_ instance: SlowReport.Instance, to object: inout JSONWriter) {
        object.member("name", LogString(text: instance.name))
        object.member("request", instance.isRequest)
        object.member("seconds", microseconds: instance.duration)
        object.member("time", instance.time)
        object.member("server", log: instance.server)
        object.member("correlation", log: instance.correlation)
        object.member("file", LogString(text: instance.place.file))
        object.member("line", instance.place.line)
        object.member("lineEnd", instance.place.lineEnd)
    }
}
