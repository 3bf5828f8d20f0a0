import ContentFeeding
import Glibc

/// IDs to remove, each ended by a line feed or a NUL byte.
struct LinesFormat: RecordFormat {
    let end: UInt8
    private let trims: Bool
    /// True when an empty record counts as an empty ID, as an argument does, not as a blank line.
    let refusesEmpty: Bool
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(end: UInt8, trims: Bool = false, refusesEmpty: Bool = false, limits: InputLimits) {
        self.end = end
        self.trims = trims
        self.refusesEmpty = refusesEmpty
        self.limits = limits
    }

    var maximumRecordBytes: Int { limits.line }
    var tooLong: String { DocumentID.tooLong(limits.id) }
    var dropsCarriageReturn: Bool { end != 0 }

    var endByte: UInt8? { end }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: end, from: start).map { $0 + 1 }
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        var range = 0..<record.count
        if trims { range = record.trimmed() }
        guard !range.isEmpty || refusesEmpty else { return .blank }
        do throws(RejectedRecord) {
            return .operation(.remove(try ids.id(record: record.extracting(range), limit: limits.id)))
        } catch {
            return .rejected(error.reason)
        }
    }
}

extension Span<UInt8> {
    /// Returns the first offset of `byte` at or after `start`.
    func offset(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBytes { all in
            guard let base = all.baseAddress, let found = memchr(base + start, CInt(byte), all.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Returns the last offset of `byte`.
    func lastOffset(of byte: UInt8) -> Int? {
        var index = count
        while index > 0 {
            index -= 1
            if self[index] == byte { return index }
        }
        return nil
    }

    /// Returns how often `byte` occurs.
    func count(of byte: UInt8) -> Int {
        // Without branches or checks of bounds, the compiler compares many bytes at once.
        withUnsafeBufferPointer { all in
            var total = 0
            for index in all.indices { total &+= all[index] == byte ? 1 : 0 }
            return total
        }
    }

    /// Returns the range without the spaces and tabs at both ends.
    fileprivate func trimmed() -> Range<Int> {
        var (start, end) = (0, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }
}

extension [UInt8] {
    mutating func append(copying bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
