import JSONText
public import LogDiagnosis

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
        }
        bytes.append(0x0A)
    }
}
