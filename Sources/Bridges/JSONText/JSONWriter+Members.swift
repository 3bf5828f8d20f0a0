extension JSONWriter {
    /// Writes a member of an object; `nil` is written as `null`.
    public mutating func member(_ key: String, _ value: (some JSONWritable)?) {
        self.key(key)
        if let value { self.value(value) } else { null() }
    }

    /// Writes a member whose value is JSON already.
    public mutating func member(_ key: String, raw json: [UInt8]) {
        self.key(key)
        raw(json)
    }

    public mutating func object<Failure: Error>(
        _ key: String,
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try object(members)
    }

    public mutating func array<Failure: Error>(
        _ key: String,
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try array(elements)
    }
}
