import Glibc

/// A part of a file mapped into memory, read-only, for the lifetime of this value.
///
/// Reading it needs no copy. It does no harm if somebody truncates the file in the meantime: the missing bytes read as
/// zeros, and ``wasCut`` is true. (Otherwise the system would end the process with `SIGBUS`.)
@safe public struct FileMapping: ~Copyable {
    private let start: UnsafeRawPointer
    private let length: Int
    private let lead: Int
    private let place: Int

    /// Maps bytes that an open file contains now; `nil` if the system refuses, or if there are too many mappings.
    ///
    /// - Parameters:
    ///   - descriptor: The file's descriptor, which may be closed afterwards.
    ///   - offset: The offset of the bytes in the file.
    ///   - count: The number of bytes; at least one.
    public init?(descriptor: CInt, offset: Int64, count: Int) {
        let lead = Int(offset % Self.pageSize)
        guard offset >= 0, count > 0, let place = MappedRanges.reserve() else { return nil }
        let address = unsafe mmap(nil, count + lead, PROT_READ, MAP_PRIVATE, descriptor, off_t(offset - Int64(lead)))
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            MappedRanges.release(place)
            return nil
        }
        unsafe start = UnsafeRawPointer(address)
        length = count + lead
        self.lead = lead
        self.place = place
        unsafe MappedRanges.occupy(place, start, length)
    }

    deinit {
        MappedRanges.release(place)
        unsafe munmap(UnsafeMutableRawPointer(mutating: start), length)
    }

    /// The mapped bytes.
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            let all = unsafe UnsafeRawBufferPointer(start: start, count: length)
            return unsafe _overrideLifetime(all.bytes.extracting(droppingFirst: lead), borrowing: self)
        }
    }

    /// Whether the file was found to be shorter than before: the bytes after its new end read as zeros.
    public var wasCut: Bool { MappedRanges.wasCut(place) }

    static let pageSize = Int64(sysconf(CInt(_SC_PAGESIZE)))
}
