import ULSLog

/// What unexplained events are told apart by: event ID, and the message's shape.
struct EventKind {
    /// The shape, and behind it room for a longer one.
    private var buffer = [UInt8](repeating: 0, count: MessageShape.maximumBytes)
    private var length = 0
    private var eventIDBytes: [UInt8] = []

    /// Sets it to that of an event, keeping the buffer.
    mutating func set(eventID: [UInt8], message: Span<UInt8>) {
        eventIDBytes = eventID
        length = buffer.withUnsafeMutableBufferPointer { MessageShape.write(message, to: $0) }
    }

    /// Tells kinds apart within this process.
    var hash: UInt64 {
        var hasher = Hasher()
        eventIDBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(length)
        buffer.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    var eventID: String { String(decoding: eventIDBytes, as: UTF8.self) }
    var shape: String { String(decoding: buffer[..<length], as: UTF8.self) }
}
