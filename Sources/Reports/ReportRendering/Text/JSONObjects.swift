import JSONText

extension [UInt8] {
    /// Appends one JSON object whose first member names its schema.
    mutating func append<Failure: Error>(
        object schema: String,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var buffer: [UInt8] = []
        swap(&buffer, &self)
        var writer = JSONWriter(onto: buffer)
        defer { self = writer.takeBytes() }
        try writer.object { writer throws(Failure) in
            writer.member("schema", schema)
            try members(&writer)
        }
    }
}
