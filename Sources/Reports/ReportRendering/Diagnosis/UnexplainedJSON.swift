import JSONText
import LogDiagnosis
import ULSLog

/// The members of a kind of unexplained events, in the data formats.
enum UnexplainedObject {
    static func writeMembers(of kind: FailureCluster, to object: inout JSONWriter) {
        object.member("id", kind.id)
        object.member("severity", kind.severity.rawValue)
        object.member("headline", kind.headline)
        object.member("eventID", log: kind.eventID)
        object.member("level", log: kind.level.word)
        object.member("template", kind.template)
        object.member("exception", kind.exception)
        object.member("frame", kind.frame)
        object.member("count", kind.count)
        write("requests", kind.requests, to: &object)
        write("users", kind.users, to: &object)
        write("addresses", kind.addresses, to: &object)
        object.member("userNames", kind.userNames)
        object.member("addressNames", kind.addressNames)
        object.member("servers", kind.servers)
        object.member("firstTime", kind.firstTime)
        object.member("lastTime", kind.lastTime)
        ReadingObject.writeMembers(of: kind.explanation, to: &object)
        object.array("changes") { array in
            for change in kind.changes {
                array.object { object in
                    object.member("kind", change.kind.rawValue)
                    object.member("text", change.text)
                }
            }
        }
        object.object("example") { EvidenceObject.writeMembers(of: kind.example, to: &$0) }
    }

    /// Writes a number and whether it is a lower bound: `requests`, `requestsAreAtLeast`.
    private static func write(_ name: String, _ amount: Amount, to object: inout JSONWriter) {
        object.member(name, amount.count)
        object.member("\(name)AreAtLeast", amount.isAtLeast)
    }
}

/// The members of something unusual about the log as a whole, in the data formats.
enum ChangeObject {
    static func writeMembers(of change: LogChange, to object: inout JSONWriter) {
        object.member("kind", change.kind.rawValue)
        writePlace(of: change, to: &object)
    }

    static func writePlace(of change: LogChange, to object: inout JSONWriter) {
        object.member("server", log: change.server)
        object.member("time", change.time)
        object.member("text", change.text)
    }
}

/// The members of what a text says by itself, in the data formats: kinds of statements, never mixed.
enum ReadingObject {
    static func writeMembers(of reading: FailureReading?, to object: inout JSONWriter) {
        object.member("decoded", reading?.decoded ?? [])
        object.member("during", reading?.activity?.text)
        object.member("where", reading?.location?.text)
        object.member("mentions", reading?.mention)
        object.member("needs", reading?.needs ?? [])
        object.member("usually", reading?.usually ?? [])
        object.member("causes", reading?.causes ?? [])
        object.array("checks") { array in
            for check in reading?.checks ?? [] {
                array.object { object in
                    object.member("text", check.text)
                    object.member("command", check.command)
                }
            }
        }
    }
}
