import Glibc

/// A part of a file in memory, read-only, for as long as this value lives.
///
/// Reading it costs no copy. A file that somebody cuts meanwhile does no harm: what is gone reads as zeros, and
/// ``wasCut`` says so. (Without that, the system would end the process by `SIGBUS`.)
@safe public struct FileMapping: ~Copyable {
    private let start: UnsafeRawPointer
    private let length: Int
    private let lead: Int
    private let place: Int

    /// Maps bytes of an open file that are in it now; `nil` where the system does not, or when too many are mapped.
    ///
    /// - Parameters:
    ///   - descriptor: May be closed afterwards.
    ///   - offset: Where the bytes begin in the file.
    ///   - count: How many; at least one.
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

    /// The bytes.
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            let all = unsafe UnsafeRawBufferPointer(start: start, count: length)
            return unsafe _overrideLifetime(all.bytes.extracting(droppingFirst: lead), borrowing: self)
        }
    }

    /// Whether the file was found to be shorter than it was: the bytes behind read as zeros.
    public var wasCut: Bool { MappedRanges.wasCut(place) }

    static let pageSize = Int64(sysconf(CInt(_SC_PAGESIZE)))
}
