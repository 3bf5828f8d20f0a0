import JSONText

/// A place as SARIF has it.
enum SARIFLocation {
    static func writeMembers(of place: FindingPlace, to object: inout JSONWriter) {
        object.object("physicalLocation") { physical in
            physical.object("artifactLocation") { $0.member("uri", relativeURI(of: place.file)) }
            physical.object("region") { region in
                region.member("startLine", place.line)
                region.member("startColumn", place.column)
                region.member("endLine", place.lineEnd)
                // The column behind the last one.
                region.member("endColumn", place.columnEnd == .max ? .max : place.columnEnd + 1)
            }
        }
    }

    /// A path as a relative address: forward slashes, everything but letters, digits and `-._~` escaped.
    static func relativeURI(of path: String) -> String {
        var bytes: [UInt8] = []
        for segment in path.utf8.split(omittingEmptySubsequences: true, whereSeparator: isSeparator)
        where !segment.elementsEqual(".".utf8) {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
            for byte in segment {
                if isPlain(byte) {
                    bytes.append(byte)
                } else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    bytes.append(text: byte < 0x10 ? "%0\(digits)" : "%\(digits)")
                }
            }
        }
        return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}
