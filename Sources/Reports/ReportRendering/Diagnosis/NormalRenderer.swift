import JSONText
public import LogDiagnosis
import ULSLog

/// `fastctl.normal/1`: the kinds of rows that show problems in a log that counts as normal, one a line.
public enum NormalRenderer {
    public static func append(_ normal: NormalFailures, to bytes: inout [UInt8]) {
        bytes.append(object: NormalFailures.schema) { object in
            // Tenths suffice for a rate.
            object.member("hours", raw: Array("\(Double(Int(normal.hours * 10)) / 10)".utf8))
            object.array("kinds") { array in
                for kind in normal.kinds {
                    array.object { object in
                        object.member("id", kind.id)
                        object.member("eventID", kind.eventID)
                        object.member("template", kind.template)
                        object.member("rows", kind.rows)
                    }
                }
            }
            if !normal.others.isEmpty {
                object.object("others") { object in
                    for (id, rows) in normal.others.sorted(by: { $0.key < $1.key }) { object.member(id, rows) }
                }
                object.member("isIncomplete", normal.isIncomplete)
            }
            guard let portrait = normal.portrait else { return }
            object.array("failures") { array in
                for kind in portrait.kinds {
                    array.object { object in
                        object.member("id", kind.id)
                        object.member("eventID", kind.eventID)
                        object.member("template", kind.template)
                        object.member("exception", kind.exception)
                        object.member("level", log: kind.level.word)
                        object.member("rows", kind.rows)
                        object.member("events", kind.events)
                        object.object("servers") { object in
                            for (name, rows) in kind.servers.sorted(by: { $0.key < $1.key }) {
                                object.member(name, rows)
                            }
                        }
                    }
                }
            }
            object.array("servers") { array in
                for (_, server) in portrait.servers.sorted(by: { $0.key < $1.key }) {
                    array.object { object in
                        object.member("name", server.name)
                        object.member("hours", raw: NumberText.json(server.hours))
                    }
                }
            }
        }
        bytes.append(0x0A)
    }
}
