public import CProcessor

/// A piece of memory whose bytes are shared by many values: each byte is written once, then only read.
///
/// The creator of a page writes each part once, and shares it with other code or threads only afterward. Bytes are
/// therefore never read while they are being written, which justifies `@unchecked`.
@safe package final class BytePage: @unchecked Sendable {
    private let memory: UnsafeMutableBufferPointer<UInt8>

    /// Creates a page with room for `capacity` bytes.
    package init(capacity: Int) { unsafe memory = .allocate(capacity: capacity) }

    deinit { unsafe memory.deallocate() }

    package var capacity: Int { unsafe memory.count }

    /// Writes a part of the page that has not been shared yet.
    package func write(_ bytes: Span<UInt8>, at place: Int) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            let part = unsafe memory.extracting(place..<place + bytes.count)
            _ = unsafe part.initialize(fromContentsOf: bytes)
        }
    }

    /// Returns a part of the page that has been written.
    @_lifetime(borrow self)
    package func bytes(from start: Int, count: Int) -> Span<UInt8> {
        let bytes = unsafe UnsafeBufferPointer(memory.extracting(start..<start + count)).span
        return unsafe _overrideLifetime(bytes, borrowing: self)
    }
}

extension Array {
    /// Asks the processor to prefetch an element that will be needed soon, without waiting for it.
    ///
    /// The prefetch affects only the speed of a later access; an index out of bounds has no effect.
    @inlinable package func prefetch(_ index: Int) {
        unsafe withUnsafeBufferPointer { elements in
            guard elements.indices.contains(index), let start = elements.baseAddress else { return }
            unsafe processor_prefetch(start + index)
        }
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    @inlinable package mutating func append(copying span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
