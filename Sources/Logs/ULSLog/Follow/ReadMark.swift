/// A place up to which a file was read, and some of what stood above it.
///
/// A file that only grows keeps both. One that was cut off and filled again, as by `copytruncate`, does not, even if it is
/// as long as before or longer: its rows have times. Only a file whose first ``reach`` bytes, and whose last ones
/// before the place, were written again byte by byte would pass for one that grew.
struct ReadMark: Hashable, Sendable {
    private(set) var place: Int64 = 0
    /// The first bytes of the file.
    private var head: [UInt8] = []
    /// The last bytes before the place.
    private var tail: [UInt8] = []

    /// Bytes remembered of the beginning, and as many before the place: the head of a log has one constant line, and a
    /// row's time comes first.
    static let reach = 1 << 10

    /// Marks the beginning of a file.
    init() {}

    /// Marks a place in a file; its beginning, if the file has become shorter.
    init(_ place: Int64, in file: OpenFile) throws(LogSourceError) {
        let length = Int(min(place, Int64(Self.reach)))
        let head = try Self.bytes(length, at: 0, in: file)
        let tail = try Self.bytes(length, at: place - Int64(length), in: file)
        guard head.count == length, tail.count == length else { return }
        (self.place, self.head, self.tail) = (place, head, tail)
    }

    /// Moves on over bytes that were read at the place.
    mutating func advance(over bytes: some BidirectionalCollection<UInt8>) {
        head.append(contentsOf: bytes.prefix(Self.reach - head.count))
        let end = bytes.suffix(Self.reach)
        tail.removeFirst(max(0, tail.count + end.count - Self.reach))
        tail.append(contentsOf: end)
        place += Int64(bytes.count)
    }

    /// Returns whether what stood in a file above the place still stands there.
    func stands(in file: OpenFile) throws(LogSourceError) -> Bool {
        guard try Self.bytes(tail.count, at: place - Int64(tail.count), in: file) == tail else { return false }
        // In a short file, the tail is the head.
        guard place > Int64(tail.count) else { return true }
        return try Self.bytes(head.count, at: 0, in: file) == head
    }

    private static func bytes(_ count: Int, at place: Int64, in file: OpenFile) throws(LogSourceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try file.read(into: &bytes, from: 0, at: place)
        bytes.removeLast(count - read)
        return bytes
    }
}
