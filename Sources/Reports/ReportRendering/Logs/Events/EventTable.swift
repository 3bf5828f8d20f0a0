import ULSLog

/// Events as comma-separated values, for a spreadsheet: RFC 4180, lines ended by CR LF.
///
/// Columns and names are those of `fastctl.logEvent/1`; what is not known is empty.
enum EventTable {
    static func appendHeader(to bytes: inout [UInt8]) {
        bytes.append(text: "time,timeQuality,server,process,processID,threadID,area,category,eventID,level,message,")
        bytes.append(text: "correlation,file,line,lineEnd,parts,inferred\r\n")
    }

    static func append(_ event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        event.time.appendISO8601(to: &bytes)
        bytes.append(comma)
        bytes.append(text: event.time.quality.rawValue)
        bytes.append(comma)
        if let server = event.server { CSVField.append(server.utf8.span, to: &bytes) }
        for column in ULSEvent.Column.allCases {
            bytes.append(comma)
            CSVField.append(event[column], to: &bytes)
        }
        bytes.append(comma)
        CSVField.append(event.place.file.utf8.span, to: &bytes)
        for number in [event.place.line, event.place.lineEnd, event.parts] {
            bytes.append(comma)
            bytes.append(text: String(number))
        }
        bytes.append(text: event.isInferred ? ",true\r\n" : ",false\r\n")
    }

    private static let comma = UInt8(ascii: ",")
}
