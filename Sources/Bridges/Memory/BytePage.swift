/// Bytes in one piece of memory that many values share: written once each, then only read.
///
/// Whoever makes a page fills it, part by part and each part once, and gives a part to others, on other threads too, only
/// after it is written. So nobody reads what somebody writes; hence `@unchecked`.
@safe public final class BytePage: @unchecked Sendable {
    private let memory: UnsafeMutableBufferPointer<UInt8>

    /// A page with room for so many bytes.
    public init(capacity: Int) { unsafe memory = .allocate(capacity: capacity) }

    deinit { unsafe memory.deallocate() }

    public var capacity: Int { unsafe memory.count }

    /// Fills a part of the page; nobody may have been given it before.
    public func write(_ bytes: Span<UInt8>, at place: Int) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            let part = unsafe memory.extracting(place..<place + bytes.count)
            _ = unsafe part.initialize(fromContentsOf: bytes)
        }
    }

    /// A part of the page that is written.
    @_lifetime(borrow self)
    public func bytes(from start: Int, count: Int) -> Span<UInt8> {
        let bytes = unsafe UnsafeBufferPointer(memory.extracting(start..<start + count)).span
        return unsafe _overrideLifetime(bytes, borrowing: self)
    }
}
